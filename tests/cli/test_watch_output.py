"""The answers of a watch: written at the reader's pace, and each on a line of its own."""

import os
import resource
import threading
from contextlib import contextmanager

import pytest

from tonmf import InputError
from tonmf.cli.watching.output import Output


@contextmanager
def room_for(n_bytes):
    """Let files have this many bytes and no more, as if the disk were full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def pipes():
    """A pipe to write to, and one that wakes the writer."""
    ends = [*os.pipe(), *os.pipe()]
    yield ends
    for end in ends:
        os.close(end)


def test_a_line_that_a_full_disk_cut_off_is_ended_by_the_next_watch(tmp_path, pipes):
    fd = os.open(tmp_path / "answers", os.O_WRONLY | os.O_CREAT | os.O_APPEND)  # as the shell opens it after >>
    before = Output(fd, pipes[2], lambda: False)
    assert before.write(b"first\n")
    message = r"^Cannot write the answers: File too large\. Check the disk, and start it again\.$"
    with room_for(10), pytest.raises(InputError, match=message):
        before.write(b"second\n")
    after = Output(fd, pipes[2], lambda: False)
    assert after.write(b"second\n")
    assert after.write(b"third\n")
    assert (tmp_path / "answers").read_bytes() == b"first\nseco\nsecond\nthird\n"
    os.close(fd)


def test_a_file_that_ends_with_a_line_is_continued(tmp_path, pipes):
    for line in (b"first\n", b"second\n"):
        with (tmp_path / "answers").open("ab", buffering=0) as file:
            assert Output(file.fileno(), pipes[2], lambda: False).write(line)
    assert (tmp_path / "answers").read_bytes() == b"first\nsecond\n"


def test_a_slow_reader_is_waited_for_until_somebody_asks_to_stop(pipes):
    reader, writer, wake, ask = pipes
    asked = threading.Event()

    def stop():
        asked.set()
        os.write(ask, b"x")

    threading.Timer(0.1, stop).start()
    assert not Output(writer, wake, asked.is_set, patience=0.01).write(b"x" * (1 << 20) + b"\n")
    assert asked.is_set()
    assert 0 < len(os.read(reader, 1 << 20)) < 1 << 20


def test_a_reader_that_takes_the_rest_in_time_gets_the_whole_line(pipes):
    reader, writer, wake, _ = pipes
    assert Output(writer, wake, lambda: True).write(b"a line\n")
    assert os.read(reader, 100) == b"a line\n"


def test_a_reader_that_is_gone_is_no_error_of_the_disk(pipes):
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        Output(writer, pipes[2], lambda: False).write(b"a line\n")
    os.close(writer)
