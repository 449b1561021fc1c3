"""``python -m benchmarks [speed cost dense scaling machine serving opening dask]``: the named benchmarks, or all."""

from __future__ import annotations

import sys

from benchmarks import cluster, cost, dense, machine, opening, scaling, serving, speed
from benchmarks.harness import describe_machine

BENCHMARKS = {
    "speed": speed,
    "cost": cost,
    "dense": dense,
    "scaling": scaling,
    "machine": machine,
    "serving": serving,
    "opening": opening,
    "dask": cluster,
}


def main(names: list[str]) -> None:
    """Run them one after the other."""
    if unknown := set(names) - set(BENCHMARKS):
        sys.exit(f"no benchmark called {', '.join(sorted(unknown))}; there are: {', '.join(BENCHMARKS)}")
    print(", ".join(f"{key} {value}" for key, value in describe_machine().items()))
    for name in names or BENCHMARKS:
        print(f"\n== {name}")
        BENCHMARKS[name].main([])


if __name__ == "__main__":
    main(sys.argv[1:])
