"""The parts of learning out of core: shards, the store and the budget."""

import weakref
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from stored import assert_stored

from tonmf import InputError, ParameterError
from tonmf.detector.disk.budget import BASE, PER_DOCUMENT, Budget, bytes_of
from tonmf.detector.disk.shards import ShardSource, write_shard
from tonmf.detector.disk.store import Store
from tonmf.nmf.ops.reference import ReferenceOps
from tonmf.text.analysis import WordRules, make_analyzer
from tonmf.text.batches import BatchesOf
from tonmf.text.totals import WordTotals
from tonmf.text.vocabulary.terms import TermCounter
from tonmf.text.weighting import damped, inverse_document_frequencies, unit_rows

SENTENCES = ["Apple pear plum", "Pear", "Plum and cherry", "the of", *(f"quince medlar{i}" for i in range(20))]


def shards_of(folder, X, sizes):
    C = damped(X)
    Y = unit_rows(C, inverse_document_frequencies(X))
    first, names = 0, []
    for number, size in enumerate(sizes):
        rows = slice(first, first + size)
        totals = WordTotals(*(np.ones(size, np.int32),) * 3, np.zeros(size))
        write_shard(folder / f"shard-{number}", Y[rows], C[rows], totals)
        names.append((f"shard-{number}", size))
        first += size
    return ShardSource(folder, names, X.shape[1]), Y


def test_shards_hold_documents_in_both_directions_and_what_a_fit_remembers(tmp_path):
    X = sp.random(30, 12, 0.4, format="csr", random_state=0)
    X.data[:] = np.ceil(3 * X.data)
    source, Y = shards_of(tmp_path, sp.csr_matrix(X), [13, 1, 16])
    found = [(block.X.by_row.toarray(), block.X.by_column.toarray(), block.first) for block in source.blocks()]
    assert [first for *_, first in found] == [0, 13, 14]
    np.testing.assert_array_equal(np.concatenate([rows for rows, *_ in found]), Y.toarray())
    np.testing.assert_array_equal(np.concatenate([columns for _, columns, _ in found]), Y.toarray())
    H = np.random.default_rng(0).random((30, 5)).astype(np.float32)
    source.start_from(H, 5)
    kept = np.array([True, False, True, True, False])
    source.keep_topics(kept)
    for block in source.blocks():
        block.H[:] += 1
        block.rho = block.omega = np.full(len(block.H), float(block.first))
        block.measured = True
    after = [(block.H.copy(), block.rho.copy(), block.measured) for block in source.blocks()]
    np.testing.assert_array_equal(np.concatenate([h for h, *_ in after]), H[:, kept] + 1)
    assert [rho[0] for _, rho, _ in after] == [0, 13, 14]
    assert all(not block.measured for block in source.again().blocks())
    some = source.among(np.array([0, 12, 13, 29]))
    np.testing.assert_array_equal(
        np.concatenate([b.X.by_row.toarray() for b in some.blocks()]), Y[[0, 12, 13, 29]].toarray()
    )
    product = np.concatenate([ReferenceOps().project(b.X, np.eye(12)) for b in source.blocks()])
    np.testing.assert_allclose(product, Y.toarray(), rtol=1e-6)


def test_weights_reach_every_shard_and_the_fit_among_some_documents(tmp_path):
    X = sp.random(30, 12, 0.4, format="csr", random_state=0)
    X.data[:] = np.ceil(3 * X.data)
    plain, _ = shards_of(tmp_path, sp.csr_matrix(X), [13, 1, 16])
    weights = np.linspace(0.1, 1, 30)
    source = plain.weighted(weights)
    rows = np.array([0, 12, 13, 29])
    for blocks, expected in (
        (source, weights),
        (source.again(), weights),
        (plain, np.ones(30)),
        (source.among(rows), weights[rows]),
    ):
        np.testing.assert_array_equal(np.concatenate([block.sample_weight for block in blocks.blocks()]), expected)


@pytest.mark.parametrize(
    ("text", "n_bytes"), [("2GB", 2e9), ("1.5 GiB", 1.5 * 2**30), (700_000_000, 7e8), ("1e9", 1e9)]
)
def test_memory_in_writing(text, n_bytes):
    assert bytes_of(text) == n_bytes


@pytest.mark.parametrize("wrong", ["much", "-2GB", "2 gallons", "", "10MB", True, 0])
def test_memory_that_says_nothing_or_too_little_is_refused(wrong):
    with pytest.raises(ParameterError, match="memory must be"):
        bytes_of(wrong)


def test_more_documents_than_memory_are_refused_with_what_they_need():
    budget = Budget(BASE + 10**9, 6, 25)
    budget.check(int(0.6e9 / PER_DOCUMENT))
    with pytest.raises(InputError, match=r"100,000,000 documents need about 2\d\.\d GB"):
        budget.check(100_000_000)


BUDGET = Budget(BASE + 10**9, 6, 25)


def test_counting_lets_go_of_texts(monkeypatch, tmp_path):
    """Texts were held until a shard was full."""
    monkeypatch.setattr("tonmf.text.batches.BATCH", 5)

    class Text(str):
        """One that can be followed."""

    alive, most = weakref.WeakSet(), 0

    def texts():
        nonlocal most
        for number in range(100):
            text = Text(f"text number {number}")
            alive.add(text)
            most = max(most, len(alive))
            yield text

    facts = Store(tmp_path, {}).make(BatchesOf(texts()), TermCounter(str.split, 1), 1, BUDGET)
    assert facts.shards == [("shard-00000", 100)]
    assert most <= 3 * 5


def test_words_that_were_counted_take_no_memory_afterwards(tmp_path):
    """Tables of words that compiled code had met kept them all, and with them the memory of words that were gone."""
    analysis = make_analyzer("word", True, None, (1, 1), None, None, WordRules())
    documents = [f"alpha{i} beta{i} gamma{i} " * 20 for i in range(200)]
    counter = TermCounter(analysis, 1)
    expected = TermCounter(analysis, 1).learn(documents)
    assert analysis.by_word.tables
    store = Store(tmp_path, {})
    facts = store.make(BatchesOf(documents), counter, 1, BUDGET)
    assert not analysis.by_word.tables
    assert_stored(store, facts, store.terms(facts), expected)


def test_what_is_not_of_a_store_is_never_removed(tmp_path):
    ours = ["raw-00007", "names-00007.part", "shard-00012", "H", "fits-0123456789abcdef/0.02-0"]
    others = ["my-thesis.txt", "raw-data", "raw-00007.txt", "old-results/a", "fits-of-mine/b", "shard-1/c"]
    for name in (*ours, *others):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    Store(tmp_path, {}).make(BatchesOf([["a", "b"]]), TermCounter(list, 1), 1, BUDGET)
    assert not [name for name in ours if (tmp_path / name).exists()]
    assert all((tmp_path / name).read_text() == "x" for name in others)


def test_a_store_of_another_version_is_refused(tmp_path, monkeypatch):
    Store(tmp_path, {}).make(BatchesOf([["a", "b"]]), TermCounter(list, 1), 1, BUDGET)
    monkeypatch.setattr("tonmf.detector.disk.store.VERSION", 99)
    with pytest.raises(InputError, match="made by another version of tonmf"):
        Store(tmp_path, {}).open()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from(SENTENCES), max_size=4).map(". ".join), min_size=1, max_size=60), st.data())
def test_documents_on_disk_are_counted_without_the_same_boilerplate_as_in_memory(documents, data):
    share = data.draw(st.sampled_from([0.05, 0.2, 0.6]))
    analysis = make_analyzer("word", True, "english", (1, 1), None, None, WordRules())
    counter, other = (TermCounter(analysis, 1, None, share) for _ in range(2))
    counts = other.learn(documents)
    sizes = {"detector.disk.store.SHARD_DOCS": (1, 30), "text.batches.BATCH": (1, 20)}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        for name, (low, high) in sizes.items():
            patched.setattr(f"tonmf.{name}", data.draw(st.integers(low, high)))
        store = Store(Path(folder), {})
        facts = store.make(BatchesOf(documents), counter, 1, BUDGET)
        assert facts.any_words == bool(counts.n_words.any())
        assert store.boilerplate().listed() == other.boilerplate.listed()
        assert_stored(store, facts, other.terms, counts)


def test_words_that_were_forgotten_on_the_way_are_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr("tonmf.text.batches.BATCH", 10)
    monkeypatch.setattr(Budget, "words", 60)
    documents = [f"alpha{i} beta{i} gamma{i}. Common footer line" for i in range(100)]
    store = Store(tmp_path, {})
    facts = store.make(BatchesOf(documents), TermCounter(str.split, 1, None, 0.05), 1, BUDGET)
    assert facts.forgotten_up_to > 0
    assert store.boilerplate().listed() == [("Common footer line", 1.0)]
    assert "Common" not in store.terms(facts)
    assert facts.n_docs == 100
