"""Words are found by a search where cutting the whole text into words would find them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tonmf.text.analysis import WordRules, make_analyzer
from tonmf.text.finding import can_be_searched, spans_in
from tonmf.text.mask_names import MASKS

LETTERS = st.text(" \n\tabWw.@:/-_,0123456789é東京คด\u0308\u200d\ufe0f👍🏽ΑΣςİ&;<>#'", max_size=60)
WORDS = st.sampled_from(
    [
        "www.ab.de/x",
        "http://a.b/ab",
        "a@b.de",
        "@ab",
        "2,500",
        "12:30",
        "0x7f3a",
        "1234567",
        "ab",
        "Ab",
        "ab_b",
        "(ab)",
        "3.5kg",
    ]
)
TEXTS = st.lists(WORDS | LETTERS, max_size=8).map(" ".join) | LETTERS


def analysis(mask=MASKS[:-1], lowercase=True, strip_html=True, stop_words=None, analyzer="word", ngram_range=(1, 1)):
    rules = WordRules()
    return make_analyzer(analyzer, lowercase, stop_words, ngram_range, None, None, rules, mask, strip_html, strip_html)


ANALYSES = {
    "as usual": analysis(stop_words="english"),
    "all masked": analysis(MASKS),
    "nothing masked": analysis(None),
    "case matters": analysis(lowercase=False),
    "markup stays": analysis(strip_html=False),
}


def all_spans(analyze, text, terms):
    return [span for span in analyze.spans(text) if span[2] in terms]


def found(analyze, text, terms):
    return [span for span in spans_in(analyze, analyze.visible(text), terms) if span[2] in terms]


@pytest.mark.parametrize("analyze", ANALYSES.values(), ids=ANALYSES)
@given(text=TEXTS, data=st.data())
@example(text="www.ab.de Www.ab", data=None)
@example(text="2,500 and 2500", data=None)
@example(text="ab&amp;ab <b>a</b>b", data=None)
def test_a_search_finds_what_cutting_the_text_finds(analyze, text, data):
    terms = sorted({term for _, _, term in analyze.spans(text)})
    some = terms if data is None or not terms else data.draw(st.lists(st.sampled_from(terms), unique=True))
    assert found(analyze, text, some) == all_spans(analyze, text, some)


@pytest.mark.parametrize("analyze", ANALYSES.values(), ids=ANALYSES)
def test_a_word_is_found_wherever_it_stands_alone(analyze):
    text = "ab Ab. cabs 'ab' www.x.org/ab ab@x.org\nab2 éab abé ab_b AB-ab\tab"
    assert found(analyze, text, ["ab"]) == all_spans(analyze, text, ["ab"])
    assert len(found(analyze, text, ["ab"])) >= 4


def test_most_terms_can_be_searched_for_and_the_others_are_not():
    analyze = ANALYSES["as usual"]
    assert can_be_searched(analyze, ["glacier", "mp3", "max_size", "2026", "<url>", "東京"])
    assert not can_be_searched(analyze, ["👍"])
    assert not can_be_searched(analyze, ["हिन्दी"])
    assert not can_be_searched(analysis(ngram_range=(1, 2)), ["glacier"])


def test_terms_of_characters_have_no_places_of_words():
    assert spans_in(analysis(analyzer="char"), "a text", ["t"]) is None
