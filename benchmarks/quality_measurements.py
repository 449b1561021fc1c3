"""What `benchmarks.quality` has measured, by method, setting and task, and a table that compares methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.embedding_peers import EMBEDDING_PEERS
from benchmarks.tasks import TASKS
from tonmf.experiments.specification import Result

OURS, MEANING, FUSED = "tonmf", "tonmf, MiniLM alone", "tonmf + MiniLM"
"""tonmf by words, by sentence embeddings, and by both."""

EMBEDDED = (MEANING, FUSED, *EMBEDDING_PEERS)
"""Methods that see embeddings, and so texts only; they may be left out."""

Row = dict[str, Any]

Table = tuple[list[str], list[list[Any]]]
"""Columns and lines."""


def rows_of(results: Iterable[Result]) -> list[Row]:
    """Return one row for each method, setting, task and draw."""
    return [
        {**result["result"], **figures, "setting": setting, **result["config"]}
        for result in results
        for setting, figures in result["result"]["settings"].items()
    ]


class Measurements:
    """Means over draws, by method, setting and task."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        self.tasks = [task for task in TASKS.values() if any(row["task"] == task.name for row in self.rows)]
        self.names = [task.name for task in self.tasks]
        self.draws = len({row["seed"] for row in self.rows})
        self._settings: dict[str, set[str]] = {}
        self._found: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.rows:
            self._settings.setdefault(row["method"], set()).add(row["setting"])
            self._found.setdefault((row["method"], row["setting"], row["task"]), []).append(row)

    def settings(self, method: str) -> list[str]:
        """Return the settings of a method."""
        return sorted(self._settings.get(method, ()))

    def has(self, method: str, tasks: Iterable[str]) -> bool:
        """Return whether a method was measured on all of these tasks."""
        settings = self.settings(method)
        return bool(settings) and all((method, settings[0], task) in self._found for task in tasks)

    def by_task(self, method: str, setting: str, field: str, tasks: list[str]) -> np.ndarray:
        """Return the mean over draws for each task."""
        found = [self._found.get((method, setting, name), []) for name in tasks]
        return np.array([np.mean([row[field] for row in rows]) for rows in found])

    def best_setting(self, method: str, tasks: list[str]) -> str:
        """Return the setting with the highest mean AUC over tasks, chosen with the labels."""
        return max(self.settings(method), key=lambda setting: self.by_task(method, setting, "auc", tasks).mean())

    def best(self, method: str, field: str, tasks: list[str]) -> np.ndarray:
        """Return values by task, at the one setting that is best over all tasks."""
        return self.by_task(method, self.best_setting(method, tasks), field, tasks)

    def oracle(self, method: str, field: str, tasks: list[str]) -> np.ndarray:
        """Return values by task, each at the best setting for that task."""
        return np.max([self.by_task(method, setting, field, tasks) for setting in self.settings(method)], axis=0)


def interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean over tasks."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(len(values), size=(10_000, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def compare(data: Measurements, methods: list[str], tasks: list[str], reference: str = OURS) -> Table:
    """Return one line for each method; the reference is what the others are compared with."""
    columns = [
        "method",
        "setting",
        "AUC",
        "AP",
        "worst AUC",
        f"{reference} − it (95 %)",
        f"{reference} better on",
        "AUC, best setting by task",
        "s",
    ]
    of_reference = data.best(reference, "auc", tasks)
    lines = []
    for method in methods:
        auc, ap = data.best(method, "auc", tasks), data.best(method, "ap", tasks)
        low, high = interval(of_reference - auc)
        lines.append(
            [
                method,
                data.best_setting(method, tasks),
                three(auc.mean()),
                three(ap.mean()),
                three(auc.min()),
                "" if method == reference else f"{three(low)} to {three(high)}",
                "" if method == reference else f"{(of_reference > auc).mean():.0%}",
                three(data.oracle(method, "auc", tasks).mean()),
                f"{data.best(method, 'seconds', tasks).mean():.1f}",
            ]
        )
    return columns, lines


def three(value: float) -> str:
    """Format a figure with three digits, and without the 0 before the point."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"
