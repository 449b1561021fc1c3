"""All calls of the model go through one thread, since its compiled kernels may not be entered by several at once.

Small calls that wait are joined to one, as the model takes almost as long for one document as for ten. What a document's
answer is does not depend on that. Requests with many documents come in slices (`tonmf.service.score_routes`), each of
which waits for its turn, so that small requests need not wait for large ones.

Between two calls of the model the loop goes round a few times: it sends what is answered and reads what has come, without the
model in its way, and the next call has the more to join. Both want Python's lock, and would else get little done.
"""

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
"""Of the loop before a call: one to read what has come, two more until its handler asks."""

Run = Callable[[Sequence[Any]], Sequence[Any]]
"""From documents to as many answers."""


@dataclass(frozen=True)
class Call:
    """Documents that wait; calls with the same key may be joined, and then any one's `run` serves all of them."""

    key: Hashable
    run: Run
    documents: Sequence[Any]
    future: asyncio.Future[Sequence[Any]]


class ModelQueue:
    """The thread, and what waits for it; to be used within one loop.

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
        """Begin to work."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()
        self._be_free()

    def stop(self) -> None:
        """Finish what is under way, and end."""
        self._calls.put(None)
        self._thread.join()

    @property
    def length(self) -> int:
        """Calls that wait."""
        return len(self._waiting)

    async def ask(self, key: Hashable, run: Run, documents: Sequence[Any]) -> Sequence[Any]:
        """The answers that `run` gives for documents, when it is their turn."""
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
        """In the thread."""
        while calls := self._calls.get():
            began = time.perf_counter()
            outcomes = _outcomes(calls)
            self._on_call(time.perf_counter() - began, sum(len(call.documents) for call in calls))
            try:
                self._loop.call_soon_threadsafe(self._settle, calls, outcomes)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _settle(self, calls: Sequence[Call], outcomes: Sequence[Sequence[Any] | Exception]) -> None:
        """Hand out what came."""
        for call, outcome in zip(calls, outcomes, strict=True):
            if call.future.done():  # somebody left
                continue
            if isinstance(outcome, Exception):
                call.future.set_exception(outcome)
            else:
                call.future.set_result(outcome)
        self._be_free()


def _next_group(waiting: deque[Call]) -> list[Call]:
    """The first call, and others of its kind as long as there is room."""
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
    """What each call gets; where the joint call fails, each for itself, so that one cannot spoil the others."""
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
    """How many requests are under way, and how many bytes of them are held; those beyond are sent away."""

    def __init__(self, most_requests: int, most_bytes: int) -> None:
        self._most_requests, self._most_bytes = most_requests, most_bytes
        self.requests = self.bytes = 0

    def enter(self) -> Admitted:
        """Let a request in."""
        if self.requests >= self._most_requests:
            raise _busy()
        self.requests += 1
        return Admitted(self)

    def hold(self, n_bytes: int) -> None:
        """Take more bytes."""
        if self.bytes + n_bytes > self._most_bytes:
            raise _busy()
        self.bytes += n_bytes


class Admitted:
    """A request under way; leaving gives back all that it held."""

    def __init__(self, admission: Admission) -> None:
        self._admission, self._held = admission, 0

    def hold(self, n_bytes: int) -> None:
        """Take more bytes."""
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
