"""From documents to counts."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from tampered import fields_of, sign

from tonmf import ParameterError, TextOutlierDetector, load
from tonmf.detector.explain.unexpected import UnexpectedWord
from tonmf.text.analysis import WordRules, make_analyzer, make_stemmer, stop_words_of
from tonmf.text.counts import select_terms
from tonmf.text.documents import items_of
from tonmf.text.english import COMMON, PARTS_OF_CONTRACTIONS
from tonmf.text.mask_names import DEFAULT_MASK
from tonmf.text.masks import MaskedWords
from tonmf.text.vocabulary.selection import frequent
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.words import without_mark, word_spans, words_of

TEXTS = ["The cat sat on the mat", "the dog sat", "a cat and a dog, a cat", "", "Zebra!"]


def counter(min_df=1, rules=None, **options):
    defaults = {
        "analyzer": "word",
        "lowercase": True,
        "stop_words": None,
        "ngram_range": (1, 1),
        "token_pattern": None,
        "stemmer": None,
    }
    rules = WordRules() if rules is None else rules
    return TermCounter(make_analyzer(**{**defaults, **options}, rules=rules), min_df, rules)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stop_words": "english"},
        {"stop_words": ["cat"]},
        {"ngram_range": (1, 2)},
        {"analyzer": "char_wb", "ngram_range": (2, 3)},
        {"token_pattern": r"\b[a-z]\b"},
        {"lowercase": False},
        {"min_df": 2},
        {"min_df": 0.4},
        {"analyzer": str.split},
    ],
    ids=str,
)
def test_it_counts_as_scikit_learn_does(options):
    ours = counter(**options)
    counts = ours.learn(TEXTS)
    theirs = CountVectorizer(**options)
    np.testing.assert_array_equal(counts.matrix.toarray(), theirs.fit_transform(TEXTS).toarray())
    assert ours.terms == list(theirs.get_feature_names_out())
    again = ours.count(TEXTS)
    np.testing.assert_array_equal(again.matrix.toarray(), counts.matrix.toarray())
    for name in ("n_words", "n_distinct", "n_outside"):
        np.testing.assert_array_equal(getattr(again, name), getattr(counts, name))


def test_words_outside_the_vocabulary_are_counted_too():
    ours = counter(min_df=2)
    counts = ours.learn(TEXTS)
    assert ours.terms == ["cat", "dog", "sat", "the"]
    assert counts.n_words.tolist() == [6, 3, 4, 0, 1]
    assert counts.n_distinct.tolist() == [5, 3, 3, 0, 1]
    assert counts.n_outside.tolist() == [2, 0, 1, 0, 1]
    new = ours.count(["the unheard unheard of", "cat"])
    assert (new.n_words.tolist(), new.n_distinct.tolist(), new.n_outside.tolist()) == ([4, 1], [3, 1], [2, 0])


@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), min_size=1, max_size=8), st.integers(1, 3))
def test_nothing_is_lost_between_vocabulary_and_outside(baskets, min_df):
    ours = TermCounter(items_of, min_df, WordRules())
    counts = ours.learn(baskets)
    assert counts.n_words.tolist() == [len(basket) for basket in baskets]
    assert counts.n_distinct.tolist() == [len(set(basket)) for basket in baskets]
    inside = np.diff(counts.matrix.indptr)
    np.testing.assert_array_equal(inside + counts.n_outside, counts.n_distinct)
    for row, basket in enumerate(baskets):
        for term, number in zip(ours.terms, counts.matrix[[row]].toarray()[0], strict=True):
            assert basket.count(term) == number


def test_selected_columns_come_in_the_order_asked_for():
    X = sp.csr_matrix([[1, 2, 3], [0, 0, 4], [0, 0, 0]])
    counts = select_terms(X, np.array([2, 0]), np.array([6, 4, 0]))
    assert counts.matrix.toarray().tolist() == [[3, 1], [4, 0], [0, 0]]
    assert counts.n_outside.tolist() == [1, 0, 0]


def test_the_papers_rules_look_at_length_occurrences_and_documents():
    rules = WordRules(min_length=3, max_length=15, min_count=4, min_df=2)
    texts = ["ab ab ab ab once once once once twice twice", "twice twice enough ab", "enough enough enough " + "x" * 16]
    ours = counter(rules=rules)
    counts = ours.learn(texts)
    assert ours.terms == ["enough", "twice"]
    assert counts.n_words.tolist() == [6, 3, 3]  # words too short or too long are no words here
    assert frequent(np.array([2, 2]), np.array([4, 4]), 3, 1, rules).tolist() == [0, 1]
    assert frequent(np.array([1, 2]), np.array([4, 3]), 3, 1, rules).tolist() == []


def test_stemming_joins_forms_of_a_word_in_single_words_and_in_pairs():
    ours = counter(stemmer="english", ngram_range=(1, 2))
    ours.learn(["connected markets", "connections market"])
    assert ours.terms == ["connect", "connect market", "market"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("naïve Straße İstanbul", ["naïve", "Straße", "İstanbul"]),
        ("Привет, мир", ["Привет", "мир"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("שָׁלוֹם עוֹלָם", ["שָׁלוֹם", "עוֹלָם"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("東京都に住む", ["東京", "京都", "都に", "に住", "住む"]),
        ("GPU搭載の PC", ["GPU", "搭載", "載の", "PC"]),
        ("我,爱,你", ["我", "爱", "你"]),
        ("ﾃｽﾄ 𠀀𠀁", ["ﾃｽ", "ｽﾄ", "𠀀𠀁"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("cafe\u0301 au lait", ["cafe\u0301", "au", "lait"]),
        ("a I 1 – … ★", []),
        ("snake_case x2 3.14", ["snake_case", "x2", "14"]),
    ],
)
def test_words_of_many_scripts(text, words):
    assert words_of(text) == words


EMOJI = ["😀", "👍🏽", "👨‍👩‍👧", "🇯🇵", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "#️⃣", "❤️", "❤️‍🔥", "🏳️‍🌈", "👩🏿‍⚕️", "🙂‍↔️", "☎", "©️", "ℹ️", "🫨"]


@pytest.mark.parametrize("emoji", EMOJI)
def test_an_emoji_is_one_word_with_all_that_belongs_to_it(emoji):
    word = emoji.replace("\ufe0f", "")
    text = f"ab {emoji}東京 {emoji}{emoji}, {emoji}!"
    assert words_of(text) == ["ab", word, "東京", word, word, word]
    masked = MaskedWords(DEFAULT_MASK)
    assert masked(f"ab {emoji} 2026 {emoji}") == ["ab", word, "2026", word]
    assert words_of(f"ab {emoji}", emoji=False) in (["ab"], ["ab", emoji])


@pytest.mark.parametrize("text", ["© ® ™ ↔ → ★ ▶ – 5*", "❤\ufe0e", "🇯 alone", "1 # *"])
def test_signs_without_the_mark_of_a_picture_are_no_words(text):
    assert [word for word in words_of(text) if word != "alone"] == []


@given(st.text(alphabet=st.one_of(st.sampled_from("".join(EMOJI) + "ab東京 ."), st.characters()), max_size=30))
def test_spans_are_those_of_the_words_with_emoji_and_without(text):
    for emoji in (True, False):
        spans = [text[start:end] for start, end in word_spans(text, emoji)]
        words = words_of(text, emoji)
        assert [without_mark(word) for word in spans] == [without_mark(word) for word in words]
    if not set(text) & set("".join(EMOJI)):
        bare = "".join(letter for letter in text if ord(letter) < 0x2000)
        assert words_of(bare) == words_of(bare, emoji=False), "a text without emoji is read as before"


def test_emoji_count_like_other_words_and_are_marked_where_they_stand():
    texts = [
        "Lovely garden today 🌻",
        "The garden is lovely 🌻",
        "A garden, lovely ❤️",
        "My garden ❤",
        "Lovely ❤ garden",
    ] * 3
    detector = TextOutlierDetector().fit(texts)
    assert {"🌻", "❤"} <= set(detector.terms_)
    pieces = detector.pieces("garden ❤️, ok", [UnexpectedWord("❤", 0.5, 1, True)])
    assert [piece.text for piece in pieces if piece.share > 0] == ["❤️"]


def test_in_models_of_earlier_versions_emoji_are_no_words(tmp_path):
    TextOutlierDetector().fit(["Lovely garden today", "The garden is lovely"] * 5).save(tmp_path / "model")
    assert load(tmp_path / "model").analyze("garden 🌻") == ["garden", "🌻"]
    fields = fields_of(tmp_path / "model")
    del fields["vocabulary"]["emoji"]
    sign(tmp_path / "model", fields)
    earlier = load(tmp_path / "model")
    assert earlier.analyze("garden 🌻") == ["garden"]
    earlier.save(tmp_path / "again")
    assert load(tmp_path / "again").analyze("garden 🌻") == ["garden"]


@given(st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=60))
def test_words_without_marks_are_those_of_scikit_learns_pattern(text):
    expected = CountVectorizer(lowercase=False).build_tokenizer()(text)
    assert words_of(text) == expected


def test_remembered_words_are_short_and_not_too_many(monkeypatch):
    """The cache of words grew with whatever words came, and with texts of a million letters each that is a lot."""
    monkeypatch.setattr("tonmf.text.analysis.WORDS_REMEMBERED", 10)
    detector = TextOutlierDetector().fit(["A dog and a cat met a bird.", "A cat and a dog."] * 5)
    analysis = detector._state.counter.analyze
    for number in range(30):
        long = f"{'long' * 50}{number}"
        text = f"word{number} {long} dog"
        pieces = detector.pieces(text, [UnexpectedWord(long, 0.5, 1, False), UnexpectedWord("dog", 0.1, 1, True)])
        assert [piece.text for piece in pieces if piece.share > 0] == [long, "dog"]
        assert len(analysis._terms) <= 10
        assert max(map(len, analysis._terms)) <= 40


@pytest.mark.parametrize("language", ["klingon", "naïve", "漢字", ""])
def test_a_language_without_a_stemmer_is_refused_whatever_its_letters(language):
    """A name that is not ASCII was an error of the stemmer's own."""
    with pytest.raises(ParameterError, match="stemmer must be one of"):
        make_stemmer(language)


def test_the_english_stop_words_have_those_of_scikit_learn():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert COMMON == ENGLISH_STOP_WORDS
    assert stop_words_of("english") == sorted(COMMON | PARTS_OF_CONTRACTIONS)


@pytest.mark.parametrize("stop_words", [None, "english", "german"])
@pytest.mark.parametrize("lowercase", [True, False])
def test_single_words_are_those_of_scikit_learn(stop_words, lowercase):
    known = None if stop_words is None else stop_words_of(stop_words)
    theirs = CountVectorizer(
        tokenizer=words_of, token_pattern=None, lowercase=lowercase, stop_words=known
    ).build_analyzer()
    ours = make_analyzer("word", lowercase, stop_words, (1, 1), None, None, WordRules())
    text = "The Cats AND the dogs, und die Katzen: don't, 東京都 👍🏽 naïve"
    assert list(ours(text)) == theirs(text)
