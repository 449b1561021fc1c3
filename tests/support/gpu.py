"""The GPU, for tests that run on one where there is one."""

import pytest

from tonmf.errors import DeviceError, MissingExtraError


def on_gpu(make):
    """Return what `make` makes with a GPU as a parameter of a test, to be skipped where there is none."""
    try:
        return pytest.param(make(), id="cuda")
    except (DeviceError, MissingExtraError) as error:
        return pytest.param(None, id="cuda", marks=pytest.mark.skip(reason=f"without a GPU: {error}"))
