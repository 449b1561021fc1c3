"""The form of a kernel that a number of topics needs, and its compilation.

Kernels are compiled for the GPU when they are first needed, which takes about a second; CuPy keeps them on disk. Numbers of
topics that need the same registers and the same loads share a form, so a fit that drops topics one by one compiles few.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tonmf.errors import ParameterError

WARP = 32
LOAD = 16
"""Bytes that a lane loads at a time."""

MOST_TOPICS = 1024
"""Topics that a lane can hold its share of."""

SOURCE = Path(__file__).with_name("kernels.cu")


@dataclass(frozen=True)
class Variant:
    """A form of the kernels, see `kernels.cu`."""

    real: str
    cols: int
    lanes: int
    strips: int

    @classmethod
    def of(cls, n_topics: int, dtype: Any) -> Variant:
        """Return the form for factors with so many columns.

        >>> Variant.of(64, np.float32)
        Variant(real='float', cols=2, lanes=16, strips=1)
        >>> Variant.of(25, np.float32) == Variant.of(17, np.float32)
        True
        """
        if n_topics > MOST_TOPICS:
            raise ParameterError(f"A GPU fits up to {MOST_TOPICS} topics; got {n_topics}.")
        real = {"float32": "float", "float64": "double"}[np.dtype(dtype).name]
        loads = stride_of(n_topics, dtype) * np.dtype(dtype).itemsize // LOAD
        lanes = min(WARP, 1 << (loads - 1).bit_length())
        return cls(real, -(-n_topics // WARP), lanes, -(-loads // lanes))

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options to compile with."""
        names = {"REAL": self.real, "COLS": self.cols, "LANES": self.lanes, "STRIPS": self.strips}
        return ("--std=c++17", *(f"-D{name}={value}" for name, value in names.items()))


def stride_of(n_topics: int, dtype: Any) -> int:
    """Return the columns of a factor that is padded to whole loads.

    >>> stride_of(10, np.float32), stride_of(10, np.float64), stride_of(64, np.float32)
    (12, 10, 64)
    """
    in_a_load = LOAD // int(np.dtype(dtype).itemsize)
    return -(-n_topics // in_a_load) * in_a_load


@lru_cache
def source() -> str:
    """Return the source of the kernels."""
    return SOURCE.read_text(encoding="utf-8")


@lru_cache
def kernel(cupy: Any, name: str, variant: Variant, device: int) -> Any:
    """Return a compiled kernel."""
    return _module(cupy, variant, device).get_function(name)


@lru_cache
def _module(cupy: Any, variant: Variant, device: int) -> Any:
    return cupy.RawModule(code=source(), options=variant.options)
