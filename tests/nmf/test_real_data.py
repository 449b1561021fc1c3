"""The paper's Reuters task on its own matrix: what others failed to reproduce, and why."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import roc_auc_score

from tonmf import TONMF


@pytest.fixture(scope="module")
def tfidf(reuters):
    counts, labels = reuters
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts).astype(np.float32), labels


def test_the_matrix_is_the_papers(reuters):
    counts, labels = reuters
    assert counts.shape == (5868, 18933)
    assert labels.sum() == 100


def test_the_default_solver_finds_the_interest_documents(tfidf):
    X, labels = tfidf
    model = TONMF(8, random_state=0).fit(X)
    assert roc_auc_score(labels, model.outlier_scores_) > 0.9


def test_the_papers_solver_finds_them_from_a_start_scaled_to_the_data(tfidf):
    X, labels = tfidf
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = TONMF(8, alpha=0.9, solver="paper", max_iter=15, tol=1e-7, random_state=0).fit(X)
    assert roc_auc_score(labels, model.outlier_scores_) > 0.9


def test_the_authors_start_is_noticed_on_their_own_data(reuters):
    counts, _ = reuters
    with pytest.warns(ConvergenceWarning, match=r"rank-correlate at (0\.99|1\.0)"):
        TONMF(
            10, alpha=10, beta=1, solver="paper", init="uniform", max_iter=9, inner_iter=9, tol=0, random_state=0
        ).fit(counts)


def test_float32_ranks_as_float64_does(tfidf):
    X, _ = tfidf
    scores = [TONMF(8, random_state=0).fit(X.astype(dtype)).outlier_scores_ for dtype in (np.float32, np.float64)]
    assert spearmanr(*scores).statistic > 0.999


def test_the_reweighted_solver_needs_far_fewer_passes_when_alpha_is_small(tfidf):
    """Same start, same α = 0.05: six passes of one get below eighty of the other."""
    X, _ = tfidf
    with pytest.warns(ConvergenceWarning):
        fast = TONMF(12, alpha=0.05, max_iter=6, tol=1e-12, random_state=0).fit(X)
    with pytest.warns(ConvergenceWarning):
        slow = TONMF(
            12, alpha=0.05, solver="paper", max_iter=8, inner_iter=10, inner_tol=0, tol=1e-12, random_state=0
        ).fit(X)
    assert fast.objective_history_[-2] < slow.objective_history_[-2]


def test_the_automatic_threshold_flags_few_of_the_clean_documents_and_not_none_of_the_mixed(reuters):
    counts, labels = reuters
    for rows, least in ((np.flatnonzero(labels == 0), 0), (np.arange(len(labels)), 1)):
        X = TfidfTransformer(sublinear_tf=True).fit_transform(counts[rows]).astype(np.float32)
        flagged = TONMF(8, random_state=0).fit(X).predict(X) == -1
        assert least <= flagged.sum() <= 0.03 * len(rows)
