"""``python -m benchmarks [NAME …] [OPTION …]``: run the named benchmarks, or all but the long ones.

Options are handed on to the named benchmarks; ``python -m benchmarks robustness --help`` lists those of one.
"""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.harness import describe_machine

BENCHMARKS = [
    "speed",
    "counting",
    "answering",
    "starting",
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
ON_DEMAND = [
    "cost",
    "versus",
    "growth",
    "copies",
    "sampling",
    "sample_fits",
    "meaning",
    "robustness",
    "new_documents",
    "fdr",
    "compared",
    "feedback",
    "marking",
    "gpu",
    "gallery",
    "pictures",
]
"""Benchmarks that run only if they are named."""


def main(arguments: list[str]) -> None:
    """Run benchmarks one after the other."""
    n_names = next((i for i, argument in enumerate(arguments) if argument.startswith("-")), len(arguments))
    names, options = arguments[:n_names], arguments[n_names:]
    known = [*BENCHMARKS, *ON_DEMAND]
    if unknown := set(names) - set(known):
        sys.exit(f"Unknown benchmark: {', '.join(sorted(unknown))}. Choose from {', '.join(known)}.")
    if options and not names:
        sys.exit(f"Name the benchmark that {options[0]} is for, before it.")
    print(", ".join(f"{key} {value}" for key, value in describe_machine().items()))
    for name in names or BENCHMARKS:
        print(f"\n== {name}")
        import_module(f"benchmarks.{name}").main(options)


if __name__ == "__main__":
    main(sys.argv[1:])
