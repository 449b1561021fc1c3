"""uvicorn's HTTP protocol with limits on a request's head, which neither uvicorn nor httptools has."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tonmf.service.errors import encoded
from tonmf.service.lingering import LingeringTransport
from tonmf.service.security import HEADERS

LARGEST_HEAD = 65_536
"""Largest request line and headers, in bytes."""

HEAD_SECONDS = 30
"""Seconds that a head may take, from the opening of a connection or from its first byte."""


class BoundedHeads(HttpToolsProtocol):
    """A connection that rejects a head that is too large and closes on one that comes too slowly."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head, self._head_bytes = True, 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock for the first head."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(HEAD_SECONDS, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head."""
        super().data_received(data)
        if self._in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > LARGEST_HEAD:
                self.send_400_response(f"The head of the request is larger than {LARGEST_HEAD:,} bytes.")

    def on_message_begin(self) -> None:
        """Note that a head has begun."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def on_headers_complete(self) -> None:
        """Note that a head is complete."""
        self._in_head = False
        self._stop_timer()
        super().on_headers_complete()
        self.cycle.transport = LingeringTransport(self.transport, self.cycle)  # type: ignore[assignment]

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request with JSON, like all other errors."""
        body = encoded({"error": msg})
        headers = {**HEADERS, b"content-type": b"application/json", b"content-length": str(len(body)).encode()}
        lines = [b"HTTP/1.1 400 Bad Request", *(name + b": " + value for name, value in headers.items())]
        self.transport.write(b"\r\n".join([*lines, b"connection: close", b"", body]))
        self.transport.close()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
