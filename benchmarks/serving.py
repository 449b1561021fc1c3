"""Throughput and latency of `tonmf serve` on loopback at several connections, compared with the model's own time."""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from urllib.request import urlopen

import numpy as np

from benchmarks.attacks import attacks, verdict
from benchmarks.harness import print_table, save
from benchmarks.traffic_over_http import Load, load, request
from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus

CONNECTIONS = (1, 8, 64)
BODIES = (1, 256)
TRAINING = 4000

BAR = 1.0
"""Most milliseconds that the server may add to one document at one connection, at the median."""

WELL = 100.0
"""Most milliseconds that /healthz may take at the 99th percentile, whatever else the server gets."""

STRETCHES = 10
"""Number of parts in which a measurement is taken."""


@dataclass(frozen=True)
class Server:
    """A running server."""

    pid: int
    port: int

    def memory(self) -> float:
        """Return the resident MB of its process."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def model_work(self) -> np.ndarray:
        """Return the seconds that its model has worked, and the number of calls."""
        with urlopen(f"http://127.0.0.1:{self.port}/metrics") as answer:
            written = answer.read().decode()
        names = ("tonmf_model_seconds_total", "tonmf_model_calls_total")
        return np.array([float(re.search(rf"^{name} (\S+)", written, re.MULTILINE).group(1)) for name in names])


@contextmanager
def served(model: Path, folder: Path) -> Iterator[Server]:
    """Serve a model in its own process, with the default options."""
    command = [sys.executable, "-m", "tonmf", "serve", str(model), "--port", "0", "--jobs-folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = process.stdout.readline()
            yield Server(process.pid, int(said.rsplit(":", 1)[1]))
        finally:
            process.terminate()


def model_times(detector: TextOutlierDetector, batches: list[list[str]], seconds: float) -> np.ndarray:
    """Return the milliseconds of the model for the same documents in this process, batch by batch."""
    times = []
    until = time.perf_counter() + seconds
    for texts in cycle(batches):
        began = time.perf_counter()
        detector.score_with_p_value(texts)  # what the server asks it
        times.append(1e3 * (time.perf_counter() - began))
        if time.perf_counter() > until:
            return np.array(times)
    raise AssertionError


def in_turn(
    detector: TextOutlierDetector, server: Server, batches: list[list[str]], connections: int, seconds: float
) -> tuple[Load, np.ndarray]:
    """Alternate requests and the model alone, so that a slow moment of the machine affects both."""
    requests = [request(batch) for batch in batches]
    runs, alone = [], []
    for _ in range(STRETCHES):
        alone.append(model_times(detector, batches, seconds / STRETCHES / 2))
        runs.append(asyncio.run(load(server.port, requests, connections, seconds / STRETCHES)))
    times = np.concatenate([run.times for run in runs])
    whole = Load(times, sum(run.failed for run in runs), sum(run.seconds for run in runs))
    return whole, np.concatenate(alone)


def measured(detector: TextOutlierDetector, server: Server, seconds: float) -> list[dict[str, object]]:
    """Return a row for each body size and number of connections."""
    rows: list[dict[str, object]] = []
    for size in BODIES:
        batches = batches_of(size)
        for connections in CONNECTIONS:
            before = server.model_work()
            run, alone = in_turn(detector, server, batches, connections, seconds)
            busy, calls = server.model_work() - before
            rows.append(
                {
                    "documents": size,
                    "connections": connections,
                    "requests/s": len(run.times) / run.seconds,
                    "documents/s": size * len(run.times) / run.seconds,
                    "median (ms)": float(np.median(run.times)),
                    "p99 (ms)": float(np.percentile(run.times, 99)),
                    "the model alone, median (ms)": float(np.median(alone)),
                    "requests a call": len(run.times) / calls,
                    "model at work (%)": 100 * busy / run.seconds,
                    "failed": run.failed,
                }
            )
    return rows


def overhead(detector: TextOutlierDetector, server: Server, seconds: float, repeats: int) -> dict[str, object]:
    """Measure several times how much longer one document takes over one connection than in the model."""
    differences = []
    for _ in range(repeats):
        run, alone = in_turn(detector, server, batches_of(1), 1, seconds)
        differences.append(float(np.median(run.times) - np.median(alone)))
    return {
        "measurements": repeats,
        "median (ms)": float(np.median(differences)),
        "least (ms)": min(differences),
        "most (ms)": max(differences),
        f"above {BAR:g} ms": sum(difference > BAR for difference in differences),
    }


def endurance(server: Server, seconds: float) -> list[dict[str, object]]:
    """Run the most connections for longer; return failures, and the server's memory before, halfway and after."""
    rows: list[dict[str, object]] = []
    for size in BODIES:
        requests = [request(batch) for batch in batches_of(size)]
        asyncio.run(load(server.port, requests, max(CONNECTIONS), 2))
        memory = [server.memory()]
        runs = []
        for _ in range(2):
            runs.append(asyncio.run(load(server.port, requests, max(CONNECTIONS), seconds / 2)))
            memory.append(server.memory())
        rows.append(
            {
                "documents": size,
                "connections": max(CONNECTIONS),
                "seconds": round(sum(run.seconds for run in runs)),
                "requests": sum(len(run.times) for run in runs),
                "failed": sum(run.failed for run in runs),
                "MB before": memory[0],
                "MB halfway": memory[1],
                "MB after": memory[2],
            }
        )
    return rows


def batches_of(size: int) -> list[list[str]]:
    """Return texts to score, in batches of `size`."""
    texts = make_corpus(n_docs=2048, n_outliers=40, random_state=1).texts
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def baskets_of(n_baskets: int) -> list[list[str]]:
    """Return baskets of twelve items."""
    draw = np.random.default_rng(0)
    return [[f"item{item}" for item in draw.zipf(1.5, 12) % 500] for _ in range(n_baskets)]


def measure_loads(detector: TextOutlierDetector, server: Server, options: argparse.Namespace) -> object:
    """Print and return throughput and latency."""
    rows = measured(detector, server, options.seconds)
    print_table("POST /v1/score over kept connections", list(rows[0]), (row.values() for row in rows))
    return rows


def measure_overhead(detector: TextOutlierDetector, server: Server, options: argparse.Namespace) -> object:
    """Print and return what the server adds to one document."""
    added = overhead(detector, server, options.seconds / 2, options.repeats)
    print_table("What the server adds to one document at one connection", list(added), [added.values()])
    return added


def measure_endurance(detector: TextOutlierDetector, server: Server, options: argparse.Namespace) -> object:
    """Print and return a longer run."""
    lasting = endurance(server, options.long)
    print_table("A longer run", list(lasting[0]), (row.values() for row in lasting))
    return lasting


def measure_attacks(detector: TextOutlierDetector, server: Server, options: argparse.Namespace) -> object:
    """Print and return ordinary requests beside attacks, on a model of texts and on one of baskets."""
    found = {"texts": attacks(server.port, [request(batch) for batch in batches_of(1)], options.seconds)}
    with tempfile.TemporaryDirectory() as folder:
        TextOutlierDetector().fit(baskets_of(1000)).save(Path(folder, "model"))
        with served(Path(folder, "model"), Path(folder, "jobs")) as other:
            found["baskets"] = attacks(other.port, [request([basket]) for basket in baskets_of(500)], options.seconds)
    for kind, rows in found.items():
        print_table(
            f"One document over 8 connections, beside attacks; a model of {kind}", list(rows[0]), map(dict.values, rows)
        )
        print("\n".join(f"{what}: {number}" for what, number in verdict(rows, WELL).items()))
    return found


PARTS = {
    "loads": measure_loads,
    "overhead": measure_overhead,
    "endurance": measure_endurance,
    "attacks": measure_attacks,
}


def main(arguments: list[str] | None = None) -> None:
    """Print and save the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="what to measure, all if not given; repeatable")
    parser.add_argument("--seconds", type=float, default=10, help="seconds of each measurement")
    parser.add_argument("--long", type=float, default=60, help="seconds at the largest number of connections")
    parser.add_argument("--repeats", type=int, default=12, help="how often to measure what the server adds")
    options = parser.parse_args(arguments)
    parts = [part for part in PARTS if options.part is None or part in options.part]
    corpus = make_corpus(n_docs=TRAINING, n_outliers=80)
    words = np.mean([len(text.split()) for text in corpus.texts])
    detector = TextOutlierDetector().fit(corpus.texts)
    print(f"A model of {TRAINING:,} documents of {words:.0f} words on average, {detector.n_terms_:,} terms")
    with tempfile.TemporaryDirectory() as folder:
        detector.save(Path(folder, "model"))
        with served(Path(folder, "model"), Path(folder, "jobs")) as server:
            warm = [request(batch) for batch in batches_of(1)]
            asyncio.run(load(server.port, warm, max(CONNECTIONS), 2))
            results = {part: PARTS[part](detector, server, options) for part in parts}
    save("serving" if len(parts) == len(PARTS) else f"serving-{'-'.join(parts)}", results)


if __name__ == "__main__":
    main()
