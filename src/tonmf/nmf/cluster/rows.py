"""Rows of numbers on a cluster: from what the user passes to checked partitions on workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from tonmf.arrays import Array
from tonmf.errors import InputError
from tonmf.nmf.cluster.client import Cluster
from tonmf.nmf.cluster.partitions import Partition, PartitionedData, PartitionFacts, PartitionSource
from tonmf.nmf.cluster.worker import facts_of
from tonmf.nmf.in_memory import MatrixSource, default_block_size, rows_between
from tonmf.nmf.threads import make_ops
from tonmf.nmf.validation import check_rows

PARTITIONS_PER_WORKER = 2
"""Partitions per worker that a matrix in memory is cut into."""


def is_collection(X: Any) -> bool:
    """Return whether X is a Dask collection, delayed, a future, or a list of partitions."""
    if isinstance(X, list | tuple):
        return len(X) > 0 and (_is_lazy(X[0]) or sp.issparse(X[0]) or hasattr(X[0], "iloc"))
    return _is_lazy(X)


def _is_lazy(X: Any) -> bool:
    return hasattr(X, "__dask_graph__") or (hasattr(X, "key") and hasattr(X, "result"))


def inputs_of(cluster: Cluster, X: Any) -> list[Any]:
    """Return references to the partitions of a bag, array, dataframe or list, not checked yet."""
    if hasattr(X, "compute_chunk_sizes") and X.ndim != 2:
        raise InputError(f"Expected an array of rows, with 2 dimensions; got one with {X.ndim}.")
    if isinstance(X, list | tuple):
        workers = cluster.workers()
        lazy = [
            part if _is_lazy(part) else cluster.send_to(part, workers[number % len(workers)])
            for number, part in enumerate(X)
        ]
    elif hasattr(X, "compute_chunk_sizes"):
        lazy = list(X.rechunk({1: -1}).to_delayed().ravel())
    else:
        lazy = list(X.to_delayed()) if hasattr(X, "to_delayed") else [X]
    if not lazy:
        raise InputError("Expected at least one partition, got none.")
    return [cluster.computed(part) if hasattr(part, "__dask_graph__") else part for part in lazy]


def cut_rows(
    cluster: Cluster, X: sp.csr_matrix, weights: Array, n_topics: int, block_size: int | None
) -> PartitionSource:
    """Cut a checked matrix into partitions and send them to the workers; send lost ones again."""
    workers = cluster.workers()
    n_docs = X.shape[0]
    most = PARTITIONS_PER_WORKER * len(workers)
    edges = np.linspace(0, n_docs, min(most, n_docs) + 1).astype(int)

    def partition(number: int) -> Partition:
        low, high = edges[number], edges[number + 1]
        return as_partition(rows_between(X, low, high), weights[low:high], n_topics, block_size)

    def supply(number: int) -> Any:
        there = cluster.workers()
        return cluster.send_to(partition(number), there[number % len(there)])

    numbers = range(len(edges) - 1)
    facts = [partition(number).facts() for number in numbers]
    return PartitionSource(PartitionedData([supply(number) for number in numbers], facts, supply))


def read_rows(cluster: Cluster, X: Any, n_topics: int, block_size: int | None) -> PartitionSource:
    """Read and check the partitions of a collection on the workers, where they stay."""
    references = [
        cluster.task(f"read-{number}", rows_of, number, part, n_topics, block_size)
        for number, part in enumerate(inputs_of(cluster, X))
    ]
    return PartitionSource(data_of(cluster, references))


def data_of(cluster: Cluster, references: list[Any]) -> PartitionedData:
    """Wait for partitions, and check that they fit together."""
    facts = cluster.read([cluster.task(f"check-{n}", facts_of, reference) for n, reference in enumerate(references)])
    check_facts(facts)
    return PartitionedData(references, facts)


def check_facts(facts: Sequence[PartitionFacts]) -> None:
    """Raise `InputError` unless all partitions have the same columns and dtype."""
    filled = [(number, fact) for number, fact in enumerate(facts) if fact.n_docs]
    if not filled:
        raise InputError("None of the partitions has any document.")
    known, first = filled[0]
    for number, fact in filled[1:]:
        if fact.n_terms != first.n_terms:
            raise InputError(
                f"Partition {number} has {fact.n_terms} columns, but partition {known} has {first.n_terms}. Count all "
                "partitions by the same vocabulary."
            )
        if fact.dtype != first.dtype:
            raise InputError(
                f"Partition {number} holds {fact.dtype}, but partition {known} {first.dtype}. Give all the same type."
            )


class TONMFPartition(BaseEstimator):  # type: ignore[misc]
    """Stands for the model when a partition is checked."""


def rows_of(number: int, given: Any, n_topics: int, block_size: int | None) -> Partition:
    """Check the rows of a partition."""
    try:
        X = together(given)
        if X is None or X.shape[0] == 0:
            return Partition((), 0)
        rows = check_rows(TONMFPartition(), X, reset=True)
    except (ValueError, TypeError) as error:
        raise InputError(f"Partition {number}: {error}") from error
    return as_partition(rows, np.ones(rows.shape[0]), n_topics, block_size)


def together(given: Any) -> Any:
    """Join the contents of a partition: a matrix, an array, a table, or a list of rows or matrices."""
    if isinstance(given, np.ndarray) or sp.issparse(given) or hasattr(given, "iloc"):
        return given
    parts = list(given)
    if not parts:
        return None
    if any(sp.issparse(part) for part in parts):
        return sp.csr_matrix(sp.vstack(parts))
    return np.vstack([np.atleast_2d(np.asarray(part)) for part in parts])


def as_partition(rows: sp.csr_matrix, weights: Array, n_topics: int, block_size: int | None) -> Partition:
    """Cut checked rows into blocks that fit the caches."""
    size = block_size or default_block_size(rows, n_topics)
    blocks = MatrixSource(rows, weights, size, make_ops("numba", 1)).blocks()
    return Partition(tuple(blocks), rows.shape[1])
