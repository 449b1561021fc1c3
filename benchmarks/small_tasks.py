"""Some of the tasks of `benchmarks.tasks`, made small: for methods that read sentences, which takes long on a CPU."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from benchmarks.tasks import TASKS, TEXTS, LabelledTask
from tonmf.datasets import Dataset
from tonmf.experiments.specification import Config
from tonmf.experiments.tasks import Draw, chosen

N_ORDINARY, N_STRANGE = 800, 25
"""The most ordinary documents and outliers of a small task."""

CHOSEN = (
    "Reuters + interest",
    "hardware bodies + windows",
    "hardware bodies + christian",
    "BBC business, politics + tech",
    "BBC others + politics",
    "Reuters + crude",
    "motorcycles, med bodies + guns",
    "x, space bodies + hockey",
    "BBC business + rest",
    "BBC sport, entertainment + business",
)
"""Tasks whose texts are short, or few: five that we tuned on, and five others."""


@cache
def _order(collection: str) -> dict[str, int]:
    """Return each document's place in one random order of its collection."""
    documents = TEXTS[collection]()
    places = np.random.default_rng(0).permutation(len(documents))
    return {document.id: int(place) for document, place in zip(documents, places, strict=True)}


def small(task: LabelledTask) -> LabelledTask:
    """Return a task with fewer documents; its ordinary ones are the same in every draw."""

    def load(seed: int) -> Dataset:
        dataset = task.load(seed)
        places = np.array([_order(dataset.name)[document] for document in dataset.ids])
        kept: list[int] = []
        for label, n in ((0, N_ORDINARY), (1, N_STRANGE)):
            numbers = np.flatnonzero(dataset.labels == label)
            kept += numbers[np.argsort(places[numbers])[:n]].tolist()
        return chosen(dataset, sorted(kept))

    return LabelledTask(task.name, task.title, task.about, load, collection=task.collection, tuned=task.tuned)


SMALL_TASKS: dict[str, LabelledTask] = {name: small(TASKS[name]) for name in CHOSEN}


@lru_cache(maxsize=1)  # measurements on one draw follow one another
def draw_of(name: str, seed: int) -> Draw:
    """Return one draw of a small task."""
    return SMALL_TASKS[name].draw(seed)


def draw(config: Config) -> Draw:
    """Return the draw that a configuration names by ``task`` and ``seed``."""
    return draw_of(config["task"], config["seed"])
