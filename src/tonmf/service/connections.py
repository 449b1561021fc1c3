"""The connections of the server: how many an address may have, and which are closed because they keep it waiting."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from ipaddress import ip_address, ip_network
from typing import Protocol

log = logging.getLogger("tonmf.service")

FROM_ONE_ADDRESS = 128
"""Connections from one address, if no other number is given. This machine has no limit then, since a proxy may run on it."""

HEAD_SECONDS = 30
"""Most seconds that a head may take, however long a client may be idle."""

KEPT = 1.25
"""How much longer than `idle_seconds` a connection without a request is kept: 75 seconds by default. A proxy that keeps
connections for a minute closes them before the server does, so that none of its requests meets a closed one."""


OPEN_FILES = 16_384
"""Files that the server asks to have open at once, as each connection is one; systems often begin with 1,024."""


class Watched(Protocol):
    """A connection, as far as it is watched."""

    address: str

    def overdue(self, now: float) -> str | None:
        """Close the connection if its time is up; return why, None if it stays."""


class Connections:
    """Counts connections by address, and closes those that are overdue.

    Parameters
    ----------
    most : int, optional
        Connections from one address; if not given, `FROM_ONE_ADDRESS`, and any number from this machine.
    idle_seconds : float
        Time that a client may keep the server waiting.
    """

    def __init__(self, most: int | None, idle_seconds: float) -> None:
        self._most, self.idle_seconds = most, idle_seconds
        self.head_seconds = min(HEAD_SECONDS, idle_seconds)
        self.kept_seconds = KEPT * idle_seconds
        self._open: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count a new connection; return whether it may stay."""
        if self._open[address] >= self._most_of(address):
            self._refused[address] += 1
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection that ended, of those that could stay."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def sweep(self, connections: Iterable[Watched], now: float) -> None:
        """Close the connections whose time is up, and log these and refused ones: one line for each address and reason."""
        closed: Counter[tuple[str, str]] = Counter()
        for connection in connections:
            reason = connection.overdue(now)
            if reason is not None:
                closed[connection.address, reason] += 1
        for (address, reason), number in closed.items():
            log.warning("closed %s from %s: %s", _connections(number), address, reason)
        for address, number in self._refused.items():
            most = self._most_of(address)
            log.warning("refused %s from %s, which has %g, the most", _connections(number), address, most)
        self._refused.clear()

    def _most_of(self, address: str) -> float:
        if self._most is not None:
            return self._most
        return float("inf") if _is_this_machine(address) else FROM_ONE_ADDRESS


def allow_open_files() -> None:
    """Raise this process's own limit on open files, as far as the system lets it."""
    try:
        import resource
    except ImportError:  # there is no such limit on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _connections(number: int) -> str:
    return "1 connection" if number == 1 else f"{number:,} connections"


def counted_as(address: str) -> str:
    """Return what a connection is counted as: its address, or of IPv6 the network of which a client may have all addresses.

    >>> counted_as("192.0.2.7"), counted_as("::ffff:192.0.2.7"), counted_as("2001:db8:1:2:3:4:5:6"), counted_as("::1")
    ('192.0.2.7', '192.0.2.7', '2001:db8:1:2::/64', '::1')
    """
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:  # a socket without one
        return address
    if known.version == 4 or known.is_loopback:
        return str(known)
    return str(known.ipv4_mapped or ip_network((known, 64), strict=False))


def _is_this_machine(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


class Deadline:
    """Until when a connection may be in the state it is in.

    A state has its time from its beginning, whatever arrives meanwhile: a byte now and then wins none.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.none()

    def none(self) -> None:
        """Wait without a limit: others have one."""
        self._until, self._seconds, self._reason = float("inf"), 0.0, ""

    def set(self, seconds: float, reason: str) -> None:
        """Begin to wait."""
        self._until, self._seconds, self._reason = self._clock() + seconds, seconds, reason

    def missed(self, now: float) -> str | None:
        """Return what did not come in time, None if there is time left."""
        return f"{self._reason} within {self._seconds:g} seconds" if now > self._until else None
