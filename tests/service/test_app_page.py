"""The page on a server, in a real browser: the model that is served, sign-in, a server that is gone, and how it all looks."""

import pytest
from app_page import (
    ODD,
    TOKEN,
    expect,
    opened,
    score,
    shared_page,  # noqa: F401 (the fixture page)
)
from browser import LARGEST_PICTURE, NARROW, picture
from saved_models import CORPUS
from serving import serving

from tonmf import TextOutlierDetector

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
    rows = model.locator("tbody tr", has=page.locator(".topic-words"))
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
    expect(page.locator("#score > .problem")).to_contain_text("The server cannot be reached.")
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
        page.get_by_role("button", name="line 3", exact=True).click()
        expect(page.locator(".entry.opened .reason")).to_be_visible()
        page.mouse.move(0, 0)
        page.evaluate("document.activeElement.blur(); scrollTo({ top: 0, behavior: 'instant' })")
        page.screenshot(path=place)
    assert 0 < place.stat().st_size < LARGEST_PICTURE
