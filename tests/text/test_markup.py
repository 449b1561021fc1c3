"""HTML is recognised and blanked out in place; what is no HTML stays as it is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TextOutlierDetector, UnexpectedWord
from tonmf.text.markup import PAD, is_html, readable, tidy, without_markup
from tonmf.text.words import words_of

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>Bees &amp; honey</title><meta charset="utf-8">
<style>p { color: red }</style><script>if (a < b) { document.write("<p>never</p>") }</script></head>
<body class="a>b" onload='go("x")'><!-- <p>not this</p> --><h1>Caf&eacute;s</h1><p>One <b>w</b>ord<br>two&nbsp;words
<a href=x>three</a><script type=x>more()</script></body></html>"""

FRAGMENTS = [
    *"<>&;a \n\"'é=/", "<p>", "</p>", "<b", "<!--", "-->", "<script>", "</script>", "<html>", "<title>", "<![CDATA[", "]]>",
    "<?xml", "<a@b.c>", "&amp;", "&eacute;", "&#", "&#65;", "&#x0;", "&nosuch;", "&#xD800;",
]  # fmt: skip
fragments = st.sampled_from(FRAGMENTS)
texts = st.text(st.characters(exclude_characters=PAD), max_size=100) | st.lists(fragments, max_size=40).map("".join)


@given(texts)
def test_nothing_moves(text):
    assert len(without_markup(text)) == len(text)
    assert readable(text) == without_markup(text).replace(PAD, "")


@given(st.text(st.characters(exclude_characters="<&"), max_size=100))
def test_a_text_without_signs_of_markup_stays_as_it_is(text):
    assert without_markup(text) == readable(text) == text


def test_a_page_becomes_what_its_reader_sees():
    lines = [line.strip() for line in tidy(without_markup(PAGE)).split("\n")]
    assert [line for line in lines if line] == ["Bees & honey", "Cafés", "One word", "two words", "three"]
    assert words_of(readable(PAGE)) == ["Bees", "honey", "Cafés", "One", "word", "two", "words", "three"]


@pytest.mark.parametrize(
    "text",
    [
        "if a < b and c > d then a<b>c",
        "write <foo> here",
        "from <someone@example.org> to <other@example.org>",
        "List<String> of Map<A, B>",
        "usage: run <a> <b>, or run <title>",
        "a <p. 17> b",
        "x <- y; <3",
        "R&D, AT&T, a&b; &nosuch; & &;",
        "x?a=1&copy=2&lt=3",
    ],
)
def test_what_only_looks_like_html_is_left_alone(text):
    assert not is_html(text)
    assert without_markup(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<p>One</p>",
        "one<br>two<BR/>three",
        "<b>bold</b>",
        '<a href="x">link</a>',
        "<html>",
        "<!doctype HTML>x",
        "<body bgcolor=red>x",
        "<script>x()</script>",
    ],
)
def test_html_is_recognised(text):
    assert is_html(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<ul><li>one<li>two</ul>", ["one", "two"]),
        ("<p>M&uuml;n<wbr>chen</p>", ["München"]),
        ("don&#39;t &lt;b&gt;", ["don't <b>"]),
        ("<p>a<p>b <!-- never closed", ["a", "b never closed"]),
        ("<p>a<p>b<script>never closed <p>c", ["a", "b"]),
        ("<p title='a > b'>one<p title='a>two", ["one", "two"]),
        ("<p>one <unknown-tag x=1>two</unknown-tag> <me@example.org></p>", ["one two <me@example.org>"]),
        ("<p>1 < 2 <p>3 > 2", ["1 < 2", "3 > 2"]),
        ("<p>one<p>two<p", ["one", "two<p"]),
    ],
)
def test_tags_and_entities_become_what_they_look_like(text, seen):
    lines = tidy(without_markup(text)).split("\n")
    assert [" ".join(line.split()) for line in lines if line.strip()] == seen


@pytest.mark.parametrize("page", ["", "<html>"])
@pytest.mark.parametrize(
    "part",
    [
        "<",
        "<!--",
        "&",
        "<a ",
        "<p>",
        "<script>",
        "<style></script>",
        "<a '",
        '<a "',
        "&amp;",
        "&#",
        "<b></b>",
        "&aaaa",
        "</",
    ],
)
def test_a_megabyte_of_anything_is_read_in_one_go(page, part):
    """Were it quadratic, this would take hours."""
    text = page + part * (1_000_000 // len(part))
    assert len(without_markup(text)) == len(text)


def test_html_and_plain_text_have_the_same_terms_unless_one_says_otherwise():
    plain = ["One old dog & a cat", "an old dog", "the cat"] * 3
    html = [f"<html><body><p>{text.replace('&', '&amp;')}</p></body></html>" for text in plain]
    assert TextOutlierDetector().fit(html).terms_ == TextOutlierDetector().fit(plain).terms_ == ["cat", "dog", "old"]
    assert "html" in TextOutlierDetector(strip_html=False).fit(html).terms_
    characters = {"analyzer": "char_wb", "ngram_range": (2, 2)}
    assert "<p" not in TextOutlierDetector(**characters).fit(html).terms_
    assert "<p" in TextOutlierDetector(**characters, strip_html=False).fit(html).terms_
    assert "<html><body><p>the" in TextOutlierDetector(analyzer=str.split).fit(html).terms_


def test_words_are_marked_in_html_and_tags_are_not_shown():
    detector = TextOutlierDetector().fit(["an old dog", "the old cat"] * 3)
    pieces = detector.pieces(
        "<p>An <i>OLD</i> caf&eacute;!</p>", [UnexpectedWord(w, 0.1, 1, True) for w in ("old", "café", "p")]
    )
    assert "".join(piece.text for piece in pieces) == "\nAn OLD café!\n"
    assert [piece.text for piece in pieces if piece.share] == ["OLD", "café"]


def test_a_footer_in_html_is_boilerplate_whatever_tags_and_entities_it_has():
    plain = [f"the old dog of number {n}" for n in range(20)]
    footer = "<div>Stefan &amp; Zo&euml;&nbsp;run this <b>b</b>oard</div>"
    detector = TextOutlierDetector().fit([f"<html><body><p>{text}</p>{footer}</body></html>" for text in plain])
    assert detector.boilerplate_ == [("Stefan & Zoë run this board", 1.0)]
    assert detector.terms_ == TextOutlierDetector().fit(plain).terms_
    assert "board" not in detector.terms_
    pieces = detector.pieces(f"<p>board</p>{footer}", [UnexpectedWord("board", 0.1, 1, True)])
    assert [piece.text for piece in pieces if piece.share] == ["board"]


@given(st.text(alphabet="a \n" + PAD, max_size=30))
def test_tidy_does_what_its_patterns_say(text):
    expected = re.sub(" {2,}", " ", text.replace(PAD, ""))
    expected = re.sub("\n{3,}", "\n\n", re.sub(r" *\n *", "\n", expected))
    assert tidy(text) == expected
