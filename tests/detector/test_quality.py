"""The default detector on real tasks: one draw of what `make bench-quality` measures on five."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks.tasks import TASKS
from tonmf import TextOutlierDetector

FLOORS = {
    "Reuters matrix + interest": 0.94,
    "hardware posts + christian": 0.97,
    "BBC business, politics + tech": 0.95,
    "Quest-like baskets": 0.999,
}


@pytest.mark.parametrize("name", FLOORS)
def test_outliers_of_real_tasks_are_found(name, data_folder, monkeypatch):
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    draw = TASKS[name].draw(0)
    detector = TextOutlierDetector().fit(draw.documents)
    assert roc_auc_score(draw.labels, detector.outlier_scores_) > FLOORS[name]
    assert 0 < (detector.outlier_scores_ > detector.threshold_).mean() < 0.06


def test_documents_that_were_not_seen_score_as_well_as_those_that_were(data_folder, monkeypatch):
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    draw = TASKS["BBC business, politics + tech"].draw(0)
    half = np.arange(len(draw.labels)) % 2 == 0
    detector = TextOutlierDetector().fit([draw.documents[i] for i in np.flatnonzero(half)])
    new = detector.outlier_score([draw.documents[i] for i in np.flatnonzero(~half)])
    assert roc_auc_score(draw.labels[~half], new) > 0.93
    assert abs(np.median(new) - np.median(detector.outlier_scores_)) < 0.35


def test_a_clean_corpus_has_few_documents_flagged(data_folder, monkeypatch):
    monkeypatch.setenv("TONMF_DATA", str(data_folder))
    draw = TASKS["BBC others + politics"].draw(0)
    clean = [text for text, label in zip(draw.documents, draw.labels, strict=True) if not label]
    detector = TextOutlierDetector().fit(clean)
    assert (detector.outlier_scores_ > detector.threshold_).mean() < 0.04
