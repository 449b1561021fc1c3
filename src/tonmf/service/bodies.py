"""Read request bodies: bytes within limits, whatever a header claims, and strict JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from starlette.requests import ClientDisconnect

from tonmf.service.errors import ServiceError
from tonmf.text.documents import without_surrogates
from tonmf.wording import shown

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


async def chunks(request: Request, most: int, idle_seconds: float, option: str = "") -> AsyncIterator[bytes]:
    """Yield the body as it arrives; fail as soon as it is too large or stalls.

    `option` names the limit in the error.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise too_large(most, option)
    received, more = 0, True
    while more:
        try:
            async with asyncio.timeout(idle_seconds):
                message = await request.receive()
        except TimeoutError:
            wait = f"Nothing came for {idle_seconds:g} seconds, and the body is not complete. Send it again."
            raise ServiceError(408, wait, {"Connection": "close"}) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk: bytes = message.get("body", b"")
        more = message.get("more_body", False)
        received += len(chunk)
        if received > most:
            raise too_large(most, option)
        if chunk:
            yield chunk


def too_large(most: int, option: str) -> ServiceError:
    """Return the error for a body over the limit."""
    advice = f", or start the server with a higher {option}" if option else ""
    return ServiceError(413, f"The body is larger than {most:,} bytes. Send less at once{advice}.")


def parse(body: bytes | bytearray) -> Any:
    """Parse JSON; raise `ValueError` with the reason. Half a surrogate pair becomes U+FFFD."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:  # a constant that is none, or a number with too many digits
        raise ValueError(str(error) if "JSON" in str(error) else "a number has too many digits") from None
    return _clean(value) if b"\\u" in body else value


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
