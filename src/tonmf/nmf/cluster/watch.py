"""Whether a cluster can still finish what this process waits for.

Nothing waits without a look at the cluster every `LOOK_EVERY` seconds. What the look finds:

======================================================= ===============================================================
found                                                   then
======================================================= ===============================================================
the scheduler does not answer for `ANSWER` seconds      `tonmf.errors.ClusterError`
a worker that must do the work is gone                  `Transient`: try again, with others
no worker has worked on anything for `PATIENCE` seconds `Transient`, or `ClusterError` if none of them accepts tasks
======================================================= ===============================================================

A worker that is stopped, or whose machine is gone, still counts as running for the scheduler. It is silent: its heartbeat is
the same for `SILENCE` seconds. The scheduler gives it up after ``distributed.scheduler.worker-ttl``, five minutes by default.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from tonmf.errors import ClusterError

LOOK_EVERY = 2.0
"""Seconds between two looks at a cluster that is waited for."""

PATIENCE = 60.0
"""Seconds for which a cluster may do nothing."""

SILENCE = 60.0
"""Seconds with the same heartbeat after which a worker counts as silent."""

ANSWER = 60.0
"""Seconds in which the scheduler must answer a question."""


class Transient(Exception):  # noqa: N818 (never seen outside)
    """Something was lost on the way; trying again should work."""


@dataclass(frozen=True)
class Census:
    """The workers that the scheduler knows: those that accept tasks, those that are paused, those that are silent."""

    running: list[str]
    paused: list[str]
    silent: list[str]
    at_work: bool

    @property
    def n_workers(self) -> int:
        """Return the number of workers."""
        return len(self.running) + len(self.paused) + len(self.silent)

    def shortage(self, address: str) -> str:
        """Say why the cluster at `address` does nothing."""
        if not self.n_workers:
            return f"The cluster at {address} has no workers. Start some, and try again: dask worker {address}"
        if self.paused:
            return (
                f"The memory of workers is full: {len(self.paused)} of {self.n_workers} at {address} are paused, and nothing "
                f"has gone on for {PATIENCE:.0f} seconds. Dask pauses a worker that has used most of its memory, and what a "
                "fit holds there cannot be put on disk. Give workers more (dask worker --memory-limit), or start more of them, "
                "and try again."
            )
        return (
            f"Workers do not answer: {len(self.silent)} of {self.n_workers} at {address}, and nothing has gone on for "
            f"{PATIENCE:.0f} seconds. Restart them, and try again."
        )


class Heartbeats:
    """When the heartbeat of each worker last changed, by the clock of this process."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[float, float]] = {}

    def census(self, workers: Mapping[str, Mapping[str, Any]]) -> Census:
        """Sort workers, given as the scheduler describes them."""
        now = time.monotonic()
        for address, facts in workers.items():
            if address not in self._last or self._last[address][0] != facts["last_seen"]:
                self._last[address] = facts["last_seen"], now
        silent = [address for address in workers if now - self._last[address][1] > SILENCE]
        answering = {address: facts for address, facts in workers.items() if address not in silent}
        running = [address for address, facts in answering.items() if facts["status"] == "running"]
        paused = [address for address in answering if address not in running]
        at_work = any(_is_at_work(facts, not silent) for facts in answering.values())
        return Census(running, paused, silent, at_work)


def _is_at_work(facts: Mapping[str, Any], peers_answer: bool) -> bool:
    """Return whether a worker runs a task, or fetches what one needs from workers that answer."""
    counts = facts.get("metrics", {}).get("task_counts", {})
    return bool(counts.get("executing") or counts.get("long-running") or (peers_answer and counts.get("flight")))


class LivenessCheck:
    """Looks at a cluster while something is waited for, for which the workers `needed` have to be there."""

    def __init__(self, address: str, needed: Collection[str] = ()) -> None:
        self._address, self._needed = address, set(needed)
        self._idle_since: float | None = None

    def look(self, census: Census) -> None:
        """Raise if what is waited for will not come."""
        gone = self._needed - {*census.running, *census.paused, *census.silent}
        if gone:
            raise Transient(f"the worker at {min(gone)} is gone")
        if census.at_work:
            self._idle_since = None
            return
        self._idle_since = self._idle_since or time.monotonic()
        if time.monotonic() - self._idle_since > PATIENCE:
            message = census.shortage(self._address)
            raise Transient(message) if census.running else ClusterError(message)
