"""Requests over kept connections to a server on loopback, and how long they take."""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Load:
    """The outcome of a run of requests: their times in milliseconds, the number that failed, and the seconds of the run."""

    times: np.ndarray
    failed: int
    seconds: float


def request(documents: list[Any]) -> bytes:
    """Return a request to score documents, as it goes over the wire."""
    body = json.dumps({"documents": documents}).encode()
    head = "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def answer_of(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wire: bytes) -> tuple[bytes, bytes]:
    """Send a request, and return the head and the body of its answer."""
    writer.write(wire)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head.lower()).group(1))
    return head, await reader.readexactly(length)


async def one_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wire: bytes) -> bool:
    """Send a request, read the answer, and tell whether it is valid."""
    head, body = await answer_of(reader, writer, wire)
    return head.startswith(b"HTTP/1.1 200 ") and body.startswith(b'{"threshold"')


async def load(port: int, requests: list[bytes], connections: int, seconds: float) -> Load:
    """Send requests over kept connections for some seconds, each when the last is answered."""
    times: list[float] = []
    failed = 0
    following = cycle(requests)
    until = time.perf_counter() + seconds

    async def keep_asking() -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
        while time.perf_counter() < until:
            began = time.perf_counter()
            try:
                fine = await one_request(reader, writer, next(following))
            except (OSError, asyncio.IncompleteReadError, AttributeError):
                failed += 1
                writer.close()
                reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
                continue
            failed += not fine
            times.append(1e3 * (time.perf_counter() - began))
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(keep_asking() for _ in range(connections)))
    return Load(np.array(times), failed, time.perf_counter() - began)


async def times_of(
    wire: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float, pause: float
) -> tuple[np.ndarray, int]:
    """Send one request again and again; return the milliseconds of its answers, and the number that were not 200."""
    times: list[float] = []
    failed = 0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        began = time.perf_counter()
        head = await answer_of(reader, writer, wire)
        times.append(1e3 * (time.perf_counter() - began))
        failed += not head[0].startswith(b"HTTP/1.1 200 ")
        await asyncio.sleep(pause)
    writer.close()
    return np.array(times), failed
