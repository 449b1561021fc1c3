"""Several models on the page of a server, and files that only the server reads, in a real browser."""

import json

import pytest
from app_page import choose, drop, expect, opened, score, start_job
from browser import NARROW
from report_page import is_wider_than_its_window
from saved_models import CORPUS
from serving import serving

TABLE = "id,headline,body\n" + "".join(
    f"{id_},headline number {row},{text}\n"
    for row, (id_, text) in enumerate(zip(CORPUS.ids, CORPUS.texts, strict=True))
)
LINES = [CORPUS.texts[0], "zxcv qwer asdf yxcv", CORPUS.texts[1]]


@pytest.fixture(scope="module")
def named(saved, tmp_path_factory):
    """A server of two models, one of which was fitted by a job."""
    with serving(saved[1], tmp_path_factory.mktemp("named")) as running:
        few = "text\n" + "".join(f"{text}\n" for text in CORPUS.texts[:70])
        job = running.wait_for(running.upload(few.encode(), "few.csv", topics=6).json()["id"])
        assert running.ask("PUT", "/v1/models/few", json={"job": job["id"]}).status_code == 201
        yield running


@pytest.fixture
def page(browser, named):
    with opened(browser, named) as shown:
        yield shown


def by_model(server, name):
    answers = server.post(f"/v1/models/{name}/score", json={"documents": LINES}).json()["documents"]
    return sorted((f"{answer['score']:.2f}" for answer in answers), key=float, reverse=True)


def scores(page):
    return page.locator(".entry .for-score .number").all_text_contents()


def test_the_page_scores_by_the_model_that_is_chosen_and_has_an_address_for_it(page, named):
    score(page, "\n".join(LINES), each_line=True)
    expect(page.locator("button.open")).to_have_count(3)
    assert scores(page) == by_model(named, "model")
    page.get_by_label("Model", exact=True).select_option("few")
    expect(page.locator(".model-in-short")).to_contain_text("has a model of 70 documents")
    assert page.url.endswith("/?model=few#score")
    page.reload()
    expect(page.locator(".model-in-short")).to_contain_text("70 documents")
    score(page, "\n".join(LINES), each_line=True)
    expect(page.locator("button.open")).to_have_count(3)
    assert scores(page) == by_model(named, "few")
    page.go_back()
    expect(page.locator(".model-in-short")).to_contain_text("serves a model of 120 documents")


def test_two_models_are_compared(page, named):
    score(page, "\n".join([*LINES, *CORPUS.texts[:20]]), each_line=True)
    page.get_by_label("Compare with the model").select_option("few")
    flagged = [
        {answer["id"] for answer in answers if answer["outlier"]}
        for name in ("model", "few")
        for answers in [
            named.post(f"/v1/models/{name}/score", json={"documents": [*LINES, *CORPUS.texts[:20]]}).json()["documents"]
        ]
    ]
    both, here, there = flagged[0] & flagged[1], flagged[0] - flagged[1], flagged[1] - flagged[0]
    expect(page.locator(".comparison")).to_contain_text(
        f"{len(both)} of 23 documents are flagged by both, {len(here)} by model alone, {len(there)} by few alone"
    )
    expect(page.locator(".compared tbody tr")).to_have_count(len(here | there))


def test_a_model_that_there_is_not_leads_back_to_the_served_one(page, named):
    page.expected.append("404")
    page.goto(f"{named.address}/?model=nothing#score")
    expect(page.get_by_role("alert")).to_contain_text("There is no model 'nothing'.")
    page.get_by_role("button", name="Use the served model").click()
    expect(page.locator(".model-in-short")).to_contain_text("serves a model of 120 documents")


def test_the_model_of_a_job_is_named_used_served_and_deleted(browser, saved, tmp_path):
    with serving(saved[1], tmp_path) as server, opened(browser, server) as page:
        job = start_job(page, "garden posts.csv")
        expect(job.locator(".job-state")).to_have_text("done")
        job.get_by_role("button", name="Name the model").click()
        expect(job.get_by_label("Name", exact=True)).to_have_value("garden-posts")
        job.get_by_label("Name", exact=True).fill("a name")
        page.expected.append("422")
        job.get_by_role("button", name="Keep the model").click()
        expect(job.locator(".naming .problem")).to_contain_text("'a name' cannot be the name of a model")
        job.get_by_label("Name", exact=True).fill("garden")
        job.get_by_role("button", name="Keep the model").click()
        job.get_by_role("link", name="Score with it").click()
        expect(page.get_by_label("Model", exact=True)).to_have_value("garden")
        page.get_by_role("link", name="The model").click()
        page.get_by_role("button", name="Make it the served one: garden").click()
        expect(page.locator(".models")).to_contain_text("garden served")
        assert server.get("/v1/model").json()["name"] == "garden"
        page.get_by_role("button", name="Make it the served one: model").click()
        page.get_by_role("button", name="Delete: garden").click()
        page.get_by_role("button", name="Delete for good: garden").click()
        expect(page.locator(".models tbody tr")).to_have_count(1)
        assert [one["name"] for one in server.get("/v1/models").json()["models"]] == ["model"]


def test_a_table_is_shown_before_the_server_scores_it(page, named):
    drop(page, "#score .drop", "posts.csv", TABLE)
    expect(page.get_by_label("The text is in the column")).to_have_value("body")
    expect(page.locator(".preview-table thead th")).to_have_text(["id", "headline", "body"])
    expect(page.locator(".preview-table tbody tr")).to_have_count(5)
    page.get_by_label("The text is in the column").select_option("headline")
    expect(page.locator(".preview-table th.is-text")).to_have_text("headline")
    page.get_by_label("The text is in the column").select_option("body")
    page.get_by_role("button", name="Score the file").click()
    job = page.locator(".job").first
    expect(job.locator(".job-state")).to_have_text("done")
    expect(job).to_contain_text("scored by model")
    with page.expect_popup() as popup:
        job.get_by_role("link", name="Open the report").click()
    expect(popup.value.get_by_role("heading", name="posts.csv", level=1)).to_be_visible()
    expect(popup.value.locator("#map")).to_be_attached()
    answers = named.post("/v1/score", json={"documents": CORPUS.texts}).json()["documents"]
    assert json.loads(named.get(f"/v1/jobs/{job.get_attribute('data-id')}/summary").text)["analysed"]["flagged"] == sum(
        answer["outlier"] for answer in answers
    )


def test_a_table_whose_text_cannot_be_told_is_scored_by_the_column_that_is_chosen(page):
    two = "one,two\n" + "".join(f"{text},{text} again\n" for text in CORPUS.texts[:10])
    choose(page, "#score-file", "two.csv", two)
    expect(page.locator(".preview")).to_contain_text("several columns may hold the text")
    page.get_by_label("The text is in the column").select_option("two")
    page.get_by_role("button", name="Score the file").click()
    job = page.locator(".job").first
    expect(job.locator(".job-state")).to_have_text("done")
    expect(job).to_contain_text("10 documents")


def test_a_file_that_the_server_cannot_read_says_why(page):
    page.expected.append("422")
    choose(page, "#score-file", "book.pdf", "%PDF")
    expect(page.locator(".preview .problem")).to_have_text(
        "book.pdf: .pdf files are not read. Turn it into plain text, .txt."
    )
    page.get_by_role("button", name="Not this file").click()
    expect(page.locator(".server-file")).to_be_hidden()


def test_models_and_tables_fit_a_narrow_window(browser, named):
    with opened(browser, named, viewport=NARROW) as page:
        choose(page, "#score-file", "posts.csv", TABLE)
        expect(page.locator(".preview-table")).to_be_visible()
        assert not is_wider_than_its_window(page)
        page.get_by_role("link", name="The model").click()
        assert not is_wider_than_its_window(page)
