"""The kernels in the real compiler, and CuPy where it finds no GPU: neither needs one."""

import contextlib
import re

import numpy as np
import pytest
from gpu import nvrtc

from tonmf import TONMF
from tonmf.errors import DeviceError
from tonmf.nmf.ops.cuda import device
from tonmf.nmf.ops.cuda.variants import SOURCE, Variant, source


@pytest.mark.parametrize(
    ("n_topics", "dtype", "architecture"),
    [(64, np.float32, "sm_90"), (7, np.float64, "sm_75"), (130, np.float32, "compute_75")],
)
def test_the_kernels_compile(n_topics, dtype, architecture):
    compiler = nvrtc()
    options = [*Variant.of(n_topics, dtype).options, f"--gpu-architecture={architecture}"]
    program = compiler.createProgram(source(), SOURCE.name, [], [])
    try:
        compiler.compileProgram(program, options)
    except Exception as error:
        pytest.fail(f"{error}\n{compiler.getProgramLog(program)}")
    assert "warning" not in compiler.getProgramLog(program)
    found = compiler.getPTX(program).decode()
    for name in re.findall(r'extern "C" __global__ void (\w+)\(', source()):
        assert f".entry {name}(" in found
    compiler.destroyProgram(program)


def test_cupy_without_a_gpu_says_that_there_is_none():
    nvrtc()
    import cupy

    with contextlib.suppress(cupy.cuda.runtime.CUDARuntimeError):
        if cupy.cuda.runtime.getDeviceCount():
            pytest.skip("there is a GPU")
    device.open_device.cache_clear()
    with pytest.raises(DeviceError, match=r"'cuda' needs an NVIDIA GPU with its driver, .*device='cpu'") as found:
        TONMF(device="cuda").fit(np.eye(3))
    assert "none was found" in str(found.value)
