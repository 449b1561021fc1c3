"""Nothing in a report keeps readers out: axe finds no violation, in light colours or dark ones."""

import pytest
from axe import bring_axe, violations
from browser import NARROW, watched_page
from report_page import choose, open_document, opened, summary_of, written

WINDOWS = {"a desktop": {}, "a telephone": {"viewport": NARROW}}


@pytest.mark.parametrize("window", WINDOWS)
def test_axe_finds_nothing_in_a_report(browser, demo, window):
    path, summary = demo
    with watched_page(browser, **WINDOWS[window]) as page:
        bring_axe(page)
        page.goto(f"{path.as_uri()}#q=the&threshold=0.5")
        page.locator(".search-status", has_text="found").wait_for()
        for section in page.locator("section").all():
            section.scroll_into_view_if_needed()  # what is drawn later is drawn then
        document = next(document for document in summary["documents"] if document["nearest"] and document["missing"])
        open_document(page, document["id"])
        for details in page.locator("details:visible").all():
            details.evaluate("details => { details.open = true; }")
        assert violations(page) == []


def test_axe_finds_nothing_where_there_is_little_to_show(page, tmp_path):
    bring_axe(page)
    unjudged = {"score": 0.0, "outlier": False, "pieces": [], "alarms": {"empty": 1.0}, "topics": []}
    summary = summary_of([{}, unjudged], topics=[], analysed={"empty": 1, "topics": 0}, notes=["A note."])
    opened(page, written(tmp_path, summary))
    open_document(page, "d1")
    choose(page, "Alarm", "empty")
    assert violations(page) == []
    choose(page, "Show", "flagged")
    assert violations(page) == []
