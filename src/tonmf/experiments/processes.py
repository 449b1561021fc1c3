"""Run work in a process of its own to measure its memory."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tonmf.errors import TonmfError


def in_new_process(module: str, *arguments: Any, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run ``python -m module arguments`` and read the JSON object on the last line of what it prints.

    The process cannot import files of the current folder, whatever their names.
    """
    command = [sys.executable, "-P", "-m", module, *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})}
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
        raise TonmfError(f"{module} failed in a process of its own: {reason}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


STATUS = Path("/proc/self/status")


def memory_now() -> float:
    """Return the MB in use, or the peak where the system does not report them (not Linux)."""
    return _status("VmRSS") if STATUS.exists() else memory_peak()


def memory_peak() -> float:
    """Return the peak MB since the process began, or since `reset_peak`; NaN where the system does not report it (Windows)."""
    if STATUS.exists():  # getrusage would include memory of the parent, from before the program was loaded
        return _status("VmHWM")
    try:
        import resource
    except ImportError:
        return float("nan")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def reset_peak() -> None:
    """Restart the peak from the memory in use now, where the system allows it (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def in_json(mb: float) -> float | None:
    """Return whole MB for JSON, None if unknown."""
    return None if math.isnan(mb) else round(mb)


def _status(field: str) -> float:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 2**10
    raise KeyError(field)
