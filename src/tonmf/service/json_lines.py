"""JSON lines in and out: one document a line, answered as they arrive.

The body is read ahead, up to the limit on bodies, whether or not the client reads its answers: most clients read nothing
before they have sent everything, and both sides would wait for each other. Answers are made as the client reads them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from tonmf.errors import TonmfError
from tonmf.service.bodies import LINES, SLOWEST, chunks, too_slow
from tonmf.service.documents import DocumentReader
from tonmf.service.errors import FAULT, ServiceError, encoded, in_fields, log_fault
from tonmf.service.json_parts import parse_line
from tonmf.service.limits import Limits
from tonmf.service.model import Named
from tonmf.service.model_queue import Admitted

MARK = b"\xef\xbb\xbf"
"""The byte-order mark that some editors write before UTF-8."""


BLANK, SKIPPED = re.compile(rb"\s*"), 2**20
"""Blank lines, and bytes of them to skip at a time."""

MOST_BLANK = 100
"""Blank lines to skip one by one: more of them are skipped together."""


class IncomingLines:
    """The lines of a request, read ahead by a task that also notices when the client disconnects."""

    def __init__(self, request: Request, limits: Limits, admitted: Admitted) -> None:
        self._request, self._limits, self._admitted = request, limits, admitted
        self._buffer, self._news = bytearray(), asyncio.Event()
        self._searched = 0  # bytes of the buffer in which there is no line end
        self._complete = False
        self._error: Exception | None = None
        self.gone = False
        self.number = 0
        self._task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        limits, pace = self._limits, _Pace(self._limits.idle_seconds)
        try:
            async for chunk in chunks(self._request, limits.body, limits.idle_seconds, "--max-body", paced=False):
                self._admitted.hold(len(chunk))
                self._buffer += chunk
                self._news.set()
                pace.check(chunk)
            self._complete = True
            self._news.set()
            while (await self._request.receive())["type"] != "http.disconnect":
                pass
            self.gone = True
        except ClientDisconnect:
            self.gone = True
        except Exception as error:  # it is raised again where lines are asked for
            self._error = error
        finally:
            self._complete = True
            self._news.set()

    async def next(self, most: int) -> list[tuple[int, bytes]]:
        """Return up to so many lines with their numbers, as soon as there is one; none at the end. Blank lines are skipped."""
        while True:
            length = len(self._buffer)
            lines = self._whole_lines(most)
            if lines:
                return lines
            self._skip_blank()
            if len(self._buffer) < length:
                await asyncio.sleep(0)  # others have their turn: there may be millions
                continue
            if self._complete and not self._buffer:
                if self._error is not None:
                    raise self._error
                return []
            if not self._complete:
                self._news.clear()
                await self._news.wait()

    def _skip_blank(self) -> None:
        """Skip blank lines at the start of the buffer, up to `SKIPPED` bytes."""
        found = BLANK.match(self._buffer, 0, SKIPPED)
        end = self._buffer.rfind(b"\n", 0, found.end() if found else 0) + 1
        self.number += self._buffer.count(b"\n", 0, end)
        self._drop(end)

    def _drop(self, n_bytes: int) -> None:
        del self._buffer[:n_bytes]
        self._searched = max(self._searched - n_bytes, 0)

    def _whole_lines(self, most: int) -> list[tuple[int, bytes]]:
        """Return lines that are complete; of blank ones between them, skip no more than `MOST_BLANK`."""
        lines: list[tuple[int, bytes]] = []
        start = n_blank = 0
        if self._complete and self.number == 0 and b"\n" not in self._buffer:
            self._buffer = self._buffer.replace(b"\r", b"\n")  # the line ends of a file without line feeds
        while len(lines) < most and n_blank < MOST_BLANK and start < len(self._buffer):
            end = self._buffer.find(b"\n", max(start, self._searched))
            if end < 0 and (not self._complete or self._error is not None):
                self._searched = len(self._buffer)
                break
            end = len(self._buffer) if end < 0 else end
            self.number += 1
            line = bytes(self._buffer[start:end]).removeprefix(MARK if self.number == 1 else b"")
            if line.strip():
                lines.append((self.number, line))
            else:
                n_blank += 1
            start = end + 1
        self._drop(start)
        if not lines:
            self._leave_out()
        return lines

    def _leave_out(self) -> None:
        """Leave out what is left of a line that was cut."""
        if self._error is not None and b"\n" not in self._buffer:
            self._buffer.clear()

    def stop(self) -> None:
        """Stop reading."""
        self._task.cancel()


class _Pace:
    """Checks that lines are completed in time: a stream may rest between two lines, but not for ever within one."""

    def __init__(self, idle_seconds: float) -> None:
        self._idle, self._clock = idle_seconds, asyncio.get_running_loop().time
        self._since, self._n_bytes = self._clock(), 0

    def check(self, chunk: bytes) -> None:
        """Note what arrived."""
        if b"\n" in chunk and chunk.strip():
            self._since, self._n_bytes = self._clock(), 0
            return
        self._n_bytes += len(chunk)
        if self._clock() - self._since > self._idle + self._n_bytes / SLOWEST:
            raise too_slow(f"No line was complete for {self._idle:g} seconds.")


def read_lines(
    lines: Sequence[tuple[int, bytes]], reader: DocumentReader, before: int
) -> tuple[list[Named], ServiceError | None, int]:
    """Read documents from lines up to the first bad one; return them with that line's error and number."""
    documents: list[Named] = []
    for number, line in lines:
        try:
            if before + len(documents) >= reader.limits.batch:
                raise reader.too_many()
            value = _parsed(line, number, reader)
            documents.append(reader.read(value, f"Line {number}", str(before + len(documents))))
        except ServiceError as error:
            return documents, error, number
    return documents, None, 0


def _parsed(line: bytes, number: int, reader: DocumentReader) -> Any:
    try:
        return parse_line(line, reader.limits, f"Line {number}")
    except ValueError as error:
        raise ServiceError(422, f"Line {number} is not JSON: {error}. Send a document a line.") from None


class BrokenOffError(Exception):
    """A bad line after earlier lines were answered."""

    def __init__(self, cause: Exception, line: int) -> None:
        super().__init__()
        self.cause, self.line = cause, line


class StreamedResponse(Response):
    """A response that is made as the client reads it, so that its size takes no memory.

    Parameters
    ----------
    first : bytes
        What is ready when the answer begins.
    rest : async iterator of bytes
        What comes then. If it fails, the connection ends before the answer does.
    held : ExitStack
        What to close in the end.
    media_type : str
    """

    def __init__(self, first: bytes, rest: AsyncIterator[bytes], held: ExitStack, media_type: str) -> None:
        super().__init__(media_type=media_type, headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._first, self._rest, self._held = first, rest, held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, as ASGI has it."""
        with self._held:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": self._first, "more_body": True})
            try:
                async for some in self._rest:
                    await send({"type": "http.response.body", "body": some, "more_body": True})
            except ClientDisconnect:
                return
            await send({"type": "http.response.body", "body": b"", "more_body": False})


class LinesResponse(StreamedResponse):
    """A streamed response of JSON lines. If something fails on the way, the last line says what."""

    def __init__(self, first: bytes, rest: AsyncIterator[bytes], held: ExitStack) -> None:
        super().__init__(first, _with_last_line(rest), held, LINES)


async def _with_last_line(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    try:
        async for some in lines:
            yield some
    except ClientDisconnect:
        raise
    except Exception as error:
        yield encoded(_last_line(error)) + b"\n"


def _last_line(error: Exception) -> Mapping[str, Any]:
    place: dict[str, Any] = {}
    if isinstance(error, BrokenOffError):
        place = {"line": error.line}
        error = error.cause
    if isinstance(error, ServiceError):
        return {"error": error.message, **place}
    if isinstance(error, TonmfError):
        return {"error": in_fields(error.message), **place}
    log_fault(error)
    return {"error": FAULT, **place}


def as_lines(answers: Sequence[Mapping[str, Any]]) -> bytes:
    """Encode one object a line."""
    return b"".join(encoded(answer) + b"\n" for answer in answers)
