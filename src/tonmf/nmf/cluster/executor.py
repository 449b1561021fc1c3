"""Blocks on the workers of a Dask cluster.

A pass is one task per worker (`tonmf-pass-…`), which goes over the worker's partitions and returns their sums; if there are
many workers, tasks add these up first (`tonmf-merge-…`). What a task needs, above all the topics, is sent to its worker. So a
pass moves n_workers × n_terms × n_topics numbers in each direction, and nothing that grows with the documents. Sums travel in
float64: rounded to float32, they would depend on which worker has which partition, and so would the fit.
`tonmf.nmf.cluster.worker` has the code that runs on the workers.

A task runs on the worker that has the state of its partitions, and on no other. If that worker is lost, its partitions are
planned for others, brought there (`tonmf-bring-…`) with their state, and the step is repeated: the fit goes on as if nothing
had happened. Dask recomputes lost partitions from their input; what it cannot recompute (partitions cut from a matrix in
memory) is sent again.
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
from tonmf.nmf.cluster.client import Cluster
from tonmf.nmf.cluster.partitions import BlockState, FitLog, History, PartitionedData, PartitionSource, partitions_of
from tonmf.nmf.cluster.watch import Transient
from tonmf.nmf.cluster.worker import Absent, Share, ops_of_this_worker
from tonmf.nmf.steps import BlockStep

PLAN_SECONDS = 10.0
"""How long a plan of which worker has which partitions is used before new workers are looked for."""

SMALL = 2**16
"""Bytes up to which a payload is sent with each task."""

BRANCHES = 8
"""Workers to which this process sends the topics, and sums that it adds up, as each task of a tree does."""

BRINGS = 3
"""How often what is absent is brought in one attempt."""


Plan = dict[str, list[int]]
"""The partitions of each worker, by its address."""


class DaskExecutor:
    """`tonmf.nmf.blocks.Executor` on a `distributed.Client`."""

    far = True

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._numbers = itertools.count(1)

    def session(self, source: Source) -> AbstractContextManager[None]:
        return self.cluster.releasing(partitions_of(source))

    def run(self, step: Callable[[Block, S], None], source: Source, empty: Callable[[], S]) -> S:
        source = partitions_of(source)
        is_pass = isinstance(step, BlockStep)
        name = "pass" if is_pass else name_of(step)
        payload = pack((step, empty))
        function = worker.run_step if is_pass else worker.sum_over
        log = source.begin_pass() if is_pass else source.log()

        def add_up(shares: list[Any]) -> Sequence[Any]:
            return self._merged(shares, name)

        sums = empty()
        for part in self._on_workers(function, name, payload, log, source, add_up):
            sums.merge(part)
        if is_pass:
            source.end_pass(payload)
            if source.needs_checkpoint:
                source.keep_checkpoint(self._of_partitions(BlockState.of, source))
        return sums

    def gather(self, look: Callable[[Block], T], source: Source) -> list[T]:
        return [
            of_block for of_partition in self._of_partitions(look, partitions_of(source)) for of_block in of_partition
        ]

    def _of_partitions(self, look: Callable[[Block], T], source: PartitionSource) -> list[list[T]]:
        """Return a list for each partition, with ``look(block)`` of its blocks."""

        found = self._on_workers(worker.look_at, name_of(look), pack(look), source.log(), source, lambda shares: shares)
        looks: dict[int, list[T]] = {number: seen for of_worker in found for number, seen in of_worker.items()}
        return [looks[number] for number in range(source.n_partitions)]

    def _on_workers(
        self,
        function: Callable[..., Any],
        name: str,
        payload: bytes,
        log: FitLog | None,
        source: PartitionSource,
        reduce: Callable[[list[Any]], Sequence[Any]],
    ) -> list[Any]:
        """Run a function on the partitions of each worker, and again while workers are lost; return the results, reduced."""
        n_attempts = itertools.count(1)

        def attempt() -> list[Any]:
            if next(n_attempts) > 1:
                source.data.planned = -np.inf
                source.data.supply_lost()
            plan = self._plan_for(source.data)
            for _ in range(BRINGS):
                sent = self._send(payload, plan)
                shares = [
                    self._task(name, function, message, _share(source, plan[address], log), at=address)
                    for address, message in sent.items()
                ]
                results = self.cluster.results(reduce(shares), plan)
                absent = {number for result in results if isinstance(result, Absent) for number in result.numbers}
                if not absent:
                    return results
                self._bring(source, log, plan, absent)
            raise Transient(f"partition {min(absent)} was absent again and again")

        return self.cluster.persist(attempt, source.data.references)

    def _task(self, name: str, function: Callable[..., Any], *arguments: Any, at: str | None = None) -> Any:
        """Submit a task with a number of its own."""
        return self.cluster.task(f"{name}-{next(self._numbers)}", function, *arguments, at=at)

    def _send(self, payload: bytes, plan: Plan) -> dict[str, Any]:
        """Return what the task of each worker gets as its payload: the payload, or a reference to it.

        It is sent to a few workers, from which Dask takes it to the others.
        """
        if len(payload) <= SMALL:
            return dict.fromkeys(plan, payload)
        sent = [self.cluster.send_to(payload, address) for address in list(plan)[:BRANCHES]]
        return {address: sent[place % len(sent)] for place, address in enumerate(plan)}

    def _bring(self, source: PartitionSource, log: FitLog | None, plan: Plan, absent: set[int]) -> None:
        """Put partitions on the workers that they are planned for, with their state in a fit."""
        data, brought, sent = source.data, [], []
        for address, planned in plan.items():
            numbers = [number for number in planned if number in absent]
            if not numbers:
                continue
            history: Any = History() if log is None or log.is_zero else source.history_of(numbers)
            if history.n_bytes > SMALL or history.states or history.start:
                history = self.cluster.send_to(history, address)
                sent.append(history)
            facts, references = [data.facts[n] for n in numbers], [data.references[n] for n in numbers]
            share = _share(source, numbers, log)
            brought.append(self._task("bring", worker.bring, history, share, facts, *references, at=address))
        self.cluster.results(brought, plan)

    def _merged(self, shares: Sequence[Any], name: str) -> Sequence[Any]:
        """Add up sums by a tree of tasks until few are left."""
        while len(shares) > BRANCHES:
            groups = [shares[low : low + BRANCHES] for low in range(0, len(shares), BRANCHES)]
            shares = [self._task(f"merge-{name}", worker.merge_sums, *group) for group in groups]
        return shares

    def _plan_for(self, data: PartitionedData) -> Plan:
        """Return the plan in force, made anew every `PLAN_SECONDS`."""
        now = time.monotonic()
        if now - data.planned > PLAN_SECONDS:
            holders = self.cluster.holders(data.references)
            data.places = assign(holders, self.cluster.workers(), data.places, [fact.n_stored for fact in data.facts])
            data.planned = now
        plan: Plan = {}
        for number, address in enumerate(data.places):
            plan.setdefault(address, []).append(number)
        return plan


def _share(source: PartitionSource, numbers: list[int], log: FitLog | None) -> Share:
    """Return the description of some partitions."""
    firsts, fits = source.data.firsts, source.fits
    of_each = tuple(int(firsts[number]) for number in numbers)
    return Share(fits.family, source.data.name, tuple(numbers), of_each, log, frozenset(fits.over))


def assign(
    holders: Sequence[Sequence[str]], workers: Sequence[str], before: Sequence[str], sizes: Sequence[int]
) -> list[str]:
    """Choose a worker for each partition: the one that had it before, one that holds it, or the least loaded.

    Idle workers then get partitions of the most loaded ones.

    >>> assign([["a"], ["a"], ["a"], []], ["a", "b"], [], [1, 1, 1, 1])
    ['a', 'a', 'b', 'b']
    """
    load = dict.fromkeys(workers, 0)
    places: list[str] = []
    for number, held_by in enumerate(holders):
        able = [address for address in held_by if address in load]
        old = before[number] if number < len(before) else None
        chosen = old if old in load else min(able or load, key=lambda address: load[address])
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
