"""``python -m benchmarks [NAME …]``: run the named benchmarks, or all."""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.harness import describe_machine

BENCHMARKS = [
    "speed",
    "cost",
    "dense",
    "scaling",
    "machine",
    "serving",
    "opening",
    "outofcore",
    "watching",
    "novelty",
    "newswire",
    "cluster",
]


def main(names: list[str]) -> None:
    """Run benchmarks one after the other."""
    if unknown := set(names) - set(BENCHMARKS):
        sys.exit(f"Unknown benchmark: {', '.join(sorted(unknown))}. Choose from {', '.join(BENCHMARKS)}.")
    print(", ".join(f"{key} {value}" for key, value in describe_machine().items()))
    for name in names or BENCHMARKS:
        print(f"\n== {name}")
        import_module(f"benchmarks.{name}").main([])


if __name__ == "__main__":
    main(sys.argv[1:])
