"""What the tests of saved models share: documents, and a detector that is quick to fit."""

import numpy as np

from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=120, n_outliers=4, random_state=1)
NEW = [*make_corpus(n_docs=20, n_outliers=2, random_state=2).texts, "", "zxcv qwer", "goal " * 100]
SMALL = {"max_topics": 6, "n_restarts": 1}


def check_same(detector, other, training, new, **kwargs):
    """Assert that two detectors are one: what they know of their training documents, and what they say of new ones."""
    np.testing.assert_array_equal(other.outlier_score(new, **kwargs), detector.outlier_score(new, **kwargs))
    assert other.explain(new, **kwargs) == detector.explain(new, **kwargs)
    for name in ("outlier_scores_", "labels_", "scores_before_alarms_", "empty_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(detector, name))
    for name, values in detector.alarms_.items():
        np.testing.assert_array_equal(other.alarms_[name], values)
    assert (other.threshold_, other.offset_, other.kind_) == (detector.threshold_, detector.offset_, detector.kind_)
    assert other.terms_ == detector.terms_
    assert other.topics() == detector.topics()
    assert [group.words for group in other.groups_] == [group.words for group in detector.groups_]
    for mine, its in zip(other.groups_, detector.groups_, strict=True):
        np.testing.assert_array_equal(mine.documents, its.documents)
