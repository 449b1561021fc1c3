"""The tasks of `benchmarks.tasks` at a false-discovery rate: how many of the flagged documents are ordinary?

``python -m benchmarks fdr`` writes docs/evidence/fdr.md. Of each draw of a task, a random 3/4 of the ordinary documents are a
clean training set; the other ordinary documents and all outliers are new. *In sample*, the detector is fitted on all documents
of the draw, and flags among these. With few fitted documents, only the p-values of new ordinary ones are looked at, on the
tasks that were tuned on.

Each result goes to benchmarks/results/fdr.jsonl, so an interrupted run resumes. One task alone::

    python -m benchmarks fdr --only "BBC business, politics + tech"
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.fdr_report import FEW, IN_SAMPLE, LEVELS, NEW, PAGE, RATES, report
from benchmarks.grid import measure_and_report
from benchmarks.tasks import TASKS, draw
from tonmf import TextOutlierDetector
from tonmf.experiments.specification import Config, Experiment
from tonmf.experiments.tasks import Draw
from tonmf.metrics import discoveries
from tonmf.text.documents import take

FIT_SHARE = 0.75
"""Share of the ordinary documents of a clean training set."""
DRAWS = 2


def at_rates(p_values: NDArray[Any], labels: NDArray[Any]) -> dict[str, Any]:
    """Return for each rate the share of ordinary documents among the flagged, that of the outliers found, and their number."""
    figures: dict[str, Any] = {}
    for rate in RATES:
        flagged = discoveries(p_values, rate)
        figures[f"realised {rate}"] = float((labels[flagged] == 0).mean()) if flagged.any() else 0.0
        figures[f"found {rate}"] = float(flagged[labels == 1].mean())
        figures[f"flagged {rate}"] = int(flagged.sum())
    return figures


def at_levels(p_values: NDArray[Any], name: str) -> dict[str, float]:
    """Return the share of p-values up to each level."""
    return {f"{name} {level}": float((p_values <= level).mean()) for level in LEVELS}


def counted_only(detector: TextOutlierDetector, scores: NDArray[Any]) -> NDArray[Any]:
    """Return conformal p-values without any correction, of documents of all lengths together."""
    known = np.sort(detector.outlier_scores_[~detector.empty_])
    return (1 + len(known) - np.searchsorted(known, scores)) / (1 + len(known))


def evaluate(drawn: Draw, seed: int, method: str) -> dict[str, Any]:
    """Fit on part of the documents or on all, and return the figures."""
    documents, labels = drawn.documents, drawn.labels
    if method == IN_SAMPLE:
        detector = TextOutlierDetector().fit(documents)
        judged = ~detector.empty_
        return at_rates(detector.p_values_[judged], labels[judged])
    ordinary = np.random.default_rng(seed).permutation(np.flatnonzero(labels == 0))
    fitted = np.zeros(len(labels), bool)
    fitted[ordinary[: FEW.get(method, round(FIT_SHARE * len(ordinary)))]] = True
    detector = TextOutlierDetector().fit(take(documents, np.flatnonzero(fitted).tolist()))
    new = take(documents, np.flatnonzero(~fitted).tolist())
    judged = detector.alarms(new)["empty"] == 0
    scores, p_values = (values[judged] for values in detector.score_with_p_value(new))
    labels = labels[~fitted][judged]
    of_ordinary = labels == 0
    calibration = {
        **at_levels(p_values[of_ordinary], "share"),
        **at_levels(counted_only(detector, scores[of_ordinary]), "counted"),
    }
    return calibration if method in FEW else {**at_rates(p_values, labels), **calibration}


def measure(config: Config) -> dict[str, Any]:
    """Measure one draw of a task, on one thread."""
    peers.quiet()
    with threadpool_limits(1):
        return evaluate(draw(config), config["seed"], config["method"])


FDR = Experiment(
    "fdr",
    "Of the documents flagged at a false-discovery rate, how many are ordinary?",
    axes={"seed": tuple(range(DRAWS)), "task": tuple(TASKS), "method": (NEW, IN_SAMPLE, *FEW)},
    quick={},
    measure=measure,
    report=report,
    applies=lambda config: config["method"] not in FEW or TASKS[config["task"]].tuned,
)


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    measure_and_report(FDR, arguments, {"task": "--only"}, draw, PAGE)
