"""The labelled corpora of `benchmarks.robustness`: small enough that a fit takes about a second.

Where they come from collections that `benchmarks.tasks` uses too, they have the classes of tasks that are marked `tuned`: what
is decided by them counts as tuned on those. Other tasks share some of these documents, but ask other questions of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.log_lines import log_lines
from benchmarks.tasks import HARDWARE, bbc, newsgroups_bodies, reuters
from tonmf.datasets import load_noticeboard
from tonmf.datasets.archives import Document

Texts = tuple[list[str], NDArray[np.int64]]
"""Documents, and labels: 1 for outliers."""


def demo() -> Texts:
    """Return the notice board that comes with the package."""
    board = load_noticeboard()
    return list(board.texts or []), board.labels


def bbc_news() -> Texts:
    """Return BBC news: 800 on business and politics, 30 on tech."""
    return _chosen(bbc(), ("business", "politics"), 800, "tech", 30)


def reuters_titles() -> Texts:
    """Return titles of Reuters stories: 1,000 on earnings and acquisitions, 40 on interest rates."""
    titles = [Document(story.id, story.label, story.text.partition("\n")[0]) for story in reuters()]
    return _chosen([title for title in titles if len(title.text.split()) >= 3], ("earn", "acq"), 1000, "interest", 40)


def newsgroups() -> Texts:
    """Return posts without headers and quotes: 1,000 of the hardware groups, 30 of the Christian group."""
    long_enough = [post for post in newsgroups_bodies() if len(post.text.split()) >= 20]
    return _chosen(long_enough, HARDWARE, 1000, "soc.religion.christian", 30)


def logs() -> Texts:
    """Return 2,000 log lines, 10 of them faults."""
    return log_lines()


CORPORA: dict[str, Callable[[], Texts]] = {
    "demo": cache(demo),
    "BBC": cache(bbc_news),
    "Reuters titles": cache(reuters_titles),
    "20 Newsgroups": cache(newsgroups),
    "logs": cache(logs),
}
"""Functions that return a corpus, by name. Each returns the same one every time."""


def _chosen(documents: Sequence[Document], ordinary: Sequence[str], n: int, strange: str, n_strange: int) -> Texts:
    """Draw ordinary documents and outliers, in random order."""
    rng = np.random.default_rng(0)
    first = rng.permutation([i for i, document in enumerate(documents) if document.label in ordinary])[:n]
    others = rng.permutation([i for i, document in enumerate(documents) if document.label == strange])[:n_strange]
    numbers = rng.permutation(np.concatenate([first, others]))
    labels = np.array([documents[i].label == strange for i in numbers], np.int64)
    return [documents[i].text for i in numbers], labels
