"""From counts to rows: how much a term weighs in a document.

====== ================== ==================================================================
letter shape              what
====== ================== ==================================================================
C      n_docs × n_terms   damped counts c = 1 + ln(count): the tenth mention says less than the first
idf    n_terms            ln((1 + n)/(1 + df)) + 1: a word of few documents says more
w      n_terms            idf, but less for a word that half of the documents or more have
Y      n_docs × n_terms   rows c∘w at unit norm: long and short documents count alike
====== ================== ==================================================================
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.arrays import Array
from tonmf.text.counts import document_frequencies


def damped(counts: sp.csr_matrix) -> sp.csr_matrix:
    """Return c = 1 + ln(count), float32.

    >>> damped(sp.csr_matrix([[1.0, 0.0, np.e]])).toarray().tolist()
    [[1.0, 0.0, 2.0]]
    """
    return _with_values(counts, 1 + np.log(counts.data))


def inverse_document_frequencies(counts: sp.csr_matrix) -> Array:
    """Return the idf of each term in these documents."""
    return idf_of(document_frequencies(counts), counts.shape[0])


def idf_of(document_frequencies: NDArray[np.int64], n_docs: int) -> Array:
    """Return the idf of each term, from the number of documents that it occurs in.

    >>> idf_of(np.array([1, 3]), 3).round(3).tolist()
    [1.693, 1.0]
    """
    idf: Array = np.log((1 + n_docs) / (1 + document_frequencies)) + 1
    return idf


LEAST_WEIGHT = 0.02
"""Share of its idf that a word of all documents has as weight."""


def term_weights(idf: Array, least: float = LEAST_WEIGHT) -> Array:
    """Return w = idf · clip(log₂((1 + n)/(1 + df)), least, 1): words of most documents count like stop words.

    The logarithm is (idf − 1)/ln 2: 1 for a word of half of the documents, 0 for one of all. With `least=1` w is idf.

    >>> term_weights(idf_of(np.array([1, 9, 39]), 39)).round(3).tolist()
    [3.996, 2.386, 0.02]
    """
    weights: Array = idf * np.clip((idf - 1) / np.log(2), least, 1)
    return weights


def unit_rows(C: sp.csr_matrix, weights: Array) -> sp.csr_matrix:
    """Return Y: rows c∘w at unit norm; a row without terms stays zero."""
    values = C.data * weights[C.indices]
    lengths = np.diff(C.indptr)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    norms = np.sqrt(np.bincount(rows, weights=values**2, minlength=len(lengths)))
    return _with_values(C, values / norms[rows])


def _with_values(pattern: sp.csr_matrix, values: Array) -> sp.csr_matrix:
    """Return a matrix of other values in the same places; it shares the arrays of places."""
    matrix = sp.csr_matrix(pattern.shape, dtype=np.float32)
    matrix.data, matrix.indices, matrix.indptr = values.astype(np.float32), pattern.indices, pattern.indptr
    matrix.has_canonical_format = True
    return matrix
