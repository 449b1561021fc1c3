"""Workers that are killed, restarted and stopped at any moment: the result is that of an undisturbed run.

Moments are counted in tasks, not in seconds: before the n-th task that the run submits, something happens to a worker. Which n,
to whom and what is drawn from a fixed seed. Whatever a worker is doing then, the assertions hold.
"""

import os
import signal
import threading
from contextlib import contextmanager, suppress

import dask
import dask.bag
import numpy as np
import pytest
from clusters import scheduler_process, two_workers
from waiting import wait_until

from tonmf import TONMF, ClusterError, TextOutlierDetector
from tonmf import dask as tonmf_dask
from tonmf.datasets import make_corpus
from tonmf.detector.scores import ladder
from tonmf.nmf.cluster import executor, watch
from tonmf.nmf.cluster.client import Cluster, connect
from tonmf.text.choose import make_counter

TEXTS = [*make_corpus(n_docs=150, n_outliers=5).texts, ""]
OF_TEXTS = {"topic_shares": (0.02,), "n_restarts": 1, "max_topics": 8}
OF_ROWS = {"n_topics": 4, "max_iter": 12, "tol": 0, "random_state": 0}


@pytest.fixture(autouse=True)
def many_kills_are_no_fault_of_the_documents(client):
    """Dask blames a task if the workers that ran it die, and so do we."""

    def allow(n_failures, dask_scheduler=None):
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, n_failures
        return before

    before = client.run_on_scheduler(allow, 1000)
    yield
    client.run_on_scheduler(allow, before)


class Disturber:
    """Kills, stops for a while or restarts workers of a `LocalCluster`, before tasks of these numbers are submitted."""

    def __init__(self, client, seed, n_tasks, n_times):
        self._rng = np.random.default_rng(seed)
        self._nannies = client.cluster.workers
        self._moments = set(self._rng.choice(n_tasks, n_times, replace=False).tolist())
        self._n_tasks, self._lock, self._timers = 0, threading.Lock(), []
        self.n_done = 0

    def __call__(self):
        with self._lock:
            self._n_tasks += 1
            if self._n_tasks - 1 not in self._moments:
                return
            self.n_done += 1
            nannies = list(self._nannies.values())
            chosen = self._rng.integers(len(nannies) + 1)  # one of them, or all
            for nanny in nannies[chosen : chosen + 1] or nannies:
                self._disturb(nanny)

    def _disturb(self, nanny):
        process = nanny.pid
        if process is None:  # is being started again
            return
        what, delay = self._rng.choice(["kill", "kill later", "restart", "stop"]), self._rng.uniform(0, 0.1)
        if what == "kill":
            send(process, signal.SIGKILL)
        elif what == "restart":
            send(process, signal.SIGTERM)  # a worker that is asked to end closes its connections first
        elif what == "kill later":
            self._later(delay, process, signal.SIGKILL)
        else:
            send(process, signal.SIGSTOP)
            self._later(10 * delay, process, signal.SIGCONT)

    def _later(self, seconds, process, number):
        self._timers.append(threading.Timer(seconds, send, (process, number)))
        self._timers[-1].start()

    def end(self):
        """Wait until all has happened."""
        for timer in self._timers:
            timer.join()


def send(process, number):
    with suppress(ProcessLookupError):
        os.kill(process, number)


@contextmanager
def disturbed(client, monkeypatch, seed, n_tasks, n_times):
    """Disturb what runs inside, which submits at least so many tasks, so many times."""
    two_workers(client)
    disturber, submit = Disturber(client, seed, n_tasks, n_times), Cluster.task

    def task(self, *args, **kwargs):
        disturber()
        return submit(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Cluster, "task", task)
        try:
            yield
        finally:
            disturber.end()
            two_workers(client)
    assert disturber.n_done == n_times


@pytest.fixture(scope="module")
def rows():
    values = TextOutlierDetector().get_params()
    return make_counter(values, "texts", None).learn(TEXTS).matrix.astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_a_fit_of_rows_goes_on_as_if_nothing_had_happened(client, rows, monkeypatch, seed):
    monkeypatch.setattr(executor, "SMALL", 2**16 if seed % 2 else 100)
    near = TONMF(**OF_ROWS).fit(rows)
    given = [dask.delayed(rows[low : low + 40]) for low in range(0, rows.shape[0], 40)] if seed % 2 else rows
    with disturbed(client, monkeypatch, seed, 40, 3):
        far = TONMF(**OF_ROWS, executor=client).fit(given)
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(far.components_, near.components_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_of_texts_goes_on_as_if_nothing_had_happened(client, monkeypatch, seed):
    monkeypatch.setattr(ladder, "MANY", 100)
    near = TextOutlierDetector(**OF_TEXTS).fit(TEXTS)
    given = TEXTS if seed == 0 else dask.bag.from_sequence(TEXTS, npartitions=5)
    with disturbed(client, monkeypatch, seed, 150, 4):
        far = tonmf_dask.fit_detector(client, given, **OF_TEXTS)
    assert far.terms_ == near.terms_
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=1e-6)
    assert (far.labels_ == near.labels_).all()


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_an_undisturbed_run(client, monkeypatch, seed):
    model = TextOutlierDetector(**OF_TEXTS).fit(TEXTS)
    with disturbed(client, monkeypatch, seed, 8, 2):
        scores = tonmf_dask.score(client, model, dask.bag.from_sequence(TEXTS, npartitions=7), compute=True)
    np.testing.assert_allclose(scores, model.outlier_scores_, rtol=0, atol=1e-6)


def test_the_work_of_a_worker_that_is_stopped_for_good_is_done_by_another(tmp_path, rows, monkeypatch):
    """Dask gives a worker up that has been silent for a while (here a shorter one); then it is as if it had been killed."""
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "5s")
    near, stopped = TONMF(**OF_ROWS).fit(rows), []
    with scheduler_process(tmp_path, 2) as (address, _), connect(address) as client:
        two_workers(client)
        processes = list(client.run(os.getpid).values())

        def stop(progress):
            if progress.iteration == 3:
                stopped.append(processes[0])
                os.kill(processes[0], signal.SIGSTOP)

        try:
            far = TONMF(**OF_ROWS, executor=client, callback=stop).fit(rows)
            wait_until(lambda: len(client.nthreads()) == 1)
        finally:
            for process in stopped:
                send(process, signal.SIGKILL)
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=1e-9)


def test_a_scheduler_that_is_stopped_ends_the_fit(tmp_path, rows, monkeypatch):
    """Questions to it waited for ever."""
    monkeypatch.setattr(watch, "ANSWER", 2.0)
    with scheduler_process(tmp_path, 1) as (address, scheduler), connect(address) as client:
        client.wait_for_workers(1)

        def stop(progress):
            if progress.iteration == 3:
                os.kill(scheduler.pid, signal.SIGSTOP)

        try:
            with pytest.raises(
                ClusterError, match=r"has not answered for 2 seconds\. .* the model is as it was before"
            ):
                TONMF(**OF_ROWS, executor=client, callback=stop).fit(rows)
        finally:
            os.kill(scheduler.pid, signal.SIGCONT)
