"""Access control, and the security headers of every response.

- A token, if the server has one: ``Authorization: Bearer …``, or a cookie that ``POST /v1/session`` sets. The cookie holds a
  digest of the token, so it does not reveal the token, and stays valid as long as the token does.
- The host that a request names must be one of the server's own, so that no other site can point its name at us.
- The origin of a request, which browsers send, must be that host: pages of other sites may send nothing.
- Every response tells browsers to load, frame and sniff nothing that the response does not allow."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tonmf.errors import Param, ParameterError
from tonmf.service.errors import GONE, ServiceError, answer_to, log_fault
from tonmf.service.metrics import Metrics

log = logging.getLogger("tonmf.service")

COOKIE = "tonmf_session"

SHORTEST_TOKEN = 16
"""Characters that a token must have, so that it cannot be guessed."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")

PUBLIC = re.compile(r"/|/docs|/healthz|/openapi\.json|/assets/[^/]*|/v1/session")
"""Addresses that need no token: they reveal nothing about documents."""

POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Content security policy of responses that are not pages."""

HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"content-security-policy": POLICY.encode(),
    b"cache-control": b"no-store",
}
"""Headers of every response that does not set its own."""


@dataclass(frozen=True)
class Access:
    """Who may send requests.

    Parameters
    ----------
    token : str, optional
        What requests must show; without one, everybody on this machine may ask.
    hosts : collection of str, optional
        Names that the server goes by; any, if None.
    """

    token: str | None = field(repr=False)
    hosts: Collection[str] | None
    _session: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        key = (self.token or secrets.token_hex()).encode()
        object.__setattr__(self, "_session", hmac.new(key, b"tonmf session", hashlib.sha256).hexdigest())

    def check_site(self, headers: Headers) -> None:
        """Reject requests for other hosts or from other sites."""
        host = headers.get("host", "")
        if self.hosts is not None and _name_of(host) not in self.hosts:
            raise ServiceError(
                403,
                "The request is for a host that this server does not go by. Start it with --allow-host and that name.",
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            raise ServiceError(403, "The request comes from a page of another site, and those may ask nothing here.")

    def check_token(self, headers: Headers) -> None:
        """Reject requests without the token."""
        if self.token is None:
            return
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(shown.strip()):
            return
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        if not _same(cookie, self._session):
            raise unauthorised()

    def is_token(self, shown: str) -> bool:
        """Compare a text with the token in constant time."""
        return self.token is None or _same(shown, self.token)

    def cookie(self, secure: bool) -> str:
        """Return the cookie that stands for the token."""
        return f"{COOKIE}={self._session}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}"


def unauthorised(
    message: str = "Expected the server's token (Authorization: Bearer …), got none or another.",
) -> ServiceError:
    """Return the error for a missing or wrong token."""
    return ServiceError(401, message, {"WWW-Authenticate": 'Bearer realm="tonmf"'})


def stopping() -> ServiceError:
    """Return the error for a request that cannot be answered any more."""
    return ServiceError(
        503, "The server is stopping, and cannot answer any more. Try again later.", {"Retry-After": "60"}
    )


def access_for(host: str, token: str | None, allowed: Collection[str]) -> Access:
    """Return the access rules of a server bound to a host; anywhere but on loopback it needs a token."""
    if token is not None and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise ParameterError(
            f"The token must have at least {SHORTEST_TOKEN} characters, all of them ASCII. Make one, such as with: openssl "
            "rand -hex 32"
        )
    local = is_loopback(host)
    if not local and token is None:
        raise ParameterError(
            f"Without a token the server listens on this machine only, and {host} is beyond it. Give ",
            Param("token"),
            ", or TONMF_TOKEN in the environment.",
        )
    names = {name.lower().strip("[]") for name in allowed}
    return Access(token, {*LOOPBACK, host.lower(), *names} if local or names else None)


def shows_pages(scope: Scope) -> bool:
    """Return whether a request is that of a browser for a page to show, such as by a link."""
    headers = Headers(scope=scope)
    return (
        scope["method"] in ("GET", "HEAD")
        and "text/html" in headers.get("accept", "").lower()
        and headers.get("sec-fetch-dest", "document") == "document"
    )


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine and out of reach for others."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _name_of(host: str) -> str:
    """Return a host without its port.

    >>> _name_of("[::1]:8765"), _name_of("Localhost:80")
    ('::1', 'localhost')
    """
    found = re.fullmatch(r"\[([0-9a-f:.]+)\](?::\d+)?|([^:\[\]]+)(?::\d+)?", host.strip().lower())
    return "" if found is None else found.group(1) or found.group(2)


def _same(shown: str, wanted: str) -> bool:
    return secrets.compare_digest(shown.encode(), wanted.encode())


class Guard:
    """The outermost part of the app: checks every request and completes every response.

    Parameters
    ----------
    app : ASGI app
    access : Access
    metrics : Metrics
    idle_seconds : float
        Time that a client may take to read a part of its answer.
    sign_in : callable, optional
        Returns the page that asks for the token, in place of one that a browser wanted to show.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        metrics: Metrics,
        idle_seconds: float,
        sign_in: Callable[[], ASGIApp] | None = None,
    ) -> None:
        self._app, self._access, self._metrics, self._idle = app, access, metrics, idle_seconds
        self._sign_in = sign_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, as ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, answering = time.perf_counter(), _Answering(send, self._idle)
        try:
            self._check(scope)
            await self._app(scope, receive, answering.send)
        except _GivenUp:
            log.warning("a client took none of its answer for %s seconds, and was given up", self._idle)
        except asyncio.CancelledError:  # the time is up that requests have when the server stops
            if not answering.status:
                await answer_to(stopping())(scope, receive, answering.send)
        except Exception as error:
            if not answering.status:
                await self._answer_to(error, scope)(scope, receive, answering.send)
            elif answering.status != 500:  # else it is answered and logged
                log_fault(error)
                raise _CutShortError from None
        finally:
            route = getattr(scope.get("route"), "path", "other")
            status = answering.status or GONE
            self._metrics.count_request(route, scope["method"], status, time.perf_counter() - began)

    def _answer_to(self, error: Exception, scope: Scope) -> ASGIApp:
        is_asked = isinstance(error, ServiceError) and error.status == 401 and shows_pages(scope)
        return self._sign_in() if is_asked and self._sign_in is not None else answer_to(error)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        self._access.check_site(headers)
        if not PUBLIC.fullmatch(scope["path"]):
            self._access.check_token(headers)


class _CutShortError(Exception):
    """A response that had begun cannot be finished; the server closes the connection."""


class _GivenUp(BaseException):  # not an Exception, as nobody in between is to answer it
    """A client does not read its response."""


class _Answering:
    """Sends a response with all headers; `status` is 0 before it begins."""

    def __init__(self, send: Send, idle_seconds: float) -> None:
        self._send, self._idle, self.status = send, idle_seconds, 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            there = {name.lower() for name, _ in given}
            message = {**message, "headers": given + [pair for pair in HEADERS.items() if pair[0] not in there]}
        try:
            async with asyncio.timeout(self._idle):
                await self._send(message)
        except TimeoutError:
            raise _GivenUp from None
