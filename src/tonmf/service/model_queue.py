"""Call the model from one thread only, since its compiled kernels must not be entered by several at once.

Waiting small calls are joined into one, as the model takes almost as long for one document as for ten; a document's answer
does not depend on that. Requests with many documents come in slices (`tonmf.service.score_routes`) that each wait for their
turn, so small requests need not wait for large ones.

Between two calls of the model the event loop goes round a few times: it sends finished answers and reads new requests without
competing with the model for Python's lock, and the next call has more to join."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from tonmf.service.errors import ServiceError

log = logging.getLogger("tonmf.service")

JOINED, JOINED_SIZE = 64, 50_000
"""Documents up to which calls are joined, and their size: one long document is enough for a call."""

STOP_SECONDS = 1
"""Longest that the server waits for the last call of the model when it stops: nobody waits for its answers any more."""

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
    size: int
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
        """End after the current call, but wait only so long for it: its thread dies with the process."""
        self._calls.put(None)
        self._thread.join(STOP_SECONDS)
        if self._thread.is_alive():
            log.warning("the model was still at work when the server stopped")

    @property
    def length(self) -> int:
        """Return the number of waiting calls."""
        return len(self._waiting)

    async def ask(self, key: Hashable, run: Run, documents: Sequence[Any], size: int = 0) -> Sequence[Any]:
        """Queue documents, whose `size` tells how much work they make, and return the answers that `run` gives."""
        call = Call(key, run, documents, size, asyncio.get_running_loop().create_future())
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
    group, room, size = [first], JOINED - len(first.documents), JOINED_SIZE - first.size
    left: list[Call] = []
    while waiting:
        call = waiting.popleft()
        if call.key == first.key and len(call.documents) <= room and call.size <= size:
            group.append(call)
            room, size = room - len(call.documents), size - call.size
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


FREE = 65_536
"""Bytes of each request that are always held, so that those who fill the rest keep no small request out."""


class Admission:
    """Counts requests and the bytes they hold; turns away those beyond the limits.

    A request counts from when its body is complete, so that clients who send slowly take nobody's place. One of JSON lines
    counts from its beginning, but apart from the others.
    """

    def __init__(self, most_requests: int, most_bytes: int) -> None:
        self._most_requests, self._most_bytes = most_requests, most_bytes
        self._under_way = Counter({False: 0, True: 0})
        self.bytes = 0

    @property
    def requests(self) -> int:
        """Return the number of requests that are under way."""
        return self._under_way.total()

    def arriving(self) -> Admitted:
        """Return a request that arrives."""
        return Admitted(self)

    def begin(self, in_lines: bool) -> None:
        """Count a request that can be answered."""
        if self._under_way[in_lines] >= self._most_requests:
            raise _busy()
        self._under_way[in_lines] += 1

    def end(self, in_lines: bool) -> None:
        """Count a request less."""
        self._under_way[in_lines] -= 1

    def hold(self, n_bytes: int) -> None:
        """Reserve more bytes."""
        if self.bytes + n_bytes > self._most_bytes:
            raise _busy()
        self.bytes += n_bytes


class Admitted:
    """A request; on exit it releases everything it held."""

    def __init__(self, admission: Admission) -> None:
        self._admission, self._received, self._held = admission, 0, 0
        self._in_lines: bool | None = None

    def begin(self, *, in_lines: bool) -> None:
        """Take a place among the requests under way."""
        self._admission.begin(in_lines)
        self._in_lines = in_lines

    def hold(self, n_bytes: int) -> None:
        """Reserve more bytes."""
        self._received += n_bytes
        more = max(self._received - FREE, 0) - self._held
        self._admission.hold(more)
        self._held += more

    async def each(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the parts of a body as they come, and reserve their bytes."""
        async for chunk in chunks:
            self.hold(len(chunk))
            yield chunk

    def __enter__(self) -> Admitted:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._in_lines is not None:
            self._admission.end(self._in_lines)
        self._admission.bytes -= self._held


def _busy() -> ServiceError:
    return ServiceError(
        503, "The server has more requests than it can hold. Try again in a second.", {"Retry-After": "1"}
    )
