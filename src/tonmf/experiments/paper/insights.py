"""Experiment (d): the ordinary documents that TONMF ranks high and no baseline does, and how they differ from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tonmf.experiments.facts import LONG_WORDS, REGULAR_WORDS, SHORT_WORDS
from tonmf.experiments.measured import Measured, markdown_table
from tonmf.experiments.methods import METHODS, OURS, PAPER_BASELINES
from tonmf.experiments.specification import Config, Experiment, Result, Section
from tonmf.experiments.tasks import Draw, draw
from tonmf.text.words import words_of

REPORTED_SHARE = 0.05
"""The share of documents, those with the highest scores, that a method reports."""
ROWS_OF = {OURS: None, "tonmf-paper counts": "counts", "tonmf-paper tf-idf": "tf-idf"}
"""The methods examined, with their rows; baselines use counts, as in the paper."""


def measure(config: Config) -> dict[str, Any]:
    """Measure length and repetition of the false positives that no baseline reports, and of all ordinary documents."""
    drawn, seed = draw(config), config["seed"]
    baselines = _reported_by_baselines(config["task"], seed, config["quick"])
    rows = ROWS_OF[config["method"]]
    reported = _reported(drawn, config["method"].split()[0], rows, seed)
    ordinary = np.flatnonzero(drawn.labels == 0)
    alone = np.array(sorted((reported & set(ordinary.tolist())) - baselines), dtype=np.int64)
    words = [words_of(text.lower()) for text in drawn.dataset.texts or []]
    lengths = np.array([len(document) for document in words])
    distinct = np.array([len(set(document)) for document in words])
    return {
        "reported": len(reported),
        "false_positives": len(reported & set(ordinary.tolist())),
        "alone": _described(lengths[alone], distinct[alone]),
        "ordinary": _described(lengths[ordinary], distinct[ordinary]),
    }


@lru_cache(maxsize=1)  # all methods are compared with the same
def _reported_by_baselines(task: str, seed: int, quick: bool) -> set[int]:
    drawn = draw({"task": task, "seed": seed, "quick": quick})
    return set().union(*(_reported(drawn, name, "counts", seed) for name in PAPER_BASELINES))


def _reported(drawn: Draw, method: str, rows: str | None, seed: int) -> set[int]:
    scores, _ = METHODS[method].run(drawn, rows, seed)
    n_reported = round(REPORTED_SHARE * len(scores))
    return set(np.argsort(-scores, kind="stable")[:n_reported].tolist())


def _described(lengths: NDArray[np.int64], distinct: NDArray[np.int64]) -> dict[str, float]:
    """Summarise documents by their number of words, number of distinct words, and uses of each word."""
    if not len(lengths):
        return {"documents": 0}
    repetition = lengths / np.maximum(distinct, 1)
    return {
        "documents": len(lengths),
        "mean_words": round(float(lengths.mean()), 1),
        "median_words": float(np.median(lengths)),
        "long": round(float((lengths > LONG_WORDS).mean()), 4),
        "short": round(float((lengths < SHORT_WORDS).mean()), 4),
        "median_distinct": float(np.median(distinct)),
        "median_repetition": round(float(np.median(repetition)), 3),
    }


def table(measured: Measured) -> str:
    """Tabulate means over the draws."""
    rows = []
    groups = [(titles()[method], "alone", method) for method in measured.options("method")]
    groups.append(("all ordinary documents", "ordinary", measured.options("method")[0]))
    for title, group, method in groups:
        found = [part for part in measured.all(group, method=method) if part["documents"]]
        if found:
            mean = {name: float(np.mean([part[name] for part in found])) for name in found[0]}
            rows.append(
                [
                    title,
                    f"{mean['documents']:.0f}",
                    f"{mean['mean_words']:.0f}",
                    f"{mean['median_words']:.0f}",
                    f"{mean['long']:.0%}",
                    f"{mean['short']:.0%}",
                    f"{mean['median_distinct']:.0f}",
                    f"{mean['median_repetition']:.2f}",
                ]
            )
    columns = [
        "false positives of",
        "documents",
        "words, mean",
        "words, median",
        f"over {LONG_WORDS} words",
        f"under {SHORT_WORDS}",
        "distinct words, median",
        "uses of a word, median",
    ]
    return markdown_table(columns, rows)


def titles() -> dict[str, str]:
    """Return the titles of the methods examined."""
    return {name: METHODS[name.split()[0]].title + (f", {rows}" if rows else "") for name, rows in ROWS_OF.items()}


def report(results: Sequence[Result]) -> Section:
    """Write the section of the page."""
    measured = Measured(results)
    text = f"""\
The paper examines RCV20 documents of the ordinary classes that TONMF ranks high and no baseline finds. A regular document
has {REGULAR_WORDS} words on average; these have over {LONG_WORDS} or under {SHORT_WORDS}, and repeat a small number of
distinct words. Here a method reports the {REPORTED_SHARE:.0%} of documents with the highest scores, and a false positive
counts if none of k-NN, SVD and RPCA on counts reports it; means over {measured.draws}.

{table(measured)}
"""
    return Section("Further insights: the false positives", text)


INSIGHTS = Experiment(
    name="insights",
    question="How do the ordinary documents that only TONMF reports differ from the rest?",
    axes={"task": ("rcv20",), "seed": tuple(range(5)), "method": tuple(ROWS_OF)},
    quick={"seed": (0,)},
    measure=measure,
    report=report,
)
