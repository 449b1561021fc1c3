"""Make a `tonmf.detector.scores.corpus.Corpus` of texts, or rows of items, whose blocks are on the workers of a cluster.

================== ===============================================================================================
task               what it makes
================== ===============================================================================================
tonmf-count        all terms of a partition, and their counts in its documents
tonmf-passages     the number of documents with each line or sentence; added up by a tree
tonmf-boilerplate  those that many documents share: the first thing that all partitions have to wait for
tonmf-trim         the counts without boilerplate
tonmf-tally        the number of documents with each term; added up by a tree
tonmf-vocabulary   the vocabulary and its idf: the second thing that all partitions have to wait for
tonmf-vectorize    blocks of counts and of unit rows, which stay where they are
tonmf-terms        the same blocks without the words that only copies of one document have
tonmf-weigh        the same blocks, with copies of documents weighed down
================== ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.detector.explain.profile import excerpt_of
from tonmf.detector.scores.corpus import Corpus, CountedSource, DocumentBlock, FewerTerms, Numbers, rows_of_terms
from tonmf.errors import InputError
from tonmf.nmf.blocks import SerialExecutor
from tonmf.nmf.cluster.client import Cluster
from tonmf.nmf.cluster.executor import DaskExecutor
from tonmf.nmf.cluster.partitions import Fits, Partition, PartitionedData, PartitionSource
from tonmf.nmf.cluster.rows import PARTITIONS_PER_WORKER, data_of, inputs_of, is_collection
from tonmf.nmf.cluster.worker import among
from tonmf.nmf.ops import Ops
from tonmf.nmf.ops.on_host import squared_norms
from tonmf.nmf.ops.two_way import TwoWayMatrix
from tonmf.nmf.solver import EmptySums
from tonmf.nmf.steps import Sums
from tonmf.nmf.threads import make_ops
from tonmf.text.choose import boilerplate_share
from tonmf.text.documents import TEXTS, as_documents, check_names, is_matrix, listed_series
from tonmf.text.passages import NOTHING, Boilerplate, PassageTally
from tonmf.text.totals import WordTotals
from tonmf.text.vocabulary.partitions import CountedPartition, PartitionsVocabulary, TermTally, boilerplate_of
from tonmf.text.weighting import damped, unit_rows

TEXT_SPACES = 8
"""Spaces at which a string counts as a text and not as an item."""

BRANCHES = 4
"""Tallies that are added up in one task."""


@dataclass
class ExcerptBlock(DocumentBlock):
    """A block with the excerpts of its documents."""

    excerpts: tuple[str, ...] = field(kw_only=True)

    @classmethod
    def with_excerpts(cls, block: DocumentBlock, excerpts: tuple[str, ...]) -> ExcerptBlock:
        """Add the excerpts to a block."""
        of_rows = block.squared_norms, block.sample_weight, block.first
        return cls(block.X, *of_rows, block.H, C=block.C, totals=block.totals, excerpts=excerpts)

    def fresh(self) -> ExcerptBlock:
        """Return the same documents for another fit."""
        return self.with_excerpts(super().fresh(), self.excerpts)


class DocumentPartitions(PartitionSource):
    """`tonmf.detector.scores.corpus.DocumentSource` of partitions on workers."""

    def __init__(self, cluster: Cluster, data: PartitionedData, fits: Fits | None = None) -> None:
        super().__init__(data, fits)
        self._cluster = cluster

    def again(self) -> DocumentPartitions:
        """Return the same documents for another fit."""
        return DocumentPartitions(self._cluster, self.data, self.fits)

    def among(self, rows: NDArray[np.int64]) -> PartitionSource:
        """Return only the documents with these numbers."""
        firsts = self.data.firsts
        chosen = np.zeros(self.n_docs, bool)
        chosen[rows] = True

        def mask(number: int) -> NDArray[np.uint8]:
            return np.packbits(chosen[firsts[number] : firsts[number + 1]])

        return PartitionSource(self._made_of_each("among", among, mask), self.fits)

    def weighted(self, weights: Array) -> DocumentPartitions:
        """Return the same documents, each to count so much in fits."""
        firsts = self.data.firsts

        def of_partition(number: int) -> Array:
            return weights[firsts[number] : firsts[number + 1]]

        data = self._made_of_each("weigh", weigh, of_partition)
        return DocumentPartitions(self._cluster, data, self.fits)

    def of_terms(self, terms: FewerTerms) -> DocumentPartitions:
        """Return the same documents by some of the terms."""
        data = self._made_of_each("terms", fewer_terms, lambda number: terms)
        return DocumentPartitions(self._cluster, data, self.fits)

    def _made_of_each(
        self, name: str, make: Callable[[Partition, Any], Partition], argument: Callable[[int], Any]
    ) -> PartitionedData:
        """Make a partition of each partition, and again if it is lost."""
        whole, cluster = self.data, self._cluster

        def made_of(number: int) -> Any:
            return cluster.task(f"{name}-{number}", make, whole.references[number], argument(number))

        def supply(number: int) -> Any:
            whole.supply_lost()
            return made_of(number)

        def attempt() -> PartitionedData:
            whole.supply_lost()
            return data_of(cluster, [made_of(number) for number in range(self.n_partitions)])

        return replace(cluster.persist(attempt, whole.references), supply=supply)


@dataclass(frozen=True)
class TextOptions:
    """The options of the detector by which partitions are read, and the column of the texts in tables."""

    values: Mapping[str, Any]
    column: str | None


def to_read_again(documents: Any) -> Any:
    """Return documents that can be read again if workers are lost: collections as they are, others as a list."""
    return documents if is_collection(documents) else as_documents(documents)[0]


def learn_vocabulary(cluster: Cluster, documents: Any, options: TextOptions, rules: Any) -> CountedTexts:
    """Count documents on the workers, and learn the vocabulary."""
    inputs = Inputs.of(cluster, documents)
    counted = [
        cluster.task(f"count-{number}", count, number, inputs.reference(number), options)
        for number in range(inputs.n_partitions)
    ]
    cluster.made(counted)
    boilerplate: Any = NOTHING
    if boilerplate_share(options.values, TEXTS) is not None:
        passages = [cluster.task(f"passages-{number}", passages_in, part) for number, part in enumerate(counted)]
        total = added_up(cluster, "passages", PassageTally.together, passages)
        boilerplate = cluster.result(cluster.task("boilerplate", boilerplate_of, total, options.values))
        there = cluster.constant("boilerplate", boilerplate)
        counted = [cluster.task(f"trim-{number}", trim, part, there, options) for number, part in enumerate(counted)]
    tallies = [cluster.task(f"tally-{number}", TermTally.of, part) for number, part in enumerate(counted)]
    total = added_up(cluster, "tally", TermTally.together, tallies)
    vocabulary = cluster.result(
        cluster.task("vocabulary", PartitionsVocabulary.of, total, options.values["min_df"], rules)
    )
    return CountedTexts(cluster, inputs, options, counted, boilerplate, vocabulary)


def added_up(cluster: Cluster, name: str, together: Callable[..., Any], tallies: list[Any]) -> Any:
    """Add tallies up by a tree of tasks."""
    while len(tallies) > 1:
        groups = [tallies[low : low + BRANCHES] for low in range(0, len(tallies), BRANCHES)]
        tallies = [cluster.task(f"{name}-{number}", together, *group) for number, group in enumerate(groups)]
    return tallies[0]


@dataclass(frozen=True)
class Inputs:
    """Partitions as given: references that Dask can compute again, or local documents that can be sent again."""

    cluster: Cluster
    n_partitions: int
    references: list[Any] | None
    parts: list[list[Any]]

    @classmethod
    def of(cls, cluster: Cluster, documents: Any) -> Inputs:
        """Take the partitions of a collection, or cut documents in memory into a few for each worker."""
        if is_matrix(documents) or (isinstance(documents, list | tuple) and any(map(is_matrix, documents[:1]))):
            raise InputError(
                "Expected texts or rows of items, got a matrix. Fit TextOutlierDetector on it in one process, or TONMF with an "
                "executor."
            )
        if is_collection(documents):
            references = inputs_of(cluster, documents)
            return cls(cluster, len(references), references, [])
        listed, _ = as_documents(documents)
        _check_no_partitions(listed)
        n_partitions = min(PARTITIONS_PER_WORKER * len(cluster.workers()), len(listed))
        edges = np.linspace(0, len(listed), n_partitions + 1).astype(int)
        parts = [listed[low:high] for low, high in pairwise(edges)]
        return cls(cluster, n_partitions, None, parts)

    @classmethod
    def of_rows(cls, cluster: Cluster, X: Any) -> Inputs:
        """Take the partitions of rows of numbers, or a matrix in memory as one partition."""
        references = inputs_of(cluster, X if is_collection(X) else [X])
        return cls(cluster, len(references), references, [])

    def reference(self, number: int) -> Any:
        """Return a reference to a partition."""
        if self.references is not None:
            return self.references[number]
        workers = self.cluster.workers()
        return self.cluster.send_to(self.parts[number], workers[number % len(workers)])

    @property
    def can_be_sent_again(self) -> bool:
        """Return whether the documents are in this process."""
        return self.references is None


def _check_no_partitions(documents: Sequence[Any]) -> None:
    """Reject a list of lists of texts, which would be taken for rows of items."""
    first = next((row for row in documents if not isinstance(row, str) and len(row)), ())
    if len(first) and all(isinstance(item, str) and item.count(" ") >= TEXT_SPACES for item in first):
        raise InputError(
            "Expected texts, or rows of items; got rows of whole texts. If they are partitions, give delayed objects or "
            "futures, such as client.scatter(partitions); if they are rows of items, a bag of them."
        )


@dataclass(frozen=True)
class CountedTexts:
    """Counted documents: references to their counts, boilerplate, and the vocabulary."""

    cluster: Cluster
    inputs: Inputs
    options: TextOptions
    counted: list[Any]
    boilerplate: Boilerplate
    vocabulary: PartitionsVocabulary

    def corpus(self, names: Sequence[Any] | None) -> Corpus:
        """Return the corpus, with all blocks on the workers; `names` are those of the documents."""
        cluster, max_topics = self.cluster, self.options.values["max_topics"]
        learnt = cluster.constant("vocabulary", self.vocabulary)
        references = [
            cluster.task(f"vectorize-{number}", vectorize, part, learnt, max_topics)
            for number, part in enumerate(self.counted)
        ]
        data = data_of(cluster, references)

        def supply(number: int) -> Any:
            again = cluster.task(f"count-{number}", count, number, self.inputs.reference(number), self.options)
            again = cluster.task(f"trim-{number}", trim, again, self.boilerplate, self.options)
            learnt = cluster.constant("vocabulary", self.vocabulary)
            return cluster.task(f"vectorize-{number}", vectorize, again, learnt, max_topics)

        if self.inputs.can_be_sent_again:
            data = replace(data, supply=supply)
        self.counted.clear()  # workers need not keep them
        source, executor, terms = DocumentPartitions(cluster, data), DaskExecutor(cluster), self.vocabulary.terms
        checked = None if names is None else check_names(names, source.n_docs)
        totals = WordTotals.joined(executor.gather(totals_of, source))
        background = executor.run(add_counts, source, EmptySums((len(terms), 1))).P[:, 0]
        describe = describer(source, executor, checked)
        return Corpus(
            source, executor, terms, self.vocabulary.idf, self.vocabulary.weights, background, totals, describe
        )


def describer(
    source: DocumentPartitions, executor: DaskExecutor, names: Sequence[str] | None
) -> Callable[[Numbers], tuple[list[str], list[str]]]:
    """Return a function that fetches the names and excerpts of the documents that are asked for."""

    def describe(rows: Numbers) -> tuple[list[str], list[str]]:
        def excerpts_of(block: Any) -> list[str]:
            return [block.excerpts[row] for row in block.inside(rows)]

        excerpts = [excerpt for of_block in executor.gather(excerpts_of, source) for excerpt in of_block]
        return [str(row) if names is None else names[row] for row in rows], excerpts

    return describe


def in_this_process(corpus: Corpus, max_topics: int, ops: Ops) -> Corpus:
    """Return the same corpus with all documents in memory here."""
    everything = np.arange(corpus.n_docs)
    rows, described = corpus.take(everything), corpus.describe(everything)
    source = CountedSource(rows.Y, rows.C, rows.totals, max_topics, ops)
    background = np.bincount(rows.C.indices, rows.C.data, len(corpus.terms)).astype(np.float64)

    def describe(numbers: Numbers) -> tuple[list[str], list[str]]:
        names, excerpts = ([told[number] for number in numbers] for told in described)
        return names, excerpts

    at_hand = replace(corpus, source=source, executor=SerialExecutor())
    return replace(at_hand, background=background, totals=rows.totals, describe=describe)


# ---------------------------------------------------------------------- what runs on the workers


def weigh(partition: Partition, weights: Array) -> Partition:
    """Return a partition whose documents count so much."""
    blocks = [block.fresh() for block in partition.blocks]
    for block in blocks:
        block.sample_weight = weights[block.first : block.first + len(block.squared_norms)]
    return Partition(tuple(blocks), partition.n_terms)


def fewer_terms(partition: Partition, terms: FewerTerms) -> Partition:
    """Return a partition by some of the terms."""
    blocks = []
    for block in partition.blocks:
        assert isinstance(block, ExcerptBlock)  # noqa: S101 (partitions of documents have no others)
        rows = rows_of_terms(block, terms)
        X, C = TwoWayMatrix(rows.Y), TwoWayMatrix(rows.C)
        of_rows = squared_norms(rows.Y), block.sample_weight, block.first, np.zeros((0, 0), rows.Y.dtype)
        blocks.append(ExcerptBlock(X, *of_rows, C=C, totals=rows.totals, excerpts=block.excerpts))
    return Partition(tuple(blocks), len(terms.kept))


def count(number: int, given: Any, options: TextOptions) -> CountedPartition:
    """Count a partition."""
    try:
        listed = list_of(given, options.column)
        if not is_matrix(listed) and len(listed := list(listed_series(listed))) == 0:
            return CountedPartition.empty()
        documents, kind = as_documents(listed)
        begins = tuple(excerpt_of(document) for document in documents)
        return CountedPartition.of(documents, kind, options.values, begins)
    except InputError as error:
        raise InputError(f"Partition {number}: ", error.message) from error


def passages_in(counted: CountedPartition) -> PassageTally:
    """Return in how many documents of a partition each of its passages is."""
    return counted.tally


def trim(counted: CountedPartition, boilerplate: Boilerplate, options: TextOptions) -> CountedPartition:
    """Take the words of boilerplate away from a partition."""
    return counted.without(boilerplate, options.values)


def list_of(given: Any, column: str | None) -> Any:
    """Return the documents of a partition; of a table, those of a column."""
    if not hasattr(given, "columns"):
        if column is not None:
            raise InputError(f"There is no column {column!r}: the documents are no table. Leave it out.")
        return given
    names = [str(name) for name in given.columns]
    if column is None and len(names) > 1:
        raise InputError(f"Expected the name of the column that has the texts; there are {', '.join(names)}.")
    chosen = names[0] if column is None else column
    if chosen not in names:
        raise InputError(f"There is no column {chosen!r}; there are {', '.join(names)}.")
    return given[chosen]


def vectorize(counted: CountedPartition, vocabulary: PartitionsVocabulary, max_topics: int) -> Partition:
    """Make blocks of counts and unit rows of a partition."""
    if counted.n_docs == 0:
        return Partition((), 0)
    counts = vocabulary.counts_of(counted)
    C = damped(counts.matrix)
    source = CountedSource(unit_rows(C, vocabulary.weights), C, counts.totals, max_topics, make_ops("numba", 1))
    blocks = [
        ExcerptBlock.with_excerpts(block, counted.begins[block.first : block.first + len(block.squared_norms)])
        for block in source.blocks()
    ]
    return Partition(tuple(blocks), len(vocabulary.terms))


def totals_of(block: Any) -> WordTotals:
    """Return the totals of each document."""
    totals: WordTotals = block.totals
    return totals


def add_counts(block: Any, sums: Sums) -> None:
    """Add Σ_i c_it to the sums."""
    counts = block.C.by_row
    sums.P[:, 0] += np.bincount(counts.indices, counts.data, counts.shape[1])
