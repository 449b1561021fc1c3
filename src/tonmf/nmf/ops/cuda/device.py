"""The GPU that a name such as "cuda:1" means, and the errors if there is none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tonmf.errors import DeviceError, MissingExtraError, Param, ParameterError

OLDEST = (7, 0)
"""The oldest compute capability that the kernels run on."""


def number_of(name: str) -> int:
    """Return the number of the GPU in a name.

    >>> number_of("cuda"), number_of("cuda:3")
    (0, 3)
    """
    found = re.fullmatch(r"cuda(?::(\d{1,4}))?", name)
    if found is None:
        raise ParameterError(Param("device"), f" must be 'cpu', 'cuda' or 'cuda:1' and so on; got {name!r}.")
    return int(found[1] or 0)


@lru_cache
def open_device(name: str) -> Any:
    """Return CuPy, after checking that the GPU is there and works."""
    number = number_of(name)
    try:
        import cupy
    except ImportError as error:
        raise MissingExtraError(
            "A GPU needs CuPy: pip install 'tonmf[cuda13]', or 'tonmf[cuda12]' for a driver of CUDA 12."
        ) from error
    check_device(cupy, name, number)
    return cupy


def check_device(cupy: Any, name: str, number: int) -> None:
    """Raise `DeviceError` unless CuPy can use the GPU with this number."""
    failure = cupy.cuda.runtime.CUDARuntimeError
    try:
        n_devices = cupy.cuda.runtime.getDeviceCount()
    except failure as error:
        if "insufficient" in str(error).lower():
            raise DeviceError(
                f"The NVIDIA driver is too old for CUDA {_version(cupy.cuda.runtime.runtimeGetVersion())}, which this CuPy was "
                f"made for ({error}). Update the driver, or install the CuPy of an older CUDA: pip install 'tonmf[cuda12]'."
            ) from error
        raise DeviceError(
            f"{name!r} needs an NVIDIA GPU with its driver, and none was found ({error}). Use ",
            Param("device", "cpu"),
            ".",
        ) from error
    if number >= n_devices:
        known = ", ".join(f"'cuda:{i}'" for i in range(n_devices)) or "none"
        raise DeviceError(f"There is no GPU {name!r} here; there are: {known}.")
    with cupy.cuda.Device(number) as device:
        capability = device.compute_capability
        if (int(capability[:-1]), int(capability[-1])) < OLDEST:
            raise DeviceError(
                f"{name!r} has compute capability {capability[:-1]}.{capability[-1]}, and the kernels need "
                f"{OLDEST[0]}.{OLDEST[1]} (Volta, 2017) or newer. Use ",
                Param("device", "cpu"),
                ".",
            )


def _version(number: int) -> str:
    """Return a version of CUDA as people write it.

    >>> _version(13020)
    '13.2'
    """
    return f"{number // 1000}.{number % 1000 // 10}"
