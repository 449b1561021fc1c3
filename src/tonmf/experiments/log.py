"""Results as JSON lines: one a measurement, kept as it comes, so that a run that was cut short goes on where it stopped."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Collection, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tonmf.errors import InputError
from tonmf.experiments.memory import memory_peak
from tonmf.experiments.specification import Config, Result
from tonmf.io.atomic import replacing

PACKAGES = ("tonmf", "numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """What results were made with."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


class ResultLog:
    """The results in a file.

    Parameters
    ----------
    path : Path
        Read if it is there. Its folder must exist. A last line that was cut short, by a machine that went down, is left out.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._results: dict[str, Result] = {}
        if path.exists():
            self._read()
        self._write()

    def _write(self) -> None:
        with replacing(self.path) as temporary:
            temporary.write_text("".join(map(_line, self._results.values())), encoding="utf-8")

    def _read(self) -> None:
        lines = self.path.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, start=1):
            try:
                if line:
                    result = json.loads(line)
                    self._results[_key(result["experiment"], result["config"], result["versions"]["tonmf"])] = result
            except (ValueError, KeyError, TypeError) as error:
                if number == len(lines):
                    break
                raise InputError(
                    f"Line {number} of {self.path} is no result of tonmf paper. Remove the line, or the whole file "
                    "to begin again."
                ) from error

    def forget(self, experiments: Collection[str], quick: bool) -> None:
        """Leave out what is known of some experiments, to have it measured again."""
        self._results = {
            key: line
            for key, line in self._results.items()
            if line["experiment"] not in experiments or line["config"]["quick"] != quick
        }
        self._write()

    def add(self, experiment: str, config: Config, result: Mapping[str, Any], seconds: float) -> None:
        """Keep a result; it is on disk when this returns."""
        line: Result = {
            "experiment": experiment,
            "config": config,
            "result": dict(result),
            "seconds": round(seconds, 3),
            "peak_mb": round(memory_peak()),
            "versions": versions(),
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_line(line))
            file.flush()
            os.fsync(file.fileno())
        self._results[_key(experiment, config, version("tonmf"))] = line

    def result(self, experiment: str, config: Config) -> Result | None:
        """What was measured, by this version of tonmf; None if it has not been."""
        return self._results.get(_key(experiment, config, version("tonmf")))


def _key(experiment: str, config: Config, tonmf: str) -> str:
    return json.dumps([experiment, config, tonmf], sort_keys=True)


def _line(result: Result) -> str:
    return json.dumps(result, ensure_ascii=False, allow_nan=False) + "\n"
