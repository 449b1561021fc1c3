"""The map of a report in a real browser: to zoom and move it, to select on it, and to read it as a list."""

import re

import numpy as np
import pytest
from browser import NARROW, watched_page
from report_page import (
    choose,
    drag,
    ids_listed,
    in_view,
    is_wider_than_its_window,
    loneliest,
    map_places,
    map_shown,
    opened,
    status,
    summary_of,
    written,
)
from waiting import wait_until


@pytest.fixture
def whole_map(report):
    """The report of the demo corpus with its map in view, what it should say, and where its documents are."""
    page, summary = report
    return page, summary, map_places(page, summary)


def wheel_over(page, point, by):
    page.mouse.move(*point)
    page.mouse.wheel(0, by)


def wait_until_in_view(page, least, most):
    wait_until(lambda: least <= in_view(page) <= most)


def at_middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# ------------------------------------------------------------------ zoom and move


def test_the_wheel_zooms_and_the_map_stays_where_it_is_under_the_pointer(whole_map):
    page, summary, places = whole_map
    alone = loneliest(places)
    wheel_over(page, places[alone], -300)
    wait_until_in_view(page, 1, len(places) - 1)
    page.mouse.click(*places[alone])
    page.locator(".panel article").wait_for()
    assert page.locator(".panel h2").text_content() == summary["documents"][alone]["id"]


def test_the_wheel_scrolls_the_page_past_a_map_that_is_shown_as_a_whole(whole_map):
    page, _, places = whole_map
    before = page.evaluate("scrollY")
    wheel_over(page, np.median(places, axis=0), 120)
    wait_until(lambda: page.evaluate("scrollY") > before)


def test_dragging_moves_the_map(whole_map):
    page, _, places = whole_map
    middle = np.median(places, axis=0)
    wheel_over(page, middle, -300)
    wait_until_in_view(page, 1, len(places) - 1)
    name = page.locator(".map-label").first
    before = name.bounding_box()
    drag(page, tuple(middle), (middle[0] + 60, middle[1] + 30))
    wait_until(lambda: name.bounding_box()["x"] > before["x"] + 50)
    after = name.bounding_box()
    assert after["x"] - before["x"] == pytest.approx(60, abs=3)
    assert after["y"] - before["y"] == pytest.approx(30, abs=3)
    assert page.locator(".panel").is_hidden()


def test_keys_zoom_and_move_and_open_the_document_in_the_middle(whole_map):
    page, _, places = whole_map
    page.locator(".map").focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    wait_until_in_view(page, 1, len(places) - 1)
    said = page.locator(".map [role=status]")
    first = said.text_content()
    page.keyboard.press("Shift+ArrowRight")
    second = said.text_content()
    assert second != first
    assert second.endswith("Enter opens it.")
    page.keyboard.press("Enter")
    page.locator(".panel article").wait_for()
    assert second.startswith(f"{page.locator('.panel h2').text_content()}, score ")
    page.keyboard.press("Escape")
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    assert said.text_content() != second
    page.keyboard.press("0")
    assert in_view(page) == len(places)


def test_two_fingers_zoom(browser, demo):
    path, summary = demo
    with watched_page(browser, viewport=NARROW, has_touch=True) as page:
        opened(page, path)
        x, y = at_middle(map_shown(page))
        touches = page.context.new_cdp_session(page)

        def touch(kind, *points):
            touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", {"x": x - 20, "y": y, "id": 0}, {"x": x + 20, "y": y, "id": 1})
        for apart in (30, 45, 70):
            touch("touchMove", {"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1})
        touch("touchEnd")
        wait_until_in_view(page, 1, len(summary["documents"]) - 1)
        assert page.locator(".panel").is_hidden()


def test_buttons_zoom_and_show_the_whole_map_again(whole_map):
    page, _, places = whole_map
    page.get_by_role("button", name="Zoom in").click()
    assert in_view(page) < len(places)
    page.get_by_role("button", name="Zoom out").click()
    assert in_view(page) == len(places)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Show the whole map").click()
    assert in_view(page) == len(places)


def test_where_motion_is_welcome_the_map_glides_to_the_same_part(browser, demo):
    path, summary = demo
    with watched_page(browser, reduced_motion="no-preference") as page:
        opened(page, path)
        map_shown(page)
        page.get_by_role("button", name="Zoom in").click()
        wait_until_in_view(page, 1, len(summary["documents"]) - 1)


def test_a_map_is_turned_in_a_window_that_is_higher_than_wide(narrow_page, demo):
    path, _ = demo
    opened(narrow_page, path)
    box = map_shown(narrow_page)
    assert box["height"] > box["width"]
    places = narrow_page.locator(".map-label:not([hidden])").evaluate_all(
        "all => all.map(one => { const box = one.getBoundingClientRect(); return [box.x, box.y]; })"
    )
    assert np.ptp(places, axis=0)[1] > np.ptp(places, axis=0)[0]
    assert not is_wider_than_its_window(narrow_page)


# ------------------------------------------------------------------ what it shows


def test_hovering_over_a_document_shows_how_its_text_begins(whole_map):
    page, summary, places = whole_map
    alone = loneliest(places)
    document = summary["documents"][alone]
    page.mouse.move(*places[alone])
    tip = page.locator(".map-tip")
    beginning = " ".join("".join(p if isinstance(p, str) else p[0] for p in document["pieces"]).split())[:40]
    tip.get_by_text(beginning).wait_for()
    assert document["id"] in tip.text_content()
    assert f"rank {document['rank']}" in tip.text_content()
    page.mouse.move(0, 0)
    assert tip.is_hidden()


def test_names_of_topics_never_overlap(whole_map):
    page, _, _ = whole_map
    boxes = """all => all.map(one => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return [left, right, top, bottom];
    })"""
    page.locator(".map").focus()
    for _ in range(3):
        shown = page.locator(".map-label:not([hidden])").evaluate_all(boxes)
        assert shown
        for number, (left, right, top, bottom) in enumerate(shown):
            for other_left, other_right, other_top, other_bottom in shown[:number]:
                apart = left > other_right or right < other_left or top > other_bottom - 1 or bottom < other_top + 1
                assert apart
        page.keyboard.press("+")


def test_a_name_zooms_to_the_documents_of_its_topic(whole_map):
    page, summary, places = whole_map
    page.locator(".map-label").filter(has_text=f"{summary['topics'][1]['number']} ").first.click()
    assert 0 < in_view(page) < len(places) / 2


def test_flagged_documents_are_never_a_blob(page, tmp_path):
    """However many are flagged in one spot, rings keep apart, so that little of it has their colour."""
    rng = np.random.default_rng(0)
    spots = 0.02 * rng.standard_normal((600, 2))
    documents = [{"x": float(x), "y": float(y), "outlier": True} for x, y in spots]
    documents += [{"x": x, "y": 0.0, "outlier": False} for x in (-1.0, 1.0)]
    analysed = {"flagged": 600, "threshold": 5 - 5 * 599.5 / 602}
    opened(page, written(tmp_path, summary_of(documents, analysed=analysed)))
    map_shown(page)
    share = page.locator(".map canvas").evaluate(
        """canvas => {
            const side = 60;
            const [left, top] = [(canvas.width - side) / 2, (canvas.height - side) / 2];
            const { data } = canvas.getContext("2d").getImageData(left, top, side, side);
            let count = 0;
            for (let at = 0; at < data.length; at += 4) {
                if (data[at + 3] > 100 && data[at] > 150 && data[at + 1] < 110 && data[at + 2] < 90) count++;
            }
            return count / (data.length / 4);
        }"""
    )
    assert 0.01 < share < 0.25


def test_an_opened_document_is_marked_on_the_map(whole_map):
    page, _, places = whole_map
    alone = loneliest(places)
    page.mouse.click(*places[alone])
    page.locator(".panel article").wait_for()
    assert at_middle(page.locator(".map-open").bounding_box()) == pytest.approx(tuple(places[alone]), abs=2)
    page.keyboard.press("Escape")
    assert page.locator(".map-open").is_hidden()


# ------------------------------------------------------------------ selection


def select(page, start, end, keys=("Shift",)):
    for key in keys:
        page.keyboard.down(key)
    drag(page, start, end)
    for key in keys:
        page.keyboard.up(key)


@pytest.mark.parametrize("is_by_button", [False, True])
def test_a_rectangle_on_the_map_selects_what_is_listed(is_by_button, whole_map):
    page, summary, places = whole_map
    first, last = np.floor(places.min(axis=0)) - 5, np.round(np.median(places, axis=0))
    if is_by_button:
        page.get_by_role("button", name="Select by rectangle").click()
        select(page, tuple(last), tuple(first), keys=())
    else:
        select(page, tuple(last), tuple(first))
    assert page.get_by_role("button", name="Select by rectangle").get_attribute("aria-pressed") == "false"
    page.get_by_role("button", name="Show them in the list").click()
    choose(page, "Copies", "on a line each")
    page.get_by_label("Documents per page").select_option("500")
    shown = set(ids_listed(page))
    ids = np.array([document["id"] for document in summary["documents"]])
    surely, perhaps = ((places < last - 2).all(axis=1), (places < last + 2).all(axis=1))
    assert set(ids[surely]) <= shown <= set(ids[perhaps])
    assert 10 < len(shown) < len(ids)
    assert page.locator("#map .map-actions .status").text_content() == f"{len(shown)} documents selected"
    page.get_by_role("button", name=re.compile("Selected on the map")).click()
    assert len(ids_listed(page)) == len(ids)


def test_what_is_in_view_can_be_selected_by_keyboard(whole_map):
    page, _, places = whole_map
    page.locator(".map").focus()
    page.keyboard.press("+")
    shown = in_view(page)
    assert 0 < shown < len(places)
    button = page.get_by_role("button", name="Select what is in view")
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Show them in the list").click()
    assert re.search(rf"\b{shown} documents, of {len(places)} in all", status(page))


# ------------------------------------------------------------------ the list


def groups_of(page):
    """The topics of the list, and the ids under each."""
    return page.locator(".map-group").evaluate_all(
        "all => all.map(one => [one.querySelector('h3').textContent,"
        " [...one.querySelectorAll('li button')].map(button => button.textContent)])"
    )


def test_the_list_has_the_documents_of_each_topic_the_strangest_first(whole_map):
    page, summary, _ = whole_map
    page.locator(".map-list summary").press("Enter")
    page.locator(".map-group").first.wait_for()
    topics = sorted({document["topic"] for document in summary["documents"]}, key=lambda topic: topic or np.inf)
    groups = groups_of(page)
    assert len(groups) == len(topics)
    for (_, ids), topic in zip(groups, topics, strict=True):
        assert ids == [document["id"] for document in summary["documents"] if document["topic"] == topic][:5]
    page.get_by_role("button", name="Show 20 more").first.click()
    of_first = [document["id"] for document in summary["documents"] if document["topic"] == topics[0]]
    assert groups_of(page)[0][1] == of_first[:25]
    assert page.evaluate("document.activeElement.textContent") == of_first[5], "the focus is on the first new one"


def test_the_list_follows_what_is_in_view_and_opens_documents(whole_map):
    page, _, places = whole_map
    page.locator(".map-list summary").press("Enter")
    page.locator(".map-group").first.wait_for()
    n_topics = len(groups_of(page))
    name = page.get_by_role("button", name="Zoom to this topic").nth(1)
    name.press("Enter")
    assert 0 < in_view(page) < len(places)
    assert len(groups_of(page)) < n_topics
    first = groups_of(page)[0][1][0]
    page.locator(".map-group li button").first.press("Enter")
    page.locator(".panel article").wait_for()
    assert page.locator(".panel h2").text_content() == first
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == first


def test_the_list_follows_the_threshold(whole_map):
    page, summary, places = whole_map
    page.get_by_label("Threshold", exact=True).fill("3")
    flagged = sum(document["score"] > 3 for document in summary["documents"])
    map_shown(page)
    page.locator(".map-list summary", has_text=f"{len(places)} documents, {flagged} flagged").wait_for()
