"""Nothing on the page of a server keeps readers out: axe finds no violation, in light colours or dark ones."""

import pytest
from app_page import CORPUS_CSV, ODD, TOKEN, expect, opened, score, start_job
from axe import bring_axe, violations
from browser import NARROW
from saved_models import CORPUS
from serving import serving

WINDOWS = {"a desktop": {}, "a telephone": {"viewport": NARROW}}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("view", ["score", "fit", "model"])
def test_axe_finds_nothing_on_any_part_of_the_page(browser, server, view, window):
    with opened(browser, server, view, **WINDOWS[window]) as page:
        bring_axe(page)
        page.reload()
        expect(page.locator(f"#{view}")).to_be_visible()
        if view == "score":
            score(page, "\n".join([ODD, *CORPUS.texts[:9]]), each_line=True)
            page.locator("button.open").first.click()
            expect(page.locator(".entry.opened .reason")).to_be_visible()
        if view == "fit":
            start_job(page, "posts.csv", CORPUS_CSV)
        for details in page.locator("details:visible").all():
            details.evaluate("details => { details.open = true; }")
        assert violations(page) == []


def test_axe_finds_nothing_where_a_token_is_asked_for(browser, saved, tmp_path):
    with serving(saved[1], tmp_path, TONMF_TOKEN=TOKEN) as server, opened(browser, server) as page:
        page.expected += ["status of 401"] * 2
        bring_axe(page)
        page.reload()
        expect(page.get_by_role("heading", name="This server requires a token")).to_be_visible()
        assert violations(page) == []
