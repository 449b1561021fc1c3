"""Documents on the page of a server, in a real browser: paste, drop, score, export."""

import csv
import html
import io
import json
from pathlib import Path

import pytest
from app_page import (
    ODD,
    choose,
    drop,
    expect,
    explained,
    listed,
    opened,
    score,
    shaded,
    shared_page,  # noqa: F401 (the fixture page)
    tab_until,
)
from saved_models import CORPUS, NEW
from serving import serving

from tonmf import TextOutlierDetector


def test_lines_that_are_the_same_share_a_line_of_the_result(page):
    score(page, "\n".join([ODD, CORPUS.texts[0], ODD, CORPUS.texts[1], ODD]), each_line=True)
    expect(page.locator("button.open")).to_have_count(3)
    mark = page.locator("details.copies:visible summary")
    expect(mark).to_contain_text("×3")
    mark.press("Enter")
    expect(page.locator("details.copies li")).to_have_text(["line 3", "line 5"])


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
    page.get_by_role("button", name="line 1", exact=True).click()
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
    in_order = sorted(scored, key=lambda each: (not each["judged"], -each["score"]))
    assert listed(page) == [each["id"] for each in in_order]
    assert not in_order[-1]["judged"]
    expect(page.locator(".entry .for-score").last).to_have_text("not judged")
    expect(page.get_by_text("1 document has no words that count and was not judged.")).to_be_visible()


def test_a_text_without_words_is_not_judged(page, server):
    score(page, "the of and")
    expect(page.locator(".result-heading")).to_have_text("Not judged")
    expect(page.locator(".reason")).to_have_text(explained(server, "the of and")[0]["sentence"])


def test_more_documents_than_the_server_takes_at_once_are_sent_in_slices(page, server):
    assert server.get("/v1/model").json()["limits"]["batch"] == 200
    sizes = []
    page.on(
        "request",
        lambda asked: asked.url.endswith("/v1/score") and sizes.append(len(asked.post_data_json["documents"])),
    )
    choose(page, "#score-file", "many.txt", "\n".join(text[:60] for text in CORPUS.texts * 4))
    expect(page.locator(".result-heading")).to_contain_text("of 480 documents")
    assert sum(sizes) == 480
    assert max(sizes) <= 200


def test_slices_keep_to_the_largest_body(page, server):
    largest = server.get("/v1/model").json()["limits"]["body"]
    sizes = []
    page.on("request", lambda asked: asked.url.endswith("/v1/score") and sizes.append(len(asked.post_data_buffer)))
    long = "ä market stock " * 1000
    choose(page, "#score-file", "long.txt", "\n".join([long] * 30))
    expect(page.locator(".result-heading")).to_contain_text("of 30 documents")
    assert len(sizes) > 1
    assert max(sizes) <= largest


def ids_in(request):
    return [document["id"] for document in request.post_data_json["documents"]]


def test_a_long_list_asks_for_the_reasons_of_the_documents_that_it_shows(page, server):
    asked = []
    page.on("request", lambda made: made.url.endswith("/v1/explain") and asked.extend(ids_in(made)))
    choose(page, "#score-file", "many.txt", "\n".join(f"{text} {number}" for number, text in enumerate(CORPUS.texts)))
    expect(page.locator(".entry .why").nth(49)).not_to_be_empty()
    assert asked == listed(page)
    assert len(asked) == 50
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator(".entry .why").nth(49)).not_to_be_empty()
    assert asked[50:] == listed(page)
    page.get_by_label("Search").fill(CORPUS.texts[7])
    expect(page.get_by_text("1 document found")).to_be_visible()
    assert len(asked) <= 101, "a search needs no reasons but those of what it finds"


def test_reasons_that_do_not_come_are_asked_for_again(page):
    page.expected.append("503")
    page.route("**/v1/explain", lambda route: route.fulfill(status=503, body='{"error": "Try again in a second."}'))
    score(page, f"{ODD}\n{CORPUS.texts[0]}", each_line=True)
    expect(page.locator(".entry .for-words").first).to_have_text("Try again in a second.")
    page.unroute("**/v1/explain")
    page.get_by_role("button", name="line 1", exact=True).click()
    expect(page.locator(".entry.opened .reason")).to_contain_text("Flagged")


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
    expect(page.locator("#score > .problem")).to_contain_text(sentence)


def test_documents_that_the_server_refuses_get_its_sentence(page, server):
    page.expected.append("status of 422")
    documents = [{"id": "a", "text": 17}]
    choose(page, "#score-file", "numbers.jsonl", json.dumps(documents[0]))
    refused = server.post("/v1/explain", json={"documents": documents})
    expect(page.locator("#score > .problem")).to_have_text(refused.json()["error"])


def test_no_text_at_all_says_so(page):
    page.get_by_role("button", name="Score").click()
    expect(page.locator("#score > .problem")).to_have_text(
        "There is no text yet. Type or paste some, or choose a file."
    )
    expect(page.get_by_label("Text", exact=True)).to_be_focused()


def test_scoring_can_be_cancelled(page):
    page.route("**/v1/score", lambda route: None)  # no answer ever comes
    score(page, ODD)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#score > .problem")).to_have_text("Cancelled.")
    expect(page.get_by_role("progressbar")).to_be_hidden()
    page.unroute("**/v1/score")
    page.get_by_role("button", name="Score").click()
    expect(page.locator(".result-heading")).to_be_visible()


def test_a_text_that_is_too_long_gets_the_servers_sentence(page, server):
    text = "market " * 3000
    page.expected.append("status of 413")
    score(page, text)
    refused = server.post("/v1/explain", json={"documents": [text]})
    assert refused.status_code == 413
    expect(page.locator("#score > .problem")).to_have_text(refused.json()["error"])


def test_a_body_that_is_too_large_gets_the_servers_sentence(page, server):
    line = "market " * 300_000
    page.expected.append("status of 413")
    choose(page, "#score-file", "line.txt", line)
    refused = server.post("/v1/explain", json={"documents": [line]})
    expect(page.locator("#score > .problem")).to_have_text(refused.json()["error"])


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
    text = f"{html.escape(hostile)} market"  # tags are left out, and entities become characters
    documents = [{"id": hostile, "text": text}, {"id": "\u202eא", "text": "שלום \u202e 😀 " * 5}]
    choose(page, "#score-file", f"{hostile.replace('/', '')}.jsonl", "\n".join(map(json.dumps, documents)))
    page.get_by_role("button", name=hostile, exact=True).click()
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
        page.get_by_role("button", name="line 2", exact=True).click()
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


def test_an_example_can_be_tried(page, server):
    page.get_by_role("button", name="Try an example").click()
    expect(page.locator(".result-heading")).to_contain_text("an example")
    lines = page.get_by_label("Text", exact=True).input_value().split("\n")
    assert len(lines) > 4
    answers = server.post("/v1/score", json={"documents": lines}).json()["documents"]
    assert answers[-1]["outlier"]
    assert not answers[0]["outlier"], "it begins with documents like those of training"
    expect(page.locator("button.open")).to_have_count(len(lines))
    page.get_by_label("Text", exact=True).fill("a text of one's own")
    expect(page.get_by_role("button", name="Try an example")).to_be_hidden()


def test_far_more_flagged_documents_than_in_training_are_warned_of(page, server):
    lines = [f"{letter * 4} {letter * 5} {letter * 6}" for letter in "qwxzjkvbpfy"]
    score(page, "\n".join(lines), each_line=True)
    expected = server.get("/v1/drift", params={"judged": 11, "flagged": 11}).json()["warning"]
    expect(page.locator(".drift")).to_have_text(expected)
    score(page, "\n".join(CORPUS.texts[:11]), each_line=True)
    expect(page.locator(".result-heading")).to_contain_text("of 11 documents")
    expect(page.locator(".drift")).to_have_count(0)
