"""Fits on a GPU beside the same fits on the CPU; and what can be tested of them where there is no GPU."""

import numpy as np
import pytest
import scipy.sparse as sp
from gpu import on_gpu

from tonmf import TONMF
from tonmf.errors import DeviceError, MissingExtraError, ParameterError
from tonmf.nmf.ops.cuda import device
from tonmf.nmf.ops.cuda.rows import pieces
from tonmf.nmf.ops.cuda.variants import Variant, stride_of


def here():
    device.open_device("cuda")
    return "cuda"


GPU = pytest.mark.parametrize("gpu", [on_gpu(here)])


def groups(n_docs=3000, n_terms=400, n_groups=6, dtype=np.float32, seed=0):
    """Make documents of a few groups of terms, with some that draw from all terms."""
    rng = np.random.default_rng(seed)
    size = n_terms // n_groups
    rows = []
    for i in range(n_docs):
        low = 0 if i % 50 == 0 else (i % n_groups) * size
        width = n_terms if i % 50 == 0 else size
        rows.append(np.bincount(low + rng.integers(width, size=30), minlength=n_terms))
    X = sp.csr_matrix(np.array(rows), dtype=dtype)
    return sp.csr_matrix(sp.diags(1 / np.sqrt(X.multiply(X).sum(axis=1).A1)) @ X).astype(dtype)


@GPU
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_topics": 1},
        {"n_topics": 33},
        {"n_topics": "auto"},
        {"beta": 0.05},
        {"alpha": np.inf},
        {"alpha": 0.3},
        {"solver": "paper", "max_iter": 10},
        {"solver": "paper", "alpha": 0.5, "beta": 0.01, "max_iter": 10},
        {"inner": "scalar"},
        {"inner": "anls", "n_topics": 4},
        {"init": "rows"},
        {"init": "nndsvda"},
        {"block_size": 700},
        {"score_by": "unexplained"},
        {"score_by": "lift", "n_topics": "auto"},
    ],
    ids=str,
)
def test_scores_agree_with_those_of_the_cpu(gpu, options):
    X = groups()
    options = {"n_topics": 6, "random_state": 0, "max_iter": 40, "tol": 0, **options}
    weights = 1 + np.arange(X.shape[0]) % 3
    cpu, on_gpu = (TONMF(**options, device=name).fit(X, sample_weight=weights) for name in ("cpu", gpu))
    assert on_gpu.n_topics_ == cpu.n_topics_
    np.testing.assert_allclose(on_gpu.outlier_scores_, cpu.outlier_scores_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(on_gpu.threshold_, cpu.threshold_, rtol=1e-4)
    np.testing.assert_allclose(on_gpu.outlier_score(X[:50]), on_gpu.outlier_scores_[:50], rtol=1e-4, atol=1e-6)
    assert isinstance(on_gpu.components_, np.ndarray)
    assert isinstance(on_gpu.transform(X[:5]), np.ndarray)


@GPU
def test_stretches_of_documents_change_nothing_but_rounding(gpu, monkeypatch):
    from tonmf.nmf.ops.cuda import rows

    X, options = groups(), {"random_state": 0, "max_iter": 20, "tol": 0, "device": gpu}
    whole = TONMF(6, **options).fit(X)
    monkeypatch.setattr(rows, "STRETCH", 100)
    monkeypatch.setattr(rows, "WORTH_CUTTING", 3)
    np.testing.assert_allclose(TONMF(6, **options).fit(X).outlier_scores_, whole.outlier_scores_, rtol=1e-5)


@GPU
def test_a_seed_repeats_a_fit_bit_for_bit(gpu):
    fits = [TONMF(6, random_state=0, max_iter=30, tol=0, device=gpu).fit(groups()) for _ in range(2)]
    np.testing.assert_array_equal(fits[0].outlier_scores_, fits[1].outlier_scores_)


@GPU
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_that_do_not_stay_on_the_gpu_give_the_same(gpu, monkeypatch, dtype):
    from tonmf.nmf.ops.cuda.rows import Residence

    X, options = groups(dtype=dtype), {"random_state": 0, "max_iter": 20, "tol": 0, "block_size": 500, "device": gpu}
    stays = TONMF(6, **options).fit(X)
    room = iter([True, False, False, True] + 100 * [False])
    monkeypatch.setattr(Residence, "has_room_for", lambda self, n_bytes: next(room))
    comes_and_goes = TONMF(6, **options).fit(X)
    np.testing.assert_array_equal(stays.outlier_scores_, comes_and_goes.outlier_scores_)


@GPU
def test_empty_rows_terms_and_wide_indices_do_no_harm(gpu):
    X = groups()
    X = sp.vstack(
        [sp.csr_matrix((2, X.shape[1]), dtype=X.dtype), X, sp.csr_matrix((3, X.shape[1]), dtype=X.dtype)]
    ).tocsr()
    X = sp.hstack([X, sp.csr_matrix((X.shape[0], 3), dtype=X.dtype)]).tocsr()
    X.indptr, X.indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
    cpu, on_gpu = (TONMF(6, random_state=0, max_iter=20, tol=0, device=name).fit(X) for name in ("cpu", gpu))
    np.testing.assert_allclose(on_gpu.outlier_scores_, cpu.outlier_scores_, rtol=1e-4, atol=1e-6)


@GPU
def test_what_does_not_fit_into_memory_is_said(gpu, monkeypatch):
    from tonmf.nmf.ops.cuda.operations import CudaOps

    ops = CudaOps(gpu, 1)
    with pytest.raises(
        DeviceError, match=r"out of memory: .* needs about \d+\.\d\d GB more, and \d+\.\d\d GB are free"
    ):
        ops.zeros((10**7, 10**5))


# ---------------------------------------------------------------------- without a GPU


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "CUDA", 0, None])
def test_a_wrong_name_of_a_device_is_refused(name):
    with pytest.raises(
        ParameterError, match=r"device must be 'cpu', or the name of a GPU: 'cuda', 'cuda:1' and so on; got"
    ):
        TONMF(device=name).fit(np.eye(3))


def test_options_that_a_gpu_does_without_are_refused():
    with pytest.raises(ParameterError, match=r"backend='numpy' has no effect with device='cuda'"):
        TONMF(device="cuda", backend="numpy").fit(np.eye(3))


def test_without_cupy_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    device.open_device.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[cuda13\]', or 'tonmf\[cuda12\]'"):
        TONMF(device="cuda").fit(np.eye(3))


class Runtime:
    """What CuPy says of the GPUs of a machine."""

    class CUDARuntimeError(RuntimeError):
        pass

    def __init__(self, n_devices, failure=None, capability="90", driver=13020):
        self._n_devices, self._failure, self._capability, self._driver = n_devices, failure, capability, driver
        self.cuda = self.runtime = self

    def getDeviceCount(self):  # noqa: N802
        if self._failure:
            raise self.CUDARuntimeError(self._failure)
        return self._n_devices

    def runtimeGetVersion(self):  # noqa: N802
        return 13020

    def driverGetVersion(self):  # noqa: N802
        return self._driver

    def Device(self, number):  # noqa: N802
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    @property
    def compute_capability(self):
        return self._capability


@pytest.mark.parametrize(
    ("machine", "name", "message"),
    [
        (
            Runtime(0, "cudaErrorNoDevice: no CUDA-capable device is detected"),
            "cuda",
            "needs an NVIDIA GPU with its driver, and none",
        ),
        (
            Runtime(0, "cudaErrorInsufficientDriver: CUDA driver version is insufficient", driver=12040),
            "cuda",
            "too old: it knows CUDA 12.4, and this CuPy was made for CUDA 13.2",
        ),
        (
            Runtime(0, "cudaErrorInsufficientDriver: CUDA driver version is insufficient", driver=0),
            "cuda",
            "needs an NVIDIA GPU with its driver, and none",
        ),
        (Runtime(2), "cuda:2", "There is no GPU 'cuda:2' here; there are: 'cuda:0', 'cuda:1'."),
        (Runtime(1, capability="70"), "cuda", "compute capability 7.0, and with CUDA 13.2 the kernels need 7.5"),
    ],
)
def test_a_gpu_that_cannot_be_used_is_explained(machine, name, message):
    with pytest.raises(DeviceError, match=message.replace(".", r"\.")):
        device.check_device(machine, name, device.number_of(name))


@pytest.mark.parametrize("n_topics", [*range(1, 70), 100, 128, 255, 256, 1024])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_column_has_a_lane(n_topics, dtype):
    variant, per_load = Variant.of(n_topics, dtype), 16 // np.dtype(dtype).itemsize
    assert variant.cols * 32 >= n_topics
    assert stride_of(n_topics, dtype) >= n_topics
    assert variant.lanes * variant.strips * per_load >= stride_of(n_topics, dtype)
    assert variant.lanes in (1, 2, 4, 8, 16, 32)


def test_too_many_topics_for_a_gpu_are_refused():
    with pytest.raises(ParameterError, match="up to 1024 topics; got 1025"):
        Variant.of(1025, np.float32)


def test_terms_are_cut_into_pieces_without_a_gap():
    counts = np.array([0, 5, 1024, 1025, 0, 9000, 1])
    stops = np.cumsum(counts)
    cut = pieces(stops - counts, stops, np.arange(7), 7)
    assert (cut.starts[1:] == cut.stops[:-1]).all()
    assert (cut.starts[0], cut.stops[-1]) == (0, counts.sum())
    assert (cut.stops - cut.starts <= 1024).all()
    np.testing.assert_array_equal(np.bincount(cut.owner, cut.stops - cut.starts, 7), counts)
    assert cut.long.tolist() == [3, 5]
    assert sorted(cut.slot[cut.slot >= 0]) == list(range(cut.n_slots))
    assert cut.ends.tolist() == [0, 2, 11]


def test_the_pieces_of_a_term_have_consecutive_slots_whatever_their_order():
    """Pieces of frequent terms go stretch by stretch, so those of a term are far apart."""
    cut = pieces(np.array([0, 10, 5, 15, 20]), np.array([5, 15, 10, 20, 21]), np.array([0, 1, 0, 1, 2]), 3)
    assert cut.owner.tolist() == [0, 1, 0, 1, 2]
    assert cut.slot.tolist() == [0, 2, 1, 3, -1]
    assert cut.ends.tolist() == [0, 2, 4]


def test_the_device_is_not_saved_with_a_model(tmp_path):
    model = TONMF(2, random_state=0).fit(np.eye(4) + 0.1)
    model.device = "cuda"
    model.save(tmp_path / "model")
    from tonmf import load

    assert load(tmp_path / "model").device == "cpu"
