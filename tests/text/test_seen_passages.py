"""Passages that a stream has seen: their documents fade, join and are forgotten by the same rules as words."""

from collections import Counter

import numpy as np
import pytest

from tonmf.text.passages import PassageKeys
from tonmf.text.vocabulary import seen
from tonmf.text.vocabulary.seen import SeenPassages


def keys_of(documents):
    keys = np.array([key for document in documents for key in document], np.int64)
    return PassageKeys(np.cumsum([0, *map(len, documents)]), keys)


def documents_of(passages):
    return dict(zip(passages.keys.tolist(), (passages.documents * passages.unit).tolist(), strict=True))


def random_documents(rng, n_docs):
    return [rng.integers(-20, 20, rng.integers(0, 9)).tolist() for _ in range(n_docs)]


def test_a_passage_counts_once_for_each_document_however_often_it_is_in_it():
    rng = np.random.default_rng(0)
    documents = random_documents(rng, 40)
    expected = Counter(key for document in documents for key in set(document))
    at_once = SeenPassages().seen(keys_of(documents), np.ones(40))
    in_parts = SeenPassages()
    for start in range(0, 40, 7):
        some = documents[start : start + 7]
        in_parts = in_parts.seen(keys_of(some), np.ones(len(some)))
    assert documents_of(at_once) == documents_of(in_parts) == expected
    assert at_once.by_time()[0].tolist() == in_parts.by_time()[0].tolist(), "those seen last come last"


def test_documents_fade_and_one_without_weight_is_not_seen():
    passages = (
        SeenPassages().seen(keys_of([[5, 3], [3]]), np.ones(2)).faded(0.5).seen(keys_of([[3], [9]]), np.array([1.0, 0]))
    )
    assert documents_of(passages) == {3: 2.0, 5: 0.5}
    assert passages.documents_of(np.array([9, 3])).tolist() == [0, 2]
    vanishing = passages.faded(1e-90).faded(1e-90)
    assert documents_of(vanishing) == pytest.approx({3: 2e-180, 5: 5e-181})
    assert len(vanishing.faded(1e-200).keys) == 0


def test_beyond_the_most_the_rarest_and_of_those_the_oldest_are_forgotten(monkeypatch):
    monkeypatch.setattr(seen, "MOST_CANDIDATES", 6)
    passages = SeenPassages().seen(keys_of([[1], [2], [3], [1, 4], [5], [6], [7]]), np.ones(7))
    assert documents_of(passages) == {1: 2, 6: 1, 7: 1}


def test_the_order_in_which_passages_were_seen_is_kept_when_they_are_read_again():
    passages = SeenPassages().seen(keys_of([[8, 2], [5], [2]]), np.ones(3))
    again = SeenPassages.in_order(*passages.by_time(), passages.unit)
    assert again.by_time()[0].tolist() == passages.by_time()[0].tolist() == [8, 5, 2]
    assert documents_of(again) == documents_of(passages)
