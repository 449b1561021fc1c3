"""What goes wrong on a cluster: workers that die, partitions that are bad, gone or changed, a scheduler that is gone."""

import os
import signal
import time
from contextlib import ExitStack
from importlib.metadata import version

import dask
import numpy as np
import pytest
import scipy.sparse as sp
from clusters import die_after, n_held, paused, process_number, resume, scheduler_process, set_pause, two_workers
from waiting import PATIENCE, wait_until

from tonmf import TONMF, ClusterError, InputError
from tonmf import dask as tonmf_dask
from tonmf.nmf.cluster import watch
from tonmf.nmf.cluster.client import Cluster, connect

OPTIONS = {"n_topics": 3, "alpha": 3.0, "max_iter": 6, "tol": 0, "random_state": 0}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    groups = np.kron(np.eye(3), np.ones(10))
    return sp.csr_matrix(rng.poisson(3 * groups[rng.integers(3, size=240)] + 0.1).astype(float))


def pieces(X):
    return [dask.delayed(X[low : low + 60]) for low in range(0, X.shape[0], 60)]


def assert_same(far, near):
    """Whatever is lost is made again as it was; only the order in which sums are added up may differ."""
    np.testing.assert_allclose(far.objective_history_, near.objective_history_, rtol=1e-9)
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("given", "who"), [("partitions", "one worker"), ("in memory", "all workers")])
def test_a_fit_survives_workers_that_are_killed_in_the_middle_of_a_pass(client, rows, given, who):
    two_workers(client)
    before = set(client.run(process_number).values())
    doomed = list(client.nthreads())[: 1 if who == "one worker" else 2]
    client.run(die_after, 3, workers=doomed)
    far = TONMF(**OPTIONS, executor=client).fit(pieces(rows) if given == "partitions" else rows)
    two_workers(client)
    assert set(client.run(process_number).values()) != before
    assert_same(far, TONMF(**OPTIONS).fit(rows))


def test_a_fit_with_an_automatic_alpha_survives_too(client, rows):
    """It asks for residuals between passes, which are made up first where they are lost."""
    two_workers(client)
    numbers = client.run(process_number)
    options = {**OPTIONS, "alpha": "auto"}

    def kill(progress):
        if progress.iteration == 3:  # between a pass and the question for its residuals
            os.kill(next(iter(numbers.values())), signal.SIGKILL)
            wait_until(lambda: set(client.nthreads()) != set(numbers))

    far = TONMF(**options, executor=client, callback=kill).fit(pieces(rows))
    two_workers(client)
    assert_same(far, TONMF(**options).fit(rows))


def test_a_bad_partition_in_the_middle_is_named_and_nothing_is_lost(client, rows):
    parts = pieces(rows)
    model = TONMF(**OPTIONS, executor=client).fit(parts)
    scores = model.outlier_scores_
    with pytest.raises(InputError, match=r"^Partition 2: Negative values .* at least 0, got -"):
        model.fit([*parts[:2], dask.delayed(-rows[:1]), *parts[2:]])
    with pytest.raises(InputError, match=r"^Partition 1 has 5 columns, but partition 0 has 30"):
        model.fit([parts[0], dask.delayed(rows[:, :5])])
    with pytest.raises(InputError, match=r"^Partition 1 holds float32, but partition 0 float64"):
        model.fit([parts[0], dask.delayed(rows.astype(np.float32))])
    with pytest.raises(InputError, match="None of the partitions has any document"):
        model.fit([dask.delayed(rows[:0])])
    assert model.outlier_scores_ is scores
    assert set(client.nthreads()) == set(client.run(process_number))


def load(path):
    return sp.load_npz(path)


def test_a_partition_that_cannot_be_read_is_named(client, rows, tmp_path):
    sp.save_npz(tmp_path / "good.npz", rows)
    (tmp_path / "bad.npz").write_bytes(b"no matrix")
    parts = [dask.delayed(load)(tmp_path / name) for name in ("good.npz", "gone.npz", "bad.npz")]
    with pytest.raises(InputError, match=r"^Partition 1 cannot be read: FileNotFoundError: .*gone\.npz"):
        TONMF(**OPTIONS, executor=client).fit(parts[:2])
    with pytest.raises(InputError, match=r"^Partition 1 cannot be read: "):
        TONMF(**OPTIONS, executor=client).fit([parts[0], parts[2]])


@pytest.mark.parametrize("what", ["changed", "removed"])
def test_a_partition_that_is_not_what_it_was_when_it_is_read_again_ends_the_fit(client, rows, tmp_path, what):
    two_workers(client)
    paths = [tmp_path / f"{number}.npz" for number in range(4)]
    for number, path in enumerate(paths):
        sp.save_npz(path, rows[60 * number : 60 * number + 60])
    numbers = client.run(process_number)

    def spoil(progress):
        if progress.iteration == 2:
            for path in paths:
                path.unlink()
                if what == "changed":
                    sp.save_npz(path, 2 * rows[:60])
            os.kill(next(iter(numbers.values())), signal.SIGKILL)

    message = "is not what it was when the fit began" if what == "changed" else r"cannot be read: FileNotFoundError"
    with pytest.raises(InputError, match=rf"^Partition \d {message}"):
        TONMF(**OPTIONS, executor=client, callback=spoil).fit([dask.delayed(load)(path) for path in paths])
    two_workers(client)


def too_large():
    raise MemoryError


def disk_full():
    raise OSError(28, "No space left on device")


def test_what_workers_run_out_of_is_said(client, rows):
    with pytest.raises(ClusterError, match=r"^A worker ran out of memory over partition 1\. Give workers more"):
        TONMF(**OPTIONS, executor=client).fit([*pieces(rows)[:1], dask.delayed(too_large)()])
    with pytest.raises(ClusterError, match=r"^A worker has no room left on its disk over partition 0"):
        TONMF(**OPTIONS, executor=client).fit([dask.delayed(disk_full)()])


def held(client):
    """Keys of ours that are on the workers, and what fits keep there."""
    ours = {key for keys in client.has_what().values() for key in keys if str(key).startswith("tonmf-")}
    return ours, set(client.run(n_held).values())


def test_workers_that_are_paused_are_said_and_nothing_is_left_on_them(client, rows, monkeypatch):
    """Dask pauses workers whose memory is nearly full, and a fit waited for them without end."""
    two_workers(client)
    monkeypatch.setattr(watch, "PATIENCE", 1.5)
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.1)
    before, _ = held(client)
    message = r"^The memory of workers is full: (\d+) of \1 at .* are paused, .*\. Give workers more"

    def pause_all(progress):
        if progress.iteration == 2:
            stack.enter_context(paused(client, list(client.nthreads())))

    with ExitStack() as stack:
        with pytest.raises(ClusterError, match=message) as error:
            TONMF(**OPTIONS, executor=client, callback=pause_all).fit(pieces(rows))
        wait_until(lambda: held(client)[0] <= before)
        assert held(client)[1] == {0}
        assert error.tb is not None  # frames of the fit are still there
        with pytest.raises(ClusterError, match=message):
            tonmf_dask.score(client, TONMF(**OPTIONS).fit(rows), rows, compute=True)


def pause_itself():
    """On a worker: work until it is paused."""
    from distributed import get_worker

    time.sleep(0.3)
    set_pause(1e-6, get_worker())
    while get_worker().status.name != "paused":
        time.sleep(0.05)
    time.sleep(0.7)


def test_what_waits_for_a_paused_worker_is_done_by_others(client, rows, monkeypatch):
    two_workers(client)
    monkeypatch.setattr(watch, "PATIENCE", 1.5)
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.1)
    busy = []

    def occupy(progress):
        if progress.iteration == 2:
            busy.append(client.submit(pause_itself, workers=list(client.nthreads())[:1], pure=False))

    try:
        far = TONMF(**OPTIONS, executor=client, callback=occupy).fit(pieces(rows))
    finally:
        resume(client)
    assert_same(far, TONMF(**OPTIONS).fit(rows))


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def test_documents_that_kill_every_worker_end_the_fit(client):
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        try:
            with pytest.raises(ClusterError, match=r"^Workers died again and again .* more partitions"):
                TONMF(**OPTIONS, executor=client).fit([dask.delayed(die)()])
        finally:
            client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 3))
    two_workers(client)


def test_an_address_where_nobody_answers_is_said():
    with pytest.raises(ClusterError, match=r"^No Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        connect("tcp://127.0.0.1:1", timeout=1)


def test_a_cluster_that_has_lost_all_workers_is_given_up_after_a_while(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(watch, "PATIENCE", 1.5)
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.1)
    with scheduler_process(tmp_path, 1) as (address, _), connect(address) as client:
        client.wait_for_workers(1, timeout=PATIENCE)
        (worker,) = client.run(os.getpid).values()

        def kill(progress):
            if progress.iteration == 3:
                os.kill(worker, signal.SIGKILL)

        with pytest.raises(
            ClusterError, match=rf"^The cluster at {address} has no workers\. Start some, and try again"
        ):
            TONMF(**OPTIONS, executor=client, callback=kill).fit(pieces(rows))


def test_a_cluster_without_workers_is_said(tmp_path):
    with (
        scheduler_process(tmp_path, 0) as (address, _),
        connect(address) as client,
        pytest.raises(ClusterError, match=rf"^The cluster at {address} has no workers"),
    ):
        Cluster(client)


def test_a_scheduler_that_is_gone_ends_the_fit_and_leaves_the_model_as_it_was(tmp_path, rows):
    with scheduler_process(tmp_path, 1) as (address, scheduler), connect(address) as client:
        client.wait_for_workers(1)
        model = TONMF(**OPTIONS, executor=client).fit(rows)
        scores = model.outlier_scores_

        def kill(progress):
            if progress.iteration == 3:
                scheduler.kill()

        model.set_params(callback=kill)
        with pytest.raises(ClusterError, match=rf"^The Dask scheduler at {address} does not answer any more"):
            model.fit(rows)
        assert model.outlier_scores_ is scores


def test_a_worker_with_another_version_is_refused(client, rows):
    def pretend(version):
        from importlib import metadata

        metadata.version = lambda name: version

    worker = next(iter(client.nthreads()))
    client.run(pretend, "0.0.1", workers=[worker])
    try:
        with pytest.raises(ClusterError, match=rf"^The worker at {worker} has tonmf 0\.0\.1, and this is tonmf"):
            TONMF(**OPTIONS, executor=client).fit(rows)
    finally:
        client.run(pretend, version("tonmf"), workers=[worker])


def test_a_partition_that_cannot_be_scored_is_named(client, rows):
    model = TONMF(**OPTIONS).fit(rows)
    with pytest.raises(InputError, match=r"^Partition 1: Negative values"):
        tonmf_dask.score(client, model, [dask.delayed(rows), dask.delayed(-rows)], compute=True)
