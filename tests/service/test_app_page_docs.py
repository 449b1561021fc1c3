"""The page that shows the API, in a real browser."""

import pytest
from app_page import expect
from browser import NARROW, watched_page
from report_page import is_wider_than_its_window


@pytest.fixture
def docs(browser, server):
    with watched_page(browser, (server.address, "data:")) as page:
        page.goto(f"{server.address}/docs")
        expect(page.locator("html[data-ready]")).to_be_attached()
        yield page


def test_every_operation_is_shown(docs, server):
    paths = server.get("/openapi.json").json()["paths"]
    names = [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]
    assert sorted(docs.locator(".operation-name").all_text_contents()) == sorted(names)


def test_an_operation_opens_to_what_it_takes_and_answers(docs):
    score = docs.locator("details", has=docs.get_by_text("POST /v1/score", exact=True))
    score.locator("summary").click()
    expect(score.locator(".parameters")).to_contain_text("Flag at this false-discovery rate")
    expect(score.locator("pre").first).to_contain_text("Which fork is best for turning compost?")
    expect(score.locator(".answers")).to_contain_text("p_value")


def test_the_api_fits_a_narrow_window(browser, server):
    with watched_page(browser, (server.address, "data:"), viewport=NARROW) as page:
        page.goto(f"{server.address}/docs")
        expect(page.locator("html[data-ready]")).to_be_attached()
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert not is_wider_than_its_window(page)
