"""The GPU, for tests that run on one where there is one."""

import os

import pytest

from tonmf.errors import DeviceError, MissingExtraError


def on_gpu(make):
    """Return what `make` makes with a GPU as a parameter of a test, to be skipped where there is none."""
    try:
        return pytest.param(make(), id="cuda")
    except (DeviceError, MissingExtraError) as error:
        return pytest.param(None, id="cuda", marks=pytest.mark.skip(reason=f"without a GPU: {error}"))


def nvrtc():
    """Return CuPy's bindings of the compiler of kernels; without it a test skips, or fails if it is required."""
    try:
        from cupy_backends.cuda.libs import nvrtc

        nvrtc.getVersion()
    except (ImportError, OSError, RuntimeError) as error:
        if os.environ.get("TONMF_REQUIRE_NVRTC"):
            pytest.fail(f"TONMF_REQUIRE_NVRTC is set, but the compiler cannot be loaded ({error}): make .venv/gpu")
        pytest.skip(f"needs CuPy and NVRTC ({error}): make .venv/gpu")
    return nvrtc
