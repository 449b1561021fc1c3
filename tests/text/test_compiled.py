"""Counting with compiled code: the same counts, numbers and order as the analysis itself."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tonmf.datasets.archives import read_bbc, read_biography_sections, read_newsgroups, read_reuters_sgml
from tonmf.text import counts, side_by_side
from tonmf.text.analysis import WORD_RULES, Analysis, WordRules, make_analyzer
from tonmf.text.compiled import FEWEST_CHARACTERS, passages, table
from tonmf.text.compiled.characters import AT_ONCE, N_CODE_POINTS, known_classes, look_at
from tonmf.text.counts import Numbering, NumberingBeyond, count_by_number
from tonmf.text.markup import PAD
from tonmf.text.mask_names import DEFAULT_MASK, MASKS
from tonmf.text.passages import keys_of, passages_of
from tonmf.text.vocabulary.terms import TermCounter

DEFAULTS = {
    "analyzer": "word", "lowercase": True, "stop_words": None, "ngram_range": (1, 1), "token_pattern": None,
    "stemmer": None, "rules": WordRules(), "mask": DEFAULT_MASK, "strip_html": True, "strip_headers": True,
}  # fmt: skip

PIECES = [
    "the", "The", "cats", "x", "_", "naïve", "Straße", "ΣΊΣΥΦΟΣ", "İstanbul", "हिन्दी", "می‌خواهم", "e\u0301te\u0301", "\u0301",
    "東京都", "ไทย", "カ", "👍🏽", "☎\ufe0f", "©\ufe0f", "1\ufe0f\u20e3", "🇩🇪", "👩‍💻", "♥", "\ufe0f",
    "1", "42", "1,500", "3.5", "£3.50", "$20", "6.02e23", "1e5", "4th", "mp3", "v6e", "0x7f3a", "1234567", "dQw4w9WgXcQ",
    "2026-11-16", "16/11/2026", "12:30:05", "2026-11-16T12:30Z", "16/Nov/2026:12:30:05", "10.0.0.1",
    "aa-bb-cc-dd-ee-ff", "de:ad:be:ef:ca:fe", "dead::", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "٣٤", "²³", "me@example.org",
    "@name", "a@b", ".@x", "@", "http://a.b/c?d=1",
    "www.x.org", "Www.x.org", "WWW.x", "wWw.", "://", "ſ1", "K9",
    " ", "  ", "\n", "\t", "\r\n", "\u2028", "\xa0", ".", ",", "-", "/", ":", "(", ")", '"', "<", ">", "#", "$", "+", "'",
    "\0", "\x7f",    "\ud800", "\udfff", "\ufdd0", "\U0010ffff", "&amp;", "<b>", "</b>", "<p>", "From: a\nSubject: b\n\n",
]  # fmt: skip

pieces = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
any_text = st.text(max_size=30) | st.text(st.characters(max_codepoint=0x7F), max_size=30)
documents_of_all_kinds = st.lists(st.one_of(pieces, any_text, pieces.map(str.upper)), max_size=6)

options_of_words = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "stop_words": st.sampled_from([None, ["the", "42", "<date>"], "english"]),
        "stemmer": st.sampled_from([None, "english"]),
        "rules": st.sampled_from([WordRules(), WORD_RULES["paper"]]),
        "mask": st.sampled_from([None, "all", DEFAULT_MASK]) | st.lists(st.sampled_from(MASKS), unique=True),
        "strip_html": st.booleans(),
        "strip_headers": st.booleans(),
        "emoji": st.booleans(),
    }
)


def analysis(**options):
    return make_analyzer(**{**DEFAULTS, **options})


def by_the_analysis(documents, analyze, numbers):
    """Count in Python, whatever the size."""
    return count_by_number(documents, lambda document: analyze(document), numbers)


def compiled(documents, analyze, numbers):
    """Count with compiled code, whatever the size."""
    texts = [analyze.prepared(document, analyze.visible(document)) for document in documents]
    parts = [table.count_words(some, analyze) for some in side_by_side.stretches_of(texts)]
    own = [counts.OwnCounts(counts.NumberedCounts(*counted), terms) for counted, terms in parts]
    return counts.NumberedCounts.joined([some.by(numbers) for some in own])


def assert_the_same(documents, analyze, n_known=0):
    """Compare counts, numbers and order, for a vocabulary of which some terms are known already."""
    first = Numbering()
    if n_known:
        by_the_analysis(documents, analyze, first)
    known = {term: number for number, term in enumerate(sorted(first)[:n_known])}
    expected_numbers, numbers = Numbering(known), Numbering(known)
    expected, counted = by_the_analysis(documents, analyze, expected_numbers), compiled(documents, analyze, numbers)
    assert list(numbers.items()) == list(expected_numbers.items())
    for name, values in vars(expected).items():
        np.testing.assert_array_equal(getattr(counted, name), values, err_msg=name)
        assert getattr(counted, name).dtype == values.dtype, name


def assert_the_same_passages(documents):
    ends, keys = passages.passage_keys(documents)
    assert ends.tolist() == np.cumsum([0, *(len(passages_of(text)) for text in documents)]).tolist()
    np.testing.assert_array_equal(keys, np.concatenate([keys_of(passages_of(text)) for text in documents]))


@given(documents_of_all_kinds, options_of_words, st.integers(0, 3))
@example(["aa-bb-cc-dd-ee-ff(1)", "aa-bb-cc-dd-ee-ff"], {}, 0)
@example(["Www.a.b http://c", "Www.a.b 東"], {"lowercase": False}, 0)
@example(["Www.x.org1", "Www.x.org"], {"lowercase": False}, 0)
@example(["1e5 1e5. 12e5"], {"mask": "all"}, 0)
@example(["", " ", "a", "\n\n"], {}, 0)
def test_counts_numbers_and_order_are_those_of_the_analysis(documents, options, n_known):
    assert_the_same(documents, analysis(**options), n_known)


@given(st.lists(documents_of_all_kinds, min_size=2, max_size=4), options_of_words)
def test_a_table_of_words_seen_before_changes_nothing(batches, options):
    analyze = analysis(**options)
    for documents in batches:
        assert_the_same(documents, analyze)


def test_every_character_counts_as_the_analysis_has_it():
    characters = map(chr, (*range(0x3000), *range(0x3000, N_CODE_POINTS, 53)))
    documents = [f"a{character}b {character}{character} 1{character}2" for character in characters]
    for mask in (DEFAULT_MASK, None):
        assert_the_same(documents, analysis(mask=mask))


ENDS = [
    "a",
    "A b",
    ".",
    "...",
    "!",
    '?"',
    "…",
    "。",
    "’",
    "}",
    ")",
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\x1c",
    "\x85",
    "\xa0",
    "\u2028",
    PAD,
    "é",
]


@given(st.lists(st.lists(st.sampled_from([*ENDS, *PIECES])).map("".join) | any_text, min_size=1))
@example(
    ["e.g. this.that (Really.) 3.50", "a" + PAD + "b  c\t ", "x" * 127, "x" * 128, "x" * 129, "y" * 256, "z " * 300, ""]
)
def test_keys_of_passages_are_those_of_the_regular_expression(documents):
    assert_the_same_passages(documents)


@given(st.lists(st.binary(min_size=1, max_size=400), min_size=1))
def test_blake2b_is_that_of_the_standard_library(messages):
    documents = [message.hex() for message in messages]
    digests = [blake2b(document.encode(), digest_size=8).digest() for document in documents]
    assert passages.passage_keys(documents)[1].astype("<i8").tobytes() == b"".join(digests)


def test_a_table_that_is_begun_anew_again_and_again_changes_nothing(monkeypatch):
    monkeypatch.setattr(table, "MOST_KEYS", 5)
    monkeypatch.setattr(side_by_side, "STRETCH", 3)
    documents = [f"word{number % 7} other{number} {number} the a{number}@b.org" for number in range(50)]
    analyze = analysis()
    assert_the_same(documents, analyze)
    assert not analyze.by_word.tables


def test_a_table_grows_within_a_document():
    long = " ".join(f"word{number} x{number:x}y" for number in range(30_000))
    assert_the_same([long, "a" * 300_000, long[:1000], "word1(" * 20_000 + "1"], analysis())


def test_words_that_are_long_or_without_spaces_are_counted():
    assert_the_same(["東京都" * 5000, "7" * 100_000, "ab-" * 10_000 + "1", "é" * 70_000], analysis())


@pytest.mark.parametrize(
    "options", [{}, {"mask": None, "lowercase": False}, {"mask": "all", "stemmer": "english"}], ids=str
)
def test_real_texts_are_counted_the_same(data_folder, options):
    corpus = [document.text for document in read_bbc(data_folder / "bbc-fulltext.zip")]
    corpus += [document.text for document in read_reuters_sgml(data_folder / "reuters21578.tar.gz")][:1000]
    corpus += [document.text for document in read_newsgroups(data_folder / "20news-bydate.tar.gz")][::20]
    corpus += [document.text for document in read_biography_sections(data_folder / "wiki-featured-bios.jsonl.gz")][::20]
    assert_the_same(corpus, analysis(**options))
    assert_the_same_passages(corpus)


def test_short_documents_are_counted_by_the_analysis_and_long_ones_by_compiled_code(monkeypatch):
    seen, nothing = [], ([np.zeros(1, np.int64)] * 4, counts.ListedTerms([""]))
    monkeypatch.setattr(table, "count_words", lambda texts, _: seen.extend(texts) or nothing)
    analyze, long = analysis(), ["word " * FEWEST_CHARACTERS]
    count_by_number(["a few words"], analyze, Numbering())
    assert seen == []
    count_by_number(long, analyze, Numbering())
    assert seen == long


@pytest.mark.parametrize(
    "options",
    [{"analyzer": "char"}, {"ngram_range": (1, 2)}, {"token_pattern": r"\w+"}, {"analyzer": str.split}],
    ids=str,
)
def test_other_analyses_are_left_to_themselves(options):
    assert analysis(**options).by_word is None


def test_callers_in_several_threads_do_not_meet():
    analyze = analysis(stop_words="english")
    batches = [[f"word{number * part} the {number}" * 20 for number in range(300)] for part in range(1, 9)]
    expected = [by_the_analysis(batch, analyze, Numbering()) for batch in batches]
    with ThreadPoolExecutor(4) as threads:
        counted = list(threads.map(lambda batch: compiled(batch, analyze, Numbering()), batches))
    for one, other in zip(expected, counted, strict=True):
        np.testing.assert_array_equal(one.numbers, other.numbers)
        np.testing.assert_array_equal(one.counts, other.counts)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_documents_are_numbered_in_order_on_any_number_of_threads(n_threads):
    documents = [f"word{number % 997} text{number // 5} number" for number in range(3 * side_by_side.STRETCH + 7)]
    expected, found = Numbering(), Numbering()
    one, other = (
        by_the_analysis(documents, analysis(), expected),
        count_by_number(documents, analysis(), found, n_threads),
    )
    assert list(found) == list(expected)
    for name in vars(one):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_documents_are_counted_and_cut_into_passages_from_one_look_at_each(n_threads, monkeypatch):
    documents = [f"From: a\nSubject: b{n}\n\nOne &amp; {n % 97}. Two!" for n in range(2 * side_by_side.STRETCH)]
    counter, numbers, looks = TermCounter(analysis(), 1, boilerplate_share=0.1), Numbering(), []
    expected = by_the_analysis(documents, analysis(), expected_numbers := Numbering())
    passages = counter.passages(documents)
    visible = Analysis.visible
    monkeypatch.setattr(Analysis, "visible", lambda self, text: looks.append(text) or visible(self, text))
    counted, found = counter.read(documents, numbers, True, n_threads)
    assert sorted(looks) == sorted(documents)
    assert list(numbers) == list(expected_numbers)
    for one, other in ((expected, counted), (passages, found)):
        for name in vars(one):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_numbers_that_were_forgotten_are_given_anew():
    analyze, numbers = analysis(), Numbering()
    compiled(["one two three"], analyze, numbers)
    numbers.keep({numbers["two"]})
    found = compiled(["one two three four"], analyze, numbers)
    assert found.numbers.tolist() == [3, 1, 4, 5]
    assert dict(numbers) == {"two": 1, "one": 3, "three": 4, "four": 5}


def test_numbers_beyond_a_vocabulary_hold_for_one_numbering_only():
    analyze, vocabulary = analysis(), {"two": 0, "three": 1}
    for text, new in (("one two five", ["one", "five"]), ("five three one two", ["five", "one"])):
        numbers = NumberingBeyond(vocabulary)
        found = compiled([text], analyze, numbers)
        expected = {**vocabulary, **{term: number for number, term in enumerate(new, start=2)}}
        assert found.numbers.tolist() == [expected[term] for term in text.split()]
        assert numbers.new == new
    assert compiled(["two three"], analyze, NumberingBeyond({"three": 0, "two": 1})).numbers.tolist() == [1, 0]


def test_an_analysis_is_copied_and_pickled_without_its_tables():
    analyze = analysis()
    compiled(["some words"], analyze, Numbering())
    assert len(analyze.by_word.tables) == 1
    for copy in (pickle.loads(pickle.dumps(analyze)), deepcopy(analyze)):
        assert copy.by_word.tables == []
        assert_the_same(["some words"], copy)


def test_an_error_leaves_no_table_behind_that_is_half_filled():
    analyze = analysis()
    with pytest.raises(AttributeError):
        table.count_words(["some words", None], analyze)
    assert_the_same(["some words", "and more"], analyze)


def test_classes_of_characters_are_looked_at_in_the_same_way_at_any_time():
    classes = np.zeros(N_CODE_POINTS, np.uint16)
    for code in (0, 0x3A3, 0x4E00, N_CODE_POINTS - 1):
        look_at(code, classes)
        first = code - code % AT_ONCE
        look_at(code, known_classes())
        np.testing.assert_array_equal(classes[first : first + AT_ONCE], known_classes()[first : first + AT_ONCE])
