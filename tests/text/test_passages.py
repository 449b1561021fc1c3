from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tonmf import TextOutlierDetector
from tonmf.parameters import defaults_of
from tonmf.text import passages
from tonmf.text.choose import make_counter
from tonmf.text.documents import TEXTS
from tonmf.text.passages import GrowingTally, PassageKeys, PassageTally, keys_of, passages_of

FOOTER = "Sent by the board of the association, please write to the person who posted it"
WORDS = ["apple", "pear", "plum", "cherry", "quince", "medlar", "sloe", "damson"]
SENTENCES = [" ".join(WORDS[i:] + WORDS[:i]) for i in range(4)] + ["pear", "Plum and pear", "the of", FOOTER]


def counter_of(**options):
    return make_counter({**defaults_of(TextOutlierDetector), "min_df": 1, **options}, TEXTS, None)


def terms_of(counter, counts, outside):
    """List the words of each document, in the vocabulary or not, with their numbers."""
    rows = counts.matrix.toarray().astype(int)
    known = [{counter.terms[column]: int(row[column]) for column in np.flatnonzero(row)} for row in rows]
    return [{**one, **other} for one, other in zip(known, outside, strict=True)]


def texts():
    """Documents of a few sentences, so that many share some."""
    sentences = st.sampled_from([*SENTENCES, *(f"word{i} pear" for i in range(30))])
    ends = st.sampled_from([". ", "\n", "!\n\n", "...  ", "  \r\n> "])
    document = st.lists(st.tuples(sentences, ends), max_size=5).map(lambda parts: "".join(map("".join, parts)))
    return st.lists(document, min_size=1, max_size=40)


def expected(documents, share):
    """Count by the definition: the words of the text, less those of each passage that is left out."""
    analyze = counter_of().analyze
    cut = [passages_of(document) for document in documents]
    common = Counter(passage for own in cut for passage in set(own))
    known = {passage: n for passage, n in common.items() if n >= max(3, share * len(documents) - 1e-6)}
    half = len(documents) / 2
    known = {passage: n for passage, n in known.items() if len({*analyze(passage)}) >= (1 if n >= half else 2)}
    counted = []
    for document, own in zip(documents, cut, strict=True):
        out = [passage for passage in own if passage in known]
        if len(out) == len(own):
            out = [passage for passage in own if known[passage] >= 2 * min(known[other] for other in own)]
        words = Counter(analyze(document))
        for passage in out:
            words.subtract(analyze(passage))
        left = {word: n for word, n in words.items() if n > 0}
        if len(out) < len(own) and not set(own) <= known.keys():
            of_passages = {passage: Counter(analyze(passage)) for passage in known}
            left = without_hidden(left, [of for p, of in of_passages.items() if len(of) >= 3 or known[p] >= half])
        counted.append(left)
    return known, counted


def without_hidden(words, of_passages):
    left = Counter(words)
    for passage in of_passages:
        if passage.keys() <= words.keys():
            left.subtract(passage)
    left = {word: n for word, n in left.items() if n > 0}
    return left or words


@settings(max_examples=150)
@given(texts(), st.sampled_from([0.05, 0.2, 0.5, 1.0]))
def test_documents_are_counted_without_their_boilerplate_when_learnt_and_when_new(documents, share):
    counter = counter_of(boilerplate=share)
    counts = counter.learn(documents)
    known, words = expected(documents, share)
    assert dict(counter.boilerplate.listed()) == {passage: n / len(documents) for passage, n in known.items()}
    again, outside = counter.count_all(documents)
    assert terms_of(counter, again, outside) == words
    for name in ("n_words", "n_distinct", "n_outside", "outside"):
        np.testing.assert_array_equal(getattr(counts, name), getattr(again, name))
        np.testing.assert_array_equal(getattr(counts, name), getattr(counter.count(documents), name))
    assert (counts.matrix != again.matrix).nnz == 0
    assert again.n_words.tolist() == [sum(own.values()) for own in words]
    one_by_one = [counter.count_all([document])[1][0] for document in documents]
    assert one_by_one == outside


@settings(max_examples=60)
@given(texts(), st.integers(1, 15), st.sampled_from([0.05, 0.3]))
def test_tallies_of_batches_add_up_to_that_of_all(documents, size, share):
    counter, total = counter_of(boilerplate=share), GrowingTally()
    for low in range(0, len(documents), size):
        some = documents[low : low + size]
        total.add(counter.tally(some, counter.passages(some)))
    whole = counter.tally(documents, counter.passages(documents))
    found, wanted = (tally.boilerplate(share, counter.analyze) for tally in (total.total(), whole))
    assert found.listed() == wanted.listed()
    np.testing.assert_array_equal(found.keys, wanted.keys)


def test_a_full_tally_forgets_the_rarest(monkeypatch):
    monkeypatch.setattr(passages, "MOST_KEYS", 40)
    counter, total = counter_of(boilerplate=0.5), GrowingTally()
    for batch in range(10):
        some = [f"{FOOTER}. Only once {batch} {number}" for number in range(10)]
        total.add(counter.tally(some, counter.passages(some)))
    assert len(total.total().keys) <= 40
    assert total.total().boilerplate(0.5, str.split).listed() == [(FOOTER, 1.0)]


def test_only_common_texts_are_remembered(monkeypatch):
    monkeypatch.setattr(passages, "MOST_TEXTS", 2)
    one, two = "Apple pear", "Plum cherry"
    documents = [f"{one}. {two}. Three", f"{one}. {two}. Four", f"{one}. {two}. Five", one]
    tally = PassageTally.of(PassageKeys.of(documents), documents, str, 0.05)
    assert sorted(tally.texts.values()) == [one, two]
    assert PassageTally.together(tally, tally).boilerplate(0.05, str.split).listed() == [(one, 1.0), (two, 0.75)]


def test_a_single_word_is_boilerplate_only_if_most_documents_have_it():
    documents = [f"Damson number{i}. Thanks" for i in range(8)] + [f"Medlar number{i}" for i in range(9)]
    assert counter_of().learn(documents).n_words.tolist() == [3] * 8 + [2] * 9
    assert counter_of().learn(documents[:-1]).n_words.tolist() == [2] * 16
    assert counter_of().learn([*documents[:-1], "Reuter thanks"]).n_words.tolist() == [3] * 8 + [2] * 9


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("... --- !", []),
        ("No end", ["No end"]),
        ("One. Two! Three? Four… Five", ["One", "Two", "Three", "Four", "Five"]),
        ("One.Two 3.50 a.b", ["One.Two 3.50 a.b"]),
        ('He said "no." Then left.', ['He said "no', "Then left"]),
        ("> quoted  line \r\n\t* item\there", ["quoted line", "item here"]),
        ("東京。大阪！", ["東京", "大阪"]),
        ("a\u2028b\x85c", ["a", "b", "c"]),
    ],
)
def test_passages(text, found):
    assert passages_of(text) == found


@given(st.text())
def test_passages_have_a_word_character_and_no_end_of_line(text):
    for passage in passages_of(text):
        assert any(character.isalnum() or character == "_" for character in passage)
        assert "\n" not in passage
        assert passage == passage.strip()
        assert "  " not in passage
    assert len(keys_of(passages_of(text))) == len(passages_of(text))


def test_long_runs_of_marks_take_no_time_of_their_own():
    for text in (". " * 200_000, "." * 400_000, "a." * 200_000, "a.) " * 100_000, "a" + "!" * 400_000 + " b"):
        assert len(passages_of(text)) <= 200_000


def test_keys_are_the_same_in_every_process():
    assert keys_of(["Sent from my phone", "é\ud800"]).tolist() == [-1577650325898057691, 9187530268824829771]


def test_half_a_surrogate_pair_is_no_error():
    documents = ["a \ud800 line here\napple"] * 2 + ["a \ud800 line here\npear"] * 2
    counter = counter_of(boilerplate=1.0)
    counter.learn(documents)
    assert counter.terms == ["apple", "pear"]


def test_copies_of_a_whole_document_are_counted():
    counter = counter_of()
    counter.learn(["Apple pear plum. Cherry quince"] * 6 + ["Medlar sloe damson"] * 20)
    assert counter.count(["Apple pear plum. Cherry quince"]).n_words.tolist() == [5]


def test_copies_lose_a_footer_that_others_have_too():
    copy = f"Apple pear plum. Cherry quince.\n{FOOTER}"
    documents = [copy] * 6 + [f"Damson number{i} colour{i % 7}.\n{FOOTER}" for i in range(30)]
    counter = counter_of()
    counts = counter.learn(documents)
    assert counts.n_words[:6].tolist() == [5] * 6
    assert counts.n_words[6:].tolist() == [3] * 30


def test_a_footer_need_not_stand_by_itself():
    documents = [f"Damson number{i} colour{i % 7}.\n{FOOTER}" for i in range(30)]
    counter = counter_of()
    counter.learn(documents)
    wrapped = FOOTER.replace(" person", "\n> person")
    new = [f"Xyzzy plugh {FOOTER}", f"Xyzzy plugh\n{wrapped}", f"Xyzzy plugh {FOOTER[:40]}", wrapped]
    assert counter.count_all(new)[1][:2] == [{"xyzzy": 1, "plugh": 1}] * 2
    assert counter.count(new).n_words.tolist()[2:] == [6, counter.count([FOOTER]).n_words[0]]


@pytest.mark.parametrize("options", [{"ngram_range": (1, 2)}, {"analyzer": "char_wb", "ngram_range": (2, 4)}])
def test_sequences_within_boilerplate_are_left_out(options):
    counter = counter_of(**options)
    documents = [f"Text{i} number{i}.\n{FOOTER}" for i in range(10)]
    counts = counter.learn(documents)
    alone = [f"Text{i} number{i}." for i in range(10)]
    plain = counter_of(boilerplate=None, **options)
    plain.learn(alone)
    assert (counts.n_words >= plain.count(alone).n_words).all()
    assert counts.n_words.sum() < counter_of(boilerplate=None, **options).learn(documents).n_words.sum() / 2
    np.testing.assert_array_equal(counter.count(documents).n_words, counts.n_words)


def test_words_of_boilerplate_are_not_marked():
    counter = counter_of()
    documents = [f"Person number{i} posted.\n{FOOTER}" for i in range(10)]
    counter.learn(documents)
    marked = [documents[0][start:end] for start, end, _ in counter.spans(documents[0], counter.analyze(documents[0]))]
    assert marked == ["Person", "number0", "posted"]


@pytest.mark.parametrize("document", [FOOTER, "Nothing of it"])
def test_words_are_marked_where_nothing_is_left_out(document):
    counter = counter_of()
    counter.learn([f"Text{i}.\n{FOOTER}" for i in range(10)])
    assert len(list(counter.spans(document, counter.analyze(document)))) == len(list(counter.analyze(document)))
