"""The examples on images and on system calls: they run, and find and show what was planted."""

import importlib.util
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from repository import ROOT


def example(name):
    """Import an example, as it is no package."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def figures_of(table):
    """Return the AUC of each method by what stands before them, from a table that an example printed."""
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    head, *rows = lines
    return {
        tuple(cell for cell in row if "(" not in cell): dict(
            zip(head[-4:], [float(re.match(r"\S+", cell).group()) for cell in row[-4:]], strict=True)
        )
        for row in rows
    }


def test_unexpected_pixels_of_an_odd_frame_lie_together_where_the_piece_is():
    images = example("images")
    X, labels, shape = images.video(seed=0)
    rest = images.fit(X, seed=0).outlier_matrix(X)
    together = []
    for row in rest[rest.any(axis=1)] ** 2:
        windows = np.lib.stride_tricks.sliding_window_view(row.reshape(shape), (images.PIECE, images.PIECE))
        together.append(windows.sum(axis=(2, 3)).max() / row.sum())
    of_odd = np.array(together)[labels[rest.any(axis=1)] == 1]
    of_others = np.array(together)[labels[rest.any(axis=1)] == 0]
    assert len(of_odd) >= 7
    assert np.median(of_odd) > 0.5 > 2 * np.median(of_others)


def test_the_example_on_images_beats_isolation_forest_and_draws_a_picture(tmp_path, capsys):
    images = example("images")
    images.measure(1)
    for figures in figures_of(capsys.readouterr().out).values():
        assert figures["tonmf"] > 0.8
        assert figures["tonmf"] > figures["isolation forest"]
    images.draw_reasons(tmp_path / "images.png")
    assert (tmp_path / "images.png").stat().st_size > 10_000


def test_the_example_on_system_calls_names_calls_of_the_odd_programs(tmp_path, capsys):
    calls = example("system_calls")
    calls.measure(1)
    figures = figures_of(capsys.readouterr().out)
    assert set(figures) == {(items, kind) for items in ("calls", "calls and pairs") for kind in ("mixed", "clean")}
    assert all(of_kind["tonmf"] > 0.6 for of_kind in figures.values())
    calls.explain(tmp_path / "calls.svg")
    shown = capsys.readouterr().out
    assert "hides      clone → wait4, close → prctl, execveat" in shown
    assert (tmp_path / "calls.svg").stat().st_size > 5_000


def test_recorded_sessions_are_names_of_calls_and_nothing_else():
    labels, programs, sessions = example("system_calls").read_sessions()
    assert len(labels) == len(programs) == len(sessions) == 258
    assert labels.sum() == 18
    for names, session in zip(programs, sessions, strict=True):
        assert len(names) == len(session)
        assert all(re.fullmatch(r"[a-z0-9_]+", call) for calls in session for call in calls)


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_a_session_is_recorded_under_strace(processes):
    record = example("record_traces")
    traced = [shutil.which("strace"), "-o", "/dev/null", sys.executable, "-c", "0"]
    if subprocess.run(traced, check=False, capture_output=True).returncode:
        pytest.skip("strace may not trace here")
    calls = record.calls_of([sys.executable, "-S", "-c", record.LOCKS_UP], record.random.Random(0)).split()
    assert calls[0] == "execve"
    assert "unlink" in calls
    assert calls[-1] == "exit_group"
