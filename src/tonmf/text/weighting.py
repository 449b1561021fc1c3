"""From counts to rows: how much a term weighs in a document.

====== ================== ==================================================================
letter shape              what
====== ================== ==================================================================
C      n_docs × n_terms   damped counts c = 1 + ln(count): the tenth mention says less than the first
idf    n_terms            ln((1 + n)/(1 + df)) + 1: a word of few documents says more
Y      n_docs × n_terms   rows c∘idf at unit norm: long and short documents count alike
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


def unit_rows(C: sp.csr_matrix, idf: Array) -> sp.csr_matrix:
    """Return Y: rows c∘idf at unit norm; a row without terms stays zero."""
    values = C.data * idf[C.indices]
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
