"""Results as JSON lines, written one by one, so that an interrupted run can resume."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tonmf.errors import InputError
from tonmf.experiments.processes import in_json, memory_peak
from tonmf.experiments.specification import Config, Result
from tonmf.storage.atomic import replacing

PACKAGES = ("tonmf", "numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def page_name(quick: bool) -> str:
    """Return the name of the page, and of the folder with its figures and results; quick runs and full ones never mix."""
    return "paper-quick" if quick else "paper"


class ResultLog:
    """The results in a file.

    If a configuration has several results, the last one counts. A last line that was cut short, as by a power cut, is removed
    when the file is opened.

    Parameters
    ----------
    path : Path
        Its folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._results: dict[str, Result] = {}
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        for number, line in enumerate(lines, start=1):
            if line:
                self._read(line, number, is_last=number == len(lines))
        if lines and lines[-1]:
            with replacing(path) as temporary:
                temporary.write_bytes(b"".join(line + b"\n" for line in lines[:-1]))

    def _read(self, line: bytes, number: int, is_last: bool) -> None:
        try:
            result = json.loads(line)
            if not all(isinstance(result[part], dict) for part in ("config", "result", "versions")):
                raise TypeError
            _ = result["config"]["task"], result["config"]["seed"], result["config"]["quick"], result["seconds"]
            self._results[_key(result["experiment"], result["config"])] = result
        except (ValueError, KeyError, TypeError) as error:
            if not is_last:
                raise InputError(
                    f"Line {number} of {self.path} is not a result of an experiment. Remove the line, or the whole file to "
                    "begin again."
                ) from error

    def result(self, experiment: str, config: Config) -> Result | None:
        """Return the result of a configuration, None if there is none."""
        return self._results.get(_key(experiment, config))

    def add(self, experiment: str, config: Config, result: Mapping[str, Any], seconds: float) -> None:
        """Add a result, and sync it to disk."""
        line: Result = {
            "experiment": experiment,
            "config": config,
            "result": dict(result),
            "seconds": round(seconds, 3),
            "peak_mb": in_json(memory_peak()),
            "date": datetime.now(UTC).date().isoformat(),
            "versions": versions(),
        }
        text = json.dumps(line, ensure_ascii=False, allow_nan=False)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._results[_key(experiment, config)] = line


def _key(experiment: str, config: Config) -> str:
    return json.dumps([experiment, config], sort_keys=True)
