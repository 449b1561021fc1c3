"""Numbers of the words in documents that are kept."""

from __future__ import annotations

import numpy as np

from tonmf.timeline.kept_words import RECENT, STRANGE, KeptWords, Rarities


def test_words_are_counted_by_their_numbers_however_documents_come_and_go():
    rng = np.random.default_rng(0)
    kept, documents = KeptWords(), []
    for _ in range(300):
        words = frozenset(f"word{number}" for number in rng.integers(0, 5000, 40).tolist())
        kind = int(rng.choice([RECENT, STRANGE]))
        documents.append((words, kept.add(words, kind), kind))
        if len(documents) > 40:
            _, numbers, kind = documents.pop(int(rng.integers(0, 40)))
            kept.remove(numbers, kind)
    everything = frozenset().union(*(words for words, _, _ in documents))
    assert len(kept) == len(everything)
    for word, number in zip(everything, kept.numbers(everything).tolist(), strict=True):
        for kind in (RECENT, STRANGE):
            assert kept.frequencies(kind)[number] == sum(word in words for words, _, of in documents if of == kind)


def test_words_that_nobody_has_any_more_make_room_for_others():
    kept = KeptWords()
    for number in range(50):
        numbers = kept.add([f"first{number}", f"second{number}"], RECENT)
        assert numbers.max() == 1
        kept.remove(numbers, RECENT)
    assert len(kept) == 0


def test_places_are_those_in_a_list_and_below_zero_for_other_words():
    kept = KeptWords()
    kept.add(["ash", "crater", "lava"], STRANGE)
    assert kept.places(["lava", "ash"]).tolist() == [1, -1, 0]


def test_idf_is_that_of_the_word_that_has_the_number_now_and_of_the_rarities_given():
    kept, before, after = KeptWords(), Rarities({"ash": 2.0, "lava": 3.0}, 5.0), Rarities({"ash": 2.5}, 6.0)
    numbers = kept.add(["ash"], RECENT)
    assert kept.idf(numbers, before).tolist() == [2.0]
    kept.remove(numbers, RECENT)
    numbers = kept.add(["lava", "magma"], RECENT)
    assert kept.idf(numbers, before).tolist() == [3.0, 5.0]
    assert kept.idf(numbers, after).tolist() == [6.0, 6.0]


def test_a_document_without_words_changes_nothing():
    kept = KeptWords()
    kept.remove(kept.add([], RECENT), RECENT)
    assert len(kept) == 0
