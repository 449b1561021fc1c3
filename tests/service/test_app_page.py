"""The page on a server, in a real browser: paste, drop, score, fit, cancel, sign in."""

import csv
import io
import json
import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from browser import LARGEST_PICTURE, NARROW, picture, watched_page
from saved_models import CORPUS, NEW
from serving import serving
from waiting import PATIENCE

from tonmf import TextOutlierDetector

expect = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright").expect
expect.set_options(timeout=1000 * PATIENCE)

TOKEN = "a token of the tests"  # noqa: S105
ODD = "The tenant shall zxcvb the market, pursuant to stock rates and qwertz; shares told the public bank."
CORPUS_CSV = "name,body\n" + "".join(f"{id_},{text}\n" for id_, text in zip(CORPUS.ids, CORPUS.texts, strict=True))


@contextmanager
def opened(browser, server, part="score", **options):
    """A part of the page of a server."""
    with watched_page(browser, (server.address, "blob:", "data:"), **options) as page:
        page.goto(f"{server.address}/#{part}")
        expect(page.locator("html[data-ready]")).to_be_attached()
        yield page


@pytest.fixture
def page(browser, server):
    """The page of the server that tests share."""
    with opened(browser, server) as shown:
        yield shown


def score(page, text, each_line=False):
    page.get_by_label("one document per line" if each_line else "one document", exact=True).check()
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Score").click()


def explained(server, *texts):
    return server.post("/v1/explain", json={"documents": list(texts), "pieces": True}).json()["documents"]


def shaded(place):
    return [
        (mark.inner_text(), float(mark.get_attribute("data-share"))) for mark in place.locator("mark.unexpected").all()
    ]


def listed(page):
    return [button.inner_text() for button in page.locator("button.open").all()]


def drop(page, place, name, content):
    files = page.evaluate_handle(
        "([name, content]) => { const files = new DataTransfer(); files.items.add(new File([content], name)); return files; }",
        [name, content],
    )
    page.locator(place).dispatch_event("drop", {"dataTransfer": files})


def choose(page, field, name, content):
    page.set_input_files(field, {"name": name, "mimeType": "", "buffer": content.encode()})


def tab_until(page, reached):
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate(reached):
            return
    raise AssertionError("the Tab key does not lead there")


def start_job(page, name=None, content=CORPUS_CSV):
    """Upload a corpus, and wait until its job is listed."""
    page.get_by_role("link", name="Fit a model").click()
    choose(page, "#corpus-file", name or "posts.csv", content)
    page.get_by_role("button", name="Start").click()
    job = page.locator(".job").first
    expect(job.get_by_role("heading")).to_be_focused()
    return page.locator(f".job[data-id='{job.get_attribute('data-id')}']")


# What is served.


def test_the_head_says_what_model_is_served(page, saved):
    detector, _ = saved
    head = page.get_by_role("banner")
    expect(head).to_contain_text(f"120 documents, {detector.n_terms_} words, {len(detector.topics(3))} topics")
    expect(head).to_contain_text(f"threshold {detector.threshold_:.2f}")


def test_the_models_provenance_and_topics_are_shown(page, server):
    page.get_by_role("link", name="The model").click()
    model = page.locator("#model")
    expect(model).to_contain_text(f"numpy {server.get('/v1/model').json()['provenance']['numpy']}")
    topics = server.get("/v1/topics?words=10").json()["topics"]
    rows = model.locator("tbody tr")
    expect(rows).to_have_count(len(topics))
    for row, topic in zip(rows.all(), topics, strict=True):
        expect(row.locator("th")).to_have_text(str(topic["number"]))
        expect(row.locator(".topic-words")).to_have_text(", ".join(topic["words"]))


def test_a_part_of_the_page_has_an_address_of_its_own(page):
    page.get_by_role("link", name="Fit a model").click()
    expect(page.get_by_role("heading", name="Fit a model")).to_be_focused()
    page.reload()
    expect(page.get_by_role("link", name="Fit a model")).to_have_attribute("aria-current", "page")
    expect(page.locator("#score")).to_be_hidden()
    page.go_back()
    expect(page.locator("#score")).to_be_visible()


# Score.


def test_a_pasted_text_gets_its_score_and_its_reasons(page, server):
    score(page, ODD)
    why = explained(server, ODD)[0]
    result = page.get_by_role("region", name="Result", exact=True)
    expect(result.locator(".result-heading")).to_contain_text(f"Score {why['score']:.2f}, flagged")
    expect(result.locator(".reason")).to_have_text(why["sentence"])
    assert shaded(result) == [tuple(piece) for piece in why["pieces"] if not isinstance(piece, str)]
    assert shaded(result)
    expect(result.locator(".text")).to_have_text(ODD)


def test_pasted_lines_are_ranked_with_the_strangest_first(page, server):
    lines = [CORPUS.texts[0], "zxcv qwer", CORPUS.texts[1], ODD]
    score(page, "\n\n".join(lines), each_line=True)
    expect(page.locator("button.open")).to_have_count(4)
    scores = [why["score"] for why in explained(server, *lines)]
    by_score = sorted(range(4), key=lambda row: -scores[row])
    assert listed(page) == [f"line {2 * row + 1}" for row in by_score]  # every other line is blank
    page.get_by_label("Sort by").select_option("Input order")
    assert listed(page) == ["line 1", "line 3", "line 5", "line 7"]


def test_a_listed_document_opens_to_its_reasons(page, server):
    score(page, f"{ODD}\n{CORPUS.texts[0]}", each_line=True)
    page.get_by_role("button", name="line 1").click()
    why = explained(server, ODD, CORPUS.texts[0])[0]
    opened_entry = page.locator(".entry.opened")
    expect(opened_entry.locator(".reason")).to_have_text(why["sentence"])
    assert shaded(opened_entry) == [tuple(piece) for piece in why["pieces"] if not isinstance(piece, str)]


def test_a_dropped_text_file_is_scored_line_by_line(page, server):
    texts = CORPUS.texts[:12]
    drop(page, "#score .drop", "posts.txt", "\n".join(texts))
    flagged = sum(why["outlier"] for why in explained(server, *texts))
    expect(page.locator(".result-heading")).to_contain_text(f"{flagged} of 12 documents")
    assert sorted(listed(page)) == sorted(f"posts.txt:{line}" for line in range(1, 13))
    expect(page.locator("#scores .u-wrap").first).to_be_visible()


def test_a_chosen_file_of_json_lines_is_scored_under_its_ids(page, server):
    documents = [{"id": f"new-{number}", "text": text} for number, text in enumerate(NEW)]
    choose(page, "#score-file", "new.jsonl", "\n".join(map(json.dumps, documents)))
    scored = server.post("/v1/score", json={"documents": documents}).json()["documents"]
    expect(page.locator("button.open")).to_have_count(len(NEW))
    assert listed(page) == [each["id"] for each in sorted(scored, key=lambda each: -each["score"])]


def test_more_documents_than_the_server_takes_at_once_are_sent_in_slices(page, server):
    assert server.get("/v1/model").json()["limits"]["batch"] == 200
    sizes = []
    page.on(
        "request",
        lambda asked: asked.url.endswith("/v1/explain") and sizes.append(len(asked.post_data_json["documents"])),
    )
    choose(page, "#score-file", "many.txt", "\n".join(text[:60] for text in CORPUS.texts * 4))
    expect(page.locator(".result-heading")).to_contain_text("of 480 documents")
    assert sum(sizes) == 480
    assert max(sizes) <= 200


def test_slices_keep_to_the_largest_body(page, server):
    largest = server.get("/v1/model").json()["limits"]["body"]
    sizes = []
    page.on("request", lambda asked: asked.url.endswith("/v1/explain") and sizes.append(len(asked.post_data_buffer)))
    long = "ä market stock " * 1000
    choose(page, "#score-file", "long.txt", "\n".join([long] * 30))
    expect(page.locator(".result-heading")).to_contain_text("of 30 documents")
    assert len(sizes) > 1
    assert max(sizes) <= largest


def test_results_are_exported_as_csv(page, server):
    score(page, f'{CORPUS.texts[0]}\n{ODD}\n=1+1, "zxcv"', each_line=True)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"))))
    whys = sorted(explained(server, CORPUS.texts[0], ODD, '=1+1, "zxcv"'), key=lambda why: -why["score"])
    assert [float(row["score"]) for row in rows] == [why["score"] for why in whys]
    assert {row["text"] for row in rows} == {CORPUS.texts[0], ODD, '\'=1+1, "zxcv"'}


def test_a_threshold_that_is_moved_counts_anew(page):
    choose(page, "#score-file", "posts.txt", "\n".join(CORPUS.texts))
    page.get_by_label("Threshold", exact=True).fill("-100")
    expect(page.locator(".result-heading")).to_contain_text("120 of 120 documents are flagged")


def test_a_file_that_is_not_scored_here_is_led_to_where_it_can_be_used(page):
    drop(page, "#score .drop", "posts.csv", CORPUS_CSV)
    expect(page.get_by_role("alert").filter(has_text="posts.csv: only .txt files")).to_be_visible()
    page.get_by_role("button", name="Fit a model on it").click()
    expect(page.locator("#fit .chosen")).to_contain_text("posts.csv")
    expect(page.get_by_role("button", name="Start")).to_be_focused()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.jsonl", '{"text": "one"}\n{"text": "two"', "a.jsonl, line 2: expected a complete JSON value on each line"),
        ("a.jsonl", '{"title": "one"}', "a.jsonl, line 1: expected a text, or an object with it as “text”"),
        ("a.txt", "\n \n", "a.txt is empty: expected one document per line."),
        ("a.txt", "PK\0\0", "a.txt is not text"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(page, name, content, sentence):
    choose(page, "#score-file", name, content)
    expect(page.locator("#score .problem")).to_contain_text(sentence)


def test_documents_that_the_server_refuses_get_its_sentence(page, server):
    page.expected.append("status of 422")
    documents = [{"id": "a", "text": 17}]
    choose(page, "#score-file", "numbers.jsonl", json.dumps(documents[0]))
    refused = server.post("/v1/explain", json={"documents": documents})
    expect(page.locator("#score .problem")).to_have_text(refused.json()["error"])


def test_no_text_at_all_says_so(page):
    page.get_by_role("button", name="Score").click()
    expect(page.locator("#score .problem")).to_have_text("There is no text yet. Type or paste some, or choose a file.")
    expect(page.get_by_label("Text", exact=True)).to_be_focused()


def test_scoring_can_be_cancelled(page):
    page.route("**/v1/explain", lambda route: None)  # no answer ever comes
    score(page, ODD)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#score .problem")).to_have_text("Cancelled.")
    expect(page.get_by_role("progressbar")).to_be_hidden()
    page.unroute("**/v1/explain")
    page.get_by_role("button", name="Score").click()
    expect(page.locator(".result-heading")).to_be_visible()


def test_a_text_that_is_too_long_gets_the_servers_sentence(page, server):
    text = "market " * 3000
    page.expected.append("status of 413")
    score(page, text)
    refused = server.post("/v1/explain", json={"documents": [text]})
    assert refused.status_code == 413
    expect(page.locator("#score .problem")).to_have_text(refused.json()["error"])


def test_a_body_that_is_too_large_gets_the_servers_sentence(page, server):
    line = "market " * 300_000
    page.expected.append("status of 413")
    choose(page, "#score-file", "line.txt", line)
    refused = server.post("/v1/explain", json={"documents": [line]})
    expect(page.locator("#score .problem")).to_have_text(refused.json()["error"])


def test_a_long_text_is_scored_in_full_and_shown_in_part(browser, saved, tmp_path):
    with serving(saved[1], tmp_path, "--max-text", "100000") as server, opened(browser, server) as page:
        text = "market stock " * 5000
        choose(page, "#score-file", "long.txt", text)
        expect(page.locator(".result-heading")).to_contain_text(
            f"Score {explained(server, text.strip())[0]['score']:.2f}"
        )
        expect(page.locator(".document")).to_contain_text(
            "Only part of the text is shown. In full it has 65,000 characters."
        )


def test_texts_and_ids_are_never_markup(page):
    hostile = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    documents = [{"id": hostile, "text": f"{hostile} market"}, {"id": "\u202eא", "text": "שלום \u202e 😀 " * 5}]
    choose(page, "#score-file", f"{hostile.replace('/', '')}.jsonl", "\n".join(map(json.dumps, documents)))
    page.get_by_role("button", name=hostile).click()
    expect(page.locator(".entry.opened .text")).to_have_text(f"{hostile} market")
    assert page.locator("#app img, #app script").count() == 0


def test_the_keyboard_alone_is_enough_to_paste_and_score(page):
    tab_until(page, "document.activeElement.id === 'text'")
    page.keyboard.insert_text(f"{ODD}\nzxcv")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")  # from one document to one per line
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".result-heading")).to_be_focused()
    expect(page.locator(".result-heading")).to_contain_text("of 2 documents")
    tab_until(page, "document.activeElement.classList.contains('open')")
    page.keyboard.press("Enter")
    expect(page.locator(".entry.opened .reason")).to_be_visible()
    page.get_by_label("Text", exact=True).focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".result-heading")).to_be_focused()


def test_a_model_of_baskets_takes_items(browser, tmp_path):
    baskets = [[f"item{(start + step) % 40}" for step in range(6)] for start in range(40)] * 3
    TextOutlierDetector(max_topics=4, n_restarts=1).fit(baskets).save(tmp_path / "model")
    with serving(tmp_path / "model", tmp_path / "server") as server, opened(browser, server) as page:
        page.get_by_label("Items").fill("item1 item2  item3\nitem4 caviar")
        page.get_by_label("one document per line").check()
        page.get_by_role("button", name="Score").click()
        expect(page.locator(".result-heading")).to_contain_text("of 2 documents")
        page.get_by_role("button", name="line 2").click()
        expect(page.locator(".entry.opened mark.unexpected").last).to_have_text("caviar")


def test_a_model_of_counts_takes_terms(browser, tmp_path, small):
    terms = [f"term{number}" for number in range(small.shape[1])]
    TextOutlierDetector(max_topics=4, n_restarts=1).fit(small, terms=terms).save(tmp_path / "model")
    with serving(tmp_path / "model", tmp_path / "server") as server, opened(browser, server) as page:
        page.get_by_label("Terms").fill("term1 term2 term1")
        page.get_by_role("button", name="Score").click()
        documents = [{"id": "pasted text", "counts": {"term1": 2, "term2": 1}}]
        why = server.post("/v1/explain", json={"documents": documents}).json()["documents"][0]
        expect(page.locator(".reason")).to_have_text(why["sentence"])


# Fit.


def test_a_corpus_is_fitted_and_its_report_opens(page, server):
    job = start_job(page)
    expect(job).to_have_attribute("data-state", "done")
    job_id = job.get_attribute("data-id")
    found = server.job(job_id)
    assert found["documents"] == 120
    expect(job).to_contain_text(f"{found['flagged']} of 120 documents flagged")
    expect(job).to_contain_text("column 'body'")
    with page.context.expect_page() as tab:
        job.get_by_role("link", name="Open the report").click()
    report = tab.value
    summary = server.get(f"/v1/jobs/{job_id}/summary").json()
    expect(report.locator("#documents button.open").first).to_have_text(summary["documents"][0]["id"])
    expect(report.get_by_role("heading", name="posts.csv")).to_be_visible()
    for name, end in [("Scores", "-scores.csv"), ("Model", "-model.zip"), ("Summary", "-summary.json")]:
        with page.expect_download() as download:
            job.get_by_role("link", name=name).click()
        assert download.value.suggested_filename.startswith("posts")
        assert download.value.suggested_filename.endswith(end)


def test_a_job_under_way_shows_its_step_and_progress(page, server):
    """The server's answers are made up, so that each can be seen."""
    job = {"id": "a" * 16, "name": "posts.csv", "created": "2026-01-02T03:04:05+00:00", "started": None, "ended": None}
    job |= {"message": None, "notes": [], "documents": None, "flagged": None}
    states = [
        ("queued", "Waiting", 0),
        ("running", "Learning", 0.25),
        ("running", "Writing scores", 0.6),
        ("done", "Done", 1),
    ]
    asked = []

    def answer(route):
        state, step, progress = states[min(len(asked), len(states) - 1)]
        asked.append(state)
        route.fulfill(json={"jobs": [job | {"state": state, "step": step, "progress": progress}]})

    page.route("**/v1/jobs", answer)
    page.clock.install()
    page.goto(f"{server.address}/#fit")
    page.reload()
    bar = page.get_by_role("progressbar", name="Progress of posts.csv")
    expect(bar).to_have_attribute("aria-valuetext", "Waiting in the queue")
    expect(page.get_by_role("navigation")).to_contain_text("1 in progress")
    for text in ("Learning, 25 %", "Writing scores, 60 %"):
        page.clock.run_for(1000)
        expect(bar).to_have_attribute("aria-valuetext", text)
    expect(bar).to_have_attribute("aria-valuenow", "60")
    page.clock.run_for(1000)
    expect(page.locator(".job")).to_have_attribute("data-state", "done")
    expect(page.get_by_role("status").filter(has_text="posts.csv: done.")).to_be_attached()
    page.clock.run_for(20_000)
    assert len(asked) == 4  # there is nothing left to ask for


def test_a_dropped_corpus_and_its_options_reach_the_server(page):
    page.get_by_role("link", name="Fit a model").click()
    drop(page, "#fit .drop", "posts.tsv", CORPUS_CSV.replace(",", "\t"))
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Text column").fill("body")
    page.get_by_label("Share to flag").fill("0.1")
    page.get_by_label("Stop words").select_option("German")
    page.get_by_label("Maximum topics").fill("3")
    with page.expect_request(re.compile(r"/v1/jobs\?")) as sent:
        page.get_by_role("button", name="Start").click()
    options = sent.value.url.partition("?")[2].split("&")
    assert set(options) == {"name=posts.tsv", "text_column=body", "contamination=0.1", "stop_words=german", "topics=3"}
    job = page.locator(".job").first
    expect(job).to_have_attribute("data-state", "done")
    expect(job).to_contain_text("12 of 120 documents flagged")


def test_all_languages_that_are_offered_are_known(page):
    import Stemmer
    import stop_words

    def offered(name):
        values = page.locator(f"#option-{name} option").evaluate_all("options => options.map(option => option.value)")
        return set(values) - {"", "none"}

    assert offered("stop_words") == set(stop_words.AVAILABLE_LANGUAGES)
    assert offered("stem") <= set(Stemmer.algorithms())


def test_an_option_that_makes_no_sense_is_refused_with_the_servers_sentence(page):
    page.expected.append("status of 422")
    page.get_by_role("link", name="Fit a model").click()
    choose(page, "#corpus-file", "posts.csv", CORPUS_CSV)
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Share to flag").fill("most")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#fit form .problem")).to_contain_text(
        "contamination must be a share such as 0.05 or 5%, or auto"
    )


def test_a_file_larger_than_the_server_takes_is_not_sent(page):
    page.get_by_role("link", name="Fit a model").click()
    choose(page, "#corpus-file", "large.txt", "market " * 100_000)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#fit form .problem")).to_have_text(
        "The file has 684 KB, but this server accepts 512 KB at most."
    )


def test_no_file_at_all_says_so(page):
    page.get_by_role("link", name="Fit a model").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#fit form .problem")).to_have_text("Choose a file first.")


def test_an_upload_can_be_cancelled(page):
    page.get_by_role("link", name="Fit a model").click()
    page.route("**/v1/jobs?*", lambda route: None)  # no answer ever comes
    choose(page, "#corpus-file", "posts.csv", CORPUS_CSV)
    page.get_by_role("button", name="Start").click()
    page.locator("#fit form").get_by_role("button", name="Cancel").click()
    expect(page.locator("#fit form .problem")).to_have_text("Cancelled.")
    expect(page.locator("#fit .chosen")).to_contain_text("posts.csv")


def test_a_running_job_is_cancelled(page, server):
    job = start_job(page)
    job.get_by_role("button", name="Cancel").click()
    expect(job).to_have_attribute("data-state", "cancelled")
    expect(job.get_by_role("heading")).to_be_focused()
    assert server.job(job.get_attribute("data-id"))["state"] == "cancelled"


def test_a_job_that_fails_says_why(page):
    job = start_job(page, "numbers.csv", "a,b\n1,2\n3,4\n")
    expect(job).to_have_attribute("data-state", "failed")
    expect(job.locator(".job-message")).to_contain_text("numbers.csv")


def test_a_job_is_deleted_after_asking_once(page, server):
    job = start_job(page, "gone.csv")
    job_id = job.get_attribute("data-id")
    job.get_by_role("button", name="Cancel").click()
    job.get_by_role("button", name="Delete").click()
    expect(job.get_by_role("button", name="Keep")).to_be_focused()
    job.get_by_role("button", name="Keep").click()
    job.get_by_role("button", name="Delete").click()
    job.get_by_role("button", name="Delete for good").click()
    expect(job).to_have_count(0)
    expect(page.get_by_role("heading", name="Jobs")).to_be_focused()
    assert server.get(f"/v1/jobs/{job_id}").status_code == 404


def test_an_answer_that_comes_late_does_not_hide_a_new_job(page):
    page.get_by_role("link", name="Fit a model").click()
    held = []
    page.route("**/v1/jobs", lambda route: held.append(route), times=1)
    with page.expect_request("**/v1/jobs"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # has the page ask for jobs
    job = start_job(page, "new.csv")
    held[0].fulfill(json={"jobs": []})
    job.get_by_role("button", name="Cancel").click()
    expect(job).to_have_attribute("data-state", "cancelled")
    expect(job.get_by_role("heading")).to_be_focused()


def test_jobs_are_still_there_after_a_reload(page):
    job = start_job(page, "kept.csv")
    page.reload()
    expect(job.get_by_role("heading")).to_have_text("kept.csv")
    job.get_by_role("button", name="Cancel").click()
    expect(job).to_have_attribute("data-state", "cancelled")


# The token, and a server that is not there.


def test_a_wrong_token_is_refused_and_the_right_one_lets_in(browser, saved, tmp_path):
    with serving(saved[1], tmp_path, TONMF_TOKEN=TOKEN) as server, opened(browser, server) as page:
        page.expected += ["status of 401"] * 3
        expect(page.get_by_role("heading", name="This server requires a token")).to_be_visible()
        expect(page.get_by_label("Token", exact=True)).to_be_focused()
        expect(page.get_by_label("Text", exact=True)).to_have_count(0)
        page.get_by_label("Token", exact=True).fill("another token altogether")
        page.get_by_role("button", name="Sign in").click()
        sentence = server.post("/v1/session", json={"token": "another token altogether"}).json()["error"]
        expect(page.locator(".sign-in .problem")).to_have_text(sentence)
        page.get_by_label("Token", exact=True).fill(TOKEN)
        page.keyboard.press("Enter")
        score(page, ODD)
        expect(page.locator(".result-heading")).to_be_visible()
        page.reload()
        expect(page.get_by_label("Text", exact=True)).to_be_visible()
        assert TOKEN not in page.evaluate("document.cookie + JSON.stringify([localStorage, sessionStorage])")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="This server requires a token")).to_be_visible()
        expect(page.get_by_role("banner")).not_to_contain_text("documents")
        page.reload()
        expect(page.get_by_label("Token", exact=True)).to_be_visible()


def test_a_token_that_ends_while_the_page_is_open_is_asked_for_again(page):
    page.expected.append("status of 401")
    page.route("**/v1/explain", lambda route: route.fulfill(status=401, json={"error": "Expected the token."}))
    score(page, ODD)
    expect(page.get_by_role("heading", name="This server requires a token")).to_be_visible()


def test_a_server_that_cannot_be_reached_says_so_and_can_be_tried_again(page):
    page.expected += ["ERR_CONNECTION_REFUSED"] * 2
    page.route("**/v1/*", lambda route: route.abort("connectionrefused"))
    score(page, ODD)
    expect(page.locator("#score .problem")).to_contain_text("The server cannot be reached.")
    page.reload()
    expect(page.get_by_role("alert").first).to_contain_text("The server cannot be reached.")
    page.unroute("**/v1/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_label("Text", exact=True)).to_be_visible()


# How it looks.


@pytest.mark.parametrize("view", ["score", "fit", "model"])
def test_nothing_is_wider_than_a_narrow_window(browser, server, view):
    with opened(browser, server, view, viewport=NARROW) as page:
        expect(page.locator(f"#{view}")).to_be_visible()
        if view == "score":
            score(page, f"{ODD}\n{'x' * 500}\n{CORPUS.texts[0]}", each_line=True)
            page.locator("button.open").first.click()
            expect(page.locator(".entry.opened .reason")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_colours_follow_the_system_and_the_button(browser, server):
    brightness = (
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
    )
    with opened(browser, server, color_scheme="dark") as page:
        assert page.evaluate(brightness) < 150
        page.get_by_role("button", name="Light colours").click()
        assert page.evaluate(brightness) > 600


@pytest.mark.parametrize("view", ["score", "fit", "model"])
def test_everything_that_can_be_used_has_a_name(page, server, view):
    page.goto(f"{server.address}/#{view}")
    for details in page.locator("details").all():
        details.evaluate("details => { details.open = true; }")
    nameless = page.locator("input, select, textarea, button, a").evaluate_all(
        """all => all.filter(one => one.checkVisibility() && !one.textContent.trim() && !one.ariaLabel
             && ![...(one.labels ?? [])].some(label => label.textContent.trim())).map(one => one.outerHTML)"""
    )
    assert nameless == []


def test_the_picture_in_the_docs_can_be_made(browser, tmp_path):
    from tonmf.datasets import load_noticeboard

    board = load_noticeboard()
    TextOutlierDetector().fit(board.texts, names=board.ids).save(tmp_path / "model")
    posts = [
        "Can I freeze leek and potato soup after the cream has gone in, or will it split?",
        "Bike found by the towpath, red frame, missing saddle. Ring me.",
        "Pursuant to clause 14 of the lease the tenant shall indemnify the landlord, save where an award provides otherwise.",
        "The dog next door barks all night; has anyone else spoken to them?",
        "Auf der Tagesordnung stehen der Haushalt, die Sitzung des Rates und der Bericht.",
    ]
    place = picture("app.png", tmp_path)
    with (
        serving(tmp_path / "model", tmp_path / "server") as server,
        opened(browser, server, viewport={"width": 1280, "height": 1240}) as page,
    ):
        score(page, "\n".join(posts), each_line=True)
        page.get_by_role("button", name="line 3").click()
        expect(page.locator(".entry.opened .reason")).to_be_visible()
        page.mouse.move(0, 0)
        page.evaluate("document.activeElement.blur(); scrollTo({ top: 0, behavior: 'instant' })")
        page.screenshot(path=place)
    assert 0 < place.stat().st_size < LARGEST_PICTURE
