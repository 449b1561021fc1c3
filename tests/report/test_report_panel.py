"""The panel of a report that shows one document beside the map."""

import pytest
from browser import LARGEST_PICTURE, NARROW, picture, watched_page
from report_page import entry_of, in_view, loneliest, map_places, map_shown, opened, summary_of, text_of, written


@pytest.fixture
def opened_panel(report):
    """The report of the demo corpus with a document opened from the map, what it should say, and the document's place."""
    page, summary = report
    places = map_places(page, summary)
    alone = loneliest(places)
    page.mouse.click(*places[alone])
    page.locator(".panel article").wait_for()
    return page, summary, alone


def title(page):
    return page.locator(".panel h2").text_content()


def test_a_click_on_a_dot_opens_its_document_and_the_page_stays_where_it_is(report):
    page, summary = report
    places = map_places(page, summary)
    before = page.evaluate("scrollY"), map_shown(page)
    alone = loneliest(places)
    page.mouse.click(*places[alone])
    page.locator(".panel article").wait_for()
    document = summary["documents"][alone]
    assert title(page) == document["id"]
    assert page.locator(".panel .reason").text_content() == document["sentence"]
    assert page.locator(".panel .text").text_content() == text_of(document)
    facts = page.locator(".panel-facts").text_content()
    assert f"rank {document['rank']} of {len(summary['documents'])}" in facts
    assert f"{document['score']:.2f}" in facts
    assert ("flagged" in facts) == document["outlier"]
    assert (page.evaluate("scrollY"), map_shown(page)) == before
    assert page.evaluate("document.activeElement.id") == "panel-heading"


def test_a_dot_among_the_scores_opens_the_panel_too(report):
    page, summary = report
    plot = page.locator(".by-document")
    plot.scroll_into_view_if_needed()
    plot.locator(".u-over").wait_for()
    box = plot.locator(".u-over").bounding_box()
    first = summary["documents"][0]  # the highest dot; the axis begins and ends before the first and after the last
    n_docs = len(summary["documents"])
    edge = max(0.5, n_docs / 100)
    x = box["x"] + box["width"] * (first["row"] + edge) / (n_docs - 1 + 2 * edge)
    for y in range(0, 60, 4):
        page.mouse.move(x, box["y"] + y)
        if page.locator(".u-over.on-dot").count():
            break
    page.mouse.down()
    page.mouse.up()
    page.locator(".panel article").wait_for()
    assert title(page) == first["id"]


@pytest.mark.parametrize("close", ["Escape", "button"])
def test_closing_gives_the_focus_back(close, opened_panel):
    page, _, _ = opened_panel
    if close == "Escape":
        page.keyboard.press("Escape")
    else:
        page.locator(".panel").get_by_role("button", name="Close").click()
    assert page.locator(".panel").is_hidden()
    assert page.evaluate("document.activeElement.className").startswith("map")


def test_closing_leaves_the_focus_where_the_reader_has_moved_it(opened_panel):
    page, _, _ = opened_panel
    page.get_by_label("Search").focus()
    page.keyboard.press("Escape")
    assert page.locator(".panel").is_hidden()
    assert page.evaluate("document.activeElement.type") == "search"


def test_escape_on_the_map_closes_the_panel_and_only_then_clears_the_selection(opened_panel):
    page, _, _ = opened_panel
    page.get_by_role("button", name="Select what is in view").click()
    page.locator(".map").focus()
    page.keyboard.press("Escape")
    assert page.locator(".panel").is_hidden()
    assert page.get_by_role("button", name="Clear selection").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("button", name="Clear selection").is_hidden()


def test_the_map_moves_only_if_the_document_is_out_of_view(opened_panel):
    page, summary, place = opened_panel
    page.keyboard.press("Escape")
    page.keyboard.press("+")
    page.keyboard.press("+")
    before = in_view(page)
    page.keyboard.press("Enter")
    panel = page.locator(".panel")
    panel.locator("article").wait_for()
    assert in_view(page) == before
    ids = [document["id"] for document in summary["documents"]]
    at_open = page.locator(".map-open")
    frame = page.locator(".map").bounding_box()
    for _ in range(4):
        place = ids.index(title(page))
        panel.get_by_role("button", name="Next").click()
        panel.get_by_role("heading", name=ids[place + 1], exact=True).wait_for()
        box = at_open.bounding_box()
        assert frame["x"] < box["x"] + 13 < frame["x"] + frame["width"]
        assert frame["y"] < box["y"] + 13 < frame["y"] + frame["height"]


def test_the_panel_goes_through_the_documents_in_order_of_score(opened_panel):
    page, summary, place = opened_panel
    ids = [document["id"] for document in summary["documents"]]
    assert 0 < place < len(ids) - 2
    panel = page.locator(".panel")
    panel.get_by_role("button", name="Next").click()
    panel.get_by_role("heading", name=ids[place + 1], exact=True).wait_for()
    page.keyboard.press("ArrowRight")
    panel.get_by_role("heading", name=ids[place + 2], exact=True).wait_for()
    panel.get_by_role("button", name="Previous").click()
    panel.get_by_role("heading", name=ids[place + 1], exact=True).wait_for()


def test_the_first_document_has_none_before_it_and_the_last_none_after_it(page, tmp_path):
    documents = [{"x": -0.5, "y": 0.0}, {"x": 0.5, "y": 0.0}]
    summary = summary_of(documents)
    opened(page, written(tmp_path, summary))
    places = map_places_of_two(page)
    for place, (previous, following) in enumerate([(True, False), (False, True)]):
        page.mouse.click(*places[place])
        page.locator(".panel").get_by_role("heading", name=f"d{place}", exact=True).wait_for()
        assert page.locator(".panel").get_by_role("button", name="Previous").is_disabled() == previous
        assert page.locator(".panel").get_by_role("button", name="Next").is_disabled() == following
        page.keyboard.press("Escape")


def map_places_of_two(page):
    """The map is as high as it is narrow, so that two documents side by side are as far apart as its frame lets them."""
    box = map_shown(page)
    middle = box["y"] + box["height"] / 2
    return [(box["x"] + 1 + 34, middle), (box["x"] + box["width"] - 1 - 34, middle)]


def test_show_in_the_list_opens_the_document_there(opened_panel):
    page, summary, place = opened_panel
    name = summary["documents"][place]["id"]
    page.get_by_role("button", name="Show in the list").click()
    entry_of(page, name).locator("article.document").wait_for()
    assert page.locator(".panel").is_hidden()
    assert page.evaluate("document.activeElement.textContent") == name


def test_the_panel_follows_the_threshold(page, tmp_path):
    opened(page, written(tmp_path, summary_of([{"x": -0.5, "y": 0.0}, {"x": 0.5, "y": 0.0}])))
    page.mouse.click(*map_places_of_two(page)[1])
    page.locator(".panel article").wait_for()
    assert page.locator(".panel .flag").count() == 0
    page.get_by_label("Threshold", exact=True).fill("1")
    page.locator(".panel .flag").wait_for()


def test_the_panel_opens_on_the_side_away_from_the_dot(page, tmp_path):
    opened(page, written(tmp_path, summary_of([{"x": -0.5, "y": 0.0}, {"x": 0.5, "y": 0.0}])))
    for x, y in map_places_of_two(page):
        page.mouse.click(x, y)
        page.locator(".panel article").wait_for()
        box = page.locator(".panel").bounding_box()
        assert not box["x"] <= x <= box["x"] + box["width"]
        page.keyboard.press("Escape")


def test_on_a_phone_the_panel_is_a_sheet_from_below(browser, demo):
    path, _ = demo
    with watched_page(browser, viewport=NARROW, has_touch=True) as page:
        opened(page, path)
        map_shown(page)
        page.locator(".map-list summary").tap()
        page.locator(".map-group li button").first.tap()
        page.locator(".panel article").wait_for()
        box = page.locator(".panel").bounding_box()
        assert (box["x"], box["width"], box["y"] + box["height"]) == (0, NARROW["width"], NARROW["height"])
        assert box["height"] < 0.7 * NARROW["height"]


def test_the_picture_of_the_map_in_the_docs_can_be_made(report, tmp_path):
    page, summary = report
    page.set_viewport_size({"width": 1280, "height": 800})
    places = map_places(page, summary)
    left = [number for number in range(summary["analysed"]["flagged"]) if places[number][0] < 500]
    page.mouse.click(*places[left[0]])
    page.locator(".panel article").wait_for()
    path = picture("map.png", tmp_path)
    page.locator("#map-heading").evaluate("heading => heading.scrollIntoView()")
    page.screenshot(path=path, clip={"x": 0, "y": 0, "width": 1280, "height": 720})
    assert 0 < path.stat().st_size < LARGEST_PICTURE
