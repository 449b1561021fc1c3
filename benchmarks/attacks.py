"""Requests that are meant to hold up a server, sent beside ordinary ones: the ordinary ones should not notice."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks.traffic_over_http import Load, load, times_of

JSON, LINES = "application/json", "application/x-ndjson"

PAUSE = 0.01
"""Seconds between two questions whether the server is well."""

ORDINARY = 8
"""Connections of ordinary clients."""

DRIPPING, DROP = 130, 5.0
"""Connections of each kind that a byte drips into, and the seconds between two bytes."""


def chinese(n_characters: int) -> str:
    """Return a text without spaces of which almost every pair of characters is a new word."""
    draw = random.Random(0)  # noqa: S311
    return "".join(chr(draw.randrange(0x4E00, 0x9FA5)) for _ in range(n_characters))


def of_documents(*documents: Any) -> bytes:
    """Return the body of a request."""
    return json.dumps({"documents": documents}, ensure_ascii=False).encode()


BODIES: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "14 MB of blank lines": ("/v1/score", LINES, lambda: b"\n" * 14_000_000),
    "16 MB of numbers": ("/v1/score", JSON, lambda: b'{"documents": [[' + b"1," * 8_000_000 + b"1]]}"),
    "5.5 million empty items": ("/v1/score", JSON, lambda: b'{"documents": [[' + b'"",' * 5_500_000 + b'""]]}'),
    "5 million empty documents": ("/v1/score", JSON, lambda: b'{"documents": [' + b"[]," * 5_000_000 + b"[]]}"),
    "a million Chinese characters": ("/v1/score", JSON, lambda: of_documents(chinese(1_000_000))),
    "100,000 Chinese characters": ("/v1/score", JSON, lambda: of_documents(chinese(100_000))),
    "100,000 Chinese characters explained": ("/v1/explain", JSON, lambda: of_documents(chinese(100_000))),
}
"""Large requests: where they go, what they are, and their bodies."""

HEADS = {
    "bodies that drip in": "POST /v1/score HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 10000",
    "lines that drip in": "POST /v1/score HTTP/1.1\r\nContent-Type: application/x-ndjson\r\nContent-Length: 10000",
    "sessions that drip in": "POST /v1/session HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 4000",
    "refused bodies that drip in": "POST /v1/score HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 10000",
}
"""Requests that come a byte at a time."""

EVERYTHING = "all of these together"


def send_for_ever(port: int, name: str) -> None:
    """Send a large request again and again, in a process of its own."""
    path, kind, make = BODIES[name]
    body = make()
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        with suppress(OSError, http.client.HTTPException):
            connection.request("POST", path, body, {"Content-Type": kind})
            connection.getresponse().read()
        connection.close()


def drip_for_ever(port: int, name: str) -> None:
    """Keep connections open into which a byte drips now and then, in a process of its own; open those again that are closed."""

    async def drip() -> None:
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(f"{HEADS[name]}\r\nHost: localhost\r\n\r\n".encode())
                while not writer.is_closing():
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(DROP)
            await asyncio.sleep(DROP)

    async def drip_all() -> None:
        await asyncio.gather(*(drip() for _ in range(DRIPPING)))

    asyncio.run(drip_all())


async def ask_whether_well(port: int, seconds: float) -> tuple[np.ndarray, int]:
    """Return the milliseconds of the answers of /healthz, and the number of questions that failed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    return await times_of(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", reader, writer, seconds, PAUSE)


def attacked(port: int, requests: list[bytes], names: Sequence[str], seconds: float) -> dict[str, Any]:
    """Measure ordinary requests, and /healthz, for some seconds of an attack."""
    context = get_context("spawn")
    attackers = [
        context.Process(target=send_for_ever if name in BODIES else drip_for_ever, args=(port, name), daemon=True)
        for name in names
    ]
    for attacker in attackers:
        attacker.start()
    time.sleep(1)  # until they have made their bodies
    try:
        ordinary, (well, silent) = asyncio.run(_beside(port, requests, seconds))
    finally:
        for attacker in attackers:
            attacker.terminate()
            attacker.join()
    return {
        "attack": EVERYTHING if len(names) > 1 else names[0] if names else "none",
        "requests": len(ordinary.times),
        "failed": ordinary.failed,
        "median (ms)": float(np.median(ordinary.times)),
        "p99 (ms)": float(np.percentile(ordinary.times, 99)),
        "/healthz": len(well),
        "/healthz failed": silent,
        "/healthz median (ms)": float(np.median(well)),
        "/healthz p99 (ms)": float(np.percentile(well, 99)),
        "/healthz most (ms)": float(well.max()),
    }


async def _beside(port: int, requests: list[bytes], seconds: float) -> tuple[Load, tuple[np.ndarray, int]]:
    ordinary, well = await asyncio.gather(load(port, requests, ORDINARY, seconds), ask_whether_well(port, seconds))
    return ordinary, well


def attacks(port: int, requests: list[bytes], seconds: float) -> list[dict[str, Any]]:
    """Return a row for each attack, for none and for all together."""
    names = [*BODIES, *HEADS]
    return [attacked(port, requests, some, seconds) for some in ([], *([name] for name in names), names)]


def verdict(rows: list[dict[str, Any]], bar: float) -> Counter[str]:
    """Count what must not happen: ordinary requests that failed, and attacks under which /healthz was too slow."""
    return Counter(
        {
            "ordinary requests that failed": sum(row["failed"] for row in rows),
            f"attacks with /healthz above {bar:g} ms at p99": sum(row["/healthz p99 (ms)"] > bar for row in rows),
        }
    )
