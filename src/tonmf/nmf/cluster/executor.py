"""Blocks on the workers of a Dask cluster.

A pass is one task per worker (`tonmf-pass-…`), which goes over the worker's partitions and returns their sums, and a tree of
tasks that adds these up (`tonmf-merge-…`). What all tasks need, above all the topics, is sent to every worker once
(`tonmf-payload-…`). Sums travel in the dtype of the topics. So a pass moves n_workers × n_terms × n_topics numbers in each
direction, and nothing that grows with the documents. `tonmf.nmf.cluster.worker` has the code that runs on the workers.

Tasks prefer the worker that holds their partitions but may run elsewhere; Dask then recomputes lost partitions from their
input. What Dask cannot recompute (payloads, partitions cut from a matrix in memory) is sent again, and the step is repeated.
"""

from __future__ import annotations

import io
import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tonmf.nmf.blocks import Block, S, Source, T
from tonmf.nmf.cluster import worker
from tonmf.nmf.cluster.client import Cluster, Transient
from tonmf.nmf.cluster.partitions import FitLog, PartitionedData, PartitionSource, partitions_of
from tonmf.nmf.cluster.worker import ops_of_this_worker

PLAN_SECONDS = 2.0
"""How long a plan of which worker has which partitions is used before it is made anew."""

SMALL = 2**16
"""Bytes up to which a payload is sent with each task."""

BRANCHES = 2
"""Sums that one task adds up."""


Plan = dict[str, list[int]]
"""The partitions of each worker, by its address."""


class DaskExecutor:
    """`tonmf.nmf.blocks.Executor` on a `distributed.Client`."""

    far = True

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._numbers = itertools.count(1)
        self._planned = -np.inf
        self._plan: Plan = {}
        self._planned_for: PartitionedData | None = None

    def session(self, source: Source) -> AbstractContextManager[None]:
        return self.cluster.releasing(partitions_of(source))

    def run(self, step: Callable[[Block, S], None], source: Source, empty: Callable[[], S]) -> S:
        source = partitions_of(source)
        is_pass = hasattr(step, "restore")
        name = f"{'pass' if is_pass else name_of(step)}-{next(self._numbers)}"
        payload = pack((step, empty, source.dtype))
        function = worker.run_step if is_pass else worker.sum_over
        log = source.begin_pass() if is_pass else source.log()

        def attempt(name: str, plan: Plan) -> Any:
            shares = self._submit(function, name, payload, log, source, plan)
            return self.cluster.result(self._merged(shares, name, source.dtype))

        sums: S = self._persist(attempt, name, source).unpacked()
        if is_pass:
            source.end_pass(step)
        return sums

    def gather(self, look: Callable[[Block], T], source: Source) -> list[T]:
        source = partitions_of(source)
        name, payload = f"{name_of(look)}-{next(self._numbers)}", pack(look)

        def attempt(name: str, plan: Plan) -> list[T]:
            answers = self.cluster.results(self._submit(worker.look_at, name, payload, source.log(), source, plan))
            seen = {
                number: answer
                for numbers, of_worker in zip(plan.values(), answers, strict=True)
                for number, answer in zip(numbers, of_worker, strict=True)
            }
            return [of_block for number in range(source.n_partitions) for of_block in seen[number]]

        looks: list[T] = self._persist(attempt, name, source)
        return looks

    def _persist(self, attempt: Callable[[str, Plan], Any], name: str, source: PartitionSource) -> Any:
        """Repeat an attempt while it fails because workers, or the state they held, were lost."""
        numbers = itertools.count(1)

        def again() -> Any:
            number = next(numbers)
            if number > 1:
                self._planned = -np.inf
                source.data.supply_lost()
            plan = self._plan_for(source.data)
            try:
                return attempt(f"{name}-{number}", plan)
            except worker.MemoryLostError as error:
                payload, log = pack(source.last_step), source.log()
                self.cluster.results(
                    self._submit(worker.restore, f"restore-{name}-{number}", payload, log, source, plan)
                )
                raise Transient("the state of some partitions was lost, and has been restored") from error

        return self.cluster.persist(again, source.data.references)

    def _submit(
        self,
        function: Callable[..., Any],
        name: str,
        payload: bytes,
        log: FitLog | None,
        source: PartitionSource,
        plan: Plan,
    ) -> list[Any]:
        """Submit one task to each worker that has partitions."""
        data = source.data
        message: Any = payload if len(payload) <= SMALL else self.cluster.send_to_all(payload)
        shares, firsts = [], data.firsts
        for place, (address, numbers) in enumerate(plan.items()):
            tasks: Any = [worker.PartitionTask(number, int(firsts[number]), data.facts[number]) for number in numbers]
            if log is not None and log.n_done == 0 and source.start is not None:
                starts = [source.start[firsts[number] : firsts[number + 1]] for number in numbers]
                tasks = [
                    worker.PartitionTask(task.number, task.first, task.facts, start)
                    for task, start in zip(tasks, starts, strict=True)
                ]
                tasks = self.cluster.send_to(tasks, address)
            partitions = [data.references[number] for number in numbers]
            shares.append(
                self.cluster.task(f"{name}-{place}", function, message, log, tasks, *partitions, near=address)
            )
        return shares

    def _merged(self, shares: Sequence[Any], name: str, dtype: np.dtype[Any]) -> Any:
        """Add up the sums of all workers in a tree of tasks."""
        level = 0
        while len(shares) > 1:
            groups = [shares[low : low + BRANCHES] for low in range(0, len(shares), BRANCHES)]
            shares = [
                self.cluster.task(f"merge-{level}-{number}-{name}", worker.merge_sums, dtype, *group)
                if len(group) > 1
                else group[0]
                for number, group in enumerate(groups)
            ]
            level += 1
        return shares[0]

    def _plan_for(self, data: PartitionedData) -> Plan:
        """Return the plan in force, made anew every `PLAN_SECONDS`."""
        now = time.monotonic()
        if self._planned_for is not data or now - self._planned > PLAN_SECONDS:
            holders = self.cluster.holders(data.references)
            places = assign(holders, self.cluster.workers(), data.places, [fact.n_stored for fact in data.facts])
            data.places = dict(enumerate(places))
            plan: Plan = {}
            for number, address in enumerate(places):
                plan.setdefault(address, []).append(number)
            self._plan, self._planned, self._planned_for = plan, now, data
        return self._plan


def assign(
    holders: Sequence[Sequence[str]], workers: Sequence[str], before: dict[int, str], sizes: Sequence[int]
) -> list[str]:
    """Choose a worker for each partition: the one that had it before, one that holds it, or the least loaded.

    Idle workers then get partitions of the most loaded ones.

    >>> assign([["a"], ["a"], ["a"], []], ["a", "b"], {}, [1, 1, 1, 1])
    ['a', 'a', 'b', 'b']
    """
    load = dict.fromkeys(workers, 0)
    places: list[str] = []
    for number, held_by in enumerate(holders):
        able = [address for address in held_by if address in load]
        old = before.get(number)
        chosen = old if old in able else min(able or load, key=lambda address: load[address])
        assert chosen is not None  # noqa: S101
        places.append(chosen)
        load[chosen] += sizes[number] + 1
    while True:
        most, least = max(load, key=lambda a: load[a]), min(load, key=lambda a: load[a])
        theirs = [number for number, address in enumerate(places) if address == most]
        moved = min(theirs, key=lambda number: (sizes[number], -number), default=None)
        if moved is None or load[least] + 2 * (sizes[moved] + 1) > load[most]:
            return places
        places[moved] = least
        load[most] -= sizes[moved] + 1
        load[least] += sizes[moved] + 1


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a step on the dashboard: that of the function in which it is written.

    >>> name_of(assign)
    'assign'
    """
    written: str = getattr(function, "__qualname__", type(function).__name__)
    return written.split(".<locals>")[0].rsplit(".", 1)[-1].strip("_").replace("_", "-")


def pack(what: Any) -> bytes:
    """Return `what` as bytes that ``pickle.loads`` reads on a worker."""
    import cloudpickle

    from tonmf.nmf.ops.compiled import CompiledOps

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        """Pickles functions by value."""

        def reducer_override(self, part: Any) -> Any:
            if isinstance(part, CompiledOps):
                return ops_of_this_worker, ()
            return super().reducer_override(part)

    written = io.BytesIO()
    Packer(written, protocol=5).dump(what)
    return written.getvalue()
