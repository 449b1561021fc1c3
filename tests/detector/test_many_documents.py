"""What changes with many documents: only some are scored at first, and columns of words may not fit into a table."""

import numpy as np
import pytest

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.detector.disk import store
from tonmf.detector.scores import scoring
from tonmf.metrics import area_under_curve
from tonmf.text.counts import OUTSIDE, PASSED_OVER
from tonmf.text.vocabulary.growing import LearntTerms

CORPUS = make_corpus(n_docs=600, n_outliers=12, random_state=3)


def scores_of(**options):
    return TextOutlierDetector(n_restarts=1, **options).fit(CORPUS.texts).outlier_scores_


def test_scores_are_as_good_if_only_some_documents_are_scored_at_first(monkeypatch):
    whole = area_under_curve(CORPUS.labels, scores_of())
    monkeypatch.setattr(scoring, "MOST_AT_FIRST", 300)
    assert area_under_curve(CORPUS.labels, scores_of()) > whole - 0.02


def test_memory_and_disk_score_the_same_documents_at_first(monkeypatch):
    monkeypatch.setattr(scoring, "MOST_AT_FIRST", 300)
    np.testing.assert_allclose(scores_of(memory="600MB"), scores_of(), rtol=0, atol=1e-8)


@pytest.mark.parametrize("largest", [store.LARGEST_TABLE, 0], ids=["table", "search"])
def test_columns_of_words_by_their_numbers(monkeypatch, largest):
    monkeypatch.setattr(store, "LARGEST_TABLE", largest)
    vocabulary = LearntTerms(["a", "b"], np.array([7, 2]), np.array([3, 3]), passed_over=np.array([4]))
    columns = store._ColumnsOfNumbers(vocabulary).of(np.array([2, 3, 4, 7, 99, 0]))
    assert columns.tolist() == [1, OUTSIDE, PASSED_OVER, 0, OUTSIDE, OUTSIDE]
