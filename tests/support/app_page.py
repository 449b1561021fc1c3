"""The page of a server in tests: what its users see and do. Import `shared_page` for the fixture `page`."""

from contextlib import contextmanager

import pytest
from browser import watched_page
from saved_models import CORPUS
from waiting import PATIENCE

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


@pytest.fixture(name="page")
def shared_page(browser, server):
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
