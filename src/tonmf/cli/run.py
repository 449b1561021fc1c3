"""What ``--json`` says of a run beside the answer: how it ended, how long it took, what it wrote and warned of.

Every JSON object that a command prints has it as ``run``; a run that fails prints nothing else. The form is documented in
docs/guide/automation.md. Fields may be added; `SCHEMA` rises if one changes its meaning or goes.
"""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from tonmf import __version__

SCHEMA = 1

DONE, TOO_MANY_FLAGGED, FAILED, WRONG_USAGE, INTERRUPTED = (
    "done", "too_many_flagged", "failed", "wrong_usage", "interrupted",
)  # fmt: skip
"""How a run may end."""


@dataclass
class CommandRun:
    """A run of a command.

    ========= =======================================================================
    command   its name
    as_json   whether its answer is JSON, so that a failure is, too
    began     when, by a clock that only counts seconds
    outputs   what it has written: the kind and the path of each
    warnings  the warnings that it has shown
    ========= =======================================================================
    """

    command: str
    as_json: bool = False
    began: float = field(default_factory=time.perf_counter)
    outputs: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def to_dict(self, status: str = DONE, exit_code: int = 0, error: str | None = None) -> dict[str, Any]:
        """Return what JSON says of it, at its end."""
        return {
            "schema": SCHEMA,
            "tonmf": __version__,
            "command": self.command,
            "status": status,
            "exit_code": exit_code,
            "error": error,
            "seconds": round(time.perf_counter() - self.began, 3),
            "outputs": self.outputs,
            "warnings": self.warnings,
        }


CURRENT: ContextVar[CommandRun | None] = ContextVar("CURRENT", default=None)
"""The run of this process."""


def wrote(kind: str, path: str) -> None:
    """Remember that the run has written a table, a model, a report or a plot to a path."""
    if (run := CURRENT.get()) is not None:
        run.outputs.append({"kind": kind, "path": path})


def warned(sentence: str) -> None:
    """Remember that the run has shown a warning."""
    if (run := CURRENT.get()) is not None:
        run.warnings.append(sentence)
