"""The comparison with other packages: its small tasks, the embeddings that it keeps, and what its page says."""

import numpy as np
import pytest

from benchmarks import compared, embeddings, small_tasks
from benchmarks.compared_methods import METHODS, OURS, Reading
from benchmarks.compared_report import report
from benchmarks.tasks import LabelledTask
from tonmf.datasets import Dataset, make_corpus
from tonmf.datasets.archives import Document

TASK, OTHER = "Reuters + interest", "Reuters + crude"
CORPUS = make_corpus(n_docs=150, n_outliers=8)
MADE_UP = Dataset("made up", CORPUS.labels, list(CORPUS.ids), list(CORPUS.texts))


@pytest.fixture
def collection(monkeypatch, tmp_path):
    """A collection of made-up documents, whose embeddings are kept in a new folder; returns what was encoded."""
    documents = [Document(i, "", text) for i, text in zip(MADE_UP.ids, MADE_UP.texts, strict=True)]
    monkeypatch.setitem(embeddings.TEXTS, MADE_UP.name, lambda: documents)
    monkeypatch.setattr(embeddings, "RESULTS", tmp_path)
    encoded = []

    def encode(texts):
        encoded.extend(texts)
        return np.array([np.random.default_rng(len(text)).random(embeddings.WIDTH) for text in texts], np.float32)

    monkeypatch.setattr(embeddings, "encode", encode)
    yield encoded
    embeddings._kept.cache_clear()
    embeddings._places.cache_clear()
    small_tasks._order.cache_clear()


def test_only_what_is_needed_is_encoded_and_nothing_twice(collection):
    first = embeddings.complete(MADE_UP.name, set(MADE_UP.ids[:10]))
    assert collection == MADE_UP.texts[:10]
    assert np.isnan(first[10:]).all()
    embeddings._kept.cache_clear()  # another process
    again = embeddings.complete(MADE_UP.name, set(MADE_UP.ids[5:20]))
    assert collection == MADE_UP.texts[:20]
    np.testing.assert_array_equal(again[:10], first[:10])


@pytest.mark.usefixtures("collection")
def test_a_small_task_keeps_the_same_ordinary_documents_in_every_draw(monkeypatch):
    monkeypatch.setattr(small_tasks, "N_ORDINARY", 100)
    monkeypatch.setattr(small_tasks, "N_STRANGE", 5)

    def load(seed):
        ordinary, strange = np.flatnonzero(CORPUS.labels == 0), np.flatnonzero(CORPUS.labels)
        numbers = np.random.default_rng(seed).permutation([*ordinary, *np.random.default_rng(seed).choice(strange, 6)])
        texts = [MADE_UP.texts[i] for i in numbers]
        return Dataset(MADE_UP.name, CORPUS.labels[numbers], [MADE_UP.ids[i] for i in numbers], texts)

    task = small_tasks.small(LabelledTask("t", "t", "t", load, collection=MADE_UP.name))
    draws = [task.load(seed) for seed in range(3)]
    assert all((d.labels == 0).sum() == 100 and d.labels.sum() == 5 for d in draws)
    kept = [{i for i, label in zip(d.ids, d.labels, strict=True) if not label} for d in draws]
    assert kept[0] == kept[1] == kept[2]


@pytest.mark.parametrize(
    "method",
    [name for name in METHODS if name.split(",")[0] in ("tonmf", "tonmf + MiniLM", "k-NN") or name == "PyOD, tf-idf"],
)
def test_what_needs_no_extra_but_pyod_scores_every_document(method, collection):
    seen = Reading(MADE_UP)
    for scores in METHODS[method](seen):
        assert all(np.isfinite(values).all() and values.shape == (150,) for values in scores.values())


def test_every_setting_is_measured(monkeypatch):
    draw = Reading(MADE_UP)
    monkeypatch.setattr(compared, "reading", lambda task, seed: draw)
    figures = compared.measure({"task": TASK, "seed": 0, "method": "k-NN, tf-idf"})["settings"]
    assert set(figures) == {"k=10", "k=50"}
    assert all(one["auc"] > 0.5 and one["seconds"] >= 0 for one in figures.values())


def measured(method, setting, auc, task=TASK, seed=0):
    figures = {setting: {"auc": auc, "ap": auc / 2, "seconds": 1.0}}
    return {"config": {"task": task, "seed": seed, "method": method}, "result": {"settings": figures}}


def test_the_page_says_where_others_win():
    ours, knn = ("tonmf", "default"), ("k-NN, tf-idf", "k=50")
    results = [measured(*ours, 0.9), measured(*knn, 0.95), measured(*ours, 0.9, OTHER), measured(*knn, 0.8, OTHER)]
    text = report(results).text
    assert (
        "- **tonmf**, AUC: another method is ahead on 1 of 2 tasks.\n  - Reuters + interest: k-NN, tf-idf (k=50)"
        in text
    )
    assert "**.950** (.475)" in text
    assert (
        "- **Time**: a fit of k-NN, tf-idf (k=50), the best of the others by its mean AUC, takes 1.00 s against 1.00 s."
        in text
    )
    assert "2 tasks with 1 draw each: those of [Quality]" in text


def test_draws_that_are_not_complete_do_not_count():
    complete = [measured(OURS, "default", 0.9), measured("k-NN, tf-idf", "k=50", 0.8)]
    assert report([*complete, measured(OURS, "default", 0.1, seed=1)]).text == report(complete).text


def test_nothing_measured_makes_no_page():
    assert report([]).text == "Not measured yet.\n"
