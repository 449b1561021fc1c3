import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TONMF
from tonmf.nmf.threshold import automatic_threshold, threshold_for_share, weighted_quantile


@given(seed=st.integers(0, 1000), q=st.floats(0, 1))
def test_a_weight_counts_as_so_many_repeats(seed, q):
    rng = np.random.default_rng(seed)
    values, weights = rng.random(20), rng.integers(0, 4, 20) + (np.arange(20) == 0)
    repeated = np.repeat(values, weights)
    assert weighted_quantile(values, q, weights.astype(float)) == weighted_quantile(repeated, q, np.ones(len(repeated)))


@pytest.mark.parametrize("share", [0.01, 0.03, 0.1, 0.5])
def test_contamination_flags_exactly_that_share(small, share):
    model = TONMF(3, contamination=share, random_state=0).fit(small)
    assert (model.predict(small) == -1).sum() == round(60 * share)
    assert (model.outlier_scores_ > model.threshold_).sum() == round(60 * share)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.normal(size=n),
        lambda rng, n: 1 - rng.exponential(size=n),  # cut off above, as residuals of unit rows are
        lambda rng, n: rng.beta(20, 2, size=n),
        lambda rng, n: rng.gamma(4, size=n),
        lambda rng, n: rng.lognormal(sigma=0.5, size=n),
    ],
    ids=["normal", "cut off above", "beta", "gamma", "lognormal"],
)
def test_the_automatic_threshold_flags_few_of_clean_scores_and_all_that_stand_apart(draw):
    rng = np.random.default_rng(0)
    scores = draw(rng, 5000)
    threshold = automatic_threshold(scores, np.ones(5000))
    assert (scores > threshold).mean() <= 0.03
    spread = np.quantile(scores, 0.99) - np.quantile(scores, 0.01)
    apart = np.concatenate([scores, scores.max() + spread + np.arange(100.0)])
    assert (apart[5000:] > automatic_threshold(apart, np.ones(5100))).all()


def test_a_share_of_documents_whose_weights_are_not_whole_numbers():
    scores, weights = np.arange(10.0), np.full(10, 0.1)
    assert (scores > threshold_for_share(scores, 0.3, weights)).sum() == 3


def test_the_automatic_threshold_of_the_papers_score_is_that_of_the_residual(small):
    """The paper's score is zero for nine in ten, which would flag all the others."""
    fits = [TONMF(3, score_by=score, random_state=0).fit(small) for score in ("residual", "paper")]
    assert (fits[0].predict(small) == fits[1].predict(small)).all()


def test_residuals_that_crowd_below_the_norm_of_unit_rows_can_still_stand_out():
    """Without the change of scale the threshold would be above 1, where no residual of a unit row can be."""
    rng = np.random.default_rng(0)
    explained = np.append(np.exp(rng.normal(-2.5, 0.5, 1000)), [1e-4, 2e-4])
    rho = np.sqrt(1 - explained)
    threshold = automatic_threshold(rho, np.ones(1002), bound=1.0)
    assert (rho[-2:] > threshold).all()
    assert (rho > threshold).sum() <= 20


def test_equal_scores_flag_nobody():
    assert automatic_threshold(np.full(10, 0.7), np.ones(10)) == 0.7
    assert threshold_for_share(np.full(10, 0.7), 0.3, np.ones(10)) == 0.7


def test_a_tie_for_the_first_place_is_flagged_whole_rather_than_not_at_all():
    scores = np.concatenate([np.arange(95.0), np.full(5, 200.0)])
    assert (scores > threshold_for_share(scores, 0.02, np.ones(100))).sum() == 5
    assert (np.ones(10) > threshold_for_share(np.ones(10), 0.2, np.ones(10))).sum() == 0
