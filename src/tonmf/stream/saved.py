"""Clocks and digests in a saved model (`tonmf.storage.bundles`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tonmf.arrays import Array
from tonmf.storage.bundles import Bundle
from tonmf.stream.clock import ENOUGH, Clock
from tonmf.stream.digest import LARGEST, Digest
from tonmf.stream.times import EARLIEST, LATEST


def clock_fields(clock: Clock) -> dict[str, Any]:
    """Return the fields of a clock for the JSON."""
    return {"now": clock.now}


def clock_arrays(name: str, clock: Clock) -> dict[str, Array]:
    """Return the arrays of a clock, under names that begin with `name`."""
    return {f"{name}.ahead": np.array(clock.ahead, np.float64)}


def read_clock(part: Bundle) -> Clock:
    """Read a clock and check it."""
    ahead = part.array("ahead", np.float64, (None,))
    if len(ahead) >= ENOUGH:
        raise part.wrong(f"the array {part.prefix}ahead must hold fewer than {ENOUGH} numbers")
    now = part.number("now") if part.has("now") else None
    if not all(-EARLIEST <= time < LATEST for time in (now or 0.0, *ahead.tolist())):
        raise part.wrong(f"{part.prefix}now and {part.prefix}ahead must be times from the year 1 to the year 9999")
    return Clock(now, tuple(ahead.tolist()))


def digest_arrays(name: str, digest: Digest) -> dict[str, Array]:
    """Return the arrays of a digest, under names that begin with `name`."""
    return {f"{name}.values": digest.values, f"{name}.weights": digest.weights}


def read_digest(bundle: Bundle, name: str) -> Digest:
    """Read a digest and check it."""
    values = bundle.array(f"{name}.values", np.float64, (None,))
    if len(values) > LARGEST or (np.diff(values) < 0).any():
        raise bundle.wrong(f"the array {bundle.prefix}{name}.values must hold up to {LARGEST} rising numbers")
    return Digest(values, bundle.positive(f"{name}.weights", np.float64, values.shape))
