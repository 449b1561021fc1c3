"""Answer exceptions with ``{"error": …}``: what was expected, what came and what to do; no paths, no tracebacks."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tonmf.errors import Param, TonmfError, worded

log = logging.getLogger("tonmf.service")

FAULT = "Unexpected error, a fault in tonmf. The server's log says more."

GONE = 499
"""Status under which to count requests whose clients left before the answer; proxies use the same number."""

PLAIN = {
    404: "There is nothing at this address. GET /openapi.json lists what there is.",
    405: "This address does not take this method. GET /openapi.json lists what it takes.",
}
"""Messages for errors that the framework finds."""

FIELDS = {"max_topics": "topics", "random_state": "seed", "stemmer": "stem", "n_jobs": "threads"}
"""Parameters of the library whose fields have other names."""


class ServiceError(Exception):
    """A request that cannot be answered, with the status and the reason."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


def error_answer(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer to a request that failed."""
    return Response(encoded({"error": message}), status, dict(headers or {}), "application/json")


def encoded(value: Any) -> bytes:
    """Encode a value as JSON; NaN, infinity and unknown types raise, since they are faults and no answers."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def in_fields(message: str) -> str:
    """Word a message of the library for HTTP: a parameter is a field of the request.

    >>> from tonmf.errors import Message
    >>> in_fields(Message("Give ", Param("text_column"), ", or lower ", Param("max_topics"), "."))
    'Give text_column, or lower topics.'
    """
    return worded(message, _field)


def _field(param: Param) -> str:
    name = FIELDS.get(param.name, param.name)
    value = str(param.value).lower() if isinstance(param.value, bool) else param.value
    return name if value is None else f"{name}={value}"


def answer_to(error: Exception) -> Response:
    """Return the answer to a request that raised `error`."""
    if isinstance(error, ServiceError):
        return error_answer(error.status, error.message, error.headers)
    if isinstance(error, TonmfError):
        return error_answer(422, in_fields(error.message))
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
    """Log where an unexpected error happened, but not its message, which may quote a document."""
    places = "".join(traceback.format_tb(error.__traceback__))
    log.error("unexpected %s at\n%s", type(error).__name__, places.rstrip())


def _invalid(error: RequestValidationError) -> str:
    """Say what is wrong with the first invalid parameter."""
    first = error.errors()[0]
    name = str(first["loc"][-1]) if first.get("loc") else "request"
    if first.get("type") == "missing":
        return f"Expected {name} in the address, such as ?{name}=…, but it is missing."
    what = str(first.get("msg", "is not valid"))
    return f"{name}: {what[:1].lower()}{what[1:]}."


def install(app: FastAPI) -> None:
    """Make an app answer all exceptions this way."""

    async def handle(request: Request, error: Exception) -> Response:
        return answer_to(error)

    for kind in (ServiceError, TonmfError, RequestValidationError, HTTPException, ClientDisconnect, Exception):
        app.add_exception_handler(kind, handle)
