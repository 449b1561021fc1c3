"""Real Dask clusters on loopback: one in processes that tests share, and others whose scheduler can be killed."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest


@pytest.fixture(scope="session")
def client():
    """A client of two worker processes, one thread each, that are started again when they die."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def scheduler_process(folder, n_workers):
    """A scheduler and workers in processes of their own: (address, scheduler's process)."""
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    tool = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen(
        [*tool, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)],
        **quiet,
    )
    options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(folder))
    workers = []
    try:
        while not file.exists() or not file.read_text():
            assert scheduler.poll() is None
            time.sleep(0.05)
        address = __import__("json").loads(file.read_text())["address"]
        workers = [subprocess.Popen([*tool, "worker", address, *options], **quiet) for _ in range(n_workers)]
        yield address, scheduler
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def die_after(n_steps):
    """On a worker: be killed, as by the kernel, in the middle of a pass."""
    from tonmf.nmf import steps as blocks

    real, left = blocks.reweighted_step, [n_steps]

    def deadly(ops, this, block, sums):
        real(ops, this, block, sums)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    blocks.reweighted_step = deadly


def set_pause(fraction, dask_worker=None):
    """On a worker: the share of its memory at which Dask pauses it; a tiny one does so at once."""
    dask_worker.memory_manager.memory_pause_fraction = fraction


@contextmanager
def paused(client, workers):
    """Workers that Dask has paused."""
    client.run(set_pause, 1e-6, workers=workers)
    try:
        wait_for_status(client, workers, "paused")
        yield
    finally:
        resume(client)


def resume(client):
    """No worker is paused any more."""
    client.run(set_pause, 0.8)
    wait_for_status(client, list(client.nthreads()), "running")


def statuses(dask_scheduler=None):
    """On the scheduler: how each worker is; what a client knows of that may be seconds old."""
    return {address: worker.status.name for address, worker in dask_scheduler.workers.items()}


def wait_for_status(client, workers, status):
    deadline = time.monotonic() + 30
    while {client.run_on_scheduler(statuses).get(address) for address in workers} != {status}:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def n_held():
    """On a worker: how many partitions fits remember."""
    from tonmf.nmf.cluster.worker import _memories

    return len(_memories)


def process_number():
    return os.getpid()


def two_workers(client):
    """Wait until there are two workers again; one whose keeper has given up is replaced."""
    try:
        client.wait_for_workers(2, timeout=15)
    except TimeoutError:
        client.cluster.scale(len(client.cluster.worker_spec) + 1)
        client.wait_for_workers(2, timeout=60)
