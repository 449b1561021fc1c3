"""The answers of a watch: in a file a line is whole or not there, and nothing follows half a line."""

import os
import resource
from contextlib import contextmanager

import pytest

from tonmf import InputError
from tonmf.cli.watching.output import Output


@contextmanager
def room_for(n_bytes):
    """Files can have so many bytes and no more, as if the disk were full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def appending(tmp_path):
    """As the shell opens it after >>."""
    fd = os.open(tmp_path / "answers", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    yield tmp_path / "answers", fd
    os.close(fd)


def output_to(fd):
    return Output(fd, -1, lambda: False)


def test_a_line_that_finds_no_room_leaves_nothing_of_itself(appending):
    path, fd = appending
    path.write_bytes(b"before\n")
    output = output_to(fd)
    assert output.write(b"first\n")
    with (
        room_for(20),
        pytest.raises(InputError, match=r"The answers cannot be written: File too large\. Check the disk"),
    ):
        output.write(b"a line that is longer\n")
    assert path.read_bytes() == b"before\nfirst\n"
    assert output_to(fd).write(b"a line that is longer\n")
    assert path.read_bytes() == b"before\nfirst\na line that is longer\n"


def test_so_it_is_in_a_file_that_was_not_opened_to_append(tmp_path):
    with (tmp_path / "answers").open("wb", buffering=0) as file:
        output = output_to(file.fileno())
        assert output.write(b"first\n")
        with room_for(10), pytest.raises(InputError):
            output.write(b"second\n")
        assert output.write(b"2\n")
    assert (tmp_path / "answers").read_bytes() == b"first\n2\n"


def test_what_others_have_written_after_half_a_line_stays(appending, monkeypatch):
    path, fd = appending
    output, write = output_to(fd), os.write

    def half(to, data):
        if to != fd or path.stat().st_size:
            raise OSError(28, "No space left on device")
        n_bytes = write(to, data[:4])
        with path.open("ab") as others:
            others.write(b" of others\n")
        return n_bytes

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", half)
        with pytest.raises(InputError, match="No space left on device"):
            output.write(b"half a line\n")
    assert path.read_bytes() == b"half of others\n"
    assert output.write(b"a line\n")
    assert path.read_bytes() == b"half of others\na line\n"


def test_after_half_a_line_of_a_process_that_was_killed_the_next_begins_on_its_own(appending):
    path, fd = appending
    path.write_bytes(b'whole\n{"id": "n1", "sc')
    output = output_to(fd)
    assert output.write(b"n1\n")
    assert output.write(b"n2\n")
    assert path.read_bytes() == b'whole\n{"id": "n1", "sc\nn1\nn2\n'


def test_nothing_follows_half_a_line_that_a_reader_has_not_taken():
    """It would be the rest of that line to the reader, and lost."""
    reader, writer = os.pipe()
    output = Output(writer, reader, lambda: True, patience=0.01)
    line = b"x" * (1 << 20) + b"\n"
    assert not output.write(line)
    n_there = len(os.read(reader, 1 << 20))
    assert not output.write(b"an alert\n")
    os.close(writer)
    assert 0 < n_there < len(line)
    assert os.read(reader, 10) == b""
    os.close(reader)


def test_half_a_line_that_cannot_be_taken_back_is_ended(appending, monkeypatch):
    path, fd = appending
    output = output_to(fd)

    def refuse(fd, length):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "ftruncate", refuse)
    with room_for(4), pytest.raises(InputError):
        output.write(b"half a line\n")
    assert output.write(b"a line\n")
    assert path.read_bytes() == b"half\na line\n"
