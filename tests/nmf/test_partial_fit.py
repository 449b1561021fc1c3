"""Learning from one block of rows after the other: a pass each, on top of what is left of the rows before."""

import copy
import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import scipy.sparse as sp
from tampered import arrays_of, fields_of, put_arrays, sign

from tonmf import TONMF, InputError, ParameterError, load
from tonmf.metrics import area_under_curve

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

VARIANTS = [
    {},
    {"beta": 0.05},
    {"alpha": 0.5},
    {"alpha": np.inf},
    {"inner": "anls"},
    {"inner": "scalar", "inner_iter": 3},
    {"inner_iter": 2, "init": "nndsvda"},
    {"solver": "paper"},
    {"solver": "paper", "inner_iter": 1, "beta": 0.05},
    {"solver": "paper", "init": "uniform", "alpha": 30.0},
    {"score_by": "lift"},
    {"score_by": "paper", "contamination": 0.1},
    {"backend": "numpy", "block_size": 7},
]

GROUPS = np.kron(np.eye(6), np.ones(15))


def rows_of(groups, n_docs, seed, n_strange=0):
    """Rows of some of the groups of terms; the first ones are of no group."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(2 * GROUPS[rng.choice(groups, n_docs)] + 0.02).astype(float)
    for row in X[:n_strange]:
        row[:] = 0
        row[rng.choice(90, 6, replace=False)] = 5
    return sp.csr_matrix(X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_one_block_without_forgetting_is_one_batch_pass_to_the_bit(options, dtype, small):
    X = small.astype(dtype)
    batch = TONMF(3, **{"max_iter": 1, "random_state": 0} | options).fit(X)
    stream = TONMF(3, **{"random_state": 0} | options).partial_fit(X)
    assert batch.n_topics_ == 3
    for name in ("components_", "outlier_scores_", "residual_norms_", "weights_", "topic_shares_"):
        np.testing.assert_array_equal(getattr(stream, name), getattr(batch, name), err_msg=name)
    assert (stream.alpha_, stream.threshold_, stream.n_iter_) == (batch.alpha_, batch.threshold_, 1)
    np.testing.assert_array_equal(stream.outlier_score(X), batch.outlier_score(X))


@pytest.mark.parametrize("solver", ["reweighted", "paper"])
def test_topics_of_a_stream_come_near_those_of_a_fit(solver):
    X = rows_of([0, 1, 2, 3], 1500, seed=0)
    fitted = TONMF(4, solver=solver, random_state=0).fit(X)
    stream = TONMF(4, solver=solver, random_state=0)
    for start in range(0, 1500, 50):
        stream.partial_fit(X[start : start + 50])
    cosines = stream.components_ @ fitted.components_.T
    assert (cosines.max(axis=1) > 0.98).all()
    new = rows_of([0, 1, 2, 3], 200, seed=1, n_strange=10)
    labels = np.arange(200) < 10
    assert area_under_curve(labels, stream.outlier_score(new)) > 0.98
    assert stream.residual_norms_.shape == (50,)
    np.testing.assert_allclose(stream.outlier_score(X[-50:]), stream.outlier_scores_)


def test_a_fit_goes_on(small):
    model = TONMF(3, random_state=0).fit(small)
    before = model.components_.copy()
    model.partial_fit(small)
    assert model.n_iter_ > 1
    np.testing.assert_allclose(model.components_, before, atol=0.02)  # the same rows again have nothing new to say
    for _ in range(5):
        model.partial_fit(small[:20])
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)


def test_with_a_half_life_topics_follow_the_rows_and_without_they_stay():
    def learnt(half_life):
        model = TONMF(3, half_life=half_life, random_state=0).fit(rows_of([0, 1, 2], 2000, seed=0))
        for seed in range(20):
            model.partial_fit(rows_of([3, 4, 5], 50, seed=seed + 1))
        return np.median(model.outlier_score(rows_of([3, 4, 5], 100, seed=99)))

    assert learnt(100) < 0.9 * learnt(None)


def test_alpha_and_threshold_follow():
    model = TONMF(3, half_life=200, random_state=0).fit(rows_of([0, 1, 2], 500, seed=0))
    alpha, threshold = model.alpha_, model.threshold_
    for seed in range(10):
        model.partial_fit(4 * rows_of([0, 1, 2], 100, seed=seed))
    assert model.alpha_ > 2 * alpha
    assert model.threshold_ > 2 * threshold
    flagged = (model.predict(4 * rows_of([0, 1, 2], 300, seed=77)) == -1).mean()
    assert flagged < 0.05


def test_a_half_life_in_documents_does_not_depend_on_how_blocks_are_cut():
    """Of the sums that can be compared: what weight is left of all documents."""
    X = rows_of([0, 1, 2], 120, seed=0)
    left = []
    for size in (120, 40, 10):
        model = TONMF(3, half_life=30, random_state=0, init="nndsvda")
        for start in range(0, 120, size):
            model.partial_fit(X[start : start + size])
        left.append(model._stream.scores.weight)
    np.testing.assert_allclose(left, (1 - 0.5 ** (120 / 30)) / (1 - 0.5 ** (1 / 30)))


NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "times",
    [
        [NOON, NOON - timedelta(hours=1), NOON - timedelta(hours=2)],
        ["2026-05-04T12:00:00Z", "2026-05-04T13:00:00+02:00", "2026-05-04 10:00Z"],
        np.array(["2026-05-04T12", "2026-05-04T11", "2026-05-04T10"], dtype="datetime64[h]"),
        [NOON.timestamp() - 3600 * age for age in range(3)],
        np.array([7200, 3600, 0]),
    ],
    ids=["datetime", "text", "datetime64", "seconds", "array of seconds"],
)
@pytest.mark.parametrize("half_life", [timedelta(hours=1), "1 hour", "60 min", "3600 s"])
def test_times_may_be_written_in_several_ways(times, half_life, small):
    model = TONMF(2, half_life=half_life, random_state=0).partial_fit(small[:3], times=times)
    assert model._stream.scores.weight == pytest.approx(1.75)


def test_time_that_passes_fades_the_past_and_late_rows_count_as_their_age_says(small):
    model = TONMF(3, half_life="1 day", random_state=0).partial_fit(small[:20], times=np.zeros(20))
    model.partial_fit(small[20:30], times=np.full(10, 86400))
    assert model._stream.scores.weight == pytest.approx(20 / 2 + 10)
    model.partial_fit(small[30:40], times=np.zeros(10))  # a day late
    assert model._stream.scores.weight == pytest.approx(20 / 2 + 10 + 10 / 2)
    other = copy.deepcopy(model)
    with pytest.warns(UserWarning, match="newest of these 20 documents is of 0068-.* up to 1970-01-02T00:00:00 before"):
        model.partial_fit(small[40:], times=np.full(20, -6e10))  # so late that they say nothing
    other.partial_fit(sp.csr_matrix((1, 24)), times=[0])
    np.testing.assert_allclose(model.components_, other.components_)


DAYS = 86400.0


@pytest.mark.parametrize("days", [[0, 30, 60], [30, 0, 60, 20], [60, 59, 30]], ids=str)
def test_a_half_life_in_time_does_not_depend_on_how_blocks_are_cut_not_even_for_the_fit(days, small):
    """The first block after a fit left the fit as it was, whatever time the block spanned."""
    fitted = TONMF(3, half_life="30 days", random_state=0).fit(small)
    whole, cut = copy.deepcopy(fitted), copy.deepcopy(fitted)
    whole.partial_fit(small[: len(days)], times=np.array(days) * DAYS)
    for row, day in enumerate(days):
        cut.partial_fit(small[row], times=[day * DAYS])
    assert whole._stream.scores.weight == pytest.approx(cut._stream.scores.weight)
    latest = max(days)
    expected = 60 * 0.5 ** ((latest - days[0]) / 30) + sum(0.5 ** ((latest - day) / 30) for day in days)
    assert whole._stream.scores.weight == pytest.approx(expected)


LONG = 30_000 * DAYS


def test_doubt_is_saved_and_ends_when_others_come_that_are_as_late(small, tmp_path):
    model = TONMF(3, half_life="1 day", random_state=0).partial_fit(small[:20], times=np.zeros(20))
    for row in range(20, 24):
        with pytest.warns(UserWarning, match="1 of 1 documents have times up to 2052-02-20"):
            model.partial_fit(small[row], times=[LONG])
        assert model._stream.scores.weight == row + 1
        model.save(tmp_path / "model")
        model = load(tmp_path / "model")
    model.partial_fit(small[24], times=[LONG])
    assert model._stream.scores.weight == pytest.approx(1)


@pytest.mark.parametrize(
    "wrong", [0, -1, True, np.nan, np.inf, "soon", "3 months", "0 days", timedelta(0), [5], "1e999 d"]
)
def test_what_is_no_half_life_is_refused(wrong, small):
    with pytest.raises(ParameterError, match="half_life must be None to forget nothing"):
        TONMF(half_life=wrong).partial_fit(small)
    with pytest.raises(ParameterError, match="half_life must be"):
        TONMF(half_life=wrong).fit(small)


@pytest.mark.parametrize(
    ("times", "says"),
    [
        (None, "half_life is a time, so every document needs one"),
        ([0.0] * 59, "times must have one for each of the 60 documents; got 59"),
        (["yesterday"] * 60, "The time of document 0 is 'yesterday'"),
        ([0.0] * 59 + [None], "The time of document 59 is None"),
        ([0.0] * 59 + [np.nan], "The time of document 59 is nan"),
        (np.array(["2026-01-01"] * 59 + ["NaT"], dtype="datetime64[D]"), "The time of document 59 is"),
        (7.0, "got 1"),
    ],
)
def test_times_that_are_missing_or_none_are_refused_and_the_model_stays(times, says, small):
    model = TONMF(3, half_life="1 day", random_state=0).fit(small)
    before = model.components_.copy()
    with pytest.raises(InputError, match=says):
        model.partial_fit(small, times=times)
    np.testing.assert_array_equal(model.components_, before)


def test_times_are_allowed_without_a_half_life_in_time(small):
    for half_life in (None, 10):
        plain = TONMF(3, half_life=half_life, random_state=0).partial_fit(small)
        timed = TONMF(3, half_life=half_life, random_state=0).partial_fit(small, times=np.arange(60))
        np.testing.assert_array_equal(plain.components_, timed.components_)


def test_rows_of_another_width_are_refused(small):
    model = TONMF(3, random_state=0).partial_fit(small)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(small[:, :-1])


def test_weights_count_as_repeats(small):
    weights = np.random.default_rng(0).integers(1, 4, 60)
    repeated = sp.csr_matrix(np.repeat(small.toarray(), weights, axis=0))
    by_weight = TONMF(3, random_state=0).fit(small).partial_fit(small, sample_weight=weights)
    by_repeats = TONMF(3, random_state=0).fit(small).partial_fit(repeated)
    np.testing.assert_allclose(by_weight.components_, by_repeats.components_, atol=1e-9)
    assert by_weight.threshold_ == pytest.approx(by_repeats.threshold_)


def test_topics_that_earn_their_place_begin_with_a_whole_fit():
    X = rows_of([0, 1, 2], 400, seed=0)
    fitted = TONMF("auto", random_state=0).fit(X)
    stream = TONMF("auto", random_state=0).partial_fit(X)
    np.testing.assert_array_equal(stream.components_, fitted.components_)
    assert stream.partial_fit(X[:50]).n_topics_ == fitted.n_topics_


def test_empty_rows_do_no_harm(small):
    empty = sp.csr_matrix((5, 24))
    model = TONMF(3, random_state=0).fit(small)
    before = model.components_.copy()
    model.partial_fit(empty)
    np.testing.assert_allclose(model.components_, before, atol=0.02)
    assert np.isfinite(TONMF(3, random_state=0).partial_fit(empty).partial_fit(small).outlier_scores_).all()


@pytest.mark.parametrize("options", [*VARIANTS, {"half_life": 40}, {"half_life": "2 hours"}], ids=str)
def test_a_loaded_model_goes_on_exactly_where_the_saved_one_stopped(options, small, tmp_path):
    model = TONMF(3, **{"random_state": 0} | options)
    for block in range(4):
        rows = small[15 * block : 15 * block + 15]
        times = 3600.0 * np.arange(15) * (block + 1)
        model.save(tmp_path / "model") if block else None
        other = load(tmp_path / "model") if block else TONMF(3, **{"random_state": 0} | options)
        model.partial_fit(rows, times=times)
        other.partial_fit(rows, times=times)
        np.testing.assert_array_equal(other.components_, model.components_)
        np.testing.assert_array_equal(other.outlier_scores_, model.outlier_scores_)
        assert (other.threshold_, other.alpha_) == (model.threshold_, model.alpha_)
    assert load(tmp_path / "model").half_life == options.get("half_life")


def test_a_half_life_of_timedelta_is_saved_in_words(small, tmp_path):
    TONMF(3, half_life=timedelta(days=2), random_state=0).fit(small).save(tmp_path / "model")
    assert load(tmp_path / "model").half_life == "172800.0 seconds"


HOSTILE = [
    ("a half-life of nonsense", lambda f: f["parameters"].update(half_life="soon"), "half_life must be"),
    ("a half-life of a list", lambda f: f["parameters"].update(half_life=[1]), "half_life must be"),
    ("no stream", lambda f: f.pop("stream"), "stream must be an object"),
    ("a time without end", lambda f: f["stream"].update(now=10**400), "stream.now must be a number"),
    ("a time beyond time", lambda f: f["stream"].update(now=1e20), "stream.now and stream.ahead must be times from"),
    ("sums that are not there", lambda f: f["stream"].update(learnt=True), "stream.rhs is missing"),
    ("a word for a flag", lambda f: f["stream"].update(learnt="no"), "stream.learnt must be true or false"),
]


@pytest.mark.parametrize(("change", "says"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_what_a_saved_model_holds_of_the_stream_is_checked(change, says, small, tmp_path):
    TONMF(3, random_state=0).fit(small).save(tmp_path / "model")
    fields = fields_of(tmp_path / "model")
    change(fields)
    sign(tmp_path / "model", fields)
    with pytest.raises(InputError, match=says):
        load(tmp_path / "model")
    json.dumps(fields)


def _reversed(array):
    return array[::-1].copy()


HOSTILE_ARRAYS = [
    ("stream.gram", np.negative, "negative"),
    ("stream.gram", lambda a: a[:2].copy(), "must have shape"),
    ("stream.rho.values", _reversed, "rising numbers"),
    ("stream.rho.values", lambda a: np.full(10_000, 1.0), "up to 4096 rising"),
    ("stream.scores.weights", lambda a: a[:-1].copy(), "must have shape"),
    ("stream.scores.weights", lambda a: a * np.nan, "not finite"),
    ("stream.squared_norms", lambda a: np.ones(7), "0 or 2 numbers"),
    ("stream.ahead", lambda a: np.ones(5), "fewer than 5 numbers"),
]


@pytest.mark.parametrize(("name", "change", "says"), HOSTILE_ARRAYS, ids=[f"{n} {s}" for n, _, s in HOSTILE_ARRAYS])
def test_arrays_of_the_stream_are_checked(name, change, says, small, tmp_path):
    TONMF(3, random_state=0).fit(small).save(tmp_path / "model")
    arrays = arrays_of(tmp_path / "model")
    arrays[name] = change(arrays[name])
    put_arrays(tmp_path / "model", arrays)
    with pytest.raises(InputError, match=says):
        load(tmp_path / "model")
