"""Call the model from one thread only, since its compiled kernels must not be entered by several at once.

Waiting small calls are joined into one, as the model takes almost as long for one document as for ten; a document's answer
does not depend on that. Requests with many documents come in slices (`tonmf.service.score_routes`) that each wait for their
turn, so small requests need not wait for large ones.

Between two calls of the model the event loop goes round a few times: it sends finished answers and reads new requests without
competing with the model for Python's lock, and the next call has more to join."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from tonmf.service.errors import ServiceError

JOINED = 64
"""Documents up to which calls are joined."""

ROUNDS = 3
"""Turns of the event loop before a call: one to read new requests, two more until their handlers ask."""

Run = Callable[[Sequence[Any]], Sequence[Any]]
"""A function from documents to as many answers."""


@dataclass(frozen=True)
class Call:
    """Documents that wait. Calls with the same key may be joined; any one's `run` then serves them all."""

    key: Hashable
    run: Run
    documents: Sequence[Any]
    future: asyncio.Future[Sequence[Any]]


class ModelQueue:
    """The model's thread and its queue, for one event loop.

    Parameters
    ----------
    on_call : callable
        Called in the thread with the seconds that a call took and the number of documents in it.
    """

    def __init__(self, on_call: Callable[[float, int], None]) -> None:
        self._on_call = on_call
        self._waiting: deque[Call] = deque()
        self._busy = True  # until it is started
        self._calls: SimpleQueue[list[Call] | None] = SimpleQueue()

    def start(self) -> None:
        """Start working."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()
        self._be_free()

    def stop(self) -> None:
        """Finish the current call and end."""
        self._calls.put(None)
        self._thread.join()

    @property
    def length(self) -> int:
        """Return the number of waiting calls."""
        return len(self._waiting)

    async def ask(self, key: Hashable, run: Run, documents: Sequence[Any]) -> Sequence[Any]:
        """Queue documents and return the answers that `run` gives."""
        call = Call(key, run, documents, asyncio.get_running_loop().create_future())
        self._waiting.append(call)
        if not self._busy:
            self._begin()
        return await call.future

    def _begin(self) -> None:
        self._busy = True
        self._loop.call_soon(self._go_round, ROUNDS)

    def _go_round(self, left: int) -> None:
        if left:
            self._loop.call_soon(self._go_round, left - 1)
            return
        calls = [call for call in _next_group(self._waiting) if not call.future.done()]
        if calls:
            self._calls.put(calls)
        else:  # nobody waits any more
            self._be_free()

    def _be_free(self) -> None:
        self._busy = False
        if self._waiting:
            self._begin()

    def _work(self) -> None:
        """Run calls in the thread."""
        while calls := self._calls.get():
            began = time.perf_counter()
            outcomes = _outcomes(calls)
            self._on_call(time.perf_counter() - began, sum(len(call.documents) for call in calls))
            try:
                self._loop.call_soon_threadsafe(self._settle, calls, outcomes)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _settle(self, calls: Sequence[Call], outcomes: Sequence[Sequence[Any] | Exception]) -> None:
        """Hand out the results."""
        for call, outcome in zip(calls, outcomes, strict=True):
            if call.future.done():  # somebody left
                continue
            if isinstance(outcome, Exception):
                call.future.set_exception(outcome)
            else:
                call.future.set_result(outcome)
        self._be_free()


def _next_group(waiting: deque[Call]) -> list[Call]:
    """Return the first call and others of its kind, as long as there is room."""
    first = waiting.popleft()
    group, room = [first], JOINED - len(first.documents)
    left: list[Call] = []
    while waiting:
        call = waiting.popleft()
        if call.key == first.key and len(call.documents) <= room:
            group.append(call)
            room -= len(call.documents)
        else:
            left.append(call)
    waiting.extend(left)
    return group


def _outcomes(calls: Sequence[Call]) -> list[Sequence[Any] | Exception]:
    """Return each call's result; if a joint call fails, run each alone so that one cannot spoil the others."""
    try:
        answers = calls[0].run([document for call in calls for document in call.documents])
    except Exception as error:
        return [error] if len(calls) == 1 else [_outcomes([call])[0] for call in calls]
    outcomes: list[Sequence[Any] | Exception] = []
    start = 0
    for call in calls:
        outcomes.append(answers[start : start + len(call.documents)])
        start += len(call.documents)
    return outcomes


class Admission:
    """Counts running requests and the bytes they hold; turns away those beyond the limits."""

    def __init__(self, most_requests: int, most_bytes: int) -> None:
        self._most_requests, self._most_bytes = most_requests, most_bytes
        self.requests = self.bytes = 0

    def enter(self) -> Admitted:
        """Admit a request."""
        if self.requests >= self._most_requests:
            raise _busy()
        self.requests += 1
        return Admitted(self)

    def hold(self, n_bytes: int) -> None:
        """Reserve more bytes."""
        if self.bytes + n_bytes > self._most_bytes:
            raise _busy()
        self.bytes += n_bytes


class Admitted:
    """An admitted request; on exit it releases everything it held."""

    def __init__(self, admission: Admission) -> None:
        self._admission, self._held = admission, 0

    def hold(self, n_bytes: int) -> None:
        """Reserve more bytes."""
        self._admission.hold(n_bytes)
        self._held += n_bytes

    def __enter__(self) -> Admitted:
        return self

    def __exit__(self, *raised: object) -> None:
        self._admission.requests -= 1
        self._admission.bytes -= self._held


def _busy() -> ServiceError:
    return ServiceError(
        503, "The server has more requests than it can hold. Try again in a second.", {"Retry-After": "1"}
    )
