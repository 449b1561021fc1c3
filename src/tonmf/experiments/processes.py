"""Work in a process of its own, so that its memory is its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tonmf.errors import TonmfError


def in_new_process(module: str, *arguments: Any, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run ``python -m module arguments`` and read the JSON object on the last line of what it prints.

    Files in the current folder are not importable there, whatever they are called.
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
