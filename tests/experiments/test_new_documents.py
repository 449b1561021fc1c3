"""The benchmark of new documents: how it splits tasks, and its figures."""

import numpy as np
import pytest

from benchmarks.new_documents import NEW_DOCUMENTS, Split, evaluate, split
from benchmarks.new_documents_report import report
from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus


@pytest.fixture(scope="module")
def parts():
    corpus = make_corpus(300, 9, random_state=3)
    ordinary = [text for text, label in zip(corpus.texts, corpus.labels, strict=True) if not label]
    strange = [text for text, label in zip(corpus.texts, corpus.labels, strict=True) if label]
    return Split(ordinary[:200], ordinary[200:] + strange, np.array([0] * len(ordinary[200:]) + [1] * len(strange)))


def test_training_documents_keep_their_scores_and_new_outliers_are_found(parts):
    figures = evaluate(TextOutlierDetector, parts)
    assert figures["n_changed"] == figures["most_changed"] == 0
    assert figures["n_fit"] == 200
    assert figures["auc"] > 0.9
    assert figures["auc_in_sample"] > 0.9


def test_the_page_says_which_bars_hold():
    good = {
        "auc": 0.9,
        "ap": 0.5,
        "recall": 0.5,
        "false_alarms": 0.01,
        "n_fit": 700,
        "n_changed": 0,
        "most_changed": 0.0,
    }
    good["ap_in_sample_alone"] = 0.45
    good |= {f"{name}_in_sample": good[name] for name in ("auc", "ap", "recall", "false_alarms")}
    config = {"task": "Reuters + crude", "method": "tonmf", "seed": 0}
    page = report([{"config": config, "result": good}]).text
    assert page.count("**pass**") == 3
    assert "In sample without company it is .450." in page
    bad = good | {"ap": 0.4, "false_alarms": 0.2, "n_changed": 1}
    assert report([{"config": config, "result": bad}]).text.count("**fail**") == 3


def test_a_split_fits_on_ordinary_documents_only_and_scores_all_the_others(data_folder, monkeypatch):
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    fit_texts, scored_texts, labels = split("BBC business, politics + tech", 0)
    assert (len(fit_texts), len(scored_texts), len(labels)) == (695, 282, 282)
    assert labels.sum() == 50
    assert split("BBC business, politics + tech", 1).fit_texts != fit_texts


def test_every_task_with_texts_is_measured():
    assert len(NEW_DOCUMENTS.axes["task"]) == 23
