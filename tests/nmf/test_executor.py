"""`TONMF` on a real Dask cluster of two processes: the same result as in one process, however the rows are cut."""

import pickle
import threading
import time
from itertools import pairwise

import dask
import dask.array
import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clusters import n_held

from benchmarks.traffic import Traffic, bytes_of_model
from tonmf import TONMF, InputError, ParameterError, load
from tonmf import dask as tonmf_dask
from tonmf.nmf.blocks import SerialExecutor
from tonmf.nmf.cluster import worker
from tonmf.nmf.cluster.executor import assign, name_of
from tonmf.nmf.cluster.partitions import FitLog
from tonmf.nmf.cluster.rows import as_partition
from tonmf.nmf.in_memory import MatrixSource
from tonmf.nmf.ops.reference import ReferenceOps
from tonmf.nmf.quantiles import quantile_over
from tonmf.nmf.solver import EmptySums
from tonmf.nmf.steps import Sums
from tonmf.nmf.threshold import weighted_quantile

OPTIONS = {"n_topics": 3, "max_iter": 5, "tol": 0, "random_state": 0}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    groups = np.kron(np.eye(4), np.ones(10))
    X = rng.poisson(3 * groups[rng.integers(4, size=300)] + 0.1).astype(float)
    X[7] = 0
    return sp.csr_matrix(X)


def pieces(X, n):
    edges = np.linspace(0, X.shape[0], n + 1).astype(int)
    return [X[low:high] for low, high in pairwise(edges)]


def assert_same(far, near, tolerance=1e-12):
    assert far.n_topics_ == near.n_topics_
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=tolerance)
    np.testing.assert_allclose(far.components_, near.components_, rtol=0, atol=tolerance)
    np.testing.assert_allclose(far.objective_history_, near.objective_history_, rtol=tolerance)
    assert far.threshold_ == pytest.approx(near.threshold_, rel=tolerance)


@pytest.mark.parametrize("n_partitions", [1, 2, 5])
def test_the_result_is_that_of_one_process_for_any_number_of_partitions(client, rows, n_partitions):
    options = {**OPTIONS, "max_iter": 13}
    delayed = [dask.delayed(part) for part in pieces(rows, n_partitions)]
    assert_same(TONMF(**options, executor=client).fit(delayed), TONMF(**options).fit(rows))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "options",
    [
        {"n_topics": "auto", "init": "rows"},
        {"solver": "paper", "max_iter": 3, "inner_iter": 3},
        {"init": "uniform", "max_iter": 3},
        {"score_by": "lift", "alpha": 2.0, "beta": 0.1, "contamination": 0.05},
        {"backend": "numpy", "inner": "anls", "max_iter": 4},
    ],
    ids=str,
)
def test_every_way_to_fit_gives_the_same_on_a_cluster(client, rows, options):
    options = {**OPTIONS, **options}
    weights = np.random.default_rng(0).integers(1, 3, rows.shape[0])
    near = TONMF(**options).fit(rows, sample_weight=weights)
    assert_same(TONMF(**options, executor=client).fit(rows, sample_weight=weights), near, 1e-9)


def test_float32_rows_give_the_same_to_their_rounding(client, rows):
    X = rows.astype(np.float32)
    assert_same(TONMF(**OPTIONS, executor=client).fit(X), TONMF(**OPTIONS).fit(X), 1e-5)


@pytest.mark.parametrize("kind", ["array", "dataframe", "bag of rows", "bag of blocks", "futures", "matrices"])
def test_collections_of_every_kind_are_taken(client, rows, kind):
    dense = rows.toarray()
    table = pd.DataFrame(dense, columns=[f"term{j}" for j in range(dense.shape[1])])
    X = {
        "array": lambda: dask.array.from_array(dense, chunks=(110, 15)),
        "dataframe": lambda: dask.dataframe.from_pandas(table, npartitions=3),
        "bag of rows": lambda: dask.bag.from_sequence(list(dense), npartitions=3),
        "bag of blocks": lambda: dask.bag.from_sequence(pieces(rows, 4), npartitions=2),
        "futures": lambda: client.scatter(pieces(rows, 3)),
        "matrices": lambda: pieces(rows, 3),
    }[kind]()
    far = TONMF(**OPTIONS, executor=client).fit(X)
    assert_same(far, TONMF(**OPTIONS).fit(rows))
    assert far.n_features_in_ == rows.shape[1]
    assert hasattr(far, "feature_names_in_") == (kind == "dataframe")


def test_partitions_without_rows_do_not_matter(client, rows):
    parts = [dask.delayed(part) for part in (rows[:0], *pieces(rows, 2), rows[:0])]
    assert_same(TONMF(**OPTIONS, executor=client).fit(parts), TONMF(**OPTIONS).fit(rows))


def test_scores_stay_on_the_workers_or_come_back(client, rows):
    model = TONMF(**OPTIONS, executor=client).fit(rows)
    parts = [dask.delayed(part) for part in pieces(rows, 3)]
    scores = tonmf_dask.score(client, model, parts)
    assert [type(part).__name__ for part in scores] == ["Future"] * 3
    here = tonmf_dask.score(client, model, parts, compute=True)
    np.testing.assert_allclose(here, model.outlier_scores_, rtol=0, atol=1e-12)


def test_the_workers_keep_nothing_of_a_fit_that_is_over(client, rows):
    TONMF(**OPTIONS, executor=client).fit(rows)
    assert set(client.run(n_held).values()) == {0}


def test_steps_have_names_on_the_dashboard(client, rows):
    TONMF(**OPTIONS, executor=client).fit([dask.delayed(part) for part in pieces(rows, 3)])
    ran = {name for names in client.run(tasks_that_ran).values() for name in names}
    assert {"tonmf-read", "tonmf-pass", "tonmf-random-start", "tonmf-quantile-between", "tonmf-keep"} <= ran
    assert "tonmf-merge" in ran


def tasks_that_ran(dask_worker):
    from dask.utils import key_split

    return sorted({key_split(entry[0]) for entry in dask_worker.state.log if isinstance(entry[0], str)})


def test_a_pass_moves_the_bytes_of_the_cost_model(client):
    X = sp.random(400, 30_000, 0.01, format="csr", dtype=np.float32, random_state=0)
    traffic, n_topics = Traffic(client), 20
    moved = {}
    for n_passes in (2, 10):
        model = TONMF(n_topics, alpha=1.0, max_iter=n_passes, tol=0, random_state=0, executor=client)
        with traffic.during() as counted:
            model.fit(X)
        moved[n_passes] = counted[0]
    per_pass = (moved[10] - moved[2]) / 8
    assert per_pass == pytest.approx(bytes_of_model(2, 30_000, n_topics), rel=0.05)


def test_an_automatic_alpha_moves_no_number_for_each_document(client):
    X = sp.random(40_000, 50, 0.1, format="csr", dtype=np.float32, random_state=0)
    moved, traffic = {}, Traffic(client)
    for alpha in (1.0, "auto"):
        with traffic.during() as counted:
            TONMF(3, alpha=alpha, max_iter=9, tol=0, random_state=0, executor=client).fit(X)
        moved[alpha] = counted[0]
    assert (moved["auto"] - moved[1.0]) / 9 < 8 * X.shape[0] / 2


@pytest.mark.parametrize("kind", ["spread", "ties", "skewed", "few"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_quantile_over_blocks_is_that_of_all_numbers(kind, weighted):
    rng = np.random.default_rng(0)
    n = 50 if kind == "few" else 60_000
    values = {
        "spread": rng.random(n),
        "few": rng.random(n),
        "ties": np.where(rng.random(n) < 0.7, 0.5, rng.random(n)),
        "skewed": rng.lognormal(0, 8, n),
    }[kind]
    weights = rng.integers(0, 4, n).astype(float) if weighted else np.ones(n)
    source = MatrixSource(sp.csr_matrix(values[:, None]), weights, n // 7, ReferenceOps())
    for block in source.blocks():
        block.rho = values[block.first : block.first + len(block.sample_weight)]
    for q in (0.0, 0.1, 0.5, 0.9, 1.0):
        found = quantile_over(SerialExecutor(), source, lambda b: (b.rho, b.sample_weight), q)
        assert found == weighted_quantile(values, q, weights)


class SlowStep:
    """Counts passes in H, slowly enough to be met by another."""

    def __call__(self, block, sums):
        time.sleep(0.02)
        block.H += 1
        sums.P += block.H.sum()

    def restore(self, block):
        block.H = np.zeros((len(block.squared_norms), 1))


def test_a_pass_that_is_repeated_beside_itself_is_done_once(rows):
    """Two threads of a worker were at the same H, and it was updated twice."""
    partition = as_partition(rows, np.ones(300), 1, 60)
    payload = pickle.dumps((SlowStep(), EmptySums((1, 1)), np.dtype(float)))
    tasks = [worker.PartitionTask(0, 0, partition.facts())]
    sums = []

    def run_pass(n_done):
        log = FitLog("family", "family-1", n_done, 1, None, frozenset())
        sums.append(worker.run_step(payload, log, tasks, partition).P[0, 0])

    def remembered():
        return {value for block in worker._memories["family-1", 0].blocks for value in block.H.ravel()}

    attempts = [threading.Thread(target=run_pass, args=(0,)) for _ in range(3)]
    for attempt in attempts:
        attempt.start()
        time.sleep(0.03)
    for attempt in attempts:
        attempt.join()
    assert sums == [300] * 3
    assert remembered() == {1}
    run_pass(1)
    run_pass(2)
    with pytest.raises(worker.PassOverError):  # nobody waits for it any more
        run_pass(0)
    assert remembered() == {3}
    worker.forget_family("family")
    run_pass(3)
    assert ("family-1", 0) not in worker._memories


def test_idle_workers_get_partitions_of_busy_ones():
    assert assign([["a"]] * 4, ["a", "b"], {}, [1, 1, 1, 1]).count("b") == 2
    assert assign([["a"], ["b"]], ["a", "b"], {}, [5, 1]) == ["a", "b"]
    assert assign([["a", "b"]], ["a", "b"], {0: "b"}, [5]) == ["b"]
    assert assign([["gone"], []], ["a"], {0: "gone"}, [5, 5]) == ["a", "a"]


def test_steps_are_called_after_the_function_that_they_are_written_in():
    assert name_of(assert_same) == "assert-same"
    assert name_of((lambda: lambda: 0)()) == "test-steps-are-called-after-the-function-that-they-are-written-in"


def test_sums_can_be_packed_for_the_way():
    sums = Sums.zeros(3, 2)
    sums.P += 1 / 3
    packed = sums.packed(np.dtype(np.float32))
    assert packed.P.dtype == np.float32
    assert packed.unpacked().P.dtype == np.float64


def test_a_saved_model_has_no_executor(client, rows, tmp_path):
    TONMF(**OPTIONS, executor=client).fit(rows).save(tmp_path / "model")
    assert load(tmp_path / "model").executor is None


def test_anything_but_a_client_is_refused(rows):
    with pytest.raises(ParameterError, match=r"executor must be a dask\.distributed Client"):
        TONMF(executor="tcp://127.0.0.1:8786").fit(rows)


def test_a_start_that_needs_all_rows_is_refused(client, rows):
    with pytest.raises(ParameterError, match="Use init='random' or 'rows'"):
        TONMF(**{**OPTIONS, "init": "nndsvd"}, executor=client).fit(rows)


def test_weights_beside_partitions_are_refused(client, rows):
    with pytest.raises(InputError, match="sample_weight is for rows in memory"):
        TONMF(executor=client).fit(pieces(rows, 2), sample_weight=np.ones(300))
