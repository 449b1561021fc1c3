"""Documents in pieces: nothing is lost, words are found in the form in which they stand, excerpts show what matters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TextOutlierDetector, UnexpectedWord
from tonmf.text.pieces import Piece, excerpt, pieces_of_items, pieces_of_text
from tonmf.text.words import word_spans, words_of


def lowered(text):
    return [(start, end, text[start:end].lower()) for start, end in word_spans(text)]


def marked(pieces):
    return [piece.text for piece in pieces if piece.share > 0]


@given(st.text(max_size=60) | st.text("ab 東京ひらがな_1", max_size=30))
def test_words_are_where_their_spans_say(text):
    assert [text[start:end] for start, end in word_spans(text)] == words_of(text)


@given(st.text(max_size=200), st.lists(st.text("abc дом東京é ", min_size=1, max_size=5), max_size=5))
def test_the_pieces_together_are_the_text(text, terms):
    pieces = pieces_of_text(text, dict.fromkeys(terms, 0.1), lowered(text))
    assert "".join(piece.text for piece in pieces) == text


@pytest.mark.parametrize(
    ("text", "terms", "found"),
    [
        ("The Glacier, and glaciers.", {"glacier"}, ["Glacier"]),
        ("naïve NAÏVE naive", {"naïve"}, ["naïve", "NAÏVE"]),
        ("東京都に行く", {"京都"}, ["京都"]),
        ("東京東京", {"東京"}, ["東京", "東京"]),
        ("İstanbul東京 xx", {"東京"}, ["東京"]),
        ("a word", set(), []),
    ],
)
def test_words_are_found_whatever_their_case_or_script(text, terms, found):
    assert marked(pieces_of_text(text, dict.fromkeys(terms, 0.1), lowered(text))) == found


def test_words_are_found_by_what_the_detector_makes_of_them():
    texts = ["old dogs bark", "an old dog barked", "barking dogs"] * 3
    detector = TextOutlierDetector(stemmer="english", ngram_range=(1, 2)).fit(texts)
    unexpected = [UnexpectedWord("dog bark", 0.2, 1, True), UnexpectedWord("old", 0.1, 1, True)]
    assert marked(detector.pieces("The OLD dogs barked at a dog", unexpected)) == ["OLD", "dogs barked"]
    pairs = TextOutlierDetector(ngram_range=(2, 2)).fit(texts)
    assert marked(pairs.pieces("some old Dogs bark", [UnexpectedWord("dogs bark", 0.2, 1, True)])) == ["Dogs bark"]
    everything_but_spaces = {"token_pattern": r"[^ ]+"}
    odd = TextOutlierDetector(**everything_but_spaces).fit(["c++ code", "more c++ code"] * 3)
    assert marked(odd.pieces("in C++ then", [UnexpectedWord("c++", 0.2, 1, True)])) == ["C++"]
    chars = TextOutlierDetector(analyzer="char", ngram_range=(3, 3)).fit(texts)
    assert marked(chars.pieces("old dogs, İ DOG", [UnexpectedWord("dog", 0.2, 1, True)])) == ["dog", "DOG"]


def test_items_are_found_whole():
    pieces = pieces_of_items(["milk", "oat milk", "milk 2"], {"oat milk": 0.5})
    assert "".join(piece.text for piece in pieces) == "milk, oat milk, milk 2"
    assert marked(pieces) == ["oat milk"]
    assert pieces_of_items([146, 180], {"180": 0.1})[-1] == Piece("180", 0.1)


@given(st.text("ab \n", max_size=80), st.integers(3, 60))
def test_an_excerpt_is_one_line_that_fits(text, width):
    pieces = excerpt(pieces_of_text(text, {"ab": 0.1, "ba": 0.2}, lowered(text)), width)
    line = "".join(piece.text for piece in pieces)
    assert len(line) <= width
    assert "\n" not in line
    if "…" not in line:
        assert line == " ".join(text.replace("\n", " ").split(" ")).replace("  ", " ") or line.split() == text.split()


def test_an_excerpt_shows_the_words_that_matter():
    text = "ordinary words " * 30 + "glacier moraine " + "ordinary words " * 30
    line = excerpt(pieces_of_text(text, {"glacier": 0.3, "moraine": 0.3}, lowered(text)), 40)
    assert marked(line) == ["glacier", "moraine"]
    assert line[0].text == line[-1].text == "…"
    beginning = excerpt(pieces_of_text(text, {}, lowered(text)), 20)
    assert "".join(piece.text for piece in beginning) == "ordinary words ordi…"
