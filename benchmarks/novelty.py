"""How soon a held-back newsgroup is noticed when it appears in a stream, compared with k-means on tf-idf.

The stream has messages of seven of the 20 Newsgroups, bodies only, in random order: 2,000 to learn from, 2,000 in which nothing
is new, then 1,500 of which 8 % are from a group that was held back. Both methods keep the strangest quarter of the documents,
look for groups among them after every 8, and announce a group of 5 or more that came later than the rest by more than chance
(p < 0.001). They differ in how they score strangeness, and in how they find groups.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.harness import print_table, save
from benchmarks.tasks import newsgroups_bodies
from tonmf import TextOutlierDetector
from tonmf.timeline.bursts import latest_burst
from tonmf.timeline.follow import follow
from tonmf.timeline.nursery import CAPACITY, CHANCE, EVERY, LEAST, RECENT, STRANGE_SHARE, Nursery

ORDINARY = (
    "comp.sys.ibm.pc.hardware",
    "comp.os.ms-windows.misc",
    "rec.autos",
    "rec.sport.baseball",
    "sci.med",
    "talk.politics.mideast",
    "alt.atheism",
)
HELD_BACK = ("sci.space", "talk.politics.guns", "rec.sport.hockey", "sci.crypt", "rec.motorcycles", "misc.forsale")
FIRST, QUIET, LATER, NEW = 2000, 2000, 1380, 120
FEWEST_WORDS = 20


@dataclass(frozen=True)
class Stream:
    """Texts to learn from, texts that follow, and a mask of the latter that marks the held-back group."""

    first: list[str]
    later: list[str]
    new: NDArray[np.bool_]

    @classmethod
    def of(cls, group: str, seed: int) -> Stream:
        """Draw a stream by a seed."""
        long_enough = [d for d in newsgroups_bodies() if len(d.text.split()) >= FEWEST_WORDS]
        rng = np.random.RandomState(seed)
        ordinary = [d.text for d in long_enough if d.label in ORDINARY]
        held_back = [d.text for d in long_enough if d.label == group]
        rng.shuffle(ordinary)
        rng.shuffle(held_back)
        before, after = ordinary[FIRST : FIRST + QUIET], ordinary[FIRST + QUIET : FIRST + QUIET + LATER]
        mixed = [*((text, False) for text in after), *((text, True) for text in held_back[:NEW])]
        order = rng.permutation(len(mixed))
        new = np.array([False] * QUIET + [mixed[i][1] for i in order])
        return cls(ordinary[:FIRST], [*before, *(mixed[i][0] for i in order)], new)


@dataclass(frozen=True)
class Noticed:
    """A mask of the flagged documents, and for each announced group the document that triggered it and its members."""

    flagged: NDArray[np.bool_]
    groups: list[tuple[int, list[int]]]


def by_tonmf(stream: Stream) -> Noticed:
    """Run `follow`, which learns as it goes."""
    detector, nursery = TextOutlierDetector().fit(stream.first), Nursery()
    nursery.remember(detector, stream.first, detector.outlier_scores_, [str(-1)] * len(stream.first), range(-FIRST, 0))
    timeline = follow(detector, stream.later, list(range(len(stream.later))), window="1000 s", nursery=nursery)
    groups = [
        (int(alert.new.raised), [int(name) for name in alert.new.documents if name != "-1"])
        for alert in timeline.alerts
    ]
    return Noticed(timeline.outliers, groups)


def by_k_means(stream: Stream) -> Noticed:
    """Score by distance to the nearest of 25 centroids, cluster the farthest by k-means, and add a centroid for each group."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2).fit(stream.first)
    first, later = vectorizer.transform(stream.first), vectorizer.transform(stream.later)
    centres = KMeans(25, n_init=1, random_state=0).fit(first).cluster_centers_
    distances = _distances(first, centres)
    cut = float(np.median(distances) + 2.25 * (np.quantile(distances, 0.84) - np.median(distances)))
    strange = deque(_strangest(distances), maxlen=CAPACITY)
    recent = deque(distances.tolist()[-RECENT:], maxlen=RECENT)
    rows, flagged, groups, waiting = sp.vstack([first, later]).tocsr(), [], [], 0
    for number in range(later.shape[0]):
        distance = float(_distances(later[number], centres)[0])
        flagged.append(distance > cut)
        is_strange = distance > np.quantile(recent, 1 - STRANGE_SHARE)
        recent.append(distance)
        if not is_strange:
            continue
        strange.append(FIRST + number)
        waiting += 1
        if waiting < EVERY:
            continue
        waiting = 0
        group = _late_cluster(rows, np.array(strange))
        if group is not None:
            groups.append((number, [int(row) - FIRST for row in group if row >= FIRST]))
            centres = np.vstack([centres, np.asarray(rows[group].mean(axis=0))])
            strange = deque((row for row in strange if row not in set(group.tolist())), maxlen=CAPACITY)
    return Noticed(np.array(flagged), groups)


def _distances(rows: sp.csr_matrix, centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosine distances to the nearest centroid."""
    norms = np.linalg.norm(centres, axis=1)
    return 1 - np.asarray(rows @ (centres / np.maximum(norms, 1e-12)[:, None]).T).max(axis=1)


def _strangest(distances: NDArray[np.float64]) -> list[int]:
    return np.flatnonzero(distances > np.quantile(distances, 1 - STRANGE_SHARE)).tolist()


def _late_cluster(rows: sp.csr_matrix, strange: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the cluster with the lowest p-value, if it is low enough."""
    labels = KMeans(25, n_init=1, random_state=0).fit_predict(rows[strange])
    best = (CHANCE, None)
    for label in range(labels.max() + 1):
        members = np.flatnonzero(labels == label)
        if len(members) >= LEAST:
            chance, first = latest_burst(members, len(strange), LEAST)
            if chance < best[0]:
                best = (chance, strange[members[first:]])
    return best[1]


METHODS: dict[str, Callable[[Stream], Noticed]] = {"tonmf": by_tonmf, "k-means": by_k_means}


def figures(stream: Stream, noticed: Noticed) -> dict[str, Any]:
    """Summarise what a method noticed, counted in documents of the group."""
    came = np.cumsum(stream.new)
    mostly = [(after, rows) for after, rows in noticed.groups if rows and stream.new[rows].mean() > 0.5]
    flagged = np.flatnonzero(noticed.flagged & stream.new)
    first = mostly[0] if mostly else None
    return {
        "until_flagged": int(came[flagged[0]]) if len(flagged) else None,
        "until_topic": None if first is None else int(came[first[0]]),
        "size": None if first is None else len(first[1]),
        "of_the_group": None if first is None else float(stream.new[first[1]].mean()),
        "false_before": sum(after < QUIET for after, _ in noticed.groups),
        "false_after": sum(after >= QUIET for after, _ in noticed.groups) - len(mostly),
        "topics_of_the_group": len(mostly),
        "flagged_share": float(noticed.flagged[~stream.new].mean()),
    }


def measured() -> Iterator[dict[str, Any]]:
    """Yield a row for every group and method."""
    for group in HELD_BACK:
        stream = Stream.of(group, seed=0)
        for method, notice in METHODS.items():
            start = time.perf_counter()
            found = figures(stream, notice(stream))
            row = {"group": group, "method": method, **found, "seconds": time.perf_counter() - start}
            print(row, flush=True)
            yield row


def main(arguments: list[str]) -> None:
    """Measure all groups, print and save."""
    results = list(measured())
    columns = {
        "held-back group": "group",
        "method": "method",
        "until flagged": "until_flagged",
        "until a topic": "until_topic",
        "documents": "size",
        "of the group": "of_the_group",
        "false before": "false_before",
        "false after": "false_after",
    }
    rows = [["–" if row[key] is None else row[key] for key in columns.values()] for row in results]
    print_table("Documents of the held-back group until it is noticed, and false alarms", list(columns), rows)
    save("novelty", results)
