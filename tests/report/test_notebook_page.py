"""What notebooks show, in a real browser: readable in light and dark ones, and harmless; and the report in its frame."""

import pytest
from axe import bring_axe, violations
from browser import LARGEST_PICTURE, picture, watched_page
from hostile import HOSTILE

from tonmf import TextOutlierDetector
from tonmf.datasets import load_noticeboard

LIGHT = ('lang="en"', 'data-jp-theme-light="true"')
DARK = {
    "JupyterLab": ('lang="en"', 'data-jp-theme-light="false"'),
    "VS Code": ('lang="en"', 'class="vscode-dark"'),
    "Colab": ('lang="en" theme="dark"', ""),
}


@pytest.fixture(scope="module")
def board():
    return load_noticeboard()


@pytest.fixture(scope="module")
def detector(board):
    return TextOutlierDetector().fit(board.texts, names=board.ids)


@pytest.fixture(scope="module")
def cards(board, detector):
    """What cells show: a ranking, an explanation, several, groups, and a detector without scikit-learn's diagram."""
    why = detector.explain(board.texts, ids=["post-065", "post-049"])
    of_detector = detector._repr_html_()
    shown = [of._repr_html_() for of in (detector.ranking(board.texts), why[:1], why, detector.groups_)]
    return [*shown, of_detector[: of_detector.rindex("<style>")]]


def notebook(path, cards, page=LIGHT, colours="white"):
    root, body = page
    head = "<head><meta charset='utf-8'><title>A notebook</title></head>"
    main = f"<main><h1 style='font-size: 0'>A notebook</h1>{''.join(cards)}</main>"
    style = f"background: {colours}; max-width: 60rem"
    path.write_text(
        f"<!doctype html><html {root}>{head}<body {body} style='{style}'>{main}</body></html>", encoding="utf-8"
    )
    return path.as_uri()


@pytest.mark.parametrize("program", ["light", *DARK])
def test_axe_finds_nothing_in_light_notebooks_or_dark_ones(browser, cards, tmp_path, program):
    look = (DARK[program], "#111") if program in DARK else (LIGHT, "white")
    with watched_page(browser) as page:
        bring_axe(page)
        page.goto(notebook(tmp_path / "notebook.html", cards, *look))
        for details in page.locator("details").all():
            details.evaluate("details => { details.open = true; }")
        assert violations(page) == []
        paper = page.locator(".tonmf").first.evaluate("card => getComputedStyle(card).backgroundColor")
        assert paper == ("rgb(21, 23, 26)" if program in DARK else "rgb(255, 255, 255)")


def test_documents_cannot_do_anything_to_the_notebook(browser, board, tmp_path):
    texts = [*board.texts[:100], *(text[:2000] for text in HOSTILE)]
    names = [*board.ids[:100], *(text[:200] for text in HOSTILE)]
    detector = TextOutlierDetector().fit(texts, names=names)
    shown = [detector.ranking(texts), detector.explain(texts, ids=range(100, len(texts))), detector.groups_, detector]
    shown.append(detector.report(texts, title=HOSTILE[0]))
    with watched_page(browser) as page:
        page.goto(notebook(tmp_path / "notebook.html", [of._repr_html_() for of in shown]))
        page.frame_locator("iframe").get_by_text("documents are flagged").first.wait_for()
        assert page.title() == "A notebook"
        assert page.locator(".tonmf b, .tonmf script, .tonmf img, .tonmf svg[onload]").count() == 0
        assert page.locator("body").evaluate("body => body.scrollWidth <= innerWidth")


def test_the_report_runs_in_its_frame(browser, board, detector, tmp_path):
    made = detector.report(board.texts, title="The notice board")
    with watched_page(browser) as page:
        page.goto(notebook(tmp_path / "notebook.html", [made._repr_html_()]))
        frame = page.frame_locator("iframe")
        frame.get_by_text("of 260 documents are flagged").first.wait_for()
        frame.get_by_role("button", name="Dark colours").click()
        frame.get_by_role("button", name="Light colours").wait_for()


def test_the_picture_in_the_docs_is_what_a_notebook_shows(browser, cards, tmp_path):
    with watched_page(browser, viewport={"width": 900, "height": 830}) as page:
        page.goto(notebook(tmp_path / "notebook.html", [cards[1], cards[0]]))
        target = picture("notebook.png", tmp_path)
        page.screenshot(path=target)
        assert 20_000 < target.stat().st_size < LARGEST_PICTURE
