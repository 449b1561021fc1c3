"""`tonmf.dask` on a real cluster: the detector of one process, from documents in partitions."""

import json
import os
import re
import signal
from itertools import pairwise
from pathlib import Path

import dask
import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
import pytest
from clusters import die_after, holding_counts, scheduler_process, two_workers
from command import PIPE, run, start
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE, wait_until

from tonmf import InputError, ParameterError, TextOutlierDetector
from tonmf import dask as tonmf_dask
from tonmf.datasets import make_corpus
from tonmf.datasets.noticeboard import read_noticeboard
from tonmf.detector.scores import ladder
from tonmf.nmf.cluster.client import connect
from tonmf.text.choose import make_counter
from tonmf.text.counts import Counts
from tonmf.text.passages import PassageTally
from tonmf.text.vocabulary.partitions import CountedPartition, PartitionsVocabulary, TermTally, boilerplate_of
from tonmf.text.vocabulary.terms import TermCounter

OPTIONS = {"topic_shares": (0.02,), "n_restarts": 1, "max_topics": 8}
TEXTS = [*make_corpus(n_docs=150, n_outliers=5).texts, ""]


@pytest.fixture(params=["here", "there"])
def learnt(request, monkeypatch):
    """Where documents are learnt from: few in this process, many on the workers. Only this process asks how many are many."""
    if request.param == "there":
        monkeypatch.setattr(ladder, "MANY", 100)
        monkeypatch.setattr(ladder, "SAMPLE", 150)
    return request.param


@pytest.fixture
def near(learnt):
    return TextOutlierDetector(**OPTIONS).fit(TEXTS)


def assert_same(far, near):
    assert far.terms_ == near.terms_
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=1e-6)
    assert far.threshold_ == pytest.approx(near.threshold_, abs=1e-5)
    one_rank = 1.5 / len(near.outlier_scores_)
    np.testing.assert_allclose(far.p_values_, near.p_values_, rtol=0, atol=one_rank)
    np.testing.assert_allclose(far.p_value(TEXTS), near.p_value(TEXTS), rtol=0, atol=one_rank)
    assert [sorted(group.documents) for group in far.groups_] == [sorted(group.documents) for group in near.groups_]
    assert far.explain(TEXTS, ids=[3])[0].nearest[0].document == near.explain(TEXTS, ids=[3])[0].nearest[0].document


def test_a_bag_of_texts_gives_the_detector_of_one_process(client, near):
    bag = dask.bag.from_sequence(TEXTS, npartitions=5)
    far = tonmf_dask.fit_detector(client, bag, **OPTIONS)
    assert_same(far, near)
    scores = tonmf_dask.score(client, far, bag)
    assert [type(part).__name__ for part in scores] == ["Future"] * bag.npartitions
    np.testing.assert_allclose(np.concatenate(client.gather(scores)), far.outlier_scores_, rtol=0, atol=1e-6)


def test_partitions_may_be_empty_as_after_a_filter(client, near):
    parts = [[], TEXTS[:70], [], TEXTS[70:], []]
    assert_same(tonmf_dask.fit_detector(client, client.scatter(parts), **OPTIONS), near)
    tables = [pd.DataFrame({"text": part}) for part in parts]
    scores = tonmf_dask.score(client, near, tables, column="text", compute=True)
    np.testing.assert_allclose(scores, near.outlier_scores_, rtol=0, atol=1e-6)


def test_lists_of_texts_are_not_taken_for_rows_of_items(client):
    """They look alike: only what texts are like tells."""
    with pytest.raises(InputError, match=r"got rows of whole texts\. If they are partitions, give delayed objects"):
        tonmf_dask.fit_detector(client, [TEXTS[:70], TEXTS[70:150]], **OPTIONS)


def test_a_column_of_a_dataframe_and_a_killed_worker(client, near):
    """Lost partitions are read and counted again, by the vocabulary that was learnt."""
    two_workers(client)
    table = dask.dataframe.from_pandas(pd.DataFrame({"text": TEXTS, "n": range(len(TEXTS))}), npartitions=3)
    client.run(die_after, 9, workers=list(client.nthreads())[:1])
    far = tonmf_dask.fit_detector(client, table, column="text", **OPTIONS)
    two_workers(client)
    assert far.terms_ == near.terms_
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=1e-6)


def test_a_folder_of_parquet_files_is_scored_as_the_guide_says(client, tmp_path, monkeypatch):
    """One file has only documents without words: its topics are all missing."""
    guide = (Path(__file__).parents[2] / "docs/guide/cluster.md").read_text()
    (code,) = re.findall(r"```python\n(import dask\.dataframe\n.*?)```", guide, re.DOTALL)
    (tmp_path / "reviews").mkdir()
    whole = pd.DataFrame({"review": [*TEXTS, "", ""], "stars": range(len(TEXTS) + 2)})
    for number, rows in enumerate(([0, 70], [70, len(TEXTS)], [len(TEXTS), len(whole)])):
        whole[slice(*rows)].to_parquet(tmp_path / "reviews" / f"{number}.parquet")
    monkeypatch.chdir(tmp_path)
    with client.as_current():
        exec(code, names := {"client": client, "tonmf_dask": tonmf_dask})  # noqa: S102
    written = pd.concat(map(pd.read_parquet, sorted((tmp_path / "scored").glob("*.parquet"))))
    near = TextOutlierDetector().fit(whole["review"])
    expected = near.to_frame(whole).drop(columns="rank")
    assert names["detector"].terms_ == near.terms_
    assert written["stars"].tolist() == whole["stars"].tolist()
    np.testing.assert_allclose(written["score"], expected["score"], rtol=0, atol=1e-6)
    for column in ("flagged", "topic", "reason"):
        assert written[column].tolist() == expected[column].tolist()


def test_missing_texts_of_a_column_are_empty_documents(client):
    texts = [None if number in (3, 150) else text for number, text in enumerate(TEXTS)]
    table = pd.DataFrame({"text": texts}, index=[f"row {number}" for number in range(len(texts))])
    near = TextOutlierDetector(**OPTIONS).fit(table["text"])
    for documents in (table["text"], dask.dataframe.from_pandas(table, npartitions=3, sort=False)):
        far = tonmf_dask.fit_detector(client, documents, **OPTIONS)
        assert np.flatnonzero(far.empty_).tolist() == [3, 150]
        np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=0.5)


def test_scores_survive_a_killed_worker(client, near):
    """The documents are at hand, even if they can be read only once, and are sent again."""
    two_workers(client)
    client.run(die_at_the_next_documents, workers=list(client.nthreads())[:1])
    scores = tonmf_dask.score(client, near, iter(TEXTS), compute=True)
    two_workers(client)
    np.testing.assert_allclose(scores, near.outlier_scores_, rtol=0, atol=1e-6)


def die_at_the_next_documents():
    tonmf_dask.list_of = lambda given, column: os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("min_df", [1, 2, 0.05])
def test_a_vocabulary_from_partitions_is_that_of_all_documents(min_df):
    whole = TermCounter(str.split, min_df)
    counts = whole.learn(TEXTS)
    values = {**TextOutlierDetector(analyzer=str.split).get_params(), "min_df": min_df}
    parts = [CountedPartition.of(some, "texts", values, ()) for some in (TEXTS[:40], TEXTS[40:41], TEXTS[41:])]
    vocabulary = PartitionsVocabulary.of(TermTally.together(*map(TermTally.of, parts)), min_df, None)
    assert vocabulary.terms == whole.terms
    of_parts = [vocabulary.counts_of(part) for part in parts]
    assert (np.vstack([part.matrix.toarray() for part in of_parts]) == counts.matrix.toarray()).all()
    for name in ("n_words", "n_distinct", "n_outside", "outside"):
        np.testing.assert_allclose(np.concatenate([getattr(p, name) for p in of_parts]), getattr(counts, name))


SENTENCES = ["Apple pear plum", "Pear", "Plum and cherry", "the of", *(f"quince medlar{i}" for i in range(20))]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(SENTENCES), max_size=4).map(". ".join), min_size=1, max_size=60),
    st.sampled_from([0.05, 0.2, 0.6]),
    st.lists(st.integers(0, 60), max_size=4),
)
def test_partitions_are_counted_without_the_boilerplate_of_all(documents, share, cuts):
    values = TextOutlierDetector(boilerplate=share, min_df=1).get_params()
    whole = make_counter(values, "texts", None)
    counts = whole.learn(documents)
    edges = [0, *sorted(cuts), len(documents)]
    parts = [CountedPartition.of(documents[low:high], "texts", values, ()) for low, high in pairwise(edges)]
    boilerplate = boilerplate_of(PassageTally.together(*(part.tally for part in parts)), values)
    assert boilerplate.listed() == whole.boilerplate.listed()
    parts = [part.without(boilerplate, values) for part in parts]
    vocabulary = PartitionsVocabulary.of(TermTally.together(*map(TermTally.of, parts)), 1, whole.rules)
    assert vocabulary.terms == whole.terms
    assert vocabulary.any_words == bool(counts.n_words.any())
    joined = Counts.joined([vocabulary.counts_of(part) for part in parts])
    assert (joined.matrix != counts.matrix).nnz == 0
    for name in ("n_words", "n_distinct", "n_outside", "outside"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(counts, name))


def test_a_cluster_leaves_the_same_boilerplate_out(client, learnt):
    texts = [f"{text}\nSent from my phone, please excuse the brevity." for text in TEXTS]
    near = TextOutlierDetector(**OPTIONS).fit(texts)
    far = tonmf_dask.fit_detector(client, dask.bag.from_sequence(texts, npartitions=5), **OPTIONS)
    assert far.boilerplate_ == near.boilerplate_ == [("Sent from my phone, please excuse the brevity", 1.0)]
    assert_same(far, near)
    np.testing.assert_allclose(far.outlier_score(texts), far.outlier_scores_, rtol=0, atol=1e-6)


def test_copies_and_numbers_count_on_a_cluster_as_in_one_process(client, learnt):
    posts = read_noticeboard()
    outlier = next(post.text for post in posts if post.planted == "another language")
    words = outlier.split()
    near_copies = [" ".join([*words[place:], f"other{place}"]) for place in range(4)]
    ordinary = [post.text for post in posts if post.planted is None][:150]
    texts = [f"{text} 2026 {number + 5000}" for number, text in enumerate(ordinary)]
    texts = [*near_copies[:2], *texts, *[outlier] * 3, *texts[:7], *near_copies[2:], "4711 0815"]
    near = TextOutlierDetector(**OPTIONS).fit(texts)
    far = tonmf_dask.fit_detector(client, dask.bag.from_sequence(texts, npartitions=5), **OPTIONS)
    assert far.terms_ == near.terms_
    assert "2026" in far.terms_
    assert "5003" not in far.terms_  # only a copy has it too
    assert "5010" not in far.terms_
    np.testing.assert_allclose(far.outlier_scores_, near.outlier_scores_, rtol=0, atol=1e-6)
    assert far.threshold_ == pytest.approx(near.threshold_, abs=1e-5)
    groups = [[(group.copies, sorted(group.documents.tolist())) for group in one.groups_] for one in (far, near)]
    assert groups[0] == groups[1]
    copies = [0, 1, *range(len(texts) - 6 - 7, len(texts) - 3 - 7), len(texts) - 3, len(texts) - 2]
    if learnt == "here":  # a few passes over a small sample tell less
        assert (True, copies) in groups[0]
    np.testing.assert_allclose(far.outlier_score(texts), far.outlier_scores_, rtol=0, atol=1e-6)


def test_bad_partitions_of_texts_are_named(client):
    good = dask.delayed(TEXTS)
    fit = tonmf_dask.fit_detector
    with pytest.raises(InputError, match=r"^Partition 1: Document 1 is missing"):
        fit(client, [good, dask.delayed(["fine", None])], **OPTIONS)
    with pytest.raises(InputError, match="some partitions hold rows of items and some texts"):
        fit(client, [good, dask.delayed([["milk"]])], **OPTIONS)
    with pytest.raises(InputError, match=r"^Partition 0: There is no column 'body'; there are text"):
        fit(client, dask.dataframe.from_pandas(pd.DataFrame({"text": TEXTS}), npartitions=1), column="body")
    with pytest.raises(InputError, match="Expected at least one document, got none"):
        fit(client, [dask.delayed([]), dask.delayed([])], **OPTIONS)
    with pytest.raises(InputError, match="None of the words occurs in min_df=5"):
        fit(client, [dask.delayed(["one thing", "another matter"])], min_df=5)
    with pytest.raises(InputError, match="got a matrix"):
        fit(client, np.eye(3))
    with pytest.raises(ParameterError, match="vectorizer"):
        fit(client, [good], vectorizer=object())


def test_the_command_answers_as_without_a_cluster(tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(TEXTS[:-1]))
    options = ("detect", file, "--json", "--topics", 8, "--top", 3)
    with scheduler_process(tmp_path, 1) as (address, _):
        far = run(*options, "--dask", address, cwd=tmp_path)
    assert far.code == 0, far.err
    far, near = json.loads(far.out), json.loads(run(*options, cwd=tmp_path).out)
    assert far["flagged"] == near["flagged"]
    assert far["threshold"] == pytest.approx(near["threshold"], abs=1e-5)
    assert [why["id"] for why in far["strangest"]] == [why["id"] for why in near["strangest"]]
    assert [why["nearest"] for why in far["strangest"]] == [why["nearest"] for why in near["strangest"]]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense"])
def test_the_command_says_if_nobody_answers(address, tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS[:20]))
    ran = run("detect", "texts.txt", "--dask", address, cwd=tmp_path)
    assert ran.code == 1
    assert ran.err.count("\n") == 1
    assert ran.error_lines[0].startswith(f"tonmf: No Dask scheduler answers at '{address}'. Start one")


def test_the_command_says_in_one_line_that_the_scheduler_is_gone(tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS[:-1] * 20))
    begun, released = tmp_path / "begun", tmp_path / "released"
    with scheduler_process(tmp_path, 1) as (address, scheduler):
        with connect(address) as client:
            client.wait_for_workers(1, timeout=PATIENCE)
            client.run(holding_counts(begun, released))
        with start("detect", "texts.txt", "--dask", address, cwd=tmp_path, stderr=PIPE) as detecting:
            wait_until(begun.exists)
            scheduler.kill()
            output = detecting.stderr.read()
            assert detecting.wait() == 1
        released.touch()
    (error,) = [line for line in output.splitlines() if not line.startswith("note: ")]
    assert error.startswith("tonmf: ")
    assert "scheduler" in error
