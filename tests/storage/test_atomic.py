"""Whole or not at all: what is at a path while something is written there, and after it failed."""

from pathlib import Path

import pytest

from tonmf.storage import atomic
from tonmf.storage.atomic import hidden_name, part_name, replacing, whole_or_nothing
from tonmf.storage.exchange import exchange


def write(path, text, is_folder):
    if is_folder:
        path.mkdir()
        path = path / "content"
    path.write_text(text)


def read(path):
    return (path / "content" if path.is_dir() else path).read_text()


kinds = pytest.mark.parametrize("is_folder", [False, True], ids=["file", "folder"])
names = pytest.mark.parametrize("name", [part_name, hidden_name])


@kinds
@names
@pytest.mark.parametrize("durable", [False, True])
@pytest.mark.parametrize("there", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("exchanges", [True, False], ids=["exchange", "renames"])
def test_the_new_one_takes_the_place_when_it_is_whole(
    is_folder, name, durable, there, exchanges, tmp_path, monkeypatch
):
    if not exchanges:
        monkeypatch.setattr(atomic, "exchange", lambda one, other: False)
    target = tmp_path / "target"
    if there:
        write(target, "old", is_folder)
    with whole_or_nothing(target, name(target), durable=durable) as temporary:
        assert temporary.parent == tmp_path
        write(temporary, "new", is_folder)
        assert target.exists() == there
    assert read(target) == "new"
    assert list(tmp_path.iterdir()) == [target]


@kinds
@pytest.mark.parametrize("trouble", [OSError, KeyboardInterrupt])
def test_after_an_error_the_old_one_is_there_and_nothing_beside_it(is_folder, trouble, tmp_path):
    target = tmp_path / "target"
    write(target, "old", is_folder)

    def write_half():
        with whole_or_nothing(target, part_name(target)) as temporary:
            write(temporary, "half", is_folder)
            raise trouble

    with pytest.raises(trouble):
        write_half()
    assert read(target) == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_interruption_between_the_two_renames_brings_the_old_folder_back(tmp_path, monkeypatch):
    target, rename = tmp_path / "target", Path.rename
    write(target, "old", True)

    def interrupted(path, new):
        if path == part_name(target):
            raise KeyboardInterrupt
        return rename(path, new)

    monkeypatch.setattr(atomic, "exchange", lambda one, other: False)  # as on a file system without
    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), whole_or_nothing(target, part_name(target)) as temporary:
        write(temporary, "new", True)
    assert read(target) == "old"
    assert list(tmp_path.iterdir()) == [target]


@kinds
def test_what_a_killed_process_has_left_is_not_in_the_way(is_folder, tmp_path):
    target = tmp_path / "target"
    write(part_name(target), "left", is_folder)
    with whole_or_nothing(target, part_name(target)) as temporary:
        assert not temporary.exists()
        write(temporary, "new", is_folder)
    assert read(target) == "new"


def test_access_rights_are_those_asked_for(tmp_path):
    target = tmp_path / "target"
    with whole_or_nothing(target, part_name(target), durable=True, mode=0o400) as temporary:
        write(temporary, "new", False)
    assert target.stat().st_mode & 0o777 == 0o400


def test_names_of_nothing_cannot_be_exchanged(tmp_path):
    write(tmp_path / "one", "1", True)
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "one", tmp_path / "other")
    assert read(tmp_path / "one") == "1"


def test_what_replaces_a_private_file_is_private_all_the_time(tmp_path):
    (tmp_path / "private").touch(0o640)
    with replacing(tmp_path / "private") as temporary:
        assert temporary.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o640
