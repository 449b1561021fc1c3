"""The pages of odd reports: little in them, hostile texts, other directions of writing."""

from collections import Counter

import numpy as np
import pytest
from hostile import HOSTILE
from report_page import (
    PAGE,
    choose,
    flagged_count,
    ids_listed,
    is_wider_than_its_window,
    open_document,
    opened,
    summary_of,
    written,
)

UNJUDGED = {"score": 0.0, "outlier": False, "pieces": [], "alarms": {"empty": 1.0}, "topics": [], "x": 0.0}
ODD = {
    "one document": summary_of([{}]),
    "one document, not flagged": summary_of([{"outlier": False, "score": 0.0}]),
    "no topics": summary_of([{"topics": [], "x": 0.0, "y": 0.0}] * 3, topics=[], analysed={"topics": 0}),
    "equal scores": summary_of([{"score": 1.0, "outlier": False}] * 5, analysed={"threshold": 1.0}),
    "scores below 0": summary_of([{"score": -float(place), "outlier": False} for place in range(1, 6)]),
    "without texts": summary_of([{"pieces": None}] * 3, analysed={"kind": "a matrix of counts", "word": "term"}),
    "without words": summary_of([UNJUDGED] * 3, analysed={"empty": 3, "flagged": 0}),
    "some without words": summary_of([*[{}] * 10, UNJUDGED, UNJUDGED], analysed={"empty": 2}),
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
    n_judged = len(summary["documents"]) - summary["analysed"]["empty"]
    assert flagged_count(page).startswith(f"{n_judged} of {len(summary['documents'])} ")
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


def test_groups_of_copies_say_so(page, tmp_path):
    like = {"words": ["one", "two"], "size": 2, "share": 0.5, "strangeness": 1.0}
    groups = [like | {"documents": [1, 2], "copies": True}, like | {"documents": [3, 4], "copies": False}]
    opened(page, written(tmp_path, summary_of([{}] * 4, groups=groups)))
    assert page.locator("table.groups tbody th").all_inner_texts() == ["one, two\ncopies of one document", "one, two"]
    options = page.get_by_role("combobox", name="Group").locator("option").all_text_contents()
    assert options == ["all", "one, two (2 copies)", "one, two (2)"]


def test_documents_that_are_not_judged_come_last_and_are_never_flagged(page, tmp_path):
    opened(page, written(tmp_path, ODD["some without words"]))
    assert page.get_by_text("2 documents have no words that count and were not judged.").is_visible()
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    flags = page.locator("#documents .entry").evaluate_all(
        "entries => entries.map(entry => entry.querySelector('.for-score').textContent)"
    )
    assert all(text.endswith("flagged") for text in flags[:10])
    assert flags[10:] == ["not judged", "not judged"]
    choose(page, "Show", "not judged")
    assert ids_listed(page) == ["d10", "d11"]
    choose(page, "Show", "not flagged")
    assert page.get_by_text("No document meets these criteria.").is_visible()
    choose(page, "Show", "all")
    assert "not judged" in open_document(page, "d11").text_content()
    page.get_by_role("link", name="2 documents", exact=True).click()
    assert ids_listed(page) == ["d10", "d11"]


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
    group = {"words": HOSTILE[:5], "size": 2, "share": 0.1, "documents": [1, 2], "strangeness": 1.0, "copies": True}
    return summary_of(documents, title=HOSTILE[0], notes=HOSTILE, topics=[topic], groups=[group])


@pytest.mark.parametrize("window", ["page", "narrow_page"])
def test_texts_do_nothing_but_show(window, request, tmp_path):
    page = request.getfixturevalue(window)
    opened(page, written(tmp_path, hostile_summary()))
    title = page.title()
    assert page.get_by_role("heading", level=1).text_content() == HOSTILE[0]
    for entry, text in zip(page.locator(".entry").all(), HOSTILE, strict=True):
        entry.get_by_role("button").press("Enter")  # a click would miss it if rows above are filled in that moment
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
    for part in (".map", ".by-document", ".curve"):
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
    told = {"unexpected": unexpected, "missing": words, "pieces": None}
    summary = summary_of([told], topics=[topic], groups=[group])
    opened(page, written(tmp_path, summary))
    open_document(page, "d0")
    for place in (".words-line", ".missing", ".legend .topic-name", ".topic-words", ".groups tbody th"):
        assert from_left_to_right(page.locator(place).first, words) == words, place
    options = page.get_by_role("combobox", name="Group").locator("option").all_text_contents()
    assert options[1] == "first, \u2068שלום\u2069, \u2068עולם\u2069 (1)"


def test_lists_of_words_from_right_to_left_run_that_way(page, tmp_path):
    words = ["שלום", "עולם", "last"]
    unexpected = [{"word": word, "share": 0.1, "count": 1, "known": True} for word in words]
    opened(page, written(tmp_path, summary_of([{"unexpected": unexpected, "pieces": None}])))
    assert from_left_to_right(page.locator("#documents .words-line"), words) == words[::-1]


def test_quotes_stand_around_a_word_from_right_to_left(page, tmp_path):
    sentence = "Flagged: 5 % is “\u2068שלום\u2069”, “\u2068עולם\u2069” and so on."
    opened(page, written(tmp_path, summary_of([{"sentence": sentence}])))
    reason = open_document(page, "d0").locator(".reason")
    order = ["Flagged", "שלום", "”, “", "עולם", "and so on."]
    assert from_left_to_right(reason, order) == order
