"""Marks on the server's page, in a real browser: the server keeps them, and the list follows."""

import csv
import json

import pytest
from app_page import TOKEN, choose, expect, listed, opened, score, start_job
from browser import NARROW
from report_page import is_wider_than_its_window
from saved_models import NEW
from serving import serving

from tonmf import load

TEXTS = NEW[:20]
IN_LINES = "".join(json.dumps({"id": f"mail-{number}", "text": text}) + "\n" for number, text in enumerate(TEXTS))


@pytest.fixture
def own(saved, tmp_path):
    with serving(saved[1], tmp_path / "served") as running:
        yield running


@pytest.fixture
def page(browser, own):
    with opened(browser, own) as shown:
        yield shown


def counts(page):
    return page.locator(".marks-bar .status")


def mark(page, name, as_what):
    page.get_by_role("button", name=f"{as_what}: {name}", exact=True).click()


def score_file(page):
    choose(page, "#score-file", "mails.jsonl", IN_LINES)
    expect(page.locator("#documents")).to_be_visible()


def test_a_mark_is_posted_and_the_list_follows(page, own, saved):
    score_file(page)
    expect(counts(page)).to_have_text("Nothing is marked yet.")
    first, last = listed(page)[0], listed(page)[-1]
    mark(page, first, "Fine")
    expect(counts(page)).to_have_text("0 strange, 1 fine.")
    mark(page, last, "Strange")
    expect(counts(page)).to_have_text("1 strange, 1 fine.")
    assert own.get("/v1/marks").json()["marks"] == {first: "fine", last: "strange"}
    ids = [f"mail-{number}" for number in range(20)]
    detector = load(saved[1]).mark([last], [first], documents=TEXTS, names=ids)
    scores = detector.outlier_score(TEXTS)
    assert listed(page) == [ids[row] for row in (-scores).argsort(kind="stable")]
    shown = page.locator(".entry .for-score .number").all_text_contents()
    assert shown == [f"{value:.2f}" for value in sorted(scores, reverse=True)]
    assert page.locator(".entry.is-flagged").count() == (scores > detector.threshold_).sum()
    page.get_by_role("button", name="Take all back").click()
    expect(counts(page)).to_have_text("Nothing is marked yet.")
    assert own.get("/v1/marks").json()["marks"] == {}


def test_marks_are_there_when_the_documents_are_scored_again(page, own):
    score_file(page)
    first = listed(page)[0]
    mark(page, first, "Fine")
    expect(counts(page)).to_have_text("0 strange, 1 fine.")
    page.reload()
    score_file(page)
    expect(counts(page)).to_have_text("0 strange, 1 fine.")
    expect(page.get_by_role("button", name=f"Fine: {first}", exact=True)).to_have_attribute("aria-pressed", "true")
    mark(page, first, "Fine")
    expect(counts(page)).to_have_text("Nothing is marked yet.")


def test_reasons_that_come_after_a_mark_are_those_with_it(page, own):
    score_file(page)
    first, other = listed(page)[:2]
    mark(page, first, "Fine")
    expect(counts(page)).to_have_text("0 strange, 1 fine.")
    page.get_by_role("button", name=other, exact=True).click()
    documents = [json.loads(line) for line in IN_LINES.splitlines() if json.loads(line)["id"] == other]
    (why,) = own.post("/v1/explain", json={"documents": documents}).json()["documents"]
    expect(page.locator(".entry.opened .reason-part")).to_have_text(why["reason"])
    expect(page.locator(".entry.opened .verdict-part")).to_contain_text(f"its score of {why['score']:.2f}")
    expect(page.locator(".entry.opened .moved")).to_be_hidden()


def test_pasted_lines_are_known_by_their_content(page, own):
    score(page, "\n".join(TEXTS[:5]), each_line=True)
    page.locator(".entry button.open").first.focus()
    name = listed(page)[0]
    page.keyboard.press("y")
    expect(counts(page)).to_have_text("1 strange, 0 fine.")
    (kept,) = own.get("/v1/marks").json()["marks"]
    assert kept.startswith("new-")
    score(page, "\n".join(TEXTS[5:10]), each_line=True)
    expect(counts(page)).to_have_text("1 strange, 0 fine.")
    expect(page.locator(".marks-bar")).to_contain_text(f"1 mark of documents that are not in this list: {kept}.")
    assert page.locator("button.mark-as[aria-pressed=true]").count() == 0, f"{name} is another document now"
    score(page, "\n".join(TEXTS[:5]), each_line=True)
    expect(page.locator("button.mark-as[aria-pressed=true]")).to_have_count(1)


def test_a_single_document_can_be_marked(page, own):
    score(page, TEXTS[3])
    before = page.locator(".result-heading").text_content()
    page.get_by_role("button", name="Strange: pasted text").click()
    expect(page.locator(".one-mark")).to_contain_text("You marked it as strange.")
    assert page.locator(".result-heading").text_content() != before
    assert list(own.get("/v1/marks").json()["marks"].values()) == ["strange"]
    why = own.post("/v1/explain", json={"documents": [{"id": "pasted text", "text": TEXTS[3]}]}).json()["documents"][0]
    expect(page.locator(".reason")).to_have_text(why["sentence"])
    verdict = f"Score {why['score']:.2f}, flagged. The threshold is {why['threshold']:.2f}."
    expect(page.locator(".result-heading")).to_have_text(verdict)
    page.get_by_role("button", name="Strange: pasted text").click()
    expect(page.locator(".result-heading")).to_have_text(before)
    expect(page.locator(".reason")).not_to_have_text(why["sentence"])


def test_the_threshold_follows_marks_wherever_the_page_names_it(page, own):
    score_file(page)
    before = own.get("/v1/marks").json()["threshold"]
    for name in listed(page)[-3:]:
        mark(page, name, "Strange")
        expect(page.get_by_role("button", name=f"Strange: {name}", exact=True)).to_have_attribute(
            "aria-pressed", "true"
        )
    threshold = f"{own.get('/v1/marks').json()['threshold']:.2f}"
    assert threshold != f"{before:.2f}"
    expect(page.locator("#score .lead")).to_contain_text(f"Those that score above {threshold} are flagged.")
    expect(page.locator(".model-in-short")).to_contain_text(f"threshold {threshold}")
    page.get_by_role("link", name="The model").click()
    expect(page.locator("#model")).to_contain_text(f"score above {threshold}")


def test_marks_of_the_server_can_be_downloaded(page):
    score_file(page)
    first = listed(page)[0]
    mark(page, first, "Fine")
    expect(counts(page)).to_have_text("0 strange, 1 fine.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download marks").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["id", "mark"], [first, "fine"]]


def test_what_the_server_refuses_is_said_beside_the_marks(page, own):
    score_file(page)
    page.expected.append("507")
    page.route("**/v1/marks", lambda route: route.fulfill(status=507, body='{"error": "The server\'s disk is full."}'))
    mark(page, listed(page)[0], "Fine")
    expect(page.locator(".marks-bar .problem")).to_have_text("The server's disk is full.")
    expect(counts(page)).to_have_text("Nothing is marked yet.")


def test_a_page_without_the_token_any_more_asks_for_it_and_marks_nothing(browser, saved, tmp_path):
    with serving(saved[1], tmp_path / "served", "--token", TOKEN) as server, opened(browser, server) as page:
        page.expected += ["401"]
        page.get_by_role("textbox", name="Token").fill(TOKEN)
        page.get_by_role("button", name="Sign in").click()
        score_file(page)
        page.context.clear_cookies()
        page.expected += ["401"]
        mark(page, listed(page)[0], "Fine")
        expect(page.get_by_role("textbox", name="Token")).to_be_visible()
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert server.get("/v1/marks", headers=headers).json()["marks"] == {}


def test_the_report_of_a_job_begins_with_its_marks(page, own):
    job = start_job(page)
    expect(job.locator(".job-state")).to_have_text("done")
    job_id = job.get_attribute("data-id")
    before = list(csv.DictReader(own.get(f"/v1/jobs/{job_id}/scores").text.splitlines()))
    marks = {before[40]["id"]: "strange", before[0]["id"]: "fine"}
    assert own.post("/v1/marks", json={"job": job_id, "marks": marks}).status_code == 200
    table = list(csv.DictReader(own.get(f"/v1/jobs/{job_id}/scores").text.splitlines()))
    page.goto(f"{own.address}/v1/jobs/{job_id}/report")
    expect(counts(page)).to_have_text("1 strange, 1 fine.")
    expect(page.locator("button.open").first).to_have_text(table[0]["id"])
    assert listed(page)[:20] == [row["id"] for row in table[:20]]
    mark(page, listed(page)[2], "Fine")
    expect(page.locator(".marks-bar")).to_contain_text("Your browser does not store these marks.")


def test_marking_works_in_a_narrow_window(browser, own):
    with opened(browser, own, viewport=NARROW) as page:
        score_file(page)
        mark(page, listed(page)[0], "Strange")
        expect(counts(page)).to_have_text("1 strange, 0 fine.")
        assert not is_wider_than_its_window(page)
