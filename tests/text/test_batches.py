"""Documents in batches."""

import pytest

from tonmf import InputError
from tonmf.text.batches import BATCH, BatchesOf, in_batches


def test_batches_come_again_and_an_iterator_does_not():
    documents = ["a text"] * (BATCH + 1)
    batches = in_batches(documents, again=True)
    assert [len(batch.ids) for batch in batches] == [len(batch.ids) for batch in batches] == [BATCH, 1]
    with pytest.raises(InputError, match="Put it in a list"):
        in_batches("a text", again=True)
    with pytest.raises(InputError, match="more than once"):
        in_batches(iter(documents), again=True)
    with pytest.raises(InputError, match="one kind"):
        list(BatchesOf(["a text"] * BATCH + [["an item"]]))


def test_a_batch_ends_when_its_documents_are_long(monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH_SIZE", 100)
    texts = ["x" * 60] * 3 + ["y" * 500, "z"]
    assert [len(batch.ids) for batch in BatchesOf(texts)] == [2, 2, 1]
    assert [len(batch.ids) for batch in BatchesOf(iter(["a", "b"]) for _ in range(2))] == [1, 1], "items are long"
    with pytest.raises(InputError, match="Document 5 is missing"):
        list(BatchesOf([*texts, None]))
