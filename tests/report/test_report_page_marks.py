"""Marks on a report in a real browser: the page re-ranks as the library does, and keeps and hands out marks."""

import json

import pytest
from browser import NARROW, watched_page
from command import run
from report_page import (
    choose,
    entry_of,
    export,
    ids_listed,
    is_wider_than_its_window,
    look_for,
    open_document,
    opened,
    written,
)

from tonmf import TextOutlierDetector
from tonmf.datasets import load_noticeboard
from tonmf.io import read_marks
from tonmf.ranking import Ranking
from tonmf.report import marking, summarise, write_html

BOARD = load_noticeboard()
STRANGE, FINE = ["post-015", "post-122"], ["post-049", "post-224", "post-230"]

PRECISION = 0.002
"""How far a score in the page may be from that of the library."""


def fitted(**options):
    return TextOutlierDetector(**options).fit(BOARD.texts, names=BOARD.ids)


def report_of(detector, folder, texts=BOARD.texts, ids=BOARD.ids, labels=None):
    path = folder / "board.html"
    write_html(path, summarise(Ranking.by(detector, texts, ids), title="Board", labels=labels))
    return path


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    return report_of(fitted(), tmp_path_factory.mktemp("marks"), labels=BOARD.labels)


def button(page, name, mark):
    return entry_of(page, name).get_by_role("button", name=f"{mark.capitalize()}: {name}", exact=True)


def mark(page, name, as_what):
    look_for(page, name)
    button(page, name, as_what).click()
    page.get_by_label("Search").fill("")
    page.locator(".search-status:empty").wait_for(state="attached")


def mark_all(page, strange=STRANGE, fine=FINE):
    for name in strange:
        mark(page, name, "strange")
    for name in fine:
        mark(page, name, "fine")


def counts(page):
    return page.locator(".marks-bar .status").text_content()


def exported(page):
    """Id, score and flag of every document, as the page exports them, the strangest first."""
    return [(row["id"], float(row["score"]), row["outlier"] == "true") for row in export(page)[1]]


def check_as_in_library(page, detector, texts=BOARD.texts, ids=BOARD.ids):
    known = dict(zip(ids, detector.outlier_score(texts).tolist(), strict=True))
    shown = exported(page)
    assert len(shown) == len(ids)
    assert max(abs(score - known[name]) for name, score, _ in shown) < PRECISION
    judged = [score for name, score, _ in shown if name != "empty"]
    assert judged == sorted(judged, reverse=True)
    near = [name for name, score in known.items() if abs(score - detector.threshold_) > PRECISION]
    assert {name for name, _, flagged in shown if flagged and name in near} == {
        name for name in near if known[name] > detector.threshold_
    }
    assert float(page.locator("#threshold").input_value()) == pytest.approx(detector.threshold_, abs=0.01)


def test_scores_and_threshold_follow_marks_as_in_the_library(page, board):
    opened(page, board)
    mark_all(page)
    assert counts(page) == "2 strange, 3 fine."
    check_as_in_library(page, fitted().mark(strange=STRANGE, fine=FINE))


def test_the_threshold_is_that_of_the_library_after_each_mark(page, board):
    """Marks spread the scores of ordinary documents in many ways, lumps among them."""
    opened(page, board)
    detector = fitted()
    marks = {
        "post-065": "strange",
        "post-049": "fine",
        "post-111": "strange",
        "post-085": "fine",
        "post-015": "strange",
    }
    for name, as_what in marks.items():
        mark(page, name, as_what)
        detector.mark(**{as_what: [name]})
        check_as_in_library(page, detector)


def test_a_share_that_was_asked_for_stays_flagged(page, tmp_path):
    detector = fitted(contamination=0.05)
    opened(page, report_of(detector, tmp_path))
    mark_all(page)
    check_as_in_library(page, detector.mark(strange=STRANGE, fine=FINE))
    assert page.locator(".flagged-count").text_content() == "13 of 260 documents are flagged"


def test_marks_of_the_report_are_there_and_can_be_taken_back(page, tmp_path):
    detector = fitted().mark(strange=STRANGE, fine=FINE)
    opened(page, report_of(detector, tmp_path))
    assert counts(page) == "2 strange, 3 fine."
    assert button(page, "post-015", "strange").get_attribute("aria-pressed") == "true"
    check_as_in_library(page, detector)
    mark(page, "post-122", "strange")
    mark(page, "post-049", "strange")
    check_as_in_library(page, detector.unmark(["post-122"]).mark(strange=["post-049"]))
    page.get_by_role("button", name="Take all back").click()
    assert counts(page) == "Nothing is marked yet."
    check_as_in_library(page, detector.unmark())


def test_a_mark_that_is_taken_back_leaves_everything_as_it_was(page, tmp_path):
    opened(page, report_of(fitted().mark(strange=["post-065"]), tmp_path))
    before = exported(page), page.locator("#threshold").input_value()
    name = next(name for name in ids_listed(page) if name != "post-065")
    open_document(page, name)
    page.keyboard.press("y")
    assert counts(page) == "2 strange, 0 fine."
    page.keyboard.press("u")
    assert counts(page) == "1 strange, 0 fine."
    assert (exported(page), page.locator("#threshold").input_value()) == before
    assert not entry_of(page, name).locator(".moved").is_visible()
    assert page.get_by_role("button", name="Reset").is_disabled()


def test_marks_on_documents_that_are_not_in_the_report_count_too(page, tmp_path):
    detector = fitted().mark(strange=STRANGE, fine=FINE)
    here = [number for number, name in enumerate(BOARD.ids) if name not in STRANGE]
    texts, ids = [BOARD.texts[number] for number in here], [BOARD.ids[number] for number in here]
    opened(page, report_of(detector, tmp_path, texts, ids))
    assert (
        "2 marks of documents that are not in this list: post-015, post-122."
        in page.locator(".marks-bar").text_content()
    )
    mark(page, "post-253", "fine")
    check_as_in_library(page, detector.mark(fine=["post-253"]), texts, ids)


def test_documents_without_a_known_word_follow_each_other(page, tmp_path):
    detector = fitted()
    texts, ids = ["zxcv qwer", "vbnm asdf", "", *BOARD.texts[:30]], ["one", "other", "empty", *BOARD.ids[:30]]
    opened(page, report_of(detector, tmp_path, texts, ids))
    assert entry_of(page, "empty").locator("button.mark-as").count() == 0
    mark(page, "one", "fine")
    check_as_in_library(page, detector.mark(fine=["one"], documents=texts, names=ids), texts, ids)
    shown = open_document(page, "other").locator(".moved").text_content()
    assert shown.endswith("Like one, which you marked as fine, it has no known word. Before them:")


def test_an_open_document_says_what_marks_did(page, board):
    opened(page, board)
    mark_all(page, ["post-015"], ["post-049", "post-224"])
    detector = fitted().mark(strange=["post-015"], fine=["post-049", "post-224"])
    why = detector.explain(BOARD.texts, ids=["post-065", "post-015"])
    for name, reason in zip(["post-065", "post-015"], why, strict=True):
        said = open_document(page, name).locator(".moved").text_content()
        assert said.startswith(f"With your marks it scores {reason.score:.2f} and is flagged. ")
        assert said.endswith(" Before them:"), "the sentence after it is that of the report"
        assert said.removesuffix(" Before them:").split(". ", 1)[1] in reason.reason


def test_keys_mark_the_document_with_the_focus(page, board):
    opened(page, board)
    first = ids_listed(page)[0]
    page.get_by_role("button", name=first, exact=True).focus()
    page.keyboard.press("n")
    assert counts(page) == "0 strange, 1 fine."
    page.keyboard.press("s")
    second = page.evaluate("document.activeElement.textContent")
    assert second != first
    entry_of(page, second).locator("article.document").wait_for()
    page.keyboard.press("y")
    assert counts(page) == "1 strange, 1 fine."
    assert page.evaluate("document.activeElement.textContent") == second, "the focus stays on it"
    page.keyboard.press("y")
    assert counts(page) == "0 strange, 1 fine."
    page.keyboard.press("n")
    assert counts(page) == "0 strange, 2 fine."
    page.keyboard.press("u")
    assert counts(page) == "0 strange, 1 fine.", "even if the document has left the page"


def test_keys_mark_the_open_document_if_nothing_has_the_focus_and_leave_fields_alone(page, board):
    opened(page, board)
    name = ids_listed(page)[2]
    open_document(page, name)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("y")
    assert button(page, name, "strange").get_attribute("aria-pressed") == "true"
    page.get_by_label("Search").focus()
    page.keyboard.type("nyu")
    assert page.get_by_label("Search").input_value() == "nyu"
    assert counts(page) == "1 strange, 0 fine."


def test_show_next_goes_down_the_list_and_passes_over_copies_of_what_is_marked(page, tmp_path):
    texts, ids = [*BOARD.texts, BOARD.texts[14]], [*BOARD.ids, "again"]
    opened(page, report_of(fitted(), tmp_path, texts, ids))
    assert texts[14] == BOARD.texts[BOARD.ids.index("post-015")]
    mark(page, "post-015", "strange")
    shown = []
    for _ in range(3):
        page.get_by_role("button", name="Show next").click()
        shown.append(page.evaluate("document.activeElement.textContent"))
        page.keyboard.press("n")
    assert len(set(shown)) == 3
    assert not {"post-015", "again"} & set(shown)


def test_a_marked_document_that_leaves_the_page_hands_the_focus_to_the_next(page, board):
    opened(page, board)
    choose(page, "Show", "flagged")
    name = ids_listed(page)[-1]
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("n")
    assert name not in ids_listed(page)
    assert page.evaluate("document.activeElement.textContent") == "Show next"


def test_marks_are_downloaded_as_the_file_that_the_command_line_takes(page, board, tmp_path):
    opened(page, board)
    mark_all(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download marks").click()
    assert download.value.suggested_filename == "Board-marks.csv"
    assert read_marks(download.value.path()) == {**dict.fromkeys(STRANGE, "strange"), **dict.fromkeys(FINE, "fine")}


def test_an_id_like_a_formula_comes_back_from_the_file_as_it_was(page, tmp_path):
    odd = ["=1+1", "'=2", "-3.5", 'a "b", c']
    texts, ids = BOARD.texts[:40], [*odd, *BOARD.ids[4:40]]
    opened(page, report_of(fitted(), tmp_path, texts, ids))
    for name in odd:
        mark(page, name, "fine")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download marks").click()
    assert download.value.path().read_text(encoding="utf-8").splitlines()[1] == "'=1+1,fine"
    assert sorted(read_marks(download.value.path())) == sorted(odd)


def test_marks_survive_a_reload(page, board):
    opened(page, board)
    mark(page, "post-015", "strange")
    page.reload()
    page.locator("html[data-ready]").wait_for()
    assert counts(page) == "1 strange, 0 fine."
    check_as_in_library(page, fitted().mark(strange=["post-015"]))
    page.get_by_role("button", name="Take all back").click()
    page.reload()
    page.locator("html[data-ready]").wait_for()
    assert counts(page) == "Nothing is marked yet."


def test_where_nothing_can_be_stored_the_page_says_so(page, board):
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })")
    opened(page, board)
    assert "does not store" not in page.locator(".marks-bar").text_content()
    mark(page, "post-015", "strange")
    assert counts(page) == "1 strange, 0 fine."
    assert "Your browser does not store these marks." in page.locator(".marks-bar").text_content()


def test_stored_nonsense_is_ignored(page, board):
    page.add_init_script("for (const name of ['length', 'x']) localStorage.setItem(`tonmf-marks-${name}`, '{')")
    page.add_init_script("Storage.prototype.getItem = () => '[[1, 2]]'")
    opened(page, board)
    assert counts(page) == "Nothing is marked yet."


def test_documents_beyond_the_room_keep_their_scores_and_the_page_says_so(page, tmp_path, monkeypatch):
    monkeypatch.setattr(marking, "ROOM", 12_000)
    detector = fitted()
    summary = summarise(Ranking.by(detector, BOARD.texts, BOARD.ids), title="Board")
    n_docs = summary["marking"]["documents"]
    opened(page, written(tmp_path, json.loads(json.dumps(summary))))
    assert f"Only the {n_docs} strangest documents can be marked" in page.locator(".marks-bar").text_content()
    beyond = [document["id"] for document in summary["documents"][n_docs:]]
    look_for(page, beyond[0])
    assert entry_of(page, beyond[0]).locator("button.mark-as").count() == 0
    mark(page, summary["documents"][0]["id"], "fine")
    scores = {document["id"]: document["score"] for document in summary["documents"]}
    assert all(score == pytest.approx(scores[name]) for name, score, _ in exported(page) if name in beyond)


def test_the_list_can_be_filtered_by_mark(page, board):
    opened(page, board)
    mark_all(page)
    choose(page, "Mark", "strange")
    assert sorted(ids_listed(page)) == sorted(STRANGE)
    choose(page, "Mark", "fine")
    assert sorted(ids_listed(page)) == sorted(FINE)


def test_the_threshold_that_a_reader_set_stays(page, board):
    opened(page, board)
    page.locator("#threshold").fill("5")
    mark(page, "post-015", "strange")
    assert page.locator("#threshold").input_value() == "5.00"
    page.get_by_role("button", name="Reset").click()
    detector = fitted().mark(strange=["post-015"])
    assert float(page.locator("#threshold").input_value()) == pytest.approx(detector.threshold_, abs=0.01)


def test_a_report_without_what_marks_need_has_no_buttons(page, tmp_path):
    summary = summarise(Ranking.by(fitted(), BOARD.texts, BOARD.ids), title="Board")
    opened(page, written(tmp_path, {name: value for name, value in summary.items() if name != "marking"}))
    assert page.locator(".marks-bar, .for-mark").count() == 0


def test_marking_works_in_a_narrow_window(browser, board):
    with watched_page(browser, viewport=NARROW) as page:
        opened(page, board)
        button(page, ids_listed(page)[0], "strange").click()
        assert counts(page) == "1 strange, 0 fine."
        assert not is_wider_than_its_window(page)


def test_reports_of_the_command_line_begin_with_its_marks(page, tmp_path):
    texts = tmp_path / "board.csv"
    texts.write_text(
        "id,text\n" + "".join(f'{name},"{text}"\n' for name, text in zip(BOARD.ids, _quoted(BOARD.texts), strict=True))
    )
    (tmp_path / "marks.csv").write_text("post-015,strange\npost-049,fine\n")
    ran = run("detect", "board.csv", "--marks", "marks.csv", "--report", "report.html", cwd=tmp_path)
    assert ran.code == 0, ran.err
    opened(page, tmp_path / "report.html")
    assert counts(page) == "1 strange, 1 fine."


def _quoted(texts):
    return [text.replace('"', '""') for text in texts]


def open_beside(page, name):
    """Open a document in the panel, by its address."""
    page.evaluate(f"location.hash = '#panel={name}'")
    panel = page.locator(".panel")
    panel.get_by_role("heading", name=name, exact=True).wait_for()
    return panel


def pressed(panel, as_what):
    return panel.get_by_role("button", name=f"{as_what}:").get_attribute("aria-pressed") == "true"


def test_a_document_is_marked_in_the_panel_as_in_the_list(page, board):
    opened(page, board)
    for name, as_what in [*((name, "Strange") for name in STRANGE), *((name, "Fine") for name in FINE)]:
        panel = open_beside(page, name)
        panel.get_by_role("button", name=f"{as_what}: {name}", exact=True).click()
        assert pressed(panel, as_what)
        assert f"You marked it as {as_what.lower()}." in panel.locator(".moved").text_content()
        assert panel.locator(".panel-facts b").first.text_content() in panel.locator(".moved").text_content()
        assert panel.get_by_role("button", name=f"{as_what}: {name}", exact=True).evaluate(
            "button => button === document.activeElement"
        )
    assert counts(page) == "2 strange, 3 fine."
    page.keyboard.press("Escape")
    check_as_in_library(page, fitted().mark(strange=STRANGE, fine=FINE))


def test_keys_mark_the_document_in_the_panel_and_go_on_to_the_next_one(page, board):
    opened(page, board)
    panel = open_beside(page, "post-230")
    page.keyboard.press("n")
    assert pressed(panel, "Fine")
    page.keyboard.press("u")
    assert not pressed(panel, "Fine")
    assert counts(page) == "Nothing is marked yet."
    assert panel.locator(".moved").is_hidden()
    page.keyboard.press("y")
    assert counts(page) == "1 strange, 0 fine."
    page.keyboard.press("s")
    strangest = next(name for name in ids_listed(page) if name != "post-230")
    panel.get_by_role("heading", name=strangest, exact=True).wait_for()
    assert not pressed(panel, "Strange")
    page.keyboard.press("u")  # it has no mark, so the last one is taken back
    assert counts(page) == "Nothing is marked yet."


def test_a_mark_in_the_list_shows_in_the_panel(page, board):
    opened(page, board)
    panel = open_beside(page, "post-015")
    entry_of(page, "post-015").locator("button.open").focus()
    page.keyboard.press("y")
    assert pressed(panel, "Strange")
    entry_of(page, "post-065").locator("button.open").focus()
    page.keyboard.press("y")  # means the document with the focus, not that in the panel
    assert counts(page) == "2 strange, 0 fine."


def test_the_panel_has_no_buttons_where_nothing_can_be_marked(page, tmp_path, monkeypatch):
    monkeypatch.setattr(marking, "ROOM", 20_000)
    opened(page, report_of(fitted(), tmp_path))
    panel = open_beside(page, ids_listed(page)[0])
    assert panel.get_by_role("button", name="Strange:").is_visible()
    panel = open_beside(page, BOARD.ids[int(fitted().outlier_scores_.argmin())])
    assert panel.locator(".panel-marks").is_hidden()


def test_marks_in_the_panel_fit_on_a_phone(page, board):
    page.set_viewport_size(NARROW)
    opened(page, board)
    panel = open_beside(page, "post-015")
    panel.get_by_role("button", name="Strange: post-015", exact=True).click()
    assert not is_wider_than_its_window(page)
    assert pressed(panel, "Strange")
