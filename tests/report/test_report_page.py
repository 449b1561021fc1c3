"""Reports in a real browser: what readers do with the page, and what they then see."""

import re

import pytest
from browser import LARGEST_PICTURE, picture
from report_page import (
    PAGE,
    above,
    choose,
    drag,
    export,
    flagged_count,
    ids_listed,
    look_for,
    open_document,
    opened,
    status,
    summary_of,
    text_of,
    written,
)

from tonmf.detector.explain.explanation import PARTS
from tonmf.detector.scores.scoring import WIDTHS

# ------------------------------------------------------------------ at first


def test_the_report_opens_with_the_count_and_the_strangest_documents_first(report):
    page, summary = report
    analysed = summary["analysed"]
    count = f"{analysed['flagged']} of {analysed['documents']} documents are flagged"
    assert page.get_by_role("heading", level=1).text_content() == summary["title"]
    assert page.locator(".verdict").text_content() == count
    assert flagged_count(page) == count
    threshold = f"score above {analysed['threshold']:.2f}, the automatic threshold"
    assert threshold in page.locator("#about").text_content()
    assert ids_listed(page) == [document["id"] for document in summary["documents"][:PAGE]]
    assert page.locator(".entry.is-flagged").count() == analysed["flagged"]
    n_lines = sum(document["copy_of"] == place for place, document in enumerate(summary["documents"], start=1))
    assert status(page) == f"1–{PAGE} of {n_lines} lines ({analysed['documents']} documents)", "a post came twice"


def test_the_parts_of_a_score_have_the_names_of_explanations(report):
    page, summary = report
    shown = next(
        document for document in summary["documents"] if document["parts"].keys() >= PARTS.keys() - {"meaning"}
    )
    open_document(page, shown["id"])
    measures = page.locator(".document-facts dd").first.text_content()
    assert all(f"{PARTS.get(name, name)} " in measures for name in shown["parts"])


def test_how_it_was_done_can_be_unfolded(report):
    page, summary = report
    page.get_by_text("How it was done").click()
    shown = page.locator(".how").text_content()
    assert page.locator(".how dl").is_visible()
    assert all(f"{name} {version}" in shown for name, version in summary["made"].items() if name != "when")


def test_the_rule_behind_the_threshold_is_shown_to_those_who_ask(report):
    page, _ = report
    rule = page.get_by_text(f"median + {WIDTHS:g} (P84 − median)")
    assert rule.count() == 1
    assert not rule.is_visible()
    page.get_by_text("How the threshold is set").click()
    assert rule.is_visible()


def test_a_share_that_was_asked_for_is_named_in_place_of_the_rule(page, tmp_path):
    opened(page, written(tmp_path, summary_of([{}], analysed={"contamination": 0.025})))
    about = page.locator("#about").text_content()
    assert "score above 4.99, so that 2.5 % of the training documents are" in about
    assert page.get_by_text("How the threshold is set").count() == 0


def test_only_the_index_and_the_first_part_are_unpacked_at_first(page, tmp_path):
    page.add_init_script(
        "window.unpacked = 0; const Real = DecompressionStream;"
        "window.DecompressionStream = class { constructor(form) { window.unpacked++; return new Real(form); } };"
    )
    opened(page, written(tmp_path, summary_of([{} for _ in range(2500)])))
    assert page.evaluate("window.unpacked") == 2
    choose(page, "Sort by", "Input order")
    assert page.evaluate("window.unpacked") == 2
    choose(page, "Sort by", "Rank")
    page.get_by_role("columnheader", name="rank").get_by_role("button").click()
    assert ids_listed(page)[0] == "d2499"
    page.locator(".entry .snippet").last.wait_for(state="attached")
    assert page.evaluate("window.unpacked") == 3


# ------------------------------------------------------------------ copies


@pytest.fixture
def with_copies(page, tmp_path):
    """A report of six documents, of which the second, third and fifth are the same; the page, and the ids."""
    documents = [{} for _ in range(6)]
    for place in (1, 2, 4):
        documents[place] = {"copy_of": 2, "copies": 3, "pieces": ["A copy."], "rank": 2, "score": 4.0}
    documents[4]["id"] = "<b>d4</b>"
    documents[3] = {"score": 4.0, "rank": 2}
    summary = summary_of(documents, analysed={"flagged": 5, "threshold": 3.9})
    return opened(page, written(tmp_path, summary))


def test_exact_copies_share_a_line_that_lists_them_by_keyboard(with_copies):
    page = with_copies
    assert ids_listed(page) == ["d0", "d1", "d3", "d5"]
    assert status(page) == "4 lines (6 documents)"
    assert page.locator("details.copies:visible").count() == 1
    mark = page.locator("details.copies:visible summary")
    assert mark.inner_text().startswith("×3")
    mark.focus()
    page.keyboard.press("Enter")
    page.locator("details.copies li").first.wait_for()
    assert page.locator("details.copies li").all_text_contents() == ["d2", "<b>d4</b>"], "as text, never as markup"
    assert page.locator("article.document").count() == 0, "the mark does not open the document"
    page.keyboard.press("Enter")
    assert not page.locator("details.copies li").first.is_visible()


def test_copies_can_be_listed_one_by_one_and_are_exported_so(with_copies):
    page = with_copies
    assert [row["id"] for row in export(page)[1]] == ["d0", "d1", "d2", "d3", "<b>d4</b>", "d5"]
    choose(page, "Copies", "on a line each")
    assert ids_listed(page) == ["d0", "d1", "d2", "d3", "<b>d4</b>", "d5"]
    assert status(page) == "6 documents"
    assert page.locator("details.copies:visible").count() == 0
    choose(page, "Copies", "on one line")
    assert ids_listed(page) == ["d0", "d1", "d3", "d5"]


def test_a_copy_that_is_looked_for_by_its_id_is_found(with_copies):
    page = with_copies
    look_for(page, "d2")
    assert ids_listed(page) == ["d2"]
    page.get_by_label("Search").fill("copy")
    page.locator(".search-status", has_text="3 documents found").wait_for()
    assert ids_listed(page) == ["d1"]
    assert status(page) == "1 line (3 documents, of 6 in all)"


def test_where_there_are_no_copies_nothing_is_said_of_them(page, tmp_path):
    opened(page, written(tmp_path, summary_of([{}, {}])))
    assert page.get_by_role("combobox", name="Copies").count() == 0
    assert page.locator("details.copies:visible").count() == 0


# ------------------------------------------------------------------ the threshold


@pytest.mark.parametrize("plot", [".by-document", ".distribution"])
def test_the_count_and_the_list_follow_the_line_that_is_dragged(plot, report):
    page, summary = report
    page.locator("#scores").scroll_into_view_if_needed()
    line = page.locator(f"{plot} .threshold-line")
    line.wait_for()
    line.scroll_into_view_if_needed()
    box = line.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(page, (x, y), (x, y - 40))
    threshold = float(page.get_by_label("Threshold", exact=True).input_value())
    assert threshold > summary["analysed"]["threshold"]
    expected = above(summary, threshold)
    assert 0 < len(expected) < summary["analysed"]["flagged"]
    assert flagged_count(page).startswith(f"{len(expected)} of ")
    assert page.locator(".verdict").text_content() == flagged_count(page)
    assert page.locator(".entry.is-flagged button.open").all_text_contents() == expected
    moved = line.bounding_box()
    assert moved["y"] + moved["height"] / 2 == pytest.approx(y - 40, abs=2)


def test_the_threshold_moves_by_keys_and_back_by_the_button(report):
    page, summary = report
    slider = page.get_by_role("slider")
    slider.focus()
    threshold = summary["analysed"]["threshold"]
    lowest = min(document["score"] for document in summary["documents"] if document["score"] > threshold)
    while threshold <= lowest + 0.01:  # it is read with two digits
        page.keyboard.press("ArrowRight")
        before, threshold = threshold, float(slider.get_attribute("aria-valuetext"))
        assert threshold > before
    assert int(flagged_count(page).split()[0]) < summary["analysed"]["flagged"]
    page.get_by_role("button", name="Reset").click()
    assert int(flagged_count(page).split()[0]) == summary["analysed"]["flagged"]
    number = page.get_by_label("Threshold", exact=True)
    number.focus()
    page.keyboard.press("ArrowDown")
    assert float(number.input_value()) == pytest.approx(summary["analysed"]["threshold"] - 0.01, abs=0.01)


def test_a_threshold_that_is_typed_chooses_what_is_listed_as_flagged(report):
    page, summary = report
    page.get_by_label("Threshold", exact=True).fill("0.5")
    choose(page, "Show", "flagged")
    expected = above(summary, 0.5)
    assert flagged_count(page).startswith(f"{len(expected)} of ")
    assert status(page).startswith(f"1–{PAGE} of {len(expected)} documents")
    page.get_by_label("Threshold", exact=True).fill("3")
    assert ids_listed(page) == above(summary, 3)


def test_the_sentence_of_a_document_follows_the_threshold(report):
    page, summary = report
    document = summary["documents"][summary["analysed"]["flagged"] - 1]
    sentence = open_document(page, document["id"]).locator(".reason")
    assert sentence.text_content() == document["sentence"]
    page.get_by_label("Threshold", exact=True).fill("4")
    margin = f"{4 - document['score']:.2f} below the threshold of 4.00"
    expected = f"Not flagged: its score of {document['score']:.2f} is {margin}, rank {document['rank']} of 260, "
    assert sentence.text_content().startswith(expected)
    assert sentence.text_content().endswith(document["reason"])
    page.get_by_role("button", name="Reset").click()
    assert sentence.text_content() == document["sentence"]


def test_a_sentence_without_a_threshold_in_it_follows_one_that_is_moved(page, tmp_path):
    """With a false-discovery rate the sentence says nothing of the threshold."""
    verdict = (
        "Flagged at a false-discovery rate of 10 %: its score of 5.00 is rank 1 of 2, stranger than 99.9 % of all."
    )
    reason = "It is rank 7 of 8, as it says itself."
    told = {"sentence": f"{verdict} {reason}", "reason": reason}
    opened(page, written(tmp_path, summary_of([told, {}])))
    shown = open_document(page, "d0").locator(".reason")
    assert shown.text_content() == told["sentence"]
    page.get_by_label("Threshold", exact=True).fill("1.5")
    rest = f"rank 1 of 2, stranger than 99.9 % of all. {reason}"
    assert shown.text_content() == f"Flagged: its score of 5.00 is 3.50 above the threshold of 1.50, {rest}"


def test_the_threshold_has_two_decimals_however_wide_the_scores_are(page, tmp_path):
    documents = [{"score": 20.0 - 2 * place, "outlier": False} for place in range(20)]
    opened(page, written(tmp_path, summary_of(documents, analysed={"threshold": 21.9437, "flagged": 0})))
    number = page.get_by_label("Threshold", exact=True)
    assert number.input_value() == "21.94"
    assert number.evaluate("field => field.validity.stepMismatch") is False


def test_precision_and_recall_follow_the_threshold(report):
    page, summary = report
    page.get_by_label("Threshold", exact=True).fill("3")
    flagged = [document["label"] for document in summary["documents"] if document["score"] > 3]
    right, outliers = sum(flagged), summary["curves"]["outliers"]
    shown = page.locator("#curves .status").text_content()
    assert f"{right} of {outliers} outliers are flagged" in shown
    assert f"{right} of {len(flagged)} flagged are outliers" in shown
    area, average = summary["curves"]["roc"]["area"], summary["curves"]["precision_recall"]["average"]
    assert f"{area:.3f}" in page.locator("#curves figcaption").first.text_content()
    assert f"{average:.3f}" in page.locator("#curves figcaption").last.text_content()


# ------------------------------------------------------------------ the list


@pytest.mark.parametrize("words", ["post-07", "ksjdhf", "GARLIC  onion", "the landlord", "a zeppelin"])
def test_search_finds_ids_words_and_texts(words, report):
    page, summary = report
    look_for(page, words)
    wanted = words.lower().split()
    expected = [
        document["id"]
        for document in summary["documents"]
        if all(word in f"{document['id']}\n{text_of(document)}".lower() for word in wanted)
    ]
    assert ids_listed(page) == expected[:PAGE]
    number = f"{len(expected)} document{'s' * (len(expected) != 1)}"
    assert page.locator(".search-status").text_content() == f"{number} found"
    assert page.get_by_text("No document meets these criteria.").is_visible() == (not expected)


def test_a_search_can_be_taken_back(report):
    page, summary = report
    look_for(page, "ksjdhf")
    page.get_by_role("button", name="Clear filters").click()
    assert ids_listed(page) == [document["id"] for document in summary["documents"][:PAGE]]
    assert page.get_by_label("Search").input_value() == ""


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("Input order", lambda document: document["row"]),
        ("Id", lambda document: document["id"]),
        ("Topic", lambda document: document["topic"] or 0),
        ("Rank", lambda document: document["rank"]),
    ],
)
def test_documents_are_sorted_by_what_is_asked_for(order, key, report):
    page, summary = report
    choose(page, "Sort by", order)
    assert ids_listed(page) == [document["id"] for document in sorted(summary["documents"], key=key)][:PAGE]


def test_a_heading_sorts_and_turns_the_order_around(report):
    page, summary = report
    heading = page.get_by_role("columnheader", name="id", exact=True)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert ids_listed(page) == sorted((document["id"] for document in summary["documents"]), reverse=True)[:PAGE]


@pytest.mark.parametrize(
    ("label", "option", "is_meant"),
    [
        ("Show", "flagged", lambda document: document["outlier"]),
        ("Show", "not flagged", lambda document: not document["outlier"]),
        ("Topic", "no topic", lambda document: not document["topic"]),
        ("Alarm", "unknown", lambda document: "unknown" in document["alarms"]),
        ("Label", "outlier", lambda document: document["label"] == 1),
    ],
)
def test_filters_leave_those_that_are_meant(label, option, is_meant, report):
    page, summary = report
    choose(page, label, option)
    expected = [document["id"] for document in summary["documents"] if is_meant(document)]
    assert ids_listed(page) == expected[:PAGE]
    assert f"{len(expected)} document" in status(page)


def test_filters_and_search_work_together(report):
    page, summary = report
    choose(page, "Show", "flagged")
    look_for(page, "the")
    documents = summary["documents"]
    assert ids_listed(page) == [
        document["id"] for document in documents if document["outlier"] and "the" in text_of(document).lower()
    ]


def test_pages_follow_one_another_and_can_be_longer(report):
    page, summary = report
    ids = [document["id"] for document in summary["documents"]]
    choose(page, "Copies", "on a line each")
    pager = page.get_by_role("navigation", name="Pages of the list")
    assert pager.get_by_role("button", name="Previous").is_disabled()
    pager.get_by_role("button", name="Next").click()
    assert ids_listed(page) == ids[PAGE : 2 * PAGE]
    assert status(page) == f"{PAGE + 1}–{2 * PAGE} of {len(ids)} documents"
    pager.get_by_label("Documents per page").select_option("500")
    assert ids_listed(page) == ids
    assert pager.get_by_role("button", name="Next").is_disabled()


# ------------------------------------------------------------------ a document


def test_a_document_opens_to_its_reason_text_words_and_topics(report):
    page, summary = report
    document = next(document for document in summary["documents"] if document["topics"] and document["missing"])
    found = open_document(page, document["id"])
    assert found.locator(".reason").text_content() == document["sentence"]
    assert found.locator(".text").text_content() == text_of(document)
    rows = found.locator("table.words tbody tr")
    assert rows.locator("bdi").all_text_contents() == [word["word"] for word in document["unexpected"]]
    shares = [f"{100 * word['share']:.1f} %" for word in document["unexpected"]]
    assert [row.locator("td").first.text_content() for row in rows.all()] == shares
    legend = found.locator(".legend").text_content()
    assert all(str(topic["number"]) in legend for topic in document["topics"])
    assert "no topic" in legend
    assert all(word in found.locator(".missing").text_content() for word in document["missing"])
    assert all(near["excerpt"] in found.locator(".nearest").text_content() for near in document["nearest"])
    found.get_by_role("button", name=document["id"], exact=True).click()
    assert not found.locator("article.document").is_visible()


def test_the_shaded_words_are_those_of_the_explanation(report):
    page, summary = report
    for document in summary["documents"][:20]:
        found = open_document(page, document["id"])
        shaded = found.locator("mark.unexpected").evaluate_all(
            "marks => marks.map(mark => [mark.textContent, Number(mark.dataset.share)])"
        )
        assert shaded == [piece for piece in document["pieces"] if not isinstance(piece, str)]
        assert {word.lower(): share for word, share in shaded} == {
            word["word"]: word["share"] for word in document["unexpected"]
        }


def test_words_with_a_larger_share_are_shaded_more(report):
    page, summary = report
    document = next(
        document for document in summary["documents"] if len({w["share"] for w in document["unexpected"]}) > 3
    )
    found = open_document(page, document["id"])
    colours = found.locator("mark.unexpected").evaluate_all(
        "marks => marks.map(mark => [Number(mark.dataset.share), getComputedStyle(mark).backgroundColor])"
    )
    opacity = {share: float(re.findall(r"[\d.]+", colour)[-1]) for share, colour in colours}
    shades = [opacity[share] for share in sorted(opacity)]
    assert shades == sorted(shades)  # shares that are nearly equal may have one shade
    assert shades[0] < shades[-1]


# ------------------------------------------------------------------ topics and groups


def test_a_topic_lists_its_documents(report):
    page, summary = report
    topic = summary["topics"][1]
    page.locator("table.topics tbody tr").nth(1).get_by_role("link").first.click()
    expected = [d["id"] for d in summary["documents"] if d["topic"] == topic["number"]]
    assert len(expected) == topic["documents"]
    assert ids_listed(page) == expected[:PAGE]


def test_an_opened_document_is_marked_in_the_pictures(report):
    page, summary = report
    page.locator("#scores").scroll_into_view_if_needed()
    pictures = page.locator(".by-document .marks")
    pictures.wait_for()
    before = pictures.evaluate("canvas => canvas.toDataURL()")
    open_document(page, summary["documents"][3]["id"])
    page.evaluate("new Promise(requestAnimationFrame)")
    assert pictures.evaluate("canvas => canvas.toDataURL()") != before


def test_a_small_group_lists_its_documents(report):
    page, summary = report
    group = summary["groups"][0]
    page.locator("table.groups tbody tr").first.get_by_role("link").first.click()
    assert ids_listed(page) == [summary["documents"][rank - 1]["id"] for rank in sorted(group["documents"])]


def test_documents_of_unknown_words_are_counted_and_listed(report):
    page, summary = report
    expected = [document["id"] for document in summary["documents"] if "unknown" in document["alarms"]]
    page.locator("ul.special").get_by_role("link", name=f"{len(expected)} document").first.click()
    assert ids_listed(page) == expected
    assert "No documents without words that count." in page.locator("ul.special").text_content()


# ------------------------------------------------------------------ export


def test_all_documents_can_be_exported(report):
    page, summary = report
    name, rows = export(page)
    assert name == "A-neighbourhood-s-notice-board-documents.csv"
    assert list(rows[0]) == ["rank", "id", "score", "outlier", "judged", "topic", "unexpected_terms", "text", "label"]
    assert rows == [
        {
            "rank": str(document["rank"]),
            "id": document["id"],
            "score": row["score"],
            "outlier": "true" if document["outlier"] else "false",
            "judged": "true",
            "topic": str(document["topic"] or ""),
            "unexpected_terms": "; ".join(word["word"] for word in document["unexpected"]),
            "text": text_of(document),
            "label": str(document["label"]),
        }
        for document, row in zip(summary["documents"], rows, strict=True)
    ]
    assert [float(row["score"]) for row in rows] == [document["score"] for document in summary["documents"]]


def test_documents_without_a_label_have_none_in_list_filter_curves_and_export(page, tmp_path):
    curves = {
        "outliers": 1,
        "roc": {"x": [0, 1], "y": [1, 1], "threshold": [5, 0], "area": 1.0},
        "precision_recall": {"x": [1, 1], "y": [1, 0.5], "threshold": [5, 0], "average": 1.0},
    }
    documents = [{"label": None}, {"label": 1}, {"label": 0}]
    opened(page, written(tmp_path, summary_of(documents, curves=curves, analysed={"flagged": 2, "threshold": 3.0})))
    assert page.locator("td.for-label").all_text_contents() == ["", "outlier", ""]
    assert "1 of 1 flagged are outliers" in page.locator("#curves .status").text_content()
    assert [row["label"] for row in export(page)[1]] == ["", "1", "0"]
    choose(page, "Label", "ordinary")
    assert ids_listed(page) == ["d2"]
    choose(page, "Label", "none")
    assert ids_listed(page) == ["d0"]


def test_what_is_exported_is_what_is_listed_in_its_order(report):
    page, summary = report
    page.get_by_label("Threshold", exact=True).fill("3")
    choose(page, "Show", "flagged")
    choose(page, "Sort by", "Input order")
    _, rows = export(page)
    expected = [document for document in summary["documents"] if document["score"] > 3]
    assert [row["id"] for row in rows] == [d["id"] for d in sorted(expected, key=lambda document: document["row"])]
    assert {row["outlier"] for row in rows} == {"true"}


def test_formulas_are_disarmed_in_the_export(page, tmp_path):
    texts = ["=1+1", "+1+1", "- x", "@SUM(1)", "\t=1", "\r=1", "'=1", 'a "quote", and\na line', "-3.5", "-"]
    documents = [{"id": text, "pieces": [text]} for text in texts]
    opened(page, written(tmp_path, summary_of(documents)))
    _, rows = export(page)
    assert [row["text"] for row in rows] == [f"'{text}" for text in texts[:7]] + texts[7:]
    assert [row["id"] for row in rows] == [row["text"] for row in rows]


# ------------------------------------------------------------------ the picture


@pytest.mark.parametrize(("scheme", "name"), [("light", "report.png"), ("dark", "report-dark.png")])
def test_the_pictures_in_the_docs_can_be_made(report, tmp_path, scheme, name):
    page, _ = report
    path = picture(name, tmp_path)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 1280, "height": 1180})
    page.locator(".map canvas").wait_for()
    page.mouse.move(0, 0)
    page.evaluate("new Promise(requestAnimationFrame)")
    page.screenshot(path=path)
    assert 0 < path.stat().st_size < LARGEST_PICTURE
