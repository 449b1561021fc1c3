"""Read request bodies: bytes within limits, whatever a header claims, and strict JSON."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from starlette.requests import ClientDisconnect
from starlette.types import Message

from tonmf.service.errors import ServiceError
from tonmf.text.documents import without_surrogates
from tonmf.wording import shown

log = logging.getLogger("tonmf.service")

JSON = "application/json"
LINES = "application/x-ndjson"
LINES_TOO = (LINES, "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines")
"""Other content types that mean JSON lines."""


def content_type(request: Request) -> str:
    """Return `JSON` or `LINES`; JSON if the request does not say."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ServiceError(415, "The body is compressed; expected it as it is. Leave out Content-Encoding.")
    given, _, parameters = request.headers.get("content-type", JSON).partition(";")
    kind = given.strip().lower()
    charset = parameters.lower().replace('"', "").partition("charset=")[2].split(";")[0].strip()
    if charset not in ("", "utf-8", "utf8"):
        raise ServiceError(415, f"Expected UTF-8, got {shown(charset)}. Send the body as UTF-8.")
    if kind == JSON:
        return JSON
    if kind in LINES_TOO:
        return LINES
    raise ServiceError(415, f"Expected {JSON}, or {LINES} with a document a line; got {shown(kind)}.")


def wants_lines(request: Request) -> bool:
    """Return whether the client asks for JSON lines."""
    accepted = request.headers.get("accept", "").lower()
    return any(kind in accepted for kind in LINES_TOO)


SLOWEST = 4096
"""Bytes a second that a body must come at on average, beyond the time that a client may be idle: otherwise a byte now and then
would keep a request waiting for ever."""


async def chunks(
    request: Request, most: int, idle_seconds: float, option: str = "", *, paced: bool = True
) -> AsyncIterator[bytes]:
    """Yield the body as it arrives; fail as soon as it is too large or stalls, or is too slow if it is `paced`.

    `option` names the limit in the error.
    """
    clock = asyncio.get_running_loop().time
    began = clock()
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise too_large(most, option)
    received, more = 0, True
    while more:
        message = await _next_message(request, idle_seconds)
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk: bytes = message.get("body", b"")
        more = message.get("more_body", False)
        received += len(chunk)
        if received > most:
            raise too_large(most, option)
        if paced and more and clock() - began > idle_seconds + received / SLOWEST:
            raise too_slow(f"The body comes at less than {SLOWEST:,} bytes a second.")
        if chunk:
            yield chunk


async def _next_message(request: Request, idle_seconds: float) -> Message:
    try:
        async with asyncio.timeout(idle_seconds):
            return await request.receive()
    except TimeoutError:
        raise too_slow(f"Nothing came for {idle_seconds:g} seconds, and the body is not complete.") from None


def too_slow(message: str) -> ServiceError:
    """Return the error for a body that does not come."""
    log.warning("gave up a request: %s", message)
    return ServiceError(408, f"{message} Send it again.", {"Connection": "close"})


def too_large(most: int, option: str) -> ServiceError:
    """Return the error for a body over the limit."""
    advice = f", or start the server with a higher {option}" if option else ""
    return ServiceError(413, f"The body is larger than {most:,} bytes. Send less at once{advice}.")


def parse(
    body: bytes | bytearray, start: int = 0, end: int | None = None, opened: bytes = b"", closed: bytes = b""
) -> Any:
    """Parse JSON; raise `ValueError` with the reason. Half a surrogate pair becomes U+FFFD.

    It may be a part of a body, from `start` to `end`, put between `opened` and `closed`; errors name its place in the body.
    """
    part = opened + body[start:end] + closed
    try:
        value = json.loads(part.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {start + error.start - len(opened)} is not UTF-8") from None
    except json.JSONDecodeError as error:
        place = len(body[:start].decode("utf-8", "replace")) + error.pos - len(opened)
        raise ValueError(f"{error.msg} at character {place}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:  # a constant that is none, or a number with too many digits
        raise ValueError(str(error) if "JSON" in str(error) else "a number has too many digits") from None
    return _clean(value) if b"\\u" in part else value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(name): _clean(item) for name, item in value.items()}
    return value
