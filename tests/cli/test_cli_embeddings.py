"""Sentence embeddings on the command line: made by a model (--embed), or read from a file (--embeddings)."""

import csv
import json
import shlex

import numpy as np
import pytest
from command import run
from embedders import HashEmbedder
from embedding_server import embedding_server

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=120, n_outliers=3, random_state=0)
NEW = make_corpus(n_docs=20, n_outliers=2, random_state=1)
GIVEN = TextOutlierDetector().fit(CORPUS.texts, embeddings=HashEmbedder(8).encode(CORPUS.texts), names=CORPUS.ids)


def write_documents(path, corpus):
    rows = zip(corpus.ids, corpus.texts, strict=True)
    path.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows))


@pytest.fixture(scope="module")
def host():
    with embedding_server() as server:
        yield server


@pytest.fixture(scope="module")
def shared(tmp_path_factory, host):
    """Documents, their embeddings, and a model that was fitted with an endpoint."""
    folder = tmp_path_factory.mktemp("embeddings")
    write_documents(folder / "docs.jsonl", CORPUS)
    write_documents(folder / "new.jsonl", NEW)
    np.save(folder / "E.npy", HashEmbedder(8).encode(CORPUS.texts))
    np.save(folder / "N.npy", HashEmbedder(8).encode(NEW.texts))
    GIVEN.save(folder / "given")
    done = tonmf(folder, "detect", "docs.jsonl", "--embed", host.name, "--save", "model", "--json")
    assert done.code == 0, done.err
    return folder


def tonmf(folder, *args, **options):
    return run(*args, cwd=folder, TONMF_CACHE=str(folder / "cache"), NO_PROXY="127.0.0.1", **options)


def scores_in(path):
    with path.open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_detect_embeds_tells_so_and_has_the_scores_of_the_library(shared, host, tmp_path):
    out = tmp_path / "scores.csv"
    done = tonmf(shared, "detect", "docs.jsonl", "--embed", host.name, "-o", out, "--json", "--save", tmp_path / "m")
    assert done.code == 0, done.err
    # All come from the cache of the first run.
    note = f"Embedded 0 texts with {host.name}; {len(set(CORPUS.texts))} came from the cache."
    assert f"note: {note}" in done.err
    assert note in json.loads(done.out)["notes"]
    rows = scores_in(out)
    np.testing.assert_allclose([float(rows[name]["score"]) for name in CORPUS.ids], GIVEN.outlier_scores_, atol=1e-5)
    assert all(row["reason"] for row in rows.values())


def test_embeddings_from_a_file_give_the_same(shared, tmp_path):
    out = tmp_path / "scores.csv"
    done = tonmf(shared, "detect", "docs.jsonl", "--embeddings", "E.npy", "-o", out, "--report", tmp_path / "r.json")
    assert done.code == 0, done.err
    rows = scores_in(out)
    np.testing.assert_allclose([float(rows[name]["score"]) for name in CORPUS.ids], GIVEN.outlier_scores_, atol=1e-6)
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["map"] == "meaning"
    assert report["documents"][0]["nearest_by_meaning"]


def test_score_explain_and_report_by_a_model_with_an_endpoint_want_it_named_again(shared, host, tmp_path):
    expected = GIVEN.outlier_score(NEW.texts, embeddings=HashEmbedder(8).encode(NEW.texts))
    for how in (("--embed", host.name), ("--embeddings", "N.npy")):
        out = tmp_path / f"{how[0]}.csv"
        done = tonmf(shared, "score", "model", "new.jsonl", *how, "-o", out)
        assert done.code == 0, done.err
        rows = scores_in(out)
        np.testing.assert_allclose([float(rows[name]["score"]) for name in NEW.ids], expected, atol=1e-5)
        done = tonmf(shared, "explain", "model", "new.jsonl", "--id", NEW.ids[3], "--json", *how)
        assert json.loads(done.out)["explanations"][0]["score"] == pytest.approx(expected[3], abs=1e-5)
        done = tonmf(shared, "explain", "model", "new.jsonl", "--json", *how)
        assert json.loads(done.out)["explanations"][0]["id"] == NEW.ids[int(expected.argmax())]
        done = tonmf(shared, "report", "model", "new.jsonl", "-o", tmp_path / "report.html", *how)
        assert done.code == 0, done.err
    done = tonmf(shared, "score", "model", "new.jsonl")
    assert done.code == 1
    assert f"fitted with embeddings of {host.name}, which it does not have at hand" in done.err
    assert "(--embed), or give the embeddings of the new documents (--embeddings)" in done.err


def test_another_model_is_refused(shared, host):
    with embedding_server() as other:
        other.width = 16
        done = tonmf(shared, "score", "model", "new.jsonl", "--embed", other.name)
    assert done.code == 1
    assert f"but --embed is {other.name} (16 columns)" in done.err


def test_marks_and_reviews_know_the_embeddings(shared, host, tmp_path):
    (tmp_path / "marks.csv").write_text(f"id,mark\n{NEW.ids[0]},strange\n")
    done = tonmf(shared, "score", "model", "new.jsonl", "--embed", host.name, "--marks", tmp_path / "marks.csv")
    assert done.code == 0, done.err
    for args in (("docs.jsonl", "--embeddings", "E.npy"), ("model", "new.jsonl", "--embed", host.name)):
        marks = tmp_path / f"{args[0]}.marks.csv"
        done = tonmf(shared, "review", *args, "--marks", marks, "--export", tmp_path / "x.csv", stdin=b"s\nf\nq\n")
        assert done.code == 0, done.err
        assert len(marks.read_text().splitlines()) == 3
        assert shlex.join(args[-2:]) in done.out


def test_watch_embeds_as_documents_come(shared, host):
    done = tonmf(shared, "watch", "model", "new.jsonl", "--until-end", "--embed", host.name)
    assert done.code == 0, done.err
    first = json.loads(done.out.splitlines()[0])
    expected = GIVEN.outlier_score(NEW.texts, embeddings=HashEmbedder(8).encode(NEW.texts))
    assert first["score"] == pytest.approx(expected[0], abs=1e-5)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["watch", "given", "new.jsonl"],
            "given was fitted with embeddings that were given, so it cannot embed documents",
        ),
        (
            ["watch", "model", "new.jsonl"],
            "which it does not have at hand, so it cannot embed documents that come later",
        ),
        (["serve", "given", "--port", "0"], "Name the model that makes them (--embed), or fit without them."),
        (["detect", "docs.jsonl", "--embed", "a", "--embeddings", "E.npy"], "but not both at once"),
        (["detect", "docs.jsonl", "--embed", "https://host/v1"], "--embed must name the model after the address"),
        (["detect", "docs.jsonl", "--embeddings", "none.npy"], "none.npy cannot be read"),
        (["detect", "docs.jsonl", "--embeddings", "N.npy"], "N.npy has 20 embeddings; expected 120, one for each"),
        (
            ["detect", "docs.jsonl", "--embeddings", "E.npy", "--dask", "tcp://x"],
            "--embeddings is for documents on this",
        ),
        (["score", "given", "new.jsonl"], "give those of the new documents too (--embeddings)"),
    ],
)
def test_what_cannot_be_embedded_is_said(shared, args, message):
    done = tonmf(shared, *args)
    assert done.code in (1, 2)
    assert message in done.err


def test_a_file_of_embeddings_beside_a_memory_limit(shared, tmp_path):
    out = tmp_path / "scores.csv"
    args = ("--embeddings", "E.npy", "--memory", "600MB", "--cache", tmp_path / "cache", "-o", out)
    for _ in range(2):  # the second time from the cache
        done = tonmf(shared, "detect", "docs.jsonl", *args)
        assert done.code == 0, done.err
        rows = scores_in(out)
        np.testing.assert_allclose(
            [float(rows[name]["score"]) for name in CORPUS.ids], GIVEN.outlier_scores_, atol=1e-2
        )
        assert any(row["reason"] for row in rows.values())


def test_long_texts_are_counted_and_quiet_is_quiet(shared, host, tmp_path):
    (tmp_path / "long.txt").write_text("A text about soup. " * 200 + "\n" + "Short text about bread.\n" * 3)
    host.longest = 1_500
    try:
        done = tonmf(tmp_path, "detect", "long.txt", "--embed", host.name, "--min-df", "1")
        assert (
            f"note: 1 of 4 documents is longer than {host.name} reads; only its beginning counts for meaning."
            in done.err
        )
        assert not tonmf(tmp_path, "detect", "long.txt", "--embed", host.name, "--min-df", "1", "--quiet").err
    finally:
        host.longest = None


def test_the_real_model_detects_scores_explains_and_resumes(minilm, tmp_path):
    write_documents(tmp_path / "docs.jsonl", CORPUS)
    write_documents(tmp_path / "new.jsonl", NEW)
    done = tonmf(tmp_path, "detect", "docs.jsonl", "--embed", minilm, "--save", "model", "--json")
    assert f"Embedded {len(set(CORPUS.texts))} texts with {minilm}; 0 came from the cache." in done.err, done.err
    done = tonmf(tmp_path, "score", "model", "new.jsonl", "--json")  # it knows its embedder
    assert done.code == 0, done.err
    strangest = json.loads(done.out)["strangest"][0]
    done = tonmf(tmp_path, "explain", "model", "new.jsonl", "--id", strangest["id"], "--json")
    assert json.loads(done.out)["explanations"][0]["score"] == pytest.approx(strangest["score"], abs=1e-4)
    large = ("detect", "docs.jsonl", "--embed", minilm, "--memory", "1GB", "--cache", "large", "--json")
    first, again = tonmf(tmp_path, *large), tonmf(tmp_path, *large)
    assert first.code == again.code == 0, first.err + again.err
    assert json.loads(first.out)["strangest"] == json.loads(again.out)["strangest"]
