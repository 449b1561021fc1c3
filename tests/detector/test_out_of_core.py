"""Learning within a given memory: the same scores as in memory, also after a kill, and what goes wrong on real disks."""

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from command import run, start
from sklearn.feature_extraction.text import CountVectorizer
from small_disk import mounted

from tonmf import InputError, ParameterError, TextOutlierDetector, load
from tonmf.datasets import load_bbc, make_corpus
from tonmf.detector.disk.budget import BASE, PER_DOCUMENT
from tonmf.io.document_files import DocumentFiles
from tonmf.io.options import ReadOptions
from tonmf.storage.json_file import read_json, write_json

SAME = 2e-4
"""How far scores may be apart by rounding: sums over documents are added up in another order, pass after pass."""


FEW = {"n_restarts": 1, "topic_shares": (0.02,)}
"""Fits, where their number does not matter."""


@pytest.fixture
def small_shards(monkeypatch):
    """Shards and batches of few documents, so that there are many."""
    monkeypatch.setattr("tonmf.detector.disk.store.SHARD_DOCS", 100)
    monkeypatch.setattr("tonmf.text.batches.BATCH", 70)


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(n_docs=500, n_outliers=8)


def assert_same(detector, other):
    assert detector.terms_ == other.terms_
    np.testing.assert_allclose(detector.outlier_scores_, other.outlier_scores_, atol=SAME)
    assert abs(detector.threshold_ - other.threshold_) < SAME
    assert [group.words for group in detector.groups_] == [group.words for group in other.groups_]


def test_out_of_core_gives_the_scores_of_memory(small_shards, corpus):
    documents = [*corpus.texts[:200], "", *corpus.texts[200:], "of the and"]
    detector = TextOutlierDetector(memory="1GB").fit(documents)
    other = TextOutlierDetector().fit(documents)
    assert_same(detector, other)
    assert detector.empty_.nonzero()[0].tolist() == other.empty_.nonzero()[0].tolist()
    whys = [found.explain(documents, ids=[0, 17], names=None) for found in (detector, other)]
    for one, two in zip(*whys, strict=True):
        assert [word.word for word in one.unexpected] == [word.word for word in two.unexpected]
        assert [near.document for near in one.nearest] == [near.document for near in two.nearest]


def test_baskets_and_the_other_backend_too(small_shards, corpus):
    baskets = [text.split() for text in corpus.texts[:300]]
    options = {"backend": "numpy", **FEW}
    assert_same(TextOutlierDetector(memory="1GB", **options).fit(baskets), TextOutlierDetector(**options).fit(baskets))


def test_real_articles_from_every_kind_of_file(small_shards, data_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    texts = load_bbc().texts[:250]
    expected = TextOutlierDetector(**FEW).fit(texts)
    for name in ("articles.csv.gz", "articles.parquet"):
        write_texts(tmp_path / name, texts)
        files = DocumentFiles([str(tmp_path / name)], ReadOptions(text_column="text"))
        detector = TextOutlierDetector(**FEW, memory="1GB").fit(files)
        assert_same(detector, expected)
        assert detector._state.profile.ids[0].startswith("article")


@pytest.mark.parametrize("seed", [1, 2])
def test_topics_that_go_in_the_last_pass(small_shards, data_folder, monkeypatch, seed):
    """A fit may end with fewer topics, or more, than H had in the pass before."""
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    texts = load_bbc().texts[:400]
    options = {"n_restarts": 1, "topic_shares": (0.0075,), "random_state": seed}
    assert_same(TextOutlierDetector(memory="1GB", **options).fit(texts), TextOutlierDetector(**options).fit(texts))


def write_texts(path, texts):
    from tonmf.io import write_table

    write_table(path, {"id": [f"article {n}" for n in range(len(texts))], "text": list(texts)})


def test_words_that_do_not_fit_are_told_of_and_found_with_more_memory(small_shards, corpus, monkeypatch, tmp_path):
    monkeypatch.setattr("tonmf.detector.disk.budget.PER_WORD", 10**7)
    with pytest.warns(UserWarning, match="rare ones were forgotten"):
        TextOutlierDetector(memory="1GB", **FEW).fit(corpus.texts)
    monkeypatch.undo()
    monkeypatch.setattr("tonmf.detector.disk.budget.PER_NUMBER", 330_000)
    options = {**FEW, "cache": tmp_path}
    with pytest.warns(UserWarning, match=r"rarer ones did not fit"):
        detector = TextOutlierDetector(memory="1GB", **options).fit(corpus.texts)
    assert detector.n_terms_ < 60
    monkeypatch.undo()
    with pytest.warns(UserWarning, match=r"made with 1.0 GB of memory.* with 2.0 GB documents are counted anew"):
        more = TextOutlierDetector(memory="2GB", **options).fit(corpus.texts)
    assert more.n_terms_ > 60
    monkeypatch.setattr("tonmf.detector.disk.budget.PER_NUMBER", 330_000)
    with pytest.raises(InputError, match=rf"{more.n_terms_:,} words, which need about .* 1.0 GB are enough for 2\d"):
        TextOutlierDetector(memory="1GB", **options).fit(corpus.texts)


@pytest.mark.parametrize(("room", "all_fit"), [(1.0001, True), (0.9999, False)])
def test_words_are_left_out_only_if_they_do_not_fit_beside_the_documents(
    small_shards, corpus, monkeypatch, recwarn, room, all_fit
):
    expected = TextOutlierDetector(**FEW).fit(corpus.texts)
    free = 10**9 - BASE - PER_DOCUMENT * len(corpus.texts)
    n_numbers = expected.n_terms_ * 25 * (1 + 2)
    monkeypatch.setattr("tonmf.detector.disk.budget.PER_NUMBER", free / n_numbers / room)
    detector = TextOutlierDetector(memory="1GB", **FEW).fit(corpus.texts)
    assert (not recwarn.list) == all_fit
    if all_fit:
        assert_same(detector, expected)
    else:
        assert detector.n_terms_ < expected.n_terms_


def test_an_iterator_is_read_once(small_shards, corpus):
    detector = TextOutlierDetector(memory="1GB").fit(iter(corpus.texts))
    assert_same(detector, TextOutlierDetector().fit(corpus.texts))


class StoppedError(Exception):
    """What a callback raises in the middle of a fit."""


@pytest.mark.parametrize("after", [1, 44, 75])
def test_a_fit_that_was_cut_short_goes_on_to_the_same_scores_to_the_bit(small_shards, corpus, tmp_path, after):
    shares = []

    def stop(share):
        shares.append(share)
        if len(shares) == after:
            raise StoppedError

    options = {"memory": "1GB", "cache": tmp_path / "cache", **FEW}
    with pytest.raises(StoppedError):
        TextOutlierDetector(**options, callback=stop).fit(corpus.texts)
    again = []
    resumed = TextOutlierDetector(**options, callback=again.append).fit(corpus.texts)
    assert again[-1] == 1
    assert len(again) <= 125 - after + 10
    np.testing.assert_array_equal(resumed.outlier_scores_, reference(corpus).outlier_scores_)


CACHED = {}


def reference(corpus):
    if "detector" not in CACHED:
        CACHED["detector"] = TextOutlierDetector(memory="1GB", **FEW).fit(corpus.texts)
    return CACHED["detector"]


def test_a_temporary_cache_is_gone_in_the_end_whatever_happens(small_shards, corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    TextOutlierDetector(memory="1GB", **FEW).fit(corpus.texts)

    def stop(share):
        raise StoppedError

    with pytest.raises(StoppedError):
        TextOutlierDetector(memory="1GB", callback=stop).fit(corpus.texts)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def a_cache(tmp_path_factory, corpus):
    """The cache of a fit, in several shards, to be copied."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tonmf.detector.disk.store.SHARD_DOCS", 100)
        patch.setattr("tonmf.text.batches.BATCH", 70)
        TextOutlierDetector(memory="1GB", cache=folder, **FEW).fit(corpus.texts)
    return folder


def test_a_cache_of_other_documents_or_options_is_refused_and_kept(small_shards, corpus, a_cache, tmp_path):
    options = {"memory": "1GB", "cache": tmp_path, **FEW}
    shutil.copytree(a_cache, tmp_path, dirs_exist_ok=True)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="other documents"):
        TextOutlierDetector(**options).fit(corpus.texts[:-1])
    with pytest.raises(InputError, match=r"other options \(min_df\)"):
        TextOutlierDetector(**options, min_df=3).fit(corpus.texts)
    assert sorted(tmp_path.rglob("*")) == before
    TextOutlierDetector(**{**options, "topic_shares": (0.04,)}).fit(corpus.texts)


def test_a_set_of_stop_words_is_known_again_in_whatever_order(corpus, tmp_path):
    words = [f"word{n}" for n in range(10_000)]
    one, other = set(words), set()
    other.update(reversed(words))
    assert one == other
    assert list(one) != list(other)

    def stop(share):
        raise StoppedError

    for stop_words in (one, other):
        with pytest.raises(StoppedError):
            TextOutlierDetector(memory="1GB", cache=tmp_path, stop_words=stop_words, callback=stop).fit(corpus.texts)


def test_items_with_half_a_surrogate_pair_as_in_memory(tmp_path):
    baskets = [["a\ud800", "b", "c"], ["a\ud800", "\udc00", "d"]] * 60
    detector, other = (TextOutlierDetector(**FEW, memory=memory).fit(baskets) for memory in ("1GB", None))
    assert_same(detector, other)
    assert "a\ud800" in detector.terms_
    assert detector._state.profile.excerpts == other._state.profile.excerpts
    detector.save(tmp_path / "model")
    assert load(tmp_path / "model").terms_ == detector.terms_


def test_a_folder_with_something_else_in_it_is_no_cache(corpus, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="holds something else"):
        TextOutlierDetector(memory="1GB", cache=tmp_path).fit(corpus.texts)
    assert (tmp_path / "thesis.txt").exists()


def test_documents_that_differ_only_in_where_they_end_are_others(corpus, tmp_path):
    options = {"memory": "1GB", "cache": tmp_path / "cache", **FEW}
    TextOutlierDetector(**options).fit([*corpus.texts, "ab", "c"])
    with pytest.raises(InputError, match="other documents"):
        TextOutlierDetector(**options).fit([*corpus.texts, "a", "bc"])


def test_a_checkpoint_that_is_damaged_is_named(small_shards, corpus, tmp_path):
    def stop(share):
        if share > 0.45:
            raise StoppedError

    options = {"memory": "1GB", "cache": tmp_path / "cache", **FEW}
    with pytest.raises(StoppedError):
        TextOutlierDetector(**options, callback=stop).fit(corpus.texts)
    (H,) = (tmp_path / "cache").glob("fits-*/*-midway/*/H")
    content = H.read_bytes()
    for victim, harm in ((H, content[:-1]), (H, bytes(len(content))), (H.with_name("midway.json"), b"{")):
        before = victim.read_bytes()
        victim.write_bytes(harm)
        with pytest.raises(InputError, match="damaged"):
            TextOutlierDetector(**options).fit(corpus.texts)
        victim.write_bytes(before)
    TextOutlierDetector(**options).fit(corpus.texts)


def test_a_cache_whose_parts_do_not_fit_is_refused_before_any_kernel_sees_it(small_shards, corpus, a_cache, tmp_path):
    options = {"memory": "1GB", "cache": tmp_path, **FEW}
    shutil.copytree(a_cache, tmp_path, dirs_exist_ok=True)
    shards = {path.name: path.read_bytes() for path in tmp_path.glob("shard-*")}
    facts = read_json(tmp_path / "store.json")
    for fit in tmp_path.glob("fits-*/*"):
        fit.unlink()
    for changed in ({"n_terms": 5}, {"shards": [["../../etc", 100]]}, {"shards": [["shard-00000", 7]]}):
        write_json(tmp_path / "store.json", {**facts, **changed})
        with pytest.raises(InputError, match="damaged"):
            TextOutlierDetector(**options).fit(corpus.texts)
    write_json(tmp_path / "store.json", facts)
    (tmp_path / "shard-00000").write_bytes(shards.get("shard-00004", b""))
    with pytest.raises(InputError, match="damaged"):
        TextOutlierDetector(**options).fit(corpus.texts)


def test_an_error_of_the_documents_is_not_taken_for_one_of_the_disk(corpus):
    class Broken:
        def __iter__(self):
            yield from corpus.texts
            raise FileNotFoundError(2, "No such file or directory", "part-17.txt")

    with pytest.raises(FileNotFoundError, match=r"part-17"):
        TextOutlierDetector(memory="1GB").fit(Broken())


@pytest.mark.parametrize("victim", ["shard-00001", "names-00000", "terms-0", "store.json", "vocabulary.json"])
@pytest.mark.parametrize("harm", ["cut", "change"])
def test_a_damaged_cache_is_named_and_never_used(small_shards, corpus, a_cache, tmp_path, victim, harm):
    options = {"memory": "1GB", "cache": tmp_path, **FEW}
    shutil.copytree(a_cache, tmp_path, dirs_exist_ok=True)
    path = tmp_path / victim
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] if harm == "cut" else content[:middle] + b"\xff" + content[middle + 1 :])
    for fit in tmp_path.glob("fits-*/*"):
        fit.unlink()
    with pytest.raises(InputError, match=rf"{victim} is damaged.*[Rr]emove the folder"):
        TextOutlierDetector(**options).fit(corpus.texts)


def test_two_runs_do_not_share_a_cache(small_shards, corpus, tmp_path):
    def second(share):
        with pytest.raises(InputError, match="in use by another run"):
            TextOutlierDetector(memory="1GB", cache=tmp_path).fit(corpus.texts)
        raise StoppedError

    with pytest.raises(StoppedError):
        TextOutlierDetector(memory="1GB", cache=tmp_path, callback=second).fit(corpus.texts)


def test_a_full_disk_is_one_clear_error_and_the_work_goes_on_when_there_is_room(small_shards, corpus, tmp_path):
    options = {**FEW}
    expected = TextOutlierDetector(**options, memory="1GB").fit(corpus.texts)
    with mounted(tmp_path / "disk", "200k") as (disk, enlarge):
        cache = disk / "cache"
        for size in ("200k", "350k", "500k"):
            enlarge(size)
            with pytest.raises(InputError, match=r"cannot be written: No space left.*make room"):
                TextOutlierDetector(**options, memory="1GB", cache=cache).fit(corpus.texts)
        enlarge("20m")
        detector = TextOutlierDetector(**options, memory="1GB", cache=cache).fit(corpus.texts)
        np.testing.assert_array_equal(detector.outlier_scores_, expected.outlier_scores_)


def test_a_cache_on_a_disk_that_cannot_be_written(corpus, tmp_path):
    with mounted(tmp_path / "disk", "1m", read_only=True) as (disk, _), pytest.raises(InputError, match="Read-only"):
        TextOutlierDetector(memory="1GB", cache=disk / "cache").fit(corpus.texts)


def test_what_cannot_be_beside_memory_is_said(corpus):
    with pytest.raises(ParameterError, match="vectorizer"):
        TextOutlierDetector(memory="1GB", vectorizer=CountVectorizer()).fit(corpus.texts)
    with pytest.raises(InputError, match="names must be in memory"):
        TextOutlierDetector(memory="1GB").fit(corpus.texts, names=list(range(500)))
    with pytest.raises(InputError, match="matrix"):
        TextOutlierDetector(memory="1GB").fit(np.eye(3))
    with pytest.raises(InputError, match="at least one document"):
        TextOutlierDetector(memory="1GB").fit([])
    with pytest.raises(InputError, match=r"Expected a list of strings, .* got int"):
        TextOutlierDetector(memory="1GB").fit(5)
    with pytest.raises(ParameterError, match="cache"):
        TextOutlierDetector(cache="somewhere").fit(corpus.texts)
    with pytest.raises(ParameterError, match="random_state"):
        TextOutlierDetector(memory="1GB", cache="somewhere", random_state=None).fit(corpus.texts)
    with pytest.raises(InputError, match="Document 500 is missing"):
        TextOutlierDetector(memory="1GB").fit([*corpus.texts, None])
    assert not Path("somewhere").exists()


# ------------------------------------------------------------------ the command line


@pytest.fixture(scope="module")
def big_file(tmp_path_factory, corpus):
    path = tmp_path_factory.mktemp("big") / "big.jsonl"
    lines = [json.dumps({"id": f"d{n}", "text": text}) for n, text in enumerate(corpus.texts)]
    path.write_text("\n".join(lines) + "\n")
    return path


def scores_in(path):
    with path.open(newline="") as file:
        return {row["id"]: float(row["score"]) for row in csv.DictReader(file)}


def test_detect_within_a_memory_answers_as_in_memory(big_file, tmp_path):
    large = run(
        "detect",
        big_file,
        "--memory",
        "1GB",
        "--output",
        tmp_path / "large.csv",
        "--save",
        tmp_path / "model",
        cwd=tmp_path,
    )
    plain = run("detect", big_file, "--output", tmp_path / "plain.csv", cwd=tmp_path)
    assert large.code == plain.code == 0, large.err + plain.err
    of_large, of_plain = scores_in(tmp_path / "large.csv"), scores_in(tmp_path / "plain.csv")
    assert list(of_large) == [f"d{n}" for n in range(500)], "rows come in the order of the documents"
    assert all(abs(of_large[name] - score) < SAME for name, score in of_plain.items())
    assert large.out.split("\n\n")[0] == plain.out.split("\n\n")[0]
    assert "flagged" in large.out
    with (tmp_path / "large.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(bool(row["unexpected_terms"]) == (row["outlier"] == "true") for row in rows)
    ranks = sorted(int(row["rank"]) for row in rows)
    assert all(before <= after <= place for place, (before, after) in enumerate(pairwise(ranks), start=2))
    assert ranks[0] == 1  # equal scores share a rank
    scored = run("score", tmp_path / "model", big_file, "--output", tmp_path / "scored.jsonl", cwd=tmp_path)
    assert scored.code == 0, scored.err


def test_reasons_of_all_documents_if_asked_for_and_parquet(big_file, tmp_path):
    import pyarrow.parquet

    done = run(
        "detect", big_file, "--memory", "1GB", "--reasons", "all", "-o", tmp_path / "t.parquet", "--json", cwd=tmp_path
    )
    assert done.code == 0, done.err
    table = pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert all(row["unexpected_terms"] for row in table)
    assert json.loads(done.out)["documents"] == len(table) == 500


def test_standard_input_within_a_memory(big_file, tmp_path):
    done = run("detect", "-", "--memory", "1GB", "--json", cwd=tmp_path, stdin=big_file.read_bytes())
    assert done.code == 0, done.err
    assert json.loads(done.out)["flagged"] >= 8


def test_a_pipe_with_a_name_is_read_once_and_gone_through_again(big_file, tmp_path):
    pipe = tmp_path / "documents.jsonl"
    os.mkfifo(pipe)
    writer = subprocess.Popen(f"cat {big_file} > {pipe}", shell=True)  # noqa: S602
    done = run("detect", pipe, "--memory", "1GB", "--json", cwd=tmp_path)
    assert writer.wait() == done.code == 0, done.err
    assert json.loads(done.out)["documents"] == 500


def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_scores(big_file, tmp_path):
    arguments = ["detect", big_file, "--memory", "1GB", "--quiet", "--output"]
    whole = run(*arguments, tmp_path / "whole.csv", "--cache", tmp_path / "whole", cwd=tmp_path)
    assert whole.code == 0, whole.err
    cache, killed = tmp_path / "cache", tmp_path / "killed.csv"
    arguments = [*arguments, killed, "--cache", cache]
    for pattern in ("raw-*", "fits-*/*-midway/*", "fits-*/0.0075-*", "fits-*/0.03-*"):
        with start(*arguments, cwd=tmp_path) as detecting:
            while detecting.poll() is None and not list(cache.glob(pattern)):
                time.sleep(0.002)
        if killed.exists():  # the kill came too late, on a busy machine
            assert killed.read_bytes() == (tmp_path / "whole.csv").read_bytes()
            killed.unlink()
    resumed = run(*arguments, cwd=tmp_path)
    assert resumed.code == 0, resumed.err
    assert killed.read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not list(tmp_path.rglob("*.part"))


def test_a_file_that_changes_between_passes_is_noticed(big_file, tmp_path, monkeypatch):
    path = tmp_path / "documents.jsonl"
    shutil.copy(big_file, path)
    line = json.dumps({"text": "one more"})
    script = (
        "import sys, tonmf.detector.detector as d; learn = d.learn_on_disk\n"
        f"def then_change(*a):\n    state = learn(*a); open({str(path)!r}, 'a').write({line!r}); return state\n"
        "d.learn_on_disk = then_change\n"
        "from tonmf.cli import main; main()"
    )
    command = [
        sys.executable,
        "-c",
        script,
        "detect",
        str(path),
        "--memory",
        "1GB",
        "-o",
        str(tmp_path / "o.csv"),
        "-q",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "changed" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o.csv").exists()


def test_a_bad_line_in_the_middle_is_named_and_nothing_is_written(big_file, tmp_path):
    path = tmp_path / "bad.jsonl"
    lines = big_file.read_text().splitlines()
    path.write_text("\n".join([*lines[:300], '{"text": ', *lines[300:]]))
    done = run("detect", path, "--memory", "1GB", "-o", tmp_path / "o.csv", cwd=tmp_path)
    assert done.code == 1
    assert "line 301" in done.err
    assert not (tmp_path / "o.csv").exists()
    done = run("detect", path, "--memory", "1GB", "--skip-bad", "--json", cwd=tmp_path)
    assert done.code == 0
    assert json.loads(done.out)["documents"] == 500


def test_a_full_disk_for_the_results_leaves_what_was_there(big_file, tmp_path):
    with mounted(tmp_path / "disk", "64k") as (disk, _):
        (disk / "scores.csv").write_text("of yesterday")
        done = run("detect", big_file, "--memory", "1GB", "-o", disk / "scores.csv", cwd=tmp_path)
        assert done.code == 1
        assert "No space left" in done.err
        assert "Traceback" not in done.err
        assert (disk / "scores.csv").read_text() == "of yesterday"
        assert [path.name for path in disk.iterdir()] == ["scores.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--memory", "a lot"], "2GB"),
        (["--memory", "10MB"], "at least"),
        (["--memory", "1GB", "--report", "r.html", "--label-column", "l"], "--label-column"),
        (["--memory", "1GB", "--dask", "tcp://127.0.0.1:1"], "--dask"),
        (["--cache", "folder"], "--memory"),
    ],
)
def test_options_that_do_not_go_together(big_file, arguments, message, tmp_path):
    done = run("detect", big_file, *arguments, cwd=tmp_path)
    assert done.code == 2
    assert message in done.err
    assert "None" not in done.err
    assert "Traceback" not in done.err
    assert os.listdir(tmp_path) == []
