"""The first screen of a report: how many documents are flagged, the strangest of them, and why."""

import pytest
from browser import NARROW, watched_page
from report_page import entry_of, ids_listed, open_document, opened, status, summary_of, text_of, written

FIRST = "#strangest li"


def shown_ids(page):
    return page.locator(f"{FIRST} .to-document").all_text_contents()


@pytest.mark.parametrize("window", [{}, {"viewport": NARROW}])
def test_the_answer_is_on_the_first_screen(browser, demo, window):
    path, summary = demo
    with watched_page(browser, **window) as page:
        opened(page, path)
        height = page.viewport_size["height"]
        n_flagged = summary["analysed"]["flagged"]
        verdict = page.locator(".verdict")
        assert verdict.text_content() == f"{n_flagged} of {summary['analysed']['documents']} documents are flagged"
        for part in (verdict, *page.locator(FIRST).all()[:3]):
            box = part.bounding_box()
            assert box["y"] + box["height"] <= height + 1
        assert page.locator("#about").bounding_box()["y"] > height


def test_the_strangest_documents_come_with_their_reasons_and_shaded_words(report):
    page, summary = report
    strangest = summary["documents"][:5]
    assert shown_ids(page) == [document["id"] for document in strangest]
    for one, document in zip(page.locator(FIRST).all(), strangest, strict=True):
        assert one.locator(".why").text_content() == document["reason"]
        shaded = one.locator("mark").all_text_contents()
        assert shaded
        assert {word.lower() for word in shaded} <= {word["word"] for word in document["unexpected"]}
        snippet = " ".join(one.locator(".snippet").text_content().strip("… ").split())
        assert snippet in " ".join(text_of(document).split())


def test_a_long_text_is_shown_where_its_unexpected_words_are(page, tmp_path):
    before = "Nothing of note is said here. " * 60
    pieces = [before, "Then a ", ["zeppelin", 0.3], " landed on the ", ["minster", 0.2], ". ", before]
    opened(page, written(tmp_path, summary_of([{"pieces": pieces}])))
    for place in (FIRST, "#documents .entry"):
        snippet = page.locator(f"{place} .snippet").first
        assert snippet.locator("mark").all_text_contents() == ["zeppelin", "minster"]
        text = snippet.text_content()
        assert len(text) < 400
        assert text.startswith("… Then a zeppelin landed on the minster. Nothing of note")


def test_copies_are_shown_once(page, tmp_path):
    documents = [{"copy_of": 1, "copies": 3, "pieces": ["A copy."]} for _ in range(3)] + [{} for _ in range(4)]
    opened(page, written(tmp_path, summary_of(documents, analysed={"flagged": 7, "threshold": 0.0})))
    assert shown_ids(page) == ["d0", "d3", "d4", "d5", "d6"]
    assert "×3" in page.locator(FIRST).first.text_content()


def test_few_flagged_documents_are_followed_by_some_that_are_not(page, tmp_path):
    opened(page, written(tmp_path, summary_of([{} for _ in range(9)])))
    assert shown_ids(page) == ["d0", "d1", "d2"]
    ids = page.locator(f"{FIRST} .strangest-id").all_text_contents()
    assert [text.endswith("not flagged") for text in ids] == [False, True, True]
    assert not page.locator(".strangest-more").is_visible()


def test_where_none_is_flagged_the_page_says_so(page, tmp_path):
    documents = [{"outlier": False, "score": 0.5} for _ in range(4)]
    opened(page, written(tmp_path, summary_of(documents, analysed={"flagged": 0})))
    assert page.locator("#strangest h2").text_content() == "The strangest, though none is flagged"
    assert page.locator(".verdict").text_content() == "0 of 4 documents are flagged"


def test_the_first_screen_follows_the_threshold_and_leads_to_all_that_are_flagged(report):
    page, summary = report
    scores = [document["score"] for document in summary["documents"]]
    page.get_by_label("Threshold", exact=True).fill(f"{scores[3] + 0.01:.2f}")
    page.locator(f"{FIRST}:nth-child(4)").wait_for(state="detached")
    assert shown_ids(page) == [document["id"] for document in summary["documents"][:3]]
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("link", name="All 13 flagged documents").click()
    assert status(page) == "13 documents, of 260 in all"


def test_a_document_on_the_first_screen_opens(report):
    page, summary = report
    second = summary["documents"][1]["id"]
    page.locator(f"{FIRST} .snippet").nth(1).click()
    entry_of(page, second).locator("article.document").wait_for()
    assert page.evaluate("document.activeElement.textContent") == second


def test_rows_show_text_and_reason_and_tell_their_bars_apart(report):
    page, summary = report
    documents = {document["id"]: document for document in summary["documents"]}
    entries = page.locator("#documents .entry").all()[:10]
    for entry in entries:
        document = documents[entry.locator("button.open").text_content()]
        assert entry.locator(".why").text_content() == document["reason"]
        assert entry.locator("mark").count() > 0
    lengths = page.locator("#documents .score-bar").evaluate_all(
        "bars => bars.map(bar => Number(bar.style.getPropertyValue('--part')))"
    )
    assert lengths[0] == 1
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] - lengths[20] > 0.5
    below = page.locator(".entry.below-threshold")
    assert below.count() == 1
    assert below.locator("button.open").text_content() == ids_listed(page)[summary["analysed"]["flagged"]]


def test_scores_that_are_close_have_different_bars(page, tmp_path):
    """On a scale over all scores they were all but equal."""
    documents = [{"score": 2.75 - 0.05 * place} for place in range(12)] + [
        {"score": -place / 40} for place in range(80)
    ]
    opened(page, written(tmp_path, summary_of(documents, analysed={"threshold": 2.17, "flagged": 12})))
    lengths = page.locator("#documents .score-bar").evaluate_all(
        "bars => bars.map(bar => Number(bar.style.getPropertyValue('--part')))"
    )
    assert lengths[0] - lengths[11] > 0.1


def test_the_id_of_a_document_breaks_after_a_slash_and_never_inside_a_number(page, tmp_path):
    name = "archive/entertainment-2004/12.5/000123456.txt"
    opened(page, written(tmp_path, summary_of([{"id": name}])))
    parts = (
        open_document(page, name)
        .locator(".document-id")
        .first.evaluate("id => [...id.childNodes].filter(node => node.data).map(node => node.data)")
    )
    assert parts == ["archive/", "entertainment-", "2004/", "12.5/", "000123456.", "txt"]


def test_the_text_of_a_row_has_room_on_a_tablet(browser, demo):
    with watched_page(browser, viewport={"width": 820, "height": 1180}) as page:
        opened(page, demo[0])
        widths = page.locator("#documents .snippet").evaluate_all("all => all.map(one => one.clientWidth)")
        assert min(widths) > 500


def test_documents_with_the_same_score_share_a_rank(report):
    page, summary = report
    scores = [f"{document['score']:.2f}" for document in summary["documents"][:4]]
    assert scores[1] == scores[2] != scores[3]
    assert page.locator("#documents td.for-rank").all_text_contents()[:4] == ["1", "2", "2", "4"]
