"""A model behind an HTTP address, in the way of OpenAI: ``https://host/v1#model``.

The key comes from the environment variable ``TONMF_EMBED_KEY``; for the hosts of OpenAI, ``OPENAI_API_KEY`` will do. It is sent
to the address that was given and nowhere else: redirects are not followed. It is never part of a name or an error.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tonmf.errors import InputError, Param, ParameterError, Part, Quoted
from tonmf.wording import number_of, one_line, shown

KEYS = ("TONMF_EMBED_KEY", "OPENAI_API_KEY")
"""The variables that may hold the key; the second only for the hosts of OpenAI."""

BATCH = 64
"""Texts in a request."""

TRIES = 6
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds between tries: they double, unless the server asks for others."""

TIME_LIMIT = 120
"""Seconds to wait for the server to say anything."""

BUSY = (408, 425, 429, 500, 502, 503, 504)
"""Answers after which another try may help."""

TOO_LONG = (400, 413, 422)
"""Answers of servers that do not take texts of this length, or so many at once."""

SHORT = 1_000
"""Characters that every model takes."""


class Endpoint:
    """A model behind an address. Texts that are too long for it are halved until they are not."""

    limit: int | None = None

    def __init__(self, address: str, batch_size: int | None = None) -> None:
        parts = check_address(address)
        self._model = parts.fragment
        self._url = urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/embeddings", fragment=""))
        self._host = f"{parts.scheme}://{parts.netloc}"
        self._key_variable = KEYS[0]
        if parts.scheme == "https" and f".{parts.hostname}".endswith(".openai.com") and not os.environ.get(KEYS[0]):
            self._key_variable = KEYS[1]
        self._open = build_opener(_NoRedirects()).open
        self.label = f"The model {self._model!r} at {self._host}"
        self.at_once = batch_size or BATCH
        self._has_answered = False

    def embed(self, texts: list[str]) -> tuple[list[Any], list[bool]]:
        """Return the rows of texts, and which of them were cut."""
        try:
            return self._rows(self._request(texts), len(texts)), [False] * len(texts)
        except _TooLongError as error:
            if sum(map(len, texts)) <= SHORT:
                raise self._failure(f"answers {error.code}: ", error.said) from error
        if len(texts) == 1:
            rows, _ = self.embed([texts[0][: max(len(texts[0]) // 2, SHORT)]])
            return rows, [True]
        middle = len(texts) // 2
        halves = self.embed(texts[:middle]), self.embed(texts[middle:])
        return halves[0][0] + halves[1][0], halves[0][1] + halves[1][1]

    def _request(self, texts: list[str]) -> bytes:
        """Return the answer to a request, which is repeated while the server is busy or cannot be reached."""
        key = os.environ.get(self._key_variable, "")
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "tonmf"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = json.dumps({"model": self._model, "input": texts}).encode()
        wait = FIRST_WAIT
        for left in reversed(range(TRIES)):
            try:
                with self._open(Request(self._url, body, headers), timeout=TIME_LIMIT) as answer:  # noqa: S310 (http only)
                    content: bytes = answer.read()
                    self._has_answered = True
                    return content
            except HTTPError as error:
                with error:
                    if error.code not in BUSY or not left:
                        raise self._refusal(error, key) from None
                    asked = error.headers.get("Retry-After", "")
            except (OSError, HTTPException, ValueError) as error:  # ValueError: a key that is no header
                if not (left and self._has_answered):  # an address that never answered is rather wrong
                    raise self._failure(f"cannot be reached: {_in_words(error)}") from None
                asked = ""
            time.sleep(min(float(asked) if asked.isdecimal() else wait, LONGEST_WAIT))
            wait *= 2
        raise AssertionError("the last try returns or raises")

    def _refusal(self, error: HTTPError, key: str) -> Exception:
        """Return the error for an answer that is none."""
        if error.code in (401, 403):
            said = "refuses the key in" if os.environ.get(self._key_variable) else "wants a key: set"
            return self._failure(f"{said} {self._key_variable} ({error.code})")
        if error.code == 404:
            return self._failure("answers 404: check the address, which often ends in /v1, and the model after #")
        said = _message_of(error)
        if key:
            said = said.replace(key, "***")
        if error.code in TOO_LONG:
            return _TooLongError(error.code, Quoted(one_line(said)))
        return self._failure(f"answers {error.code}: ", Quoted(one_line(said)))

    def _rows(self, content: bytes, n_texts: int) -> list[Any]:
        """Return the rows of an answer in the order of the texts."""
        try:
            data = json.loads(content)["data"]
            numbered = {entry.get("index", number): entry["embedding"] for number, entry in enumerate(data)}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._failure("answers, but not with JSON that has an embedding in each entry of its data") from error
        if len(data) != n_texts or numbered.keys() != set(range(n_texts)):
            found, wanted = number_of(len(data), "embedding"), number_of(n_texts, "text")
            raise self._failure(f"returned {found} for {wanted}, not one for each")
        return [numbered[number] for number in range(n_texts)]

    def _failure(self, *what: Part) -> InputError:
        return InputError(f"{self.label} ", *what, ".")


@dataclass
class _TooLongError(Exception):
    """A server does not take the texts, and says why."""

    code: int
    said: Quoted


class _NoRedirects(HTTPRedirectHandler):
    """Redirects would send the key and the texts to wherever the server says."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Follow none."""


def check_address(address: str) -> SplitResult:
    """Return the parts of an address; reject one that names no host or no model, or that holds a password."""
    try:
        parts = urlsplit(address)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_valid = urlsplit(""), False
    if "@" in parts.netloc:
        raise ParameterError(
            Param("embedder"), f" must not hold a password: put the key into the environment variable {KEYS[0]}."
        )
    if not (parts.hostname and port_is_valid):
        raise ParameterError(
            Param("embedder"), f" must be an address such as https://host/v1#model; got {shown(address)}."
        )
    if not parts.fragment:
        raise ParameterError(
            Param("embedder"),
            f" must name the model after the address, such as {parts.scheme}://{parts.netloc}/v1#model.",
        )
    return parts


def _message_of(error: HTTPError) -> str:
    """Return what a server says about an error."""
    try:
        content = error.read(10_000).decode("utf-8", "replace")
    except (OSError, HTTPException):
        return error.reason
    try:
        said = json.loads(content)
        said = said.get("error", said)
        return str(said.get("message", said) if isinstance(said, dict) else said)
    except (ValueError, AttributeError):
        return content or error.reason


def _in_words(error: Exception) -> str:
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return f"it does not answer within {TIME_LIMIT} seconds"
    if isinstance(reason, ValueError):
        return "the address or the key holds characters that cannot be sent"
    return one_line(getattr(reason, "strerror", None) or str(reason) or type(reason).__name__)
