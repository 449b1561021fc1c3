"""Log lines of a made-up server, with a few faults among them.

Most lines come from fifteen templates, whose frequencies follow Zipf's law, and are full of what no other line has: ids,
numbers, addresses, paths and times. A fault is a line of a template that occurs once, in words that the other templates lack.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

TEMPLATES = (
    "INFO http GET {path} 200 {number} bytes in {number} ms from {ip}",
    "INFO http POST {path} 201 request {hex} from {ip}",
    "INFO session {hex} opened for user {user} from {ip}",
    "INFO session {hex} closed for user {user} after {number} seconds",
    "DEBUG cache hit for key {hex} age {number} s",
    "DEBUG cache miss for key {hex} loading {path}",
    "INFO worker {number} finished job {hex} in {number} ms",
    "INFO scheduler queued job {hex} for user {user} priority {number}",
    "WARN http GET {path} 404 not found from {ip}",
    "INFO database query {hex} returned {number} rows in {number} ms",
    "INFO backup of {path} wrote {number} blocks",
    "WARN worker {number} slow job {hex} took {number} ms",
    "INFO mail {hex} delivered to {user} relay {ip}",
    "INFO config reloaded from {path} by {user}",
    "WARN session {hex} refused for user {user} wrong password from {ip}",
)
"""Templates of ordinary lines, the most frequent first."""

FAULTS = (
    "ERROR disk {path} input output failure on sector {number} remounting read only",
    "FATAL kernel panic unable to allocate page frame {hex} machine halted",
    "ERROR certificate {hex} expired handshake with {ip} aborted",
    "ERROR segmentation fault at address {hex} core dumped to {path}",
    "ERROR replica {ip} diverged checksum mismatch in table ledger",
    "WARN temperature of chassis fan {number} above limit throttling processor",
    "ERROR deadlock between transactions {hex} and {hex} victim rolled back",
    "ERROR license server unreachable entering grace period of {number} days",
    "ALERT privilege escalation attempt by {user} sudoers file modified",
    "ERROR clock drift of {number} seconds detected leap second ignored by {ip}",
)
"""Templates of faults, each of which occurs once."""

USERS = (
    "alice",
    "bernd",
    "chloe",
    "dmitri",
    "elena",
    "farid",
    "grace",
    "hiro",
    "ines",
    "jonas",
    "kofi",
    "lena",
    "mateo",
    "nadia",
)
FOLDERS = ("srv", "var", "data", "home", "static", "api", "images", "reports", "users", "export")


def log_lines(n_lines: int = 2000, n_faults: int = len(FAULTS), seed: int = 0) -> tuple[list[str], NDArray[np.int64]]:
    """Make up log lines in order of time.

    Parameters
    ----------
    n_lines : int
        All lines, faults included.
    n_faults : int
        How many of them are faults, at most one of each kind.
    seed : int

    Returns
    -------
    lines : list of str
    labels : ndarray of shape (n_lines,)
        1 for faults.
    """
    rng = np.random.default_rng(seed)
    labels = np.zeros(n_lines, np.int64)
    labels[rng.choice(n_lines, n_faults, replace=False)] = 1
    frequencies = 1 / np.arange(1, len(TEMPLATES) + 1)
    kinds = rng.choice(len(TEMPLATES), n_lines, p=frequencies / frequencies.sum())
    faults = iter(rng.permutation(len(FAULTS)))
    second, lines = 0, []
    for kind, is_fault in zip(kinds, labels, strict=True):
        second += int(rng.integers(0, 30))
        template = FAULTS[next(faults)] if is_fault else TEMPLATES[kind]
        lines.append(f"{_time(second)} {_filled(template, rng)}")
    return lines, labels


def _time(second: int) -> str:
    day, rest = divmod(second, 86_400)
    return f"2026-03-{day + 1:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"


def _filled(template: str, rng: np.random.Generator) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: _value(found.group(1), rng), template)


def _value(kind: str, rng: np.random.Generator) -> str:
    match kind:
        case "hex":
            return f"{int(rng.integers(2**32)):08x}"
        case "ip":
            return ".".join(str(part) for part in rng.integers(1, 255, 4))
        case "user":
            return str(rng.choice(USERS))
        case "path":
            folders = "/".join(rng.choice(FOLDERS, int(rng.integers(1, 4))))
            return f"/{folders}/{int(rng.integers(100_000))}"
        case _:
            return str(int(10 ** rng.uniform(0, 5)))
