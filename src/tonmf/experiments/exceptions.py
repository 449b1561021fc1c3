"""Where a baseline is better than tonmf, and what the measurements say about why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from tonmf.experiments.baseline_ranks import range_of
from tonmf.experiments.markdown import share
from tonmf.experiments.measured import Measured
from tonmf.experiments.methods import METHODS, OURS, RANK
from tonmf.experiments.roc import Areas
from tonmf.experiments.specification import Result
from tonmf.experiments.tasks import TASKS

CONTROLS = ("rcv20-threads", "rcv20-bodies")
"""Variants of RCV20 without what makes neighbours of posts."""


def exceptions(results: Mapping[str, Sequence[Result]]) -> list[str]:
    """A paragraph for each data set on which the best baseline has a greater mean area than tonmf."""
    areas = Areas(results.get("roc", ()))
    by_rank = Measured(results.get("baseline-ranks", ()))
    told = []
    for task in areas.tasks:
        baseline = areas.best_baseline(task)
        theirs, ours = fmean(areas.best(task, baseline)), fmean(areas.best(task, OURS))
        if round(theirs, 3) <= round(ours, 3):
            continue
        first = f"**{TASKS[task].title}**: {METHODS[baseline].title} {share(theirs)}, tonmf {share(ours)}."
        if baseline == "knn":
            told.append(f"{first} {_of_neighbours(areas, task)}")
        elif task in by_rank.tasks and baseline in by_rank.options("method"):
            low, high = range_of(by_rank, task, baseline)
            told.append(
                f"{first} That is at rank {RANK}. Over the ranks it is from {share(low)} to {share(high)}, and nothing but the "
                "labels tells which rank is the right one; tonmf is not told any."
            )
        else:
            told.append(first)
    return told


def _of_neighbours(areas: Areas, task: str) -> str:
    notes = areas.all("notes", task=task, method="knn", rows="tf-idf")
    chosen = sorted(note["k"] for note in notes)
    fixed = ", ".join(f"{share(fmean(note['areas'][k] for note in notes))} at k = {k}" for k in ("10", "50"))
    text = f"k is chosen by the labels, from {chosen[0]} to {chosen[-1]}; it is {fixed}."
    if task == "rcv20":
        text += (
            " A small k sees threads rather than subjects: the posts of a thread quote each other, and of the Windows group "
            "one post in twenty is drawn, so that outliers have lost their threads while the others have not (see below)."
        )
        for control in CONTROLS:
            if control in areas.tasks:
                theirs = areas.mean(task=control, method="knn", rows="tf-idf")
                text += f" {TASKS[control].title}: {share(theirs)} against {share(fmean(areas.best(control, OURS)))}."
    return text
