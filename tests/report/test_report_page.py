"""Reports in a real browser: what readers do with the page, and what they then see."""

import csv
import json
import re
from collections import Counter

import numpy as np
import pytest
from browser import LARGEST_PICTURE, picture, watched_page
from command import run
from hostile import HOSTILE

from tonmf.detector.scores.scoring import WIDTHS
from tonmf.report import write_html

PAGE = 50
"""Documents on a page of the list."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The report of the demo corpus: the page, and what it should say."""
    folder = tmp_path_factory.mktemp("demo")
    for name in ("demo.html", "demo.json"):
        ran = run("demo", "--report", name, cwd=folder)
        assert ran.code == 0, ran.err
    return folder / "demo.html", json.loads((folder / "demo.json").read_text(encoding="utf-8"))


@pytest.fixture
def report(page, demo):
    """The report of the demo corpus, opened, and what it should say."""
    path, summary = demo
    opened(page, path)
    return page, summary


def opened(page, path):
    page.goto(path.as_uri())
    page.locator("html[data-ready]").wait_for()
    return page


def summary_of(documents, **changes):
    """What a report says of documents that are given by what is special about them; scores fall from 5."""
    said = [
        {
            "id": f"d{place}",
            "row": place,
            "rank": place + 1,
            "score": 5 - 5 * place / len(documents),
            "outlier": place == 0,
            "sentence": "Flagged: it is strange.",
            "alarms": {},
            "unexpected": [],
            "topics": [{"number": 1, "share": 0.5}],
            "x": 0.5 - place / len(documents),
            "y": 0.0,
            "pieces": ["Some text."],
            **document,
        }
        for place, document in enumerate(documents)
    ]
    for document in said:
        document["topic"] = document["topics"][0]["number"] if document["topics"] else None
        document["main_alarm"] = next(iter(document["alarms"]), None)
    analysed = {
        "documents": len(said),
        "kind": "texts",
        "word": "word",
        "flagged": sum(document["outlier"] for document in said),
        "threshold": 4.99,
        "rule": "score above 4.99",
        "contamination": "auto",
        "empty": 0,
        "unknown": 0,
        "training": {"documents": len(said), "terms": 9, "same": True},
        "topics": 1,
        "fits": 1,
        "seed": None,
        "options": {},
    }
    topic = {"number": 1, "share": 0.5, "words": ["some", "words"], "documents": 1, "typical": [], "x": 0.0, "y": 1.0}
    return {
        "schema": 1,
        "title": "A report",
        "made": {"when": "2026-01-02T03:04:05+00:00", "tonmf": "0"},
        "analysed": analysed | changes.pop("analysed", {}),
        "notes": [],
        "topics": [topic],
        "groups": [],
        "curves": None,
        "documents": said,
        **changes,
    }


def written(folder, summary):
    path = folder / "report.html"
    write_html(path, summary)
    return path


# ------------------------------------------------------------------ what readers see and do


def ids_listed(page):
    return page.locator("#documents button.open").all_text_contents()


def status(page):
    return page.locator("#documents .list-status .status").text_content()


def flagged_count(page):
    return page.locator(".flagged-count").text_content()


def choose(page, label, option):
    page.get_by_role("combobox", name=label, exact=True).select_option(label=option)


def look_for(page, words):
    page.get_by_label("Search").fill(words)
    page.locator(".search-status", has_text="found").wait_for()


def entry_of(page, name):
    return page.locator(".entry", has=page.get_by_role("button", name=name, exact=True))


def open_document(page, name):
    found = entry_of(page, name)
    found.get_by_role("button", name=name, exact=True).click()
    found.locator("article.document").wait_for()
    return found


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def is_wider_than_its_window(page):
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


def export(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as CSV").click()
    with open(download.value.path(), encoding="utf-8-sig", newline="") as file:
        return download.value.suggested_filename, list(csv.DictReader(file))


def text_of(document):
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in document["pieces"])


def above(summary, threshold):
    return [document["id"] for document in summary["documents"] if document["score"] > threshold]


# ------------------------------------------------------------------ at first


def test_the_report_opens_with_the_count_and_the_strangest_documents_first(report):
    page, summary = report
    analysed = summary["analysed"]
    count = f"{analysed['flagged']} of {analysed['documents']} documents are flagged"
    assert page.get_by_role("heading", level=1).text_content() == summary["title"]
    assert page.locator(".verdict").text_content() == count
    assert flagged_count(page) == count
    threshold = f"score above {analysed['threshold']:.2f}, the automatic threshold"
    assert threshold in page.locator(".page-header").text_content()
    assert ids_listed(page) == [document["id"] for document in summary["documents"][:PAGE]]
    assert page.locator(".entry.is-flagged").count() == analysed["flagged"]
    assert status(page) == f"1–{PAGE} of {analysed['documents']} documents"


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
    header = page.locator(".page-header").text_content()
    assert "score above 4.99, so that 2.5 % of the training documents are" in header
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
    page.locator(".entry .words-line").last.wait_for(state="attached")
    assert page.evaluate("window.unpacked") == 3


# ------------------------------------------------------------------ the threshold


@pytest.mark.parametrize("plot", [".by-document", ".distribution"])
def test_the_count_and_the_list_follow_the_line_that_is_dragged(plot, report):
    page, summary = report
    line = page.locator(f"{plot} .threshold-line")
    line.wait_for()
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
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    threshold = float(slider.get_attribute("aria-valuetext"))
    assert threshold > summary["analysed"]["threshold"]
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


def test_a_document_says_so_if_the_moved_threshold_changes_its_verdict(report):
    page, summary = report
    last = summary["documents"][summary["analysed"]["flagged"] - 1]["id"]
    found = open_document(page, last)
    assert not found.locator(".moved").is_visible()
    page.get_by_label("Threshold", exact=True).fill("4")
    assert found.locator(".moved").text_content() == "With the threshold moved to 4.00 it is not flagged."
    page.get_by_role("button", name="Reset").click()
    assert not found.locator(".moved").is_visible()


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
    assert sorted(opacity) == sorted(opacity, key=opacity.__getitem__)
    assert len(set(opacity.values())) == len(opacity)


# ------------------------------------------------------------------ topics, map and groups


def test_a_topic_lists_its_documents(report):
    page, summary = report
    topic = summary["topics"][1]
    page.locator("table.topics tbody tr").nth(1).get_by_role("button").click()
    expected = [d["id"] for d in summary["documents"] if d["topic"] == topic["number"]]
    assert len(expected) == topic["documents"]
    assert ids_listed(page) == expected[:PAGE]


def map_places(page, summary):
    """Where documents are on the screen: those farthest out at 94 % of the radius, with 30 pixels of room above and below."""
    canvas = page.locator(".map canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    places = np.array([[document["x"], -document["y"]] for document in summary["documents"]])
    zoom = 0.94 * (box["height"] / 2 - 30) / np.linalg.norm(places, axis=1).max()
    return zoom * places + [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]


def test_a_rectangle_on_the_map_selects_what_is_listed(report):
    page, summary = report
    page.locator("#map").scroll_into_view_if_needed()
    places = map_places(page, summary)
    middle = np.median(places, axis=0)
    first, last = np.floor(places.min(axis=0)) - 5, np.round(middle)
    drag(page, tuple(last), tuple(first))
    page.get_by_role("button", name="Show them in the list").click()
    page.get_by_label("Documents per page").select_option("500")
    shown = set(ids_listed(page))
    ids = np.array([document["id"] for document in summary["documents"]])
    surely, perhaps = ((places < last - 2).all(axis=1), (places < last + 2).all(axis=1))
    assert set(ids[surely]) <= shown <= set(ids[perhaps])
    assert 10 < len(shown) < len(ids)
    assert page.locator("#map .status").text_content() == f"{len(shown)} documents selected"
    page.get_by_role("button", name=re.compile("Selected on the map")).click()
    assert len(ids_listed(page)) == len(ids)


def test_a_document_clicked_on_the_map_opens_in_the_list(report):
    page, summary = report
    page.locator("#map").scroll_into_view_if_needed()
    places = map_places(page, summary)
    distances = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(len(places))
    alone = int(distances.min(axis=1).argmax())
    page.mouse.click(*places[alone])
    name = summary["documents"][alone]["id"]
    entry_of(page, name).locator("article.document").wait_for()
    assert page.evaluate("document.activeElement.textContent") == name


def test_a_name_on_the_map_lists_the_documents_of_its_topic(report):
    page, summary = report
    page.locator("#map").scroll_into_view_if_needed()
    topic = summary["topics"][2]
    name = f"{topic['number']} {', '.join(topic['words'][:3])}"
    page.locator(".map-label").filter(has_text=name).click()
    assert f"{topic['documents']} documents" in status(page)


def test_an_opened_document_is_marked_in_the_pictures(report):
    page, summary = report
    pictures = page.locator(".by-document .marks")
    pictures.wait_for()
    before = pictures.evaluate("canvas => canvas.toDataURL()")
    open_document(page, summary["documents"][3]["id"])
    page.evaluate("new Promise(requestAnimationFrame)")
    assert pictures.evaluate("canvas => canvas.toDataURL()") != before


def test_a_small_group_lists_its_documents(report):
    page, summary = report
    group = summary["groups"][0]
    page.locator("table.groups tbody tr").first.get_by_role("button").click()
    assert ids_listed(page) == [summary["documents"][rank - 1]["id"] for rank in sorted(group["documents"])]


def test_documents_of_unknown_words_are_counted_and_listed(report):
    page, summary = report
    expected = [document["id"] for document in summary["documents"] if "unknown" in document["alarms"]]
    page.locator("ul.special").get_by_role("button", name=f"{len(expected)} documents").first.click()
    assert ids_listed(page) == expected
    assert "No documents without usable words" in page.locator("ul.special").text_content()


# ------------------------------------------------------------------ export


def test_all_documents_can_be_exported(report):
    page, summary = report
    name, rows = export(page)
    assert name == "A-neighbourhood-s-notice-board-documents.csv"
    assert list(rows[0]) == ["rank", "id", "score", "outlier", "topic", "unexpected_terms", "text"]
    assert rows == [
        {
            "rank": str(document["rank"]),
            "id": document["id"],
            "score": row["score"],
            "outlier": "true" if document["outlier"] else "false",
            "topic": str(document["topic"] or ""),
            "unexpected_terms": "; ".join(word["word"] for word in document["unexpected"]),
            "text": text_of(document),
        }
        for document, row in zip(summary["documents"], rows, strict=True)
    ]
    assert [float(row["score"]) for row in rows] == [document["score"] for document in summary["documents"]]


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
    texts = ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", 'a "quote", and\na line', "plain"]
    documents = [{"id": text, "pieces": [text]} for text in texts]
    opened(page, written(tmp_path, summary_of(documents)))
    _, rows = export(page)
    assert [row["text"] for row in rows] == [f"'{text}" for text in texts[:6]] + texts[6:]
    assert [row["id"] for row in rows] == [row["text"] for row in rows]


# ------------------------------------------------------------------ colours, paper, keys, screen readers


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_colours_follow_the_system_and_the_button(browser, demo):
    with watched_page(browser, color_scheme="dark") as page:
        opened(page, demo[0])
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
    assert reached.count("SELECT") == 6
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
    page.locator("#map").scroll_into_view_if_needed()
    page.locator("#curves").scroll_into_view_if_needed()
    page.locator(".curve canvas").first.wait_for()
    labels = page.get_by_role("img").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert len(labels) == 5
    documents, flagged = summary["analysed"]["documents"], summary["analysed"]["flagged"]
    assert f"Plot of {documents} scores" in labels[0]
    assert f"{flagged} are above the threshold" in labels[0]
    assert f"Map of {documents} documents between {len(summary['topics'])} topics" in labels[2]
    page.get_by_label("Threshold", exact=True).fill("3")
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert f"{len(above(summary, 3))} are above the threshold of 3.00" in page.get_by_role("img").first.get_attribute(
        "aria-label"
    )


def test_the_page_has_landmarks_headings_captions_and_labels(report):
    page, summary = report
    open_document(page, summary["documents"][0]["id"])
    assert page.get_by_role("banner").count() == page.get_by_role("main").count() == 1
    assert page.get_by_role("contentinfo").count() == 1
    names = page.get_by_role("region").evaluate_all("all => all.map(one => one.firstElementChild.textContent)")
    assert names[:4] == ["Scores", "Documents", "Topics", "Map"]
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


# ------------------------------------------------------------------ odd reports


ODD = {
    "one document": summary_of([{}]),
    "one document, not flagged": summary_of([{"outlier": False, "score": 0.0}]),
    "no topics": summary_of([{"topics": [], "x": 0.0, "y": 0.0}] * 3, topics=[], analysed={"topics": 0}),
    "equal scores": summary_of([{"score": 1.0, "outlier": False}] * 5, analysed={"threshold": 1.0}),
    "scores below 0": summary_of([{"score": -float(place), "outlier": False} for place in range(1, 6)]),
    "without texts": summary_of([{"pieces": None}] * 3, analysed={"kind": "a matrix of counts", "word": "term"}),
    "without words": summary_of([{"pieces": [], "alarms": {"empty": 1.0}, "topics": []}] * 3, analysed={"empty": 3}),
    "many topics": summary_of(
        [{"topics": [{"number": place + 1, "share": 0.4}]} for place in range(25)],
        topics=[
            {
                "number": place + 1,
                "share": 0.04,
                "words": [f"word{place}"] * 10,
                "documents": 1,
                "typical": [{"id": "d", "excerpt": "e"}],
                "x": float(np.cos(place)),
                "y": float(np.sin(place)),
            }
            for place in range(25)
        ],
    ),
    "only a sentence": summary_of([{"unexpected": [], "topics": []}]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_reports_can_be_read_from_top_to_bottom(name, page, tmp_path):
    summary = ODD[name]
    opened(page, written(tmp_path, summary))
    n_flagged = summary["analysed"]["flagged"]
    assert flagged_count(page).startswith(f"{n_flagged} of {len(summary['documents'])} document")
    assert ids_listed(page) == [document["id"] for document in summary["documents"]][:PAGE]
    for section in page.locator("section").all():
        section.scroll_into_view_if_needed()
    for document in summary["documents"][:3]:
        open_document(page, document["id"])
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    assert flagged_count(page).startswith("0 of ")
    page.keyboard.press("Home")
    assert flagged_count(page).startswith(f"{len(summary['documents'])} of ")
    assert not is_wider_than_its_window(page)


def test_no_flagged_documents_leave_the_filter_empty(page, tmp_path):
    opened(page, written(tmp_path, ODD["equal scores"]))
    choose(page, "Show", "flagged")
    assert page.get_by_text("No document meets these criteria.").is_visible()
    assert page.get_by_role("button", name="Export as CSV").is_disabled()


def test_what_is_absent_is_said(page, tmp_path):
    opened(page, written(tmp_path, ODD["no topics"]))
    assert page.get_by_text("There are no topics, so there is no map.").is_visible()
    assert page.get_by_text("There are no small groups").is_visible()
    assert page.locator("#curves").count() == 0
    opened(page, written(tmp_path, ODD["without texts"]))
    assert "there is no text to show" in open_document(page, "d0").text_content()
    opened(page, written(tmp_path, ODD["without words"]))
    assert "This document is empty." in open_document(page, "d0").text_content()


def test_topics_of_one_colour_have_different_shapes(page, tmp_path):
    opened(page, written(tmp_path, ODD["many topics"]))
    looks = page.locator("table.topics .topic-mark").evaluate_all(
        "marks => marks.map(mark => getComputedStyle(mark).color + mark.firstChild.getAttribute('d'))"
    )
    assert len(looks) == 25
    assert Counter(looks).most_common(1)[0][1] == 1


def test_a_cut_text_has_a_note(page, tmp_path):
    opened(page, written(tmp_path, summary_of([{"cut": 123456}])))
    assert "In full it has 123,456 characters" in open_document(page, "d0").text_content()


def hostile_summary():
    words = [{"word": text[:40], "share": 0.1, "count": 1, "known": False} for text in HOSTILE]
    documents = [
        {
            "id": text if len(text) < 1000 else "a long word",
            "sentence": text[:1000],
            "unexpected": words,
            "pieces": [text, [text, 0.1], text],
            "missing": HOSTILE[:5],
            "nearest": [{"id": text, "excerpt": text, "cosine": 0.5} for text in HOSTILE[:5]],
        }
        for text in HOSTILE
    ]
    topic = {
        "number": 1,
        "share": 0.5,
        "words": HOSTILE[:5],
        "documents": 8,
        "typical": [{"id": text, "excerpt": text} for text in HOSTILE],
        "x": 0.0,
        "y": 1.0,
    }
    group = {"words": HOSTILE[:5], "size": 2, "share": 0.1, "documents": [1, 2], "strangeness": 1.0}
    return summary_of(documents, title=HOSTILE[0], notes=HOSTILE, topics=[topic], groups=[group])


@pytest.mark.parametrize("window", ["page", "narrow_page"])
def test_texts_do_nothing_but_show(window, request, tmp_path):
    page = request.getfixturevalue(window)
    opened(page, written(tmp_path, hostile_summary()))
    title = page.title()
    assert page.get_by_role("heading", level=1).text_content() == HOSTILE[0]
    for entry, text in zip(page.locator(".entry").all(), HOSTILE, strict=True):
        entry.get_by_role("button").click()
        shown = entry.locator(".text")
        shown.wait_for()
        text_shown = shown.text_content()
        assert text_shown == 3 * text if len(text) < 1000 else (3 * text).startswith(text_shown.rstrip("…"))
        assert shown.locator("mark").count() <= 1
        assert shown.locator("*:not(mark, wbr)").count() == 0
    for section in page.locator("section").all():
        section.scroll_into_view_if_needed()
    assert page.title() == title
    assert page.locator("#report :is(script, img, iframe, b b, i, svg[onload])").count() == 0
    assert not is_wider_than_its_window(page)


def test_what_is_drawn_later_has_its_place_before(report):
    """Else a link into the page leads to where its target was."""
    page, _ = report
    height = page.evaluate("document.documentElement.scrollHeight")
    for part in (".map", ".curve"):
        page.locator(part).first.scroll_into_view_if_needed()
        page.locator(f"{part} canvas").first.wait_for()
    assert page.evaluate("document.documentElement.scrollHeight") == height


def test_words_that_are_too_long_for_a_line_can_be_printed(page, tmp_path):
    """Chromium took a minute to break one of 20,000 letters."""
    word = "x" * 20_000
    opened(page, written(tmp_path, summary_of([{"pieces": ["before ", [word, 0.5], f" {word}"]}])))
    text = open_document(page, "d0").locator(".text")
    assert text.text_content() == f"before {word} {word}"
    assert text.locator("wbr").count() >= 2 * len(word) // 100 - 2
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_text_from_right_to_left_is_shown_so(page, tmp_path):
    texts = ["שלום עולם", "hello world"]
    opened(page, written(tmp_path, summary_of([{"pieces": [text]} for text in texts])))
    directions = []
    for name in ("d0", "d1"):
        text = open_document(page, name).locator(".text")
        directions.append(text.evaluate("text => getComputedStyle(text).direction"))
    assert directions == ["rtl", "ltr"]


PLACES = """(place, words) => {
    const text = [];
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) text.push(...[...walker.currentNode.data].map((_, at) => [walker.currentNode, at]));
    const whole = text.map(([node, at]) => node.data[at]).join("");
    return words.map((word) => {
        const [start, end] = [whole.indexOf(word), whole.indexOf(word) + word.length - 1];
        const range = document.createRange();
        range.setStart(...text[start]);
        range.setEnd(text[end][0], text[end][1] + 1);
        const { left, right } = range.getBoundingClientRect();
        return (left + right) / 2;
    });
}"""
"""Where the middles of some words in an element are, from the left."""


def from_left_to_right(place, words):
    return sorted(words, key=dict(zip(words, place.evaluate(PLACES, words), strict=True)).get)


def test_lists_of_words_in_several_directions_stay_in_order(page, tmp_path):
    words = ["first", "שלום", "עולם", "last"]
    topic = {"number": 1, "share": 0.5, "words": words, "documents": 1, "typical": [], "x": 0.0, "y": 1.0}
    unexpected = [{"word": word, "share": 0.1, "count": 1, "known": True} for word in words]
    group = {"words": words, "size": 1, "share": 0.1, "documents": [1]}
    summary = summary_of([{"unexpected": unexpected, "missing": words}], topics=[topic], groups=[group])
    opened(page, written(tmp_path, summary))
    open_document(page, "d0")
    for place in (".words-line", ".missing", ".legend .topic-name", ".topic-words", ".groups tbody th"):
        assert from_left_to_right(page.locator(place).first, words) == words, place
    options = page.get_by_role("combobox", name="Group").locator("option").all_text_contents()
    assert options[1] == "first, \u2068שלום\u2069, \u2068עולם\u2069 (1)"


def test_lists_of_words_from_right_to_left_run_that_way(page, tmp_path):
    words = ["שלום", "עולם", "last"]
    unexpected = [{"word": word, "share": 0.1, "count": 1, "known": True} for word in words]
    opened(page, written(tmp_path, summary_of([{"unexpected": unexpected}])))
    assert from_left_to_right(page.locator(".words-line"), words) == words[::-1]


def test_quotes_stand_around_a_word_from_right_to_left(page, tmp_path):
    sentence = "Flagged: 5 % is “\u2068שלום\u2069”, “\u2068עולם\u2069” and so on."
    opened(page, written(tmp_path, summary_of([{"sentence": sentence}])))
    reason = open_document(page, "d0").locator(".reason")
    order = ["Flagged", "שלום", "”, “", "עולם", "and so on."]
    assert from_left_to_right(reason, order) == order


# ------------------------------------------------------------------ the picture


def test_the_picture_in_the_docs_can_be_made(report, tmp_path):
    page, summary = report
    path = picture("report.png", tmp_path)
    page.set_viewport_size({"width": 1280, "height": 1480})
    open_document(page, summary["documents"][4]["id"])
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)
    page.evaluate("new Promise(requestAnimationFrame)")
    page.screenshot(path=path)
    assert 0 < path.stat().st_size < LARGEST_PICTURE
