"""A call of a tool, which computes in a thread: it reports progress, and stops if nobody waits for it any more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio import from_thread, to_thread
from anyio.lowlevel import EventLoopToken, current_token
from mcp.server.mcpserver import Context

STEP = 0.02
"""Share of the work between two reports of progress."""


@dataclass(frozen=True)
class ToolCall:
    """A call: the event loop that waits for it, and whether it was cancelled."""

    loop: EventLoopToken
    cancelled: threading.Event = field(default_factory=threading.Event)


class CancelledCallError(Exception):
    """Ends the work on a call that was cancelled."""


CALL: ContextVar[ToolCall] = ContextVar("CALL")
"""The call that a thread works on."""


async def in_thread(work: Callable[[], Any]) -> Any:
    """Run a tool in a thread. If the call is cancelled, the tool stops when it next reports progress."""
    call = ToolCall(current_token())
    CALL.set(call)
    try:
        return await to_thread.run_sync(work, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        call.cancelled.set()
        raise


def progress(context: Context[Any, Any]) -> Callable[[float], None]:
    """Return a function, to be called from any thread, that reports the share of the work that is done."""
    call, last = CALL.get(), 0.0

    def report(share: float) -> None:
        nonlocal last
        if call.cancelled.is_set():
            raise CancelledCallError
        if share - last >= STEP:
            last = share
            from_thread.run(context.report_progress, share, 1.0, token=call.loop)

    return report
