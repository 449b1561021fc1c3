"""Close a connection whose client is still sending, so that it gets the answer.

A request can be answered before all of it has come: its body is too large, or the token is wrong. If the server then closed the
connection, the system would tell the client at once that its bytes found nobody, and many clients, nginx among them, drop an
answer that they have not read by then. So the server says that nothing more will come, and discards what it is sent until the
client closes, for a while.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

SECONDS, BYTES = 10.0, 64 * 2**20
"""How long to wait for the client to close, and how much to discard meanwhile."""


class LingeringTransport:
    """The transport of one request: closes only for writing if the request is answered and its body has not all come."""

    def __init__(self, transport: asyncio.Transport, cycle: RequestResponseCycle) -> None:
        self._transport, self._cycle = transport, cycle

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        """Close, or begin to discard what still comes."""
        if self._transport.is_closing():
            return
        if self._cycle.response_complete and self._cycle.more_body:
            _Discarding(self._transport)
        else:
            self._transport.close()


class _Discarding(asyncio.Protocol):
    """Takes over a connection from its protocol and reads it to its end."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._protocol = transport, transport.get_protocol()
        self._left = BYTES
        self._timer = asyncio.get_running_loop().call_later(SECONDS, transport.close)
        transport.set_protocol(self)
        transport.write_eof()
        transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Discard some bytes."""
        self._left -= len(data)
        if self._left < 0:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the end to the protocol that was there before."""
        self._timer.cancel()
        self._protocol.connection_lost(exc)

    def pause_writing(self) -> None:
        """Tell the protocol that was there before."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """Tell the protocol that was there before."""
        self._protocol.resume_writing()
