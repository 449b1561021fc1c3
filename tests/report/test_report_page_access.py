"""The page of a report for every reader: colours, paper, keys, screen readers, narrow windows."""

import itertools

from browser import watched_page
from report_page import (
    PAGE,
    above,
    entry_of,
    ids_listed,
    is_wider_than_its_window,
    open_document,
    opened,
)


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_colours_follow_the_system_and_the_button(browser, demo):
    with watched_page(browser, color_scheme="dark") as page:
        opened(page, demo[0])
        page.locator("#scores").scroll_into_view_if_needed()
        picture = page.locator(".by-document canvas").first
        picture.wait_for()
        dark, dark_picture = background(page), picture.evaluate("canvas => canvas.toDataURL()")
        page.get_by_role("button", name="Light colours").click()
        assert background(page) == "rgb(255, 255, 255)" != dark
        assert picture.evaluate("canvas => canvas.toDataURL()") != dark_picture
        page.get_by_role("button", name="Dark colours").click()
        assert background(page) == dark
        assert picture.evaluate("canvas => canvas.toDataURL()") == dark_picture


def test_paper_has_the_first_page_of_the_list_and_no_controls(browser, demo):
    path, summary = demo
    with watched_page(browser, color_scheme="dark") as page:
        opened(page, path)
        name = summary["documents"][2]["id"]
        open_document(page, name)
        page.emulate_media(media="print", color_scheme="dark")
        assert background(page) == "rgb(255, 255, 255)"
        for control in (".list-controls", ".export", ".pager", ".bar-above nav", ".theme", "#threshold"):
            assert not page.locator(control).is_visible(), control
        for kept in (".by-document canvas >> nth=0", ".map canvas", ".curve canvas >> nth=0", ".how dl"):
            assert page.locator(kept).is_visible(), kept
        assert len(ids_listed(page)) == PAGE
        assert entry_of(page, name).locator("article.document").is_visible()
        assert page.pdf(format="A4").startswith(b"%PDF")


def test_everything_can_be_reached_by_keys(report):
    page, summary = report
    focused = "document.activeElement"
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.textContent") == "Skip to the documents"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.type") == "search"
    reached = []
    while "open" not in page.evaluate(f"{focused}.className"):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(f"{focused}.tagName"))
    assert reached.count("SELECT") == 8
    first, second, third = (document["id"] for document in summary["documents"][:3])
    page.keyboard.press("Enter")
    entry_of(page, first).locator("article.document").wait_for()
    assert page.locator("button.open").first.get_attribute("aria-expanded") == "true"
    page.keyboard.press("j")
    assert page.evaluate(f"{focused}.textContent") == second
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    entry_of(page, third).locator("article.document").wait_for()
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert not entry_of(page, first).locator("article.document").is_visible()


def test_what_has_the_focus_is_outlined(report):
    page, _ = report
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_pictures_state_their_facts_in_words(report):
    page, summary = report
    for section in ("#map", "#scores", "#curves"):
        page.locator(section).scroll_into_view_if_needed()
    page.locator(".curve canvas").first.wait_for()
    labels = page.get_by_role("img").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert len(labels) == 5
    documents, flagged = summary["analysed"]["documents"], summary["analysed"]["flagged"]
    assert f"Map of {documents} documents of {len(summary['topics'])} topics" in labels[0]
    assert f"Plot of {documents} scores" in labels[1]
    assert f"{flagged} are above the threshold" in labels[1]
    page.get_by_label("Threshold", exact=True).fill("3")
    page.evaluate("new Promise(requestAnimationFrame)")
    label = page.get_by_role("img").nth(1).get_attribute("aria-label")
    assert f"{len(above(summary, 3))} are above the threshold of 3.00" in label


def test_the_page_has_landmarks_headings_captions_and_labels(report):
    page, summary = report
    open_document(page, summary["documents"][0]["id"])
    assert page.get_by_role("banner").count() == page.get_by_role("main").count() == 1
    assert page.get_by_role("contentinfo").count() == 1
    names = page.get_by_role("region").evaluate_all("all => all.map(one => one.firstElementChild.textContent)")
    assert names[:5] == ["The strangest", "Map", "Scores", "Documents", "Topics"]
    levels = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all("all => all.map(one => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), "no level is left out"
    assert page.locator("table:not(:has(> caption))").count() == 0
    assert page.locator("thead th:not([scope])").count() == 0
    unnamed = page.locator("input, select, button").evaluate_all(
        "all => all.filter(one => !(one.labels?.length || one.textContent.trim() || one.ariaLabel)).length"
    )
    assert unnamed == 0


def test_nothing_is_wider_than_a_narrow_window(narrow_page, demo):
    path, summary = demo
    opened(narrow_page, path)
    open_document(narrow_page, summary["documents"][4]["id"])
    for section in narrow_page.locator("section").all():
        section.scroll_into_view_if_needed()
    assert not is_wider_than_its_window(narrow_page)
