"""What real text does to the scores: labelled corpora (`benchmarks.corpora`), changed as real text is (`benchmarks.changes`).

``python -m benchmarks robustness`` measures every change of every corpus and writes docs/evidence/robustness.md. It keeps each
result in benchmarks/results/robustness.jsonl, so an interrupted run resumes. One cell alone::

    python -m benchmarks robustness --only demo --change greeting --again tonmf

To try a detector of your own::

    from benchmarks.robustness import CHANGES, CORPORA, changed, evaluate
    texts, labels = changed("demo", "greeting", seed=0)
    evaluate(my_detector.fit(texts), labels, CHANGES["greeting"])["auc"]
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from benchmarks import peers
from benchmarks.changes import CHANGES, CUT, Change
from benchmarks.contenders import CONTENDERS, OURS, Contender
from benchmarks.corpora import CORPORA, Texts
from benchmarks.grid import measure_and_report
from benchmarks.robustness_report import PAGE, PLAIN, report
from tonmf.experiments.specification import Config, Experiment

__all__ = ["CHANGES", "CONTENDERS", "CORPORA", "changed", "evaluate"]

FIRST = 10
"""Ranks in which precision is measured."""
MOST_OF_COPIES = 0.8
"""Share of the copies that a group must hold to be theirs."""
LARGEST_GROUP = 2
"""Most documents in a group of copies, as a multiple of their number."""


@lru_cache(maxsize=1)  # all methods see one draw, one after the other
def changed(corpus: str, change: str, seed: int = 0) -> Texts:
    """Return a corpus after a change."""
    return CHANGES[change].draw(*CORPORA[corpus](), seed)


def evaluate(fitted: Contender, labels: NDArray[np.int64], change: Change) -> dict[str, Any]:
    """Return the figures of a detector that was fitted on documents after a change.

    Copies count as one document, with the mean of their scores.
    """
    scores, n_copies = np.asarray(fitted.outlier_scores_), change.copying.n if change.copying else 1
    above = scores > fitted.threshold_
    once, above_once = _copies_once(scores, n_copies), _copies_once(above, n_copies)
    labels_once = labels[: len(once)]
    strange = labels_once == 1
    first = np.argsort(-once, kind="stable")[:FIRST]
    return {
        "n_docs": len(scores),
        "auc": float(roc_auc_score(labels_once, once)),
        "ap": float(average_precision_score(labels_once, once)),
        "precision": float(labels_once[first].mean()),
        "threshold": float(fitted.threshold_),
        "recall": float(above_once[strange].mean()),
        "false_alarms": float(above_once[~strange].mean()),
        "n_flagged": int(above.sum()),
        "highest_ordinary": float(once[~strange].max()),
        "highest_outlier": float(once[strange].max()),
        **(_of_copies(fitted, above, scores, n_copies) if change.copying else {}),
    }


def _copies_once(values: NDArray[Any], n_copies: int) -> NDArray[np.float64]:
    """Replace the last values by their mean."""
    return np.append(values[: len(values) - n_copies], values[-n_copies:].mean())


def _of_copies(fitted: Contender, above: NDArray[np.bool_], scores: NDArray[np.float64], n: int) -> dict[str, Any]:
    group = listed_group(getattr(fitted, "groups_", ()), len(scores), n)
    return {"copies_above": float(above[-n:].mean()), "copies_score": float(scores[-n:].mean()), "copies_group": group}


def listed_group(groups: Any, n_docs: int, n_copies: int) -> int | None:
    """Return the size of the first group that holds most of the last `n_copies` documents and few others, or None."""
    for group in groups:
        held = int((np.asarray(group.documents) >= n_docs - n_copies).sum())
        if held >= MOST_OF_COPIES * n_copies and len(group.documents) <= LARGEST_GROUP * n_copies:
            return len(group.documents)
    return None


def auc_with_labels(texts: list[str], labels: NDArray[np.int64]) -> float:
    """Return the AUC of a classifier that learns from the labels, cross-validated: how much the texts tell at all.

    It is a logistic regression on tf-idf rows, and scores each fifth of the documents after learning from the others.
    """
    model = make_pipeline(
        TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=10, class_weight="balanced", max_iter=500)
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=peers.SEED)
    return float(roc_auc_score(labels, cross_val_predict(model, texts, labels, cv=folds, method="decision_function")))


def load(config: Config) -> Texts:
    """Return the documents of a configuration."""
    return changed(config["task"], config["change"], config["seed"])


def measure(config: Config) -> dict[str, Any]:
    """Measure one method on one corpus after one change, on one thread."""
    peers.quiet()
    texts, labels = load(config)
    change = CHANGES[config["change"]]
    with threadpool_limits(1):
        fitted = CONTENDERS[config["method"]]().fit(texts)
    figures = evaluate(fitted, labels, change)
    if change.name == PLAIN:
        figures["flagged"] = np.flatnonzero(fitted.outlier_scores_ > fitted.threshold_).tolist()
    if change.family in (PLAIN, CUT) and config["method"] == OURS:
        figures["auc_with_labels"] = auc_with_labels(texts, labels)
    if change.copying:
        labels_before = CORPORA[config["task"]]()[1]
        figures["copied"] = replace(change.copying, which=config["seed"]).number(labels_before)
    return figures


def applies(config: Config) -> bool:
    """Tell whether a draw of a change is wanted: most changes are drawn once."""
    return bool(config["seed"] < CHANGES[config["change"]].n_draws)


ROBUSTNESS = Experiment(
    "robustness",
    "What do boilerplate, copies, short texts, numbers and the like do to the scores?",
    axes={
        "task": tuple(CORPORA),
        "change": tuple(CHANGES),
        "seed": tuple(range(max(change.n_draws for change in CHANGES.values()))),
        "method": tuple(CONTENDERS),
    },
    quick={},
    measure=measure,
    report=report,
    applies=applies,
)


def main(arguments: list[str]) -> None:
    """Measure what is not measured yet, then report."""
    filters = {"task": "--only", "change": "--change"}
    measure_and_report(ROBUSTNESS, arguments, filters, load, PAGE, always={"change": PLAIN})
