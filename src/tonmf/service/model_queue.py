"""All calls of the model go through one thread, since its compiled kernels may not be entered by several at once.

Small calls that wait are joined to one, as the model takes almost as long for one document as for ten. What a document's
answer is does not depend on that. Requests with many documents come in slices (`tonmf.service.scoring`), each of which waits
for its turn, so that small requests need not wait for large ones.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from tonmf.service.errors import ServiceError

JOINED = 64
"""Documents up to which calls are joined."""

Run = Callable[[Sequence[Any]], Sequence[Any]]
"""From documents to as many answers."""


@dataclass(frozen=True)
class Call:
    """Documents that wait; calls with the same key may be joined, and then any one's `run` serves all of them."""

    key: Hashable
    run: Run
    documents: Sequence[Any]
    future: asyncio.Future[Sequence[Any]]
    loop: asyncio.AbstractEventLoop


class ModelQueue:
    """The thread, and what waits for it.

    Parameters
    ----------
    on_call : callable
        Called in the thread with the seconds that a call took and the number of documents in it.
    """

    def __init__(self, on_call: Callable[[float, int], None]) -> None:
        self._on_call = on_call
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what is there, and end."""
        self._calls.put(None)
        self._thread.join()

    @property
    def length(self) -> int:
        """Calls that wait."""
        return self._calls.qsize()

    async def ask(self, key: Hashable, run: Run, documents: Sequence[Any]) -> Sequence[Any]:
        """The answers that `run` gives for documents, when it is their turn."""
        loop = asyncio.get_running_loop()
        call = Call(key, run, documents, loop.create_future(), loop)
        self._calls.put(call)
        return await call.future

    def _work(self) -> None:
        waiting: deque[Call] = deque()
        while True:
            while not waiting or not self._calls.empty():
                call = self._calls.get()
                if call is None:
                    for group in _groups(waiting):
                        self._answer(group)
                    return
                waiting.append(call)
            self._answer(_next_group(waiting))

    def _answer(self, calls: list[Call]) -> None:
        calls = [call for call in calls if not call.future.cancelled()]
        if not calls:
            return
        began = time.perf_counter()
        outcomes = _outcomes(calls)
        self._on_call(time.perf_counter() - began, sum(len(call.documents) for call in calls))
        try:
            calls[0].loop.call_soon_threadsafe(_settle, calls, outcomes)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return


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


def _groups(waiting: deque[Call]) -> Iterator[list[Call]]:
    while waiting:
        yield _next_group(waiting)


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


def _settle(calls: Sequence[Call], outcomes: Sequence[Sequence[Any] | Exception]) -> None:
    """In the loop: hand out what came."""
    for call, outcome in zip(calls, outcomes, strict=True):
        if call.future.cancelled():
            continue
        if isinstance(outcome, Exception):
            call.future.set_exception(outcome)
        else:
            call.future.set_result(outcome)


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
