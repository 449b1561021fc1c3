"""The cache: no text twice by the same model, never rows of another, whatever happens to the file."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from embedders import HashEmbedder
from repository import ROOT
from waiting import wait_until

from tonmf.embed import cache, make_encoder
from tonmf.embed.cache import FILE

TEXTS = [f"text {number} about the {'sea' if number % 2 else 'harbour'}" for number in range(40)]


def embedded(folder, texts=TEXTS, width=32):
    """The rows of texts, and how many texts the model was given for them."""
    encoder = make_encoder(HashEmbedder(width), cache=folder)
    return encoder.encode(texts), encoder.n_encoded, encoder.n_from_cache


def n_rows(folder):
    with sqlite3.connect(folder / FILE) as file:
        return file.execute("SELECT count(*) FROM vectors").fetchone()[0]


def test_no_text_is_embedded_twice(tmp_path):
    first, *counts = embedded(tmp_path)
    assert counts == [40, 0]
    again, *counts = embedded(tmp_path, [*TEXTS[::-1], "a new one"])
    assert counts == [1, 40]
    np.testing.assert_array_equal(again[:40], first[::-1])


def test_more_texts_than_one_query_can_name(tmp_path):
    texts = [str(number) for number in range(1_700)]
    first, *_ = embedded(tmp_path, texts)
    again, *counts = embedded(tmp_path, texts)
    assert counts == [0, 1_700]
    np.testing.assert_array_equal(again, first)


def test_another_model_under_the_same_name_has_rows_of_its_own(tmp_path):
    narrow, wide = (embedded(tmp_path, width=width)[0] for width in (32, 48))
    turned = HashEmbedder(32)
    turned.encode = lambda texts: -HashEmbedder(32).encode(texts)
    rows = make_encoder(turned, cache=tmp_path).encode(TEXTS)
    np.testing.assert_array_equal(rows, -narrow)
    assert wide.shape == (40, 48)
    assert n_rows(tmp_path) == 120
    assert embedded(tmp_path)[1:] == (0, 40)


def test_the_file_holds_no_texts_and_is_for_its_owner_only(tmp_path):
    embedded(tmp_path, ["a secret of mine"])
    assert b"secret" not in (tmp_path / FILE).read_bytes()
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_where_it_lies_and_for_whom(tmp_path, monkeypatch):
    monkeypatch.setenv("TONMF_CACHE", str(tmp_path / "cache"))
    make_encoder(HashEmbedder()).encode(["an object is not known by its name"])
    assert not (tmp_path / "cache").exists()
    make_encoder(HashEmbedder(), cache=tmp_path / "a" / "b").encode(["here"])
    assert (tmp_path / "a" / "b" / FILE).exists()


@pytest.mark.parametrize("damage", ["begun with something else", "in the middle"])
def test_a_damaged_file_is_told_of_and_begun_anew(tmp_path, damage):
    rows, *_ = embedded(tmp_path, [f"{text} {number}" for number in range(50) for text in TEXTS])
    path = tmp_path / FILE
    content = bytearray(path.read_bytes())
    if damage == "in the middle":
        content[4096:-4096] = b"\xff" * (len(content) - 8192)
    else:
        content[:100] = b"x" * 100
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"embeddings-1.sqlite is damaged: .* It is begun anew"):
        again, *counts = embedded(tmp_path, [f"{text} {number}" for number in range(50) for text in TEXTS])
    np.testing.assert_array_equal(again, rows)
    assert counts == [2_000, 0]
    assert embedded(tmp_path)[1] == 40
    assert embedded(tmp_path)[1] == 0


@pytest.mark.parametrize("blob", [b"", b"\x00" * 4, np.full(32, np.nan, np.float32).tobytes()])
def test_a_row_that_is_none_is_embedded_again(tmp_path, blob):
    rows, *_ = embedded(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as file:
        file.execute("UPDATE vectors SET vector = ? WHERE number = 3", (blob,))
    again, *counts = embedded(tmp_path)
    np.testing.assert_array_equal(again, rows)
    assert counts == [1, 39]
    assert embedded(tmp_path)[1] == 0


def test_a_file_that_cannot_be_written_costs_a_warning(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.warns(UserWarning, match="cannot be used: .* Embeddings are not kept") as told:
        rows, *_ = embedded(tmp_path / "file")
    np.testing.assert_array_equal(rows, HashEmbedder().encode(TEXTS))
    assert len(told) == 1


def test_a_lock_that_is_not_released_costs_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "PATIENCE", 0)
    embedded(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as file:
        file.execute("BEGIN EXCLUSIVE")
        with pytest.warns(UserWarning, match="cannot be used: database is locked"):
            assert embedded(tmp_path)[1] == 40
    file.close()


def test_a_file_that_is_deleted_meanwhile_costs_nothing(tmp_path):
    encoder = make_encoder(HashEmbedder(), cache=tmp_path)
    encoder.encode(TEXTS[:20])
    (tmp_path / FILE).unlink()
    encoder.encode(TEXTS[20:])
    assert embedded(tmp_path)[1:] == (20, 20)


def test_the_oldest_rows_go_when_the_file_is_large(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST", 200_000)
    encoder = make_encoder(HashEmbedder(512), cache=tmp_path, batch_size=10)
    texts = [f"text {number}" for number in range(400)]
    for start in range(0, 400, 50):
        encoder.encode(texts[start : start + 50])
    assert (tmp_path / FILE).stat().st_size < 300_000
    assert embedded(tmp_path, texts[-20:], 512)[1:] == (0, 20)
    assert embedded(tmp_path, texts[:20], 512)[1:] == (20, 0)


WRITER = """
import sys
sys.path[:0] = ["tests/support"]
from embedders import HashEmbedder
from tonmf.embed import make_encoder
first, last = map(int, sys.argv[2:])
encoder = make_encoder(HashEmbedder(), cache=sys.argv[1], batch_size=5)
encoder.encode([f"text {number}" for number in range(first, last)])
"""


def start(folder, first, last):
    command = [sys.executable, "-W", "error", "-c", WRITER, str(folder), str(first), str(last)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen(command, cwd=ROOT, env=env)


def test_processes_share_a_file(tmp_path):
    writers = [start(tmp_path, first, first + 300) for first in (0, 100, 200)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    texts = [f"text {number}" for number in range(500)]
    rows, *counts = embedded(tmp_path, texts)
    assert counts == [0, 500]
    np.testing.assert_array_equal(rows, HashEmbedder().encode(texts))


def test_a_kill_costs_only_what_was_not_written(tmp_path):
    writer = start(tmp_path, 0, 1_000_000)
    size = Path(tmp_path / FILE)
    wait_until(lambda: size.exists() and size.stat().st_size > 100_000)
    writer.kill()
    writer.wait()
    texts = [f"text {number}" for number in range(4096)]
    rows, _, n_kept = embedded(tmp_path, texts)
    assert n_kept >= 100
    np.testing.assert_array_equal(rows, HashEmbedder().encode(texts))
