"""When a cluster that is waited for is given up; the clock is ours."""

from types import SimpleNamespace

import pytest

from tonmf import ClusterError
from tonmf.nmf.cluster import watch
from tonmf.nmf.cluster.watch import Census, LivenessCheck, Transient

ADDRESS = "tcp://127.0.0.1:8786"
NOBODY = Census([], [], [], at_work=False)
BUSY = Census(["a"], [], [], at_work=True)
IDLE = Census(["a"], [], [], at_work=False)
PAUSED = Census([], ["a"], [], at_work=False)
SILENT = Census([], [], ["a"], at_work=False)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still but for what a test adds to its time."""
    running = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: running.now))
    return running


@pytest.mark.parametrize(
    ("census", "says"),
    [
        (
            NOBODY,
            r"^The cluster at tcp://127\.0\.0\.1:8786 has no workers\. Start some, and try again: dask worker tcp://",
        ),
        (PAUSED, r"^The memory of workers is full: 1 of 1 at .* and nothing has gone on for 60 seconds"),
        (SILENT, r"^Workers do not answer: 1 of 1 at .*, and nothing has gone on for 60 seconds"),
    ],
    ids=["no workers", "all paused", "all silent"],
)
def test_a_cluster_that_cannot_work_is_given_up_after_a_minute(census, says, clock):
    check = LivenessCheck(ADDRESS)
    check.look(census)
    clock.now += watch.PATIENCE
    check.look(census)
    clock.now += 1
    with pytest.raises(ClusterError, match=says):
        check.look(census)


def test_workers_that_accept_tasks_but_do_nothing_for_a_minute_are_asked_again(clock):
    check = LivenessCheck(ADDRESS)
    check.look(IDLE)
    clock.now += watch.PATIENCE + 1
    with pytest.raises(Transient):
        check.look(IDLE)


def test_the_minute_begins_anew_whenever_a_worker_works(clock):
    check = LivenessCheck(ADDRESS)
    for _ in range(5):
        check.look(NOBODY)
        clock.now += watch.PATIENCE
        check.look(BUSY)


def test_a_worker_that_is_needed_and_gone_is_not_waited_for(clock):
    check = LivenessCheck(ADDRESS, needed=["a", "b"])
    with pytest.raises(Transient, match="the worker at b is gone"):
        check.look(BUSY)
