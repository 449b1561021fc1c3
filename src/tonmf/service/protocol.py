"""uvicorn's HTTP protocol with limits on connections, heads and waiting.

uvicorn's only timer is for connections without a request, and any byte stops it. Here, each state of a connection has a
deadline that arriving bytes do not move:

========= ============================================================ ==============================
state     begins                                                       may last
========= ============================================================ ==============================
head      when the connection opens, or with the first byte of a head  `Connections.head_seconds`
at work   with the end of the head                                     as long as the app works
unread    when a request is answered whose body was not read           `Connections.idle_seconds`
idle      when a request is answered, and its body is complete         `Connections.kept_seconds`
closing   when the server closes, while the client reads the rest      `Connections.idle_seconds`
                                                                       without reading any
========= ============================================================ ==============================

The app limits the time that it waits for a body (`bodies.chunks`), and for a client to read its answer (`security.Guard`).
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tonmf.service.connections import Connections, Deadline, counted_as
from tonmf.service.errors import encoded
from tonmf.service.lingering import LingeringTransport
from tonmf.service.security import HEADERS

LARGEST_HEAD = 65_536
"""Largest request line and headers, in bytes."""

TOO_MANY = "This address has too many connections. Close some, or try again in a few seconds."


class BoundedConnection(HttpToolsProtocol):
    """A connection that keeps the server waiting for so long only, and whose heads are not too large."""

    def __init__(self, watched_by: Connections, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._watched_by = watched_by
        self._deadline = Deadline(self.loop.time)
        self._in_head, self._in_body, self._head_bytes = True, False, 0
        self._unsent: int | None = None
        self._counted = False
        self.address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock for the first head, or refuse the connection."""
        super().connection_made(transport)
        self.address = counted_as(self.client[0]) if self.client else ""
        self._counted = self._watched_by.enter(self.address)
        if self._counted:
            self._await_head()
        else:
            self._refuse(b"503 Service Unavailable", TOO_MANY, {b"retry-after": b"5"})

    def connection_lost(self, exc: Exception | None) -> None:
        """Count a connection less."""
        if self._counted:
            self._counted = False
            self._watched_by.leave(self.address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > LARGEST_HEAD:
                self.send_400_response(f"The head of the request is larger than {LARGEST_HEAD:,} bytes.")

    def on_message_begin(self) -> None:
        """Note that a head has begun."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        if not self._is_at_work:
            self._await_head()

    def on_headers_complete(self) -> None:
        """Note that a head is complete."""
        self._in_head, self._in_body = False, True
        self._deadline.none()
        super().on_headers_complete()
        self.cycle.transport = LingeringTransport(self.transport, self.cycle)  # type: ignore[assignment]

    def on_message_complete(self) -> None:
        """Note that a body is complete, whether or not anybody read it."""
        self._in_body = False
        super().on_message_complete()
        if not self._is_at_work:
            self._await_request()

    def on_response_complete(self) -> None:
        """Start the clock for what comes next."""
        goes_on = bool(self.pipeline)
        super().on_response_complete()
        if goes_on or self.transport.is_closing():
            return
        if self._in_head:
            self._await_head()
        elif self._in_body:
            self._deadline.set(self._watched_by.idle_seconds, "the rest of a body that nobody reads did not come")
        else:
            self._await_request()

    def overdue(self, now: float) -> str | None:
        """Close the connection if its time is up; return why, None if it stays."""
        if not self.transport.is_closing():
            self._unsent = None
            reason = None if self._is_at_work else self._deadline.missed(now)
            if reason is not None:
                self.transport.close()
            return reason
        unsent = self.transport.get_write_buffer_size()
        if self._unsent is None or unsent < self._unsent:  # the client reads what is left for it
            self._unsent = unsent
            self._deadline.set(self._watched_by.idle_seconds, "the rest of an answer was not read")
            return None
        reason = self._deadline.missed(now)
        if reason is not None:
            self.transport.abort()
        return reason

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request with JSON, like all other errors."""
        self._refuse(b"400 Bad Request", msg, {})

    @property
    def _is_at_work(self) -> bool:
        """Return whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        self._deadline.set(self._watched_by.head_seconds, "the head of a request was not complete")

    def _await_request(self) -> None:
        self._deadline.set(self._watched_by.kept_seconds, "no further request came")

    def _refuse(self, status: bytes, message: str, more: dict[bytes, bytes]) -> None:
        body = encoded({"error": message})
        own = {b"content-type": b"application/json", b"content-length": str(len(body)).encode(), **more}
        lines = [b"HTTP/1.1 " + status, *(name + b": " + value for name, value in {**HEADERS, **own}.items())]
        self.transport.write(b"\r\n".join([*lines, b"connection: close", b"", body]))
        self.transport.close()
