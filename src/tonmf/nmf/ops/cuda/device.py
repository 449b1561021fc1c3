"""The GPU that a name such as "cuda:1" means, and the errors if there is none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tonmf.errors import DeviceError, MissingExtraError, Param, ParameterError

OLDEST = {12: (7, 0), 13: (7, 5)}
"""The oldest compute capability that each CUDA compiles the kernels for."""


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
    runtime = cupy.cuda.runtime
    made_for, of_driver = runtime.runtimeGetVersion(), runtime.driverGetVersion()  # the driver's is 0 if there is none
    try:
        n_devices = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        if 0 < of_driver < made_for:
            raise DeviceError(
                f"The NVIDIA driver is too old: it knows CUDA {_version(of_driver)}, and this CuPy was made for CUDA "
                f"{_version(made_for)} ({error}). Update the driver, or install the CuPy of an older CUDA: "
                "pip install 'tonmf[cuda12]'."
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
        digits, oldest = device.compute_capability, OLDEST[13 if made_for >= 13000 else 12]
        if (int(digits[:-1]), int(digits[-1])) < oldest:
            raise DeviceError(
                f"{name!r} has compute capability {digits[:-1]}.{digits[-1]}, and with CUDA {_version(made_for)} the kernels "
                f"need {oldest[0]}.{oldest[1]} or newer. Use ",
                Param("device", "cpu"),
                ".",
            )


def _version(number: int) -> str:
    """Return a version of CUDA as people write it.

    >>> _version(13020)
    '13.2'
    """
    return f"{number // 1000}.{number % 1000 // 10}"
