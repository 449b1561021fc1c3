"""Labelled data to try the detectors on.

============= ===========================================================================
`labelled`    `Dataset`: documents, and which of them are outliers
`noticeboard` a small corpus that comes with the package
`synthetic`   made-up reports and baskets, the latter by the Quest generator (`quest`)
`loaders`     the real collections of the paper, as tasks (`selection` chooses documents)
`registry`    the archives of these collections; `archives` reads them, `fetching` gets them
============= ===========================================================================
"""

from __future__ import annotations

import numpy as np

from tonmf.datasets.fetching import fetch_archive
from tonmf.datasets.labelled import Dataset
from tonmf.datasets.loaders import load_bbc, load_newsgroups, load_reuters, load_wiki_people
from tonmf.datasets.noticeboard import read_noticeboard
from tonmf.datasets.quest import QuestOptions
from tonmf.datasets.registry import ARCHIVES, Archive
from tonmf.datasets.synthetic import make_basket_groups, write_corpus

__all__ = [
    "ARCHIVES",
    "PAPER_BASKETS",
    "Archive",
    "Dataset",
    "QuestOptions",
    "fetch_archive",
    "load_bbc",
    "load_newsgroups",
    "load_noticeboard",
    "load_reuters",
    "load_wiki_people",
    "make_baskets",
    "make_corpus",
]


BASKETS = QuestOptions(mean_length=20, n_items=1000, n_patterns=100)
"""Baskets of a small shop."""
PAPER_BASKETS = QuestOptions(mean_length=300, n_items=50_000)
"""The paper's baskets: ``make_baskets(10_250, 250, options=PAPER_BASKETS)`` makes four groups of 2,500, and 250 of a fifth."""


def make_corpus(n_docs: int = 500, n_outliers: int = 10, random_state: int = 0) -> Dataset:
    """Make up short news reports on a few subjects, and some that belong to none of them.

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


def load_noticeboard() -> Dataset:
    """Load 260 posts of a neighbourhood's notice board, written for this package, twelve of which do not belong.

    Returns
    -------
    dataset : Dataset

    Examples
    --------
    >>> board = load_noticeboard()
    >>> len(board.texts), int(board.labels.sum())
    (260, 12)
    """
    posts = read_noticeboard()
    labels = np.array([int(post.planted is not None) for post in posts])
    return Dataset("notice board", labels, [post.id for post in posts], [post.text for post in posts])


def make_baskets(
    n_docs: int = 1000,
    n_outliers: int = 20,
    *,
    n_groups: int = 4,
    options: QuestOptions = BASKETS,
    random_state: int = 0,
) -> Dataset:
    """Make up market baskets of a few groups of customers, and some of another group, by the Quest generator.

    Parameters
    ----------
    n_docs : int
        All baskets, outliers included.
    n_outliers : int
        How many of them are outliers: baskets of another group, with patterns that no other has.
    n_groups : int
        Groups of ordinary customers, each with patterns of its own.
    options : QuestOptions
        Options of the generator; its number of transactions is ignored. `PAPER_BASKETS` are as long as the paper's.
    random_state : int
        Seed; the same seed gives the same baskets.

    Returns
    -------
    dataset : Dataset
        With counts in ``X``, a column for each item.

    Examples
    --------
    >>> baskets = make_baskets(n_docs=100, n_outliers=3)
    >>> baskets.X.shape, int(baskets.labels.sum())
    ((100, 1000), 3)
    """
    X, labels = make_basket_groups(n_docs, n_outliers, n_groups, options, random_state)
    return Dataset("baskets", labels, [f"basket-{i:04d}" for i in range(n_docs)], X=X)
