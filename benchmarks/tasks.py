"""Labelled tasks from real data: ordinary documents of some classes, and a few of another, drawn by a seed.

We tuned on the tasks marked `tuned`: the ladder of topic shares, how nearness to ordinary documents is measured and weighted,
the automatic threshold, and the alarms. On the others we looked at the same choices, but made none. Topics, mixture and the
idea of a ladder were settled earlier, on other draws and partly other data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.harness import data_folder
from tonmf.datasets import Dataset
from tonmf.datasets.archives import (
    Document,
    read_bbc,
    read_biography_sections,
    read_newsgroups,
    read_quest_baskets,
    read_reuters_matrix,
    read_reuters_sgml,
    without_header_and_quotes,
)
from tonmf.datasets.selection import choose_documents
from tonmf.experiments.specification import Config
from tonmf.experiments.tasks import Draw, Task


@dataclass(frozen=True)
class LabelledTask(Task):
    """A `Task` that names the collection of its documents, and tells whether we tuned on it."""

    collection: str = ""
    tuned: bool = False

    @property
    def is_text(self) -> bool:
        """True if documents are texts, which methods that read sentences need."""
        return self.collection in TEXTS

    def draw(self, seed: int) -> Draw:
        """Draw the documents."""
        return Draw(self.load(seed))


@cache
def newsgroups() -> list[Document]:
    """Read 20 Newsgroups as posted."""
    return read_newsgroups(data_folder() / "20news-bydate.tar.gz")


@cache
def newsgroups_bodies() -> list[Document]:
    """Read 20 Newsgroups without headers and quotes; messages that are then empty stay."""
    return [Document(d.id, d.label, without_header_and_quotes(d.text)) for d in newsgroups()]


@cache
def reuters() -> list[Document]:
    """Read Reuters-21578 from the SGML."""
    return read_reuters_sgml(data_folder() / "reuters21578.tar.gz")


@cache
def bbc() -> list[Document]:
    """Read BBC news."""
    return read_bbc(data_folder() / "bbc-fulltext.zip")


@cache
def biographies() -> list[Document]:
    """Read sections of Wikipedia biographies."""
    return read_biography_sections(data_folder() / "wiki-featured-bios.jsonl.gz")


TEXTS: dict[str, Callable[[], list[Document]]] = {
    "20 Newsgroups": newsgroups,
    "20 Newsgroups, bodies": newsgroups_bodies,
    "Reuters": reuters,
    "BBC": bbc,
    "Wikipedia": biographies,
}


def text_task(
    name: str, collection: str, ordinary: Sequence[str], strange: Sequence[str], n: int, tuned: bool = False
) -> LabelledTask:
    """Make a task from texts."""

    def load(seed: int) -> Dataset:
        documents = TEXTS[collection]()
        classes = np.array([document.label for document in documents])
        chosen = [documents[number] for number in choose_documents(classes, ordinary, strange, n, seed)]
        labels = np.array([document.label in strange for document in chosen], np.int64)
        return Dataset(collection, labels, [d.id for d in chosen], [d.text for d in chosen])

    about = f"{', '.join(ordinary)}, and {n} of {', '.join(strange)}"
    return LabelledTask(name, name, about, load, collection=collection, tuned=tuned)


def matrix_task(name: str, strange: int, tuned: bool = False) -> LabelledTask:
    """Make a task from the paper's Reuters matrix: classes 1 and 2 (earn, acq), and 100 of another."""

    def load(seed: int) -> Dataset:
        counts, classes = _reuters_matrix()
        rows = choose_documents(classes, (1, 2), (strange,), 100, seed)
        labels = (classes[rows] == strange).astype(np.int64)
        return Dataset("Reuters matrix", labels, [f"row-{row:04d}" for row in rows], X=counts[rows])

    about = f"classes 1 and 2, and 100 of class {strange}"
    return LabelledTask(name, name, about, load, collection="Reuters matrix", tuned=tuned)


@cache
def _reuters_matrix() -> tuple[sp.csr_matrix, NDArray[np.int64]]:
    return read_reuters_matrix(data_folder() / "Reuters21578.mat")


N_ITEMS = 50_000


def load_baskets(seed: int) -> Dataset:
    """Draw four groups of 2,500 baskets and 250 of a fifth.

    A group is part of one run of the Quest generator with its items renamed at random, which stands for another run: the same
    statistics, other patterns.
    """
    rng = np.random.default_rng(seed)
    baskets = _quest_baskets()
    order = rng.permutation(len(baskets))
    parts = [*np.split(order, 4), rng.choice(order, 250, replace=False)]
    rows, labels = [], []
    for group, part in enumerate(parts):
        names = rng.permutation(N_ITEMS)
        rows += [names[baskets[i]] for i in part]
        labels += [int(group == 4)] * len(part)
    shuffled = rng.permutation(len(rows))
    numbers = np.array(list(chain.from_iterable(parts)))[shuffled]
    ids = [f"basket-{number}-{place}" for place, number in enumerate(numbers)]
    return Dataset("Quest", np.array(labels)[shuffled], ids, X=_counts([rows[i] for i in shuffled]))


def _counts(baskets: list[NDArray[np.int64]]) -> sp.csr_matrix:
    ends = np.cumsum([0, *map(len, baskets)])
    items = np.concatenate(baskets)
    counts = sp.csr_matrix((np.ones(len(items)), items, ends), shape=(len(baskets), N_ITEMS))
    counts.sum_duplicates()
    return counts


@cache
def _quest_baskets() -> list[list[int]]:
    return read_quest_baskets(data_folder() / "quest-T300-N50k-D10k.data.xz")


GROUPS = [
    "alt.atheism",
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
    "misc.forsale",
    "rec.autos",
    "rec.motorcycles",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "sci.crypt",
    "sci.electronics",
    "sci.med",
    "sci.space",
    "soc.religion.christian",
    "talk.politics.guns",
    "talk.politics.mideast",
    "talk.politics.misc",
    "talk.religion.misc",
]

HARDWARE = ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware")


def _newsgroup_tasks(collection: str) -> list[LabelledTask]:
    """Make the paper's pair of groups with two kinds of outliers, ten groups with an eleventh, and four random triples."""
    kind = "bodies" if collection.endswith("bodies") else "posts"
    windows, christian = "comp.os.ms-windows.misc", "soc.religion.christian"
    tasks = [
        text_task(f"hardware {kind} + windows", collection, HARDWARE, (windows,), 50, tuned=True),
        text_task(f"hardware {kind} + christian", collection, HARDWARE, (christian,), 50, tuned=True),
    ]
    rng = np.random.default_rng(sum(map(ord, kind)))
    *ten, eleventh = rng.choice(GROUPS, 11, replace=False)
    tasks.append(text_task(f"ten groups, {kind} + {_short(eleventh)}", collection, ten, (eleventh,), 100))
    for _ in range(4):
        first, second, strange = rng.choice(GROUPS, 3, replace=False)
        name = f"{_short(first)}, {_short(second)} {kind} + {_short(strange)}"
        tasks.append(text_task(name, collection, (first, second), (strange,), 50))
    return tasks


def _short(group: str) -> str:
    return group.removesuffix(".misc").rsplit(".", 1)[-1]


BBC_CLASSES = ("business", "entertainment", "politics", "sport", "tech")

_ALL: list[LabelledTask] = [
    matrix_task("Reuters matrix + interest", 6, tuned=True),
    *[matrix_task(f"Reuters matrix + class {number}", number) for number in (3, 4, 5)],
    *[
        text_task(f"Reuters + {topic}", "Reuters", ("earn", "acq"), (topic,), 100, tuned=topic == "interest")
        for topic in ("interest", "crude", "trade", "money-fx")
    ],
    *_newsgroup_tasks("20 Newsgroups"),
    *_newsgroup_tasks("20 Newsgroups, bodies"),
    text_task("BBC business, politics + tech", "BBC", ("business", "politics"), ("tech",), 50, tuned=True),
    text_task("BBC business + rest", "BBC", ("business",), BBC_CLASSES[1:], 25),
    text_task("BBC sport, entertainment + business", "BBC", ("sport", "entertainment"), ("business",), 50),
    text_task(
        "BBC others + politics", "BBC", [c for c in BBC_CLASSES if c != "politics"], ("politics",), 50, tuned=True
    ),
    text_task("Wikipedia life, career + death", "Wikipedia", ("life", "career"), ("death",), 100, tuned=True),
    LabelledTask(
        "Quest-like baskets",
        "Quest-like baskets",
        "four groups of 2,500 baskets, and 250 of a fifth",
        load_baskets,
        collection="Quest",
    ),
]

TASKS: dict[str, LabelledTask] = {task.name: task for task in _ALL}


@lru_cache(maxsize=1)  # measurements on one draw follow one another
def draw_of(name: str, seed: int) -> Draw:
    """Return one draw of a task."""
    return TASKS[name].draw(seed)


def draw(config: Config) -> Draw:
    """Return the draw that a configuration names by ``task`` and ``seed``."""
    return draw_of(config["task"], config["seed"])
