"""Everything in a report has an address: links lead to what their sender saw, and Back goes back."""

from urllib.parse import quote

import pytest
from browser import NARROW, watched_page
from report_page import (
    above,
    choose,
    entry_of,
    flagged_count,
    ids_listed,
    look_for,
    open_document,
    opened,
    status,
    summary_of,
    written,
)
from waiting import wait_until


def address(page):
    return page.evaluate("location.hash")


def opened_at(page, path, address):
    """A report opened by a link."""
    page.goto("data:text/html,")
    page.goto(f"{path.as_uri()}{address}")
    page.locator("html[data-ready]").wait_for()


def wait_for_address(page, expected):
    wait_until(lambda: (address(page) or "#") == expected)


def is_at_the_top(page, section):
    """Whether the window is scrolled to a section, or as far towards it as the page goes."""
    return page.evaluate(
        """id => {
          const { top } = document.getElementById(id).getBoundingClientRect();
          const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
          return Math.abs(top - 16) < 2 || (isAtEnd && top >= 0 && top < innerHeight);
        }""",
        section,
    )


def test_a_link_shows_what_its_sender_saw(page, demo):
    path, _ = demo
    opened(page, path)
    assert address(page) == ""
    choose(page, "Show", "flagged")
    choose(page, "Sort by", "Input order")
    look_for(page, "the")
    page.get_by_label("Threshold", exact=True).fill("0.5")
    seen, said = ids_listed(page), flagged_count(page)
    name = seen[1]
    open_document(page, name)
    sent = address(page)
    assert sent == f"#doc={name}&q=the&show=flagged&sort=row&threshold=0.5"
    opened_at(page, path, sent)
    entry_of(page, name).locator("article.document").wait_for()
    page.locator(".search-status", has_text="found").wait_for()
    assert (ids_listed(page), flagged_count(page)) == (seen, said)
    assert page.get_by_label("Search").input_value() == "the"
    assert page.get_by_label("Threshold", exact=True).input_value() == "0.50"
    box = entry_of(page, name).bounding_box()
    assert 0 <= box["y"] < page.viewport_size["height"] / 2


def test_back_undoes_one_step_after_another(page, demo):
    path, _ = demo
    opened(page, path)
    at_first = ids_listed(page)
    choose(page, "Show", "flagged")
    flagged = ids_listed(page)
    look_for(page, "the")
    found = ids_listed(page)
    open_document(page, found[0])
    page.go_back()
    entry_of(page, found[0]).locator("article.document").wait_for(state="hidden")
    assert ids_listed(page) == found
    page.go_back()
    page.locator(".search-status:empty").wait_for(state="attached")
    assert page.get_by_label("Search").input_value() == ""
    assert ids_listed(page) == flagged
    page.go_back()
    wait_for_address(page, "#")
    assert ids_listed(page) == at_first
    page.go_forward()
    wait_for_address(page, "#show=flagged")
    assert ids_listed(page) == flagged


def test_typing_and_dragging_are_one_step_each(page, demo):
    path, summary = demo
    opened(page, path)
    before = page.evaluate("history.length")
    field = page.get_by_label("Search")
    for words in ("g", "ga", "garlic"):
        field.fill(words)
        field.press("Enter")
    wait_for_address(page, "#q=garlic")
    slider = page.get_by_role("slider")
    for _ in range(5):
        slider.press("ArrowRight")
    threshold = page.get_by_label("Threshold", exact=True).input_value()
    wait_until(lambda: f"{float(address(page).partition('threshold=')[2] or 'nan'):.2f}" == threshold)
    assert page.evaluate("history.length") == before + 2
    page.go_back()
    wait_for_address(page, "#q=garlic")
    assert flagged_count(page).startswith(f"{summary['analysed']['flagged']} of ")


def test_topics_groups_and_documents_are_links_with_addresses(page, demo):
    path, summary = demo
    opened(page, path)
    topic, group = summary["topics"][1], summary["groups"][0]
    topics, groups = page.locator("table.topics"), page.locator("table.groups")
    in_group = summary["documents"][group["documents"][0] - 1]["id"]
    for link, target in (
        (topics.locator("tbody tr").nth(1).get_by_role("link"), f"#documents&topic={topic['number']}"),
        (topics.locator(".to-document"), f"#doc={summary['topics'][0]['typical'][0]['id']}"),
        (groups.locator("tbody th a"), "#documents&group=1"),
        (groups.locator(".to-document"), f"#doc={in_group}"),
    ):
        assert link.first.get_attribute("href") == target
    page.locator("table.topics tbody tr").nth(1).get_by_role("link").first.click()
    wait_for_address(page, f"#documents&topic={topic['number']}")
    assert f"{topic['documents']} documents" in status(page)
    assert page.evaluate("document.activeElement.id") == "documents-heading"
    page.go_back()
    wait_for_address(page, "#")
    assert "260 documents" in status(page)


def test_the_nearest_documents_are_links_that_open_them(page, demo):
    path, summary = demo
    opened(page, path)
    document = next(document for document in summary["documents"] if document["nearest"])
    near = document["nearest"][0]["id"]
    open_document(page, document["id"]).locator(".nearest a").first.click()
    entry_of(page, near).locator("article.document").wait_for()
    wait_until(lambda: address(page).split("&")[0] == f"#doc={near}")
    assert page.evaluate("document.activeElement.textContent") == near
    page.go_back()
    entry_of(page, document["id"]).locator("article.document").wait_for()
    wait_for_address(page, f"#doc={document['id']}")


def test_ids_of_other_documents_are_no_links(page, tmp_path):
    """A report on new documents names training documents, whose ids may be those of others in it by chance."""
    near = [{"id": "d1", "excerpt": "Another.", "cosine": 0.5}]
    summary = summary_of([{"nearest": near}, {}])
    summary["analysed"]["training"]["same"] = False
    opened(page, written(tmp_path, summary))
    nearest = open_document(page, "d0").locator(".nearest")
    assert nearest.locator("a").count() == 0
    assert nearest.locator("b").text_content() == "d1"


def test_a_link_keeps_the_threshold_that_the_reader_set(report):
    page, summary = report
    page.get_by_label("Threshold", exact=True).fill("3")
    link = page.locator("table.topics tbody tr").first.get_by_role("link").first
    link.focus()
    assert link.get_attribute("href") == f"#documents&topic={summary['topics'][0]['number']}&threshold=3"
    link.click()
    assert flagged_count(page).startswith(f"{len(above(summary, 3))} of ")


ODD_IDS = ["a&b=c#d", "50 %", "ends with +", "שלום", "@2", "", "twice", "twice", "x" * 300]


@pytest.mark.parametrize("place", range(len(ODD_IDS)))
def test_documents_with_odd_ids_have_addresses(page, tmp_path, place):
    path = written(tmp_path, summary_of([{"id": name, "pieces": [f"Text {n}."]} for n, name in enumerate(ODD_IDS)]))
    opened(page, path)
    page.locator("#documents button.open").nth(place).click()
    wait_until(lambda: address(page) != "")
    sent = address(page)
    opened_at(page, path, sent)
    text = page.locator("article.document .text")
    text.wait_for()
    assert text.text_content() == f"Text {place}."
    assert address(page) == sent


@pytest.mark.parametrize(
    "made_up",
    [
        "#doc=nobody&topic=99&group=0&alarm=x&show=everything&sort=up&size=7&page=0&threshold=high",
        "#page=99999999&threshold=",
        "#threshold=1e999&q=%E0%A4%A&doc=@999999",
        "#<img src=x onerror=alert(1)>=1&&&==&report",
        f"#{quote('<b>no section</b>')}",
    ],
)
def test_addresses_that_mean_nothing_do_nothing(page, demo, made_up):
    path, summary = demo
    opened_at(page, path, made_up)
    assert flagged_count(page).startswith(f"{summary['analysed']['flagged']} of 260 ")
    assert len(page.locator("#documents .entry").all()) > 0 or "q=" in made_up
    assert page.locator("article.document").count() == 0


def test_a_section_has_an_address_that_keeps_the_rest(page, demo):
    path, _ = demo
    opened(page, path)
    choose(page, "Show", "flagged")
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Groups").click()
    wait_for_address(page, "#groups&show=flagged")
    assert status(page) == "13 documents, of 260 in all"
    assert page.evaluate("document.activeElement.id") == "groups-heading"
    opened_at(page, path, "#groups&show=flagged")
    assert is_at_the_top(page, "groups")
    assert status(page) == "13 documents, of 260 in all"


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_section_link_leads_to_its_heading_on_a_telephone(browser, demo, motion):
    """The map took another height once it was drawn, on the way there."""
    with watched_page(browser, viewport=NARROW, reduced_motion=motion) as page:
        opened(page, demo[0])
        for name, section in (("Groups", "groups"), ("Map", "map"), ("About", "about")):
            page.evaluate("scrollTo(0, 0)")
            page.get_by_role("navigation", name="Sections").get_by_role("link", name=name).click()
            wait_for_address(page, f"#{section}")
            page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert is_at_the_top(page, section), section


def test_the_theme_is_remembered(browser, demo):
    path, _ = demo
    dark = "getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)'"
    with watched_page(browser) as page:
        opened(page, path)
        page.get_by_role("button", name="Dark colours").click()
        assert page.evaluate(dark)
        page.reload()
        page.locator("html[data-ready]").wait_for()
        assert page.evaluate(dark)
        page.get_by_role("button", name="Light colours").click()
        assert page.evaluate("localStorage.length") == 0, "the choice of the system needs no memory"
        page.reload()
        page.locator("html[data-ready]").wait_for()
        assert not page.evaluate(dark)
