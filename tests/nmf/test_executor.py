"""`TONMF` on a real Dask cluster of two processes: the same result as in one process, however the rows are cut."""

import pickle
import threading
import time
import warnings
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
from sklearn.exceptions import ConvergenceWarning

from benchmarks.traffic import Traffic, bytes_of_model
from tonmf import TONMF, InputError, ParameterError, load
from tonmf import dask as tonmf_dask
from tonmf.nmf.blocks import SerialExecutor
from tonmf.nmf.cluster import executor, partitions, worker
from tonmf.nmf.cluster.client import Cluster
from tonmf.nmf.cluster.executor import assign, name_of
from tonmf.nmf.cluster.partitions import FitLog, History
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


def test_float32_rows_give_the_same_however_they_are_placed(client, rows):
    """Sums came back in float32, and what they were rounded to depended on the partitions of each worker."""
    X = rows.astype(np.float32)
    far = [TONMF(**OPTIONS, executor=client).fit(pieces(X, n)) for n in (1, 4)]
    np.testing.assert_allclose(far[0].components_, far[1].components_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(far[0].outlier_scores_, far[1].outlier_scores_, rtol=0, atol=1e-7)


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
    assert "tonmf-bring" in ran


def test_sums_of_many_workers_are_added_up_on_the_way(client):
    def sums_of(number):
        sums = Sums.zeros(2, 1)
        sums.P += number
        return sums

    cluster = Cluster(client)
    shares = [cluster.task("share", sums_of, number) for number in range(20)]
    few = cluster.results(executor.DaskExecutor(cluster)._merged(shares, "pass"))
    assert len(few) == 3
    assert sum(part.P[0, 0] for part in few) == sum(range(20))


def tasks_that_ran(dask_worker):
    from dask.utils import key_split

    return sorted({key_split(entry[0]) for entry in dask_worker.state.log if isinstance(entry[0], str)})


def test_topics_travel_from_worker_to_worker_if_there_are_many(client, rows, monkeypatch):
    monkeypatch.setattr(executor.DaskExecutor, "_merged", lambda self, shares, name: shares)
    monkeypatch.setattr(executor, "BRANCHES", 1)
    monkeypatch.setattr(executor, "SMALL", 100)
    assert_same(TONMF(**OPTIONS, executor=client).fit(rows), TONMF(**OPTIONS).fit(rows))


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


def test_a_pass_that_is_repeated_beside_itself_is_done_once(rows):
    """Two threads of a worker were at the same H, and it was updated twice."""
    partition = as_partition(rows, np.ones(300), 1, 60)
    payload = pickle.dumps((SlowStep(), EmptySums((1, 1))))
    sums = []

    def share(n_done):
        return worker.Share("family", "data", (0,), (0,), FitLog("family-1", n_done, 1, None, n_done == 0), frozenset())

    def run_pass(n_done):
        sums.append(worker.run_step(payload, share(n_done)).P[0, 0])

    absent = worker.Absent((0,))

    def remembered():
        states = worker._states["family-1", 0]
        return {n: {value for state in states[n] for value in state.H.ravel()} for n in states}

    assert worker.run_step(payload, share(0)) == absent
    worker.bring(History(1), share(0), [partition.facts()], partition)
    attempts = [threading.Thread(target=run_pass, args=(0,)) for _ in range(3)]
    for attempt in attempts:
        attempt.start()
        time.sleep(0.03)
    for attempt in attempts:
        attempt.join()
    assert sums == [300] * 3
    assert remembered()[1] == {1}
    run_pass(1)
    run_pass(2)
    run_pass(2)  # again, by a task that nobody waits for any more
    assert remembered() == {2: {2}, 3: {3}}
    assert worker.run_step(payload, share(1)) == absent
    worker.forget_family("family")
    worker.bring(History(1), share(0), [partition.facts()], partition)
    assert not worker._states
    assert not worker._partitions


@pytest.mark.parametrize("most_history", [0, 2**26])
@pytest.mark.parametrize(
    "options", [{"solver": "paper", "inner_iter": 3}, {"init": "uniform"}, {"n_topics": "auto"}], ids=str
)
def test_state_that_is_lost_after_every_pass_is_made_again(client, rows, monkeypatch, options, most_history):
    """From the start or the last checkpoint, by the passes since; it was only made up from the topics."""
    monkeypatch.setattr(partitions, "MOST_HISTORY", most_history)
    monkeypatch.setattr(executor, "SMALL", 1000)
    options = {**OPTIONS, "max_iter": 4, **options}

    def lose(progress):
        client.run(worker._states.clear, workers=list(client.nthreads())[: 1 + progress.iteration % 2])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        near = TONMF(**options).fit(rows)
        far = TONMF(**options, executor=client, callback=lose).fit(rows)
    assert_same(far, near, 1e-9)


def test_idle_workers_get_partitions_of_busy_ones():
    assert assign([["a"]] * 4, ["a", "b"], [], [1, 1, 1, 1]).count("b") == 2
    assert assign([["a"], ["b"]], ["a", "b"], [], [5, 1]) == ["a", "b"]
    assert assign([["a", "b"]], ["a", "b"], ["b"], [5]) == ["b"]
    assert assign([["gone"], []], ["a"], ["gone", "gone"], [5, 5]) == ["a", "a"]


def test_partitions_stay_where_their_state_is():
    """Dask drops copies of a partition as it likes, and the state was left behind when the partition went elsewhere."""
    assert assign([["a"], ["a"]], ["a", "b"], ["a", "b"], [5, 5]) == ["a", "b"]


def test_steps_are_called_after_the_function_that_they_are_written_in():
    assert name_of(assert_same) == "assert-same"
    assert name_of((lambda: lambda: 0)()) == "test-steps-are-called-after-the-function-that-they-are-written-in"


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
