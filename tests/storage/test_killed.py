"""Saving a model where the process may be killed at any line, and the power may fail."""

import os
import subprocess
import sys

import numpy as np
import pytest
from repository import ROOT

from tonmf.storage import atomic
from tonmf.storage.bundles import read_bundle, write_bundle


def save(path, which):
    write_bundle(path, "test", {"which": which}, {"numbers": np.full(10, float(which))})


@pytest.mark.parametrize("way", ["exchange", "renames"])
def test_a_save_that_is_killed_at_any_line_leaves_the_old_or_the_new_model_whole(way, tmp_path):
    script = ROOT / "tests" / "support" / "killed_saves.py"
    done = subprocess.run([sys.executable, script, tmp_path, way], capture_output=True, text=True, check=True)
    found = [line.split() for line in done.stdout.splitlines()]
    assert len(found) > 50
    assert [which for which, _ in found] == sorted(
        which for which, _ in found
    )  # the old one, and from some line on the new
    assert {which for which, _ in found} == {"1", "2"}
    assert max(int(beside) for _, beside in found) <= 1
    assert found[-1] == ["2", "0"]


def test_a_model_is_on_the_disk_before_it_takes_its_name_and_the_name_is_afterwards(tmp_path, monkeypatch):
    happened, fsync, exchange = [], os.fsync, atomic.exchange

    def noted(handle):
        happened.append(os.stat(handle).st_ino)
        fsync(handle)

    def exchanged(one, other):
        happened.append("exchanged")
        return exchange(one, other)

    save(tmp_path / "model", 1)
    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(atomic, "exchange", exchanged)
    save(tmp_path / "model", 2)
    before, after = happened[: happened.index("exchanged")], happened[happened.index("exchanged") + 1 :]
    model = tmp_path / "model"
    assert set(before) == {path.stat().st_ino for path in (model, model / "model.json", model / "arrays.safetensors")}
    assert after == [tmp_path.stat().st_ino]


def test_what_was_moved_aside_is_read_and_the_next_save_takes_it_away(tmp_path):
    for also_new in (False, True):
        save(tmp_path / "model", 1)
        (tmp_path / "model").rename(tmp_path / ".model.replaced")  # where a process was killed between two renames
        if also_new:  # or just after them
            save(tmp_path / "model", 2)
            save(tmp_path / ".model.replaced", 1)
        assert read_bundle(tmp_path / "model").whole("which") == 1 + also_new
        save(tmp_path / "model", 3)
        assert os.listdir(tmp_path) == ["model"]
        assert read_bundle(tmp_path / "model").whole("which") == 3
