"""From exceptions to answers: ``{"error": …}`` with what was expected, what came and what to do; no paths, no tracebacks."""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tonmf.errors import TonmfError

log = logging.getLogger("tonmf.service")

FAULT = "Unexpected error, a fault in tonmf. The server's log says more."

GONE = 499
"""What requests are counted under whose clients left before the answer; the number that proxies use."""

PLAIN = {
    404: "There is nothing at this address. GET /openapi.json lists what there is.",
    405: "This address does not take this method. GET /openapi.json lists what it takes.",
}
"""What to say of errors that the framework finds."""

NAMES = {"max_topics": "topics", "random_state": "seed", "stemmer": "stem", "n_jobs": "threads"}
"""What the library's parameters are called here."""


class ServiceError(Exception):
    """A request that cannot be answered, and why."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


def error_answer(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer to a request that failed."""
    return Response(encoded({"error": message}), status, dict(headers or {}), "application/json")


def encoded(value: Any) -> bytes:
    """A value as JSON; what JSON does not know is a fault, not an answer."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def as_parameters(message: str) -> str:
    """A message of the library in terms of an address: what the command line calls ``--text-column`` is ``text_column``.

    >>> as_parameters("Give --text-column, or lower max_topics.")
    'Give text_column, or lower topics.'
    """
    flags = re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda found: found.group(1).replace("-", "_"), message)
    return re.sub(rf"\b({'|'.join(NAMES)})\b", lambda found: NAMES[found.group()], flags)


def answer_to(error: Exception) -> Response:
    """The answer to a request during which something was raised."""
    if isinstance(error, ServiceError):
        return error_answer(error.status, error.message, error.headers)
    if isinstance(error, TonmfError):
        return error_answer(422, as_parameters(str(error)))
    if isinstance(error, RequestValidationError):
        return error_answer(422, _invalid(error))
    if isinstance(error, HTTPException):
        message = PLAIN.get(error.status_code) or f"{HTTPStatus(error.status_code).phrase}."
        return error_answer(error.status_code, message, error.headers)
    if isinstance(error, ClientDisconnect):  # nobody reads this
        return Response(status_code=GONE)
    log_fault(error)
    return error_answer(500, FAULT)


def log_fault(error: BaseException) -> None:
    """Say in the log where something unexpected happened, but not its message, which may quote a document."""
    places = "".join(traceback.format_tb(error.__traceback__))
    log.error("unexpected %s at\n%s", type(error).__name__, places.rstrip())


def _invalid(error: RequestValidationError) -> str:
    """What is wrong with the first parameter that is."""
    first = error.errors()[0]
    name = str(first["loc"][-1]) if first.get("loc") else "request"
    if first.get("type") == "missing":
        return f"Expected {name} in the address, such as ?{name}=…, but it is missing."
    what = str(first.get("msg", "is not valid"))
    return f"{name}: {what[:1].lower()}{what[1:]}."


def install(app: FastAPI) -> None:
    """Have an app answer so."""

    async def handle(request: Request, error: Exception) -> Response:
        return answer_to(error)

    for kind in (ServiceError, TonmfError, RequestValidationError, HTTPException, ClientDisconnect, Exception):
        app.add_exception_handler(kind, handle)
