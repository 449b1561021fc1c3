"""The folder of snapshots: what in it is ours, and what is left when something fails on the way."""

import json

import pytest

from tonmf import InputError
from tonmf.cli.watching.documents import ScoredDocument, WatchedDocument
from tonmf.cli.watching.following import Place
from tonmf.cli.watching.snapshots import Snapshot, Snapshots
from tonmf.storage import atomic


@pytest.fixture
def snapshot(saved):
    return lambda lines: Snapshot(saved[0], Place(lines, lines), None, None)


@pytest.mark.parametrize("name", [".env", ".git", "notes.txt"])
def test_a_folder_with_files_of_others_is_refused(name, tmp_path):
    (tmp_path / name).touch()
    with pytest.raises(InputError, match="other things in it than snapshots"):
        Snapshots(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_comes_into_the_folder_later_stays_and_what_a_kill_has_left_goes(snapshot, tmp_path):
    (tmp_path / ".0123456789abcdef").touch()
    (tmp_path / "snapshot-000001.part" / "model").mkdir(parents=True)
    (tmp_path / "snapshot-000007.part" / "model").mkdir(parents=True)
    snapshots = Snapshots(tmp_path)
    (tmp_path / ".env").touch()
    (tmp_path / ".git").mkdir()
    snapshots.write(snapshot(1))
    assert {path.name for path in tmp_path.iterdir()} == {".env", ".git", "latest", "lock", "snapshot-000001"}
    snapshots.close()


@pytest.mark.parametrize("after_the_rename", [False, True])
def test_a_disk_that_fails_leaves_a_whole_snapshot(after_the_rename, snapshot, tmp_path, monkeypatch):
    snapshots, to_disk = Snapshots(tmp_path), atomic.to_disk
    snapshots.write(snapshot(1))

    def failing(path):
        to_disk(path)
        if path == tmp_path and ((tmp_path / "latest").read_text() == "snapshot-000002") == after_the_rename:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(atomic, "to_disk", failing)
    with pytest.raises(InputError, match="cannot be written: Input/output error"):
        snapshots.write(snapshot(2))
    assert snapshots.last(False).place.lines == 1 + after_the_rename
    snapshots.close()


WAITING = {"id": "n1", "content": "a text", "seconds": 1.5, "score": 0.5}


def test_documents_that_wait_to_be_learnt_come_back(saved, tmp_path):
    waiting = ScoredDocument(WatchedDocument("n1", "a \u2028 text", None, 1.5), 0.5)
    snapshots = Snapshots(tmp_path)
    snapshots.write(Snapshot(saved[0], Place(1, 1), None, None, [waiting]))
    assert snapshots.last(False).pending == [waiting]
    snapshots.close()


@pytest.mark.parametrize(
    "pending",
    [
        {},
        [1],
        [{**WAITING, "more": 1}],
        [{**WAITING, "id": None}],
        [{**WAITING, "id": "\ud800"}],
        [{**WAITING, "content": ["a", "text"]}],
        [{**WAITING, "content": "\ud800"}],
        [{**WAITING, "seconds": "1987-10-19"}],
        [{**WAITING, "seconds": 1e15}],
        [{**WAITING, "seconds": True}],
        [{**WAITING, "score": float("nan")}],
    ],
    ids=str,
)
def test_what_does_not_wait_to_be_learnt_is_refused(pending, snapshot, tmp_path):
    snapshots = Snapshots(tmp_path)
    snapshots.write(snapshot(1))
    (tmp_path / "snapshot-000001" / "pending.json").write_text(json.dumps(pending))
    with pytest.raises(InputError, match=r"pending.json does not hold documents \(texts\) with ids, times and scores"):
        snapshots.last(False)
    snapshots.close()
