"""Topics that must earn their place."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from tonmf import TONMF
from tonmf.nmf.penalty import RAMP_AFTER, RAMP_PASSES, Penalty, Ramp

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def groups_of_documents(sizes, seed=0, n_terms=30):
    """Documents of as many groups as there are sizes, each with words of its own; unit rows."""
    rng = np.random.default_rng(seed)
    means = np.kron(np.eye(len(sizes)), np.ones(n_terms))
    X = rng.poisson(np.repeat(means, sizes, axis=0) * 0.5 + 0.01)
    X[:, 0] += 1
    return normalize(sp.csr_matrix(X.astype(float)))


def test_the_tangent_lies_above_the_penalty_and_touches_it():
    penalty = Penalty(beta=0.3, price=2.0, floor=0.01)
    rng = np.random.default_rng(0)
    here = rng.random(6)
    slopes = penalty.slopes(here)
    for there in rng.random((50, 6)) * 3:
        tangent = penalty.value(here) + slopes @ (there - here)
        assert penalty.value(there) <= tangent + 1e-12
    step = 1e-6 * np.eye(6)[2]
    assert (penalty.value(here + step) - penalty.value(here)) / 1e-6 == pytest.approx(slopes[2], rel=1e-4)


def test_topics_cost_nothing_at_first_and_their_full_price_after_the_ramp():
    prices = [Ramp(0.1).penalty(0.0, i, explained=10.0, n_docs=5.0, squared_norms=5.0).price for i in range(1, 30)]
    assert prices[: RAMP_AFTER - 1] == [0.0] * (RAMP_AFTER - 1)
    assert np.diff(prices).min() >= 0
    assert prices[RAMP_AFTER + RAMP_PASSES - 2] == pytest.approx(1.0)


@given(
    seed=st.integers(0, 10_000),
    share=st.sampled_from([0.005, 0.02, 0.1, 0.3]),
    alpha=st.sampled_from(["auto", 0.3, np.inf]),
    beta=st.sampled_from([0.0, 0.02]),
)
def test_the_penalised_objective_never_rises_once_the_ramp_is_over(seed, share, alpha, beta):
    X = groups_of_documents([30, 20, 4], seed)
    model = TONMF(
        "auto", max_topics=8, topic_share=share, alpha=alpha, beta=beta, max_iter=40, tol=0, random_state=seed
    )
    history = model.fit(X).objective_history_
    assert 2 <= len(history) <= 40 - RAMP_AFTER - RAMP_PASSES
    assert (np.diff(history) <= 1e-9 * np.abs(history[0])).all()


@pytest.mark.parametrize("init", ["rows", "random"])
def test_it_finds_as_many_topics_as_there_are_groups(init):
    X = groups_of_documents([60, 60, 60, 60])
    model = TONMF("auto", init=init, random_state=0).fit(X)
    assert model.n_topics_ == 4
    assert model.topic_shares_.sum() == pytest.approx(1)
    np.testing.assert_allclose(model.topic_shares_, 0.25, atol=0.08)
    assert model.components_.shape == (4, X.shape[1])


def test_a_larger_share_asks_for_more_common_topics():
    X = groups_of_documents([100, 100, 12, 5])
    kept = [
        TONMF("auto", topic_share=share, init="rows", random_state=0).fit(X).n_topics_ for share in (0.002, 0.05, 0.9)
    ]
    assert kept[0] >= 4
    assert kept[1] == 2
    assert kept[2] == 1


def test_outliers_get_no_topic_of_their_own():
    X = groups_of_documents([120, 120, 4])
    scores = TONMF("auto", init="rows", random_state=0).fit(X).outlier_scores_
    assert set(np.argsort(-scores)[:4]) == {240, 241, 242, 243}


def test_the_number_of_topics_does_not_depend_on_the_scale_of_the_data():
    X = groups_of_documents([60, 60, 8])
    models = [TONMF("auto", random_state=0).fit(scale * X) for scale in (1e-6, 1.0, 1e6)]
    assert len({model.n_topics_ for model in models}) == 1
    for model in models:
        np.testing.assert_allclose(model.topic_shares_, models[0].topic_shares_, rtol=1e-6)


def test_the_progress_tells_how_many_topics_are_left():
    seen = []
    TONMF("auto", callback=seen.append, random_state=0).fit(groups_of_documents([60, 60]))
    assert seen[0].n_topics == 25
    assert seen[-1].n_topics == 2


@pytest.mark.parametrize("X", [np.eye(3), np.ones((2, 5)), np.zeros((4, 4)), np.array([[1.0]])], ids=str)
def test_degenerate_rows_leave_at_least_one_topic(X):
    model = TONMF("auto", topic_share=0.5, random_state=0).fit(X)
    assert model.n_topics_ >= 1
    assert np.isfinite(model.outlier_scores_).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_topic_that_is_dropped_in_the_last_pass_stays_dropped(seed):
    X, reported = groups_of_documents([60, 40, 8, 6, 5, 4]), {}

    def fit(n_passes):
        return TONMF(
            "auto", init="rows", topic_share=0.05, max_iter=n_passes, tol=0, random_state=seed,
            callback=lambda progress: reported.update({progress.iteration: progress.n_topics}),
        ).fit(X)  # fmt: skip

    fit(25)
    after = {n_passes - 1: n_topics for n_passes, n_topics in reported.items()}
    last_with_drop = [n for n in range(RAMP_AFTER, 24) if after[n] < after[n - 1]]
    assert last_with_drop
    for n_passes in last_with_drop:
        assert fit(n_passes).n_topics_ <= after[n_passes]
