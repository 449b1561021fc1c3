"""The data sets of the experiments, drawn by a seed and read as counts or as tf-idf rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tonmf.datasets import (
    PAPER_BASKETS,
    Archive,
    Dataset,
    load_bbc,
    load_newsgroups,
    load_reuters,
    load_wiki_people,
    make_baskets,
)
from tonmf.datasets.registry import BBC, NEWSGROUPS, REUTERS_MATRIX, REUTERS_TEXTS, WIKI_PEOPLE
from tonmf.detector.detector import TextOutlierDetector
from tonmf.experiments.specification import Config
from tonmf.parameters import defaults_of
from tonmf.text.choose import make_counter
from tonmf.text.documents import COUNTS, TEXTS
from tonmf.text.weighting import damped, inverse_document_frequencies, unit_rows

QUICK_DOCUMENTS = 1_000
"""Most documents in a quick run: the first ones of a draw."""


@dataclass(frozen=True)
class Task:
    """A data set of the paper, or one that helps to understand it."""

    name: str
    title: str
    about: str
    load: Callable[[int], Dataset]
    archive: Archive[Any] | None = None
    """The file with the data; None if it is synthetic."""


def one_of_each_thread(posts: Dataset) -> Dataset:
    """Keep the first post of every thread; replies belong to the subject they reply to."""
    first: dict[str, int] = {}
    for number, text in enumerate(posts.texts or []):
        first.setdefault(subject_of(text), number)
    return chosen(posts, list(first.values()))


def subject_of(post: str) -> str:
    """Return a post's subject line without reply marks, or the post itself if it has none.

    >>> subject_of("From: a@b\\nSubject: Re: RE: Which disk?\\n\\nThis one.")
    'which disk?'
    """
    found = re.search(r"^Subject:(?:\s*re:)*(.*)$", post, re.MULTILINE | re.IGNORECASE)
    return found.group(1).strip().lower() if found else post


def chosen(dataset: Dataset, numbers: list[int]) -> Dataset:
    """Return some of the documents, by their numbers."""
    return replace(
        dataset,
        labels=dataset.labels[numbers],
        ids=[dataset.ids[number] for number in numbers],
        texts=None if dataset.texts is None else [dataset.texts[number] for number in numbers],
        X=None if dataset.X is None else dataset.X[numbers],
    )


def _quest_baskets(seed: int) -> Dataset:
    return make_baskets(10_250, 250, options=PAPER_BASKETS, random_state=seed)


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "reuters",
            "Reuters",
            "Reuters-21578 as a matrix with the paper's 18,933 terms: 5,768 documents of earn and acq, 100 of interest",
            lambda seed: load_reuters("matrix", random_state=seed),
            REUTERS_MATRIX,
        ),
        Task(
            "reuters-text",
            "Reuters, from the texts",
            "the same selection from the original texts, counted here",
            lambda seed: load_reuters("texts", random_state=seed),
            REUTERS_TEXTS,
        ),
        Task(
            "rcv20",
            "RCV20",
            "20 Newsgroups as posted: 1,945 posts on IBM and Mac hardware, 50 of the Windows group",
            lambda seed: load_newsgroups(random_state=seed),
            NEWSGROUPS,
        ),
        Task(
            "rcv20-bodies",
            "RCV20, bodies only",
            "the same posts without headers and quoted lines; not in the paper",
            lambda seed: load_newsgroups(headers=False, random_state=seed),
            NEWSGROUPS,
        ),
        Task(
            "rcv20-threads",
            "RCV20, a post a thread",
            "only the first post of each thread, by subject line, in the shuffled order; not in the paper either",
            lambda seed: one_of_each_thread(load_newsgroups(random_state=seed)),
            NEWSGROUPS,
        ),
        Task(
            "christian",
            "RCV20, christian",
            "the same ordinary posts, 50 of the christian group",
            lambda seed: load_newsgroups(outliers="soc.religion.christian", random_state=seed),
            NEWSGROUPS,
        ),
        Task(
            "bbc",
            "BBC",
            "BBC news: 927 documents of business and politics, 50 of tech",
            lambda seed: load_bbc(random_state=seed),
            BBC,
        ),
        Task(
            "wiki-people",
            "Wiki People",
            "sections of 756 Wikipedia biographies, prepared by the paper's rules: 2,332 on career and life, 100 on death; "
            "a stand-in, since the paper's own data is not available",
            lambda seed: load_wiki_people("matrix", random_state=seed),
            WIKI_PEOPLE,
        ),
        Task(
            "baskets",
            "Market baskets",
            "four groups of 2,500 Quest baskets from four seeds, 250 from a fifth; 300 items on average, 50,000 in all",
            _quest_baskets,
        ),
    )
}


@dataclass(frozen=True)
class Draw:
    """One draw of a task."""

    dataset: Dataset

    @property
    def labels(self) -> NDArray[np.int64]:
        """Return 1 for outliers, else 0."""
        return self.dataset.labels

    @property
    def documents(self) -> Any:
        """Return texts or a matrix of counts, as the detector takes them."""
        return self.dataset.X if self.dataset.texts is None else self.dataset.texts

    def without_outliers(self) -> Draw:
        """Return the same documents without the outliers."""
        return Draw(chosen(self.dataset, np.flatnonzero(self.labels == 0).tolist()))

    @cached_property
    def counts(self) -> sp.csr_matrix:
        """Return term counts as in the paper: all terms of a matrix, and of texts the terms that the detector would count."""
        return self.dataset.X if self.dataset.texts is None else self._terms

    @cached_property
    def _terms(self) -> sp.csr_matrix:
        kind = COUNTS if self.dataset.texts is None else TEXTS
        return make_counter(defaults_of(TextOutlierDetector), kind, None).learn(self.documents).matrix

    @cached_property
    def tfidf(self) -> sp.csr_matrix:
        """Return the rows that the detector fits: terms of at least two documents, damped, weighted, at unit norm."""
        return unit_rows(damped(self._terms), inverse_document_frequencies(self._terms))

    def rows(self, kind: str) -> sp.csr_matrix:
        """Return the rows of a kind, ``counts`` or ``tf-idf``."""
        return self.counts if kind == "counts" else self.tfidf


ROWS = ("counts", "tf-idf")


def draw(config: Config) -> Draw:
    """Return the draw that a configuration names by ``task``, ``seed`` and ``quick``."""
    return _draw(config["task"], config["seed"], config["quick"])


@lru_cache(maxsize=1)  # measurements on one draw follow one another
def _draw(task: str, seed: int, quick: bool) -> Draw:
    if quick and task == "baskets":
        return Draw(make_baskets(QUICK_DOCUMENTS, QUICK_DOCUMENTS // 40, options=PAPER_BASKETS, random_state=seed))
    dataset = TASKS[task].load(seed)
    return Draw(chosen(dataset, list(range(len(dataset.ids)))[:QUICK_DOCUMENTS]) if quick else dataset)
