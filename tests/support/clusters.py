"""Real Dask clusters on loopback: one in processes that tests share, and others whose scheduler can be killed."""

import json
import os
import signal
from contextlib import ExitStack, contextmanager

import pytest
from command import environment, server
from waiting import PATIENCE, wait_until

CONFIGURATION = {
    # Workers are forked from a process that has imported all they need, when they are started again too.
    "distributed.worker.multiprocessing-method": "forkserver",
    # On a busy machine a worker takes longer to come back than Dask waits before it gives it up for lost.
    "distributed.deploy.lost-worker-timeout": "1 hour",
}
PRELOADED = ["distributed.nanny", "pandas", "tonmf.dask", "tonmf.nmf.ops.compiled"]


_open = ExitStack()


@pytest.fixture(scope="session")
def client():
    """A client of two worker processes, one thread each, that are started again when they die.

    They end with the last test of their group, not with the session (`close`): heartbeats take time even of idle ones.
    """
    distributed = pytest.importorskip("distributed")
    import dask

    _open.enter_context(dask.config.set(CONFIGURATION))
    distributed.utils.get_mp_context().set_forkserver_preload(PRELOADED)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )
    _open.enter_context(cluster)
    return _open.enter_context(distributed.Client(cluster, set_as_default=False))


def close():
    """End the shared cluster, if there is one."""
    _open.close()


@contextmanager
def scheduler_process(folder, n_workers):
    """A scheduler and workers in processes of their own: (address, scheduler's process)."""
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        nothing = stack.enter_context(open(os.devnull, "r+b")).fileno()

        def start(tool, *options):
            entry = f"distributed.cli.dask_{tool}:main"
            process = server().start(
                *options, "--no-dashboard", cwd=folder, env=environment(), files=[nothing] * 3, entry=entry
            )
            return stack.enter_context(process)

        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
        wait_until(lambda: file.exists() and file.read_text())
        address = json.loads(file.read_text())["address"]
        for _ in range(n_workers):
            start("worker", address, "--nthreads", "1", "--no-nanny", "--local-directory", folder)
        yield address, scheduler


def die_after(n_steps):
    """On a worker: be killed, as by the kernel, in the middle of a pass."""
    from tonmf.nmf import steps

    real, left = steps.reweighted_step, [n_steps]

    def deadly(ops, current, block, sums):
        real(ops, current, block, sums)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    steps.reweighted_step = deadly


def holding_counts(begun, released):
    """Return what makes a worker wait before it counts a partition, after making the file `begun`, for the file `released`.

    It is a function of its own, with its imports inside, since workers in processes of their own cannot import this module.
    """

    def hold():
        import time

        from tonmf.dask import texts

        real = texts.count

        def held(number, given, options):
            begun.touch()
            while not released.exists():
                time.sleep(0.01)
            return real(number, given, options)

        texts.count = held

    return hold


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
    wait_until(lambda: {client.run_on_scheduler(statuses).get(address) for address in workers} == {status})


def n_held():
    """On a worker: how many partitions, and states of them, fits keep there."""
    from tonmf.nmf.cluster.worker import _partitions, _states

    return len(_partitions) + len(_states)


def process_number():
    return os.getpid()


def two_workers(client):
    """Wait until those workers that died have been started again."""
    client.wait_for_workers(2, timeout=PATIENCE)
