"""Labelled data to try the detectors on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.datasets.synthetic import write_corpus

__all__ = ["Dataset", "make_corpus"]


@dataclass(frozen=True)
class Dataset:
    """Documents with known outliers.

    Attributes
    ----------
    name : str
    labels : ndarray of shape (n_docs,)
        1 for outliers, 0 for the rest.
    ids : list of str
        One name for each document.
    texts : list of str, optional
        The documents, if they are texts.
    X : sparse matrix of shape (n_docs, n_terms), optional
        The documents, if they are rows of numbers.
    """

    name: str
    labels: NDArray[np.int64]
    ids: list[str]
    texts: list[str] | None = None
    X: Any = None


def make_corpus(n_docs: int = 500, n_outliers: int = 10, random_state: int = 0) -> Dataset:
    """Short made-up news reports on a few subjects, and some that belong to none of them.

    Parameters
    ----------
    n_docs : int
        All documents, outliers included.
    n_outliers : int
        How many of them are outliers.
    random_state : int
        Seed; the same seed gives the same texts.

    Returns
    -------
    dataset : Dataset

    Examples
    --------
    >>> corpus = make_corpus(n_docs=100, n_outliers=3)
    >>> len(corpus.texts), int(corpus.labels.sum())
    (100, 3)
    """
    texts, labels = write_corpus(n_docs, n_outliers, np.random.default_rng(random_state))
    return Dataset("synthetic", np.array(labels), [f"doc-{i:04d}" for i in range(n_docs)], texts)
