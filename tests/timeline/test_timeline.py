"""Documents in order of time: scores of the moment, windows, new topics, and the plot of it."""

import copy
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from planted import A_DAY, DAY, START, SUBJECT, stream

from tonmf import InputError, MissingExtraError, ParameterError, TextOutlierDetector, load
from tonmf.datasets.archives import read_reuters_dispatches
from tonmf.plots import plot_timeline, topics_to_show
from tonmf.plots.timeline import MOST_TOPICS, PALE
from tonmf.stream.times import moment_of, time_text
from tonmf.timeline.follow import Windows, follow
from tonmf.timeline.nursery import Nursery


@pytest.fixture(scope="module")
def planted():
    texts, times, new, n_before = stream()
    detector = TextOutlierDetector(n_restarts=1, n_jobs=1).fit(texts[:n_before], names=range(n_before))
    nursery = Nursery()
    nursery.remember(detector, texts[:n_before], detector.outlier_scores_, times=times[:n_before])
    return detector, nursery, texts, times, new, n_before


def followed(planted, **options):
    """The stream after its first documents."""
    detector, nursery, texts, times, _, n_before = copy.deepcopy(planted)
    names = list(range(n_before, len(texts)))
    options = {"window": "5 days", "nursery": nursery, **options}
    return follow(detector, texts[n_before:], times[n_before:], ids=names, **options), detector


@pytest.fixture(scope="module")
def learnt(planted):
    return followed(planted)


def test_no_document_is_before_the_first_window():
    starts = np.floor(np.random.default_rng(0).uniform(1.7e10, 1.8e10, 2000)) / 10  # 0.1 has no exact binary form
    assert all(Windows.over(np.array([start]), 0.1).number(np.array([start])).tolist() == [0] for start in starts)


def test_a_subject_that_appears_becomes_a_topic_that_is_tracked(planted, learnt):
    timeline, detector = learnt
    new = planted[4]
    (alert,) = timeline.alerts
    assert set(alert.new.words[:4]) <= set(SUBJECT)
    assert {int(name) for name in alert.new.documents} <= new
    assert alert.topic == detector.rungs_[0].topics.shape[1] - 1
    assert timeline.words[alert.topic] == alert.new.words[:5]
    shares = [window.shares[alert.topic] for window in timeline.windows]
    assert shares[:2] == [0, 0]
    assert shares[-1] > 0.01
    assert [alert.topic in window.emerging for window in timeline.windows] == [False, False, False, True]


def test_what_has_become_a_topic_is_less_strange(planted, learnt):
    timeline, _ = learnt
    raised = timeline.alerts[0].new.raised
    is_new = np.array([int(name) in planted[4] for name in timeline.ids])
    before, after = (timeline.scores[is_new & late] for late in (timeline.times <= raised, timeline.times > raised))
    assert len(after) >= 5
    assert np.median(after) < 0.6 * np.median(before)


def test_windows_count_documents_and_outliers(learnt):
    timeline, _ = learnt
    assert [window.n_docs for window in timeline.windows] == [5 * A_DAY] * 4
    assert sum(window.n_outliers for window in timeline.windows) == timeline.outliers.sum()
    assert timeline.windows[0].start % DAY == 0
    assert all(window.end - window.start == 5 * DAY for window in timeline.windows)
    assert all(window.shares.min() >= 0 and window.shares.sum() <= 1 for window in timeline.windows)


def test_scores_are_those_of_the_model_of_the_moment(planted, learnt):
    """The first batch is scored by the detector as it was fitted, later ones by one that has learnt."""
    detector, _, texts, _, _, n_before = planted
    timeline, _ = learnt
    as_fitted = detector.outlier_score(texts[n_before:])
    first = n_before // 4
    np.testing.assert_array_equal(timeline.scores[:first], as_fitted[:first])
    assert not np.allclose(timeline.scores[first : 2 * first], as_fitted[first : 2 * first])


@pytest.mark.parametrize("length", [6, 12, 40])
def test_a_short_warm_up_does_not_make_everything_strange(length):
    """Words come as often as in real texts, so most of them are new in every document; none of these is an outlier."""
    rng, n_words = np.random.default_rng(0), 3000
    common = 1 / np.arange(1, n_words + 1)
    subjects = [rng.permutation(n_words) for _ in range(5)]
    texts = [
        " ".join(f"word{subjects[subject][rank]}" for rank in rng.choice(n_words, length, p=common / common.sum()))
        for subject in rng.integers(5, size=250)
    ]
    detector = TextOutlierDetector().fit(texts[:50])
    timeline = follow(detector, texts[50:], np.arange(200) * DAY)
    assert timeline.outliers.mean() < 0.1


def test_the_detector_has_seen_them_all_in_the_end(planted, learnt):
    assert learnt[1]._state.stream.n_seen == len(planted[2])
    assert planted[0]._state.stream is None  # ours was a copy


@pytest.mark.parametrize("batch", [17, 1000])
def test_without_learning_it_does_not_matter_how_documents_are_batched(planted, batch):
    expected, _ = followed(planted, learn=False)
    got, _ = followed(planted, learn=False, batch=batch)
    assert got.alerts == expected.alerts
    np.testing.assert_allclose(got.scores, expected.scores, rtol=1e-6)
    assert got.topics.tolist() == expected.topics.tolist()


def test_with_learning_batches_change_little_about_alerts(planted, learnt):
    """The model learns after each batch, so documents of one batch do not see one another."""
    other, _ = followed(planted, batch=40)
    (one,), (same,) = learnt[0].alerts, other.alerts
    assert abs(one.new.raised - same.new.raised) <= 3 * DAY
    assert set(one.new.words) & set(same.new.words)


def test_documents_are_put_in_order_of_time(planted):
    detector, nursery, texts, times, _, n_before = copy.deepcopy(planted)
    mixed = np.random.default_rng(0).permutation(np.arange(n_before, len(texts)))
    documents, when = [texts[row] for row in mixed], [times[row] for row in mixed]
    timeline = follow(detector, documents, when, ids=mixed, window="5 days", nursery=nursery, learn=False)
    expected, _ = followed(planted, learn=False)
    assert timeline.ids == expected.ids
    assert [documents[row] for row in timeline.rows] == texts[n_before:]
    np.testing.assert_allclose(timeline.scores, expected.scores, rtol=1e-6)
    assert timeline.notes == ["The documents did not come in order of time, and were put in order."]


def test_documents_of_equal_times_stay_in_their_order(planted):
    detector, _, texts, _, _, n_before = copy.deepcopy(planted)
    timeline = follow(detector, texts[n_before : n_before + 50], [START] * 50, learn=False)
    assert timeline.rows.tolist() == list(range(50))
    assert len(timeline.windows) == 1
    assert timeline.notes == [f"All documents have the same time, {time_text(START)}, so there is nothing to compare."]


def test_a_window_longer_than_the_data_is_said_to_be_so(planted):
    timeline, _ = followed(planted, learn=False, window=timedelta(days=365))
    assert len(timeline.windows) == 1
    assert timeline.notes == [
        "All documents lie within 19 days, in one window of 365 days: give a shorter one to see changes."
    ]


def test_windows_without_documents_are_there(planted):
    detector, _, texts, _, _, n_before = copy.deepcopy(planted)
    times = [START] * 30 + [START + 10 * DAY] * 30
    timeline = follow(detector, texts[n_before : n_before + 60], times, window="1 day")
    assert [window.n_docs for window in timeline.windows] == [30, *[0] * 9, 30]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"times": [START] * 3}, InputError, "times must have one for each of the 5 documents; got 3"),
        ({"times": [START] * 4 + [None]}, InputError, "The time of document 4 is None; expected a time"),
        (
            {"times": ["2026-01-01"] * 4 + ["2026-01-01T00:00Z"]},
            InputError,
            "document 4 has a zone, that of document 0",
        ),
        ({"window": "7"}, ParameterError, "window must be a time above 0 such as '7 days'"),
        (
            {"window": "1 s", "times": [START, *[START + DAY] * 4]},
            InputError,
            "86,401 windows of 1 second; at most 10,000",
        ),
        ({"batch": 0}, ParameterError, "batch must be a whole number of at least 1"),
        ({"ids": ["a"]}, InputError, "names must have one for each of the 5 documents; got 1"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_makes_no_timeline_is_refused(planted, options, error, message):
    detector, texts = planted[0], planted[2]
    times = options.pop("times", [START] * 5)
    with pytest.raises(error, match=message):
        follow(detector, texts[:5], times, **options)


def test_a_detector_with_embeddings_is_refused(planted):
    texts = planted[2][:60]
    rows = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    detector = TextOutlierDetector(n_restarts=1).fit(texts, embeddings=rows)
    with pytest.raises(InputError, match="made of words"):
        follow(detector, texts, [START] * 60)


def test_documents_without_words_are_not_judged(planted):
    detector, texts, times = copy.deepcopy(planted[0]), planted[2], planted[3]
    timeline = follow(detector, [*texts[:30], "the of", ""], [*times[:30], times[30], times[30]])
    assert timeline.judged.tolist() == [True] * 30 + [False] * 2
    assert timeline.scores[30:].tolist() == [0.0, 0.0]
    assert not timeline.outliers[30:].any()
    assert "2 documents have no words that count and were not judged: 30, 31." in timeline.notes


def test_it_can_be_written_down(learnt):
    timeline, _ = learnt
    columns = timeline.columns()
    assert list(columns) == ["time", "id", "score", "outlier", "judged", "topic", "unexpected_terms"]
    assert {len(column) for column in columns.values()} == {400}
    assert columns["time"] == sorted(columns["time"])
    said = timeline.to_dict()
    assert said["documents"] == 400
    assert len(said["windows"]) == 4
    assert said["alerts"][0]["topic"] == timeline.alerts[0].topic + 1
    assert said["alerts"][0]["topic"] in said["windows"][-1]["emerging"]


def test_a_model_that_has_learnt_from_few_documents_is_said_to_know_little(planted, learnt):
    """Those of a stream count as well."""
    texts, times = planted[2], planted[3]
    detector = TextOutlierDetector(n_restarts=1, n_jobs=1).fit(texts[:150])
    (note, *_) = follow(copy.deepcopy(detector), texts[300:310], times[300:310], learn=False).notes
    assert note.startswith("With only 150 documents to learn from before the timeline begins")
    assert note.endswith("Give a longer warm-up, of 200 documents or more if there are as many.")
    detector.partial_fit(texts[150:200])
    assert follow(detector, texts[300:302], ["2026-01-01", "2026-01-20"], learn=False).notes == []
    assert learnt[0].notes == []


def test_the_detector_in_the_end_can_be_saved_and_goes_on(planted, learnt, tmp_path):
    detector, texts = learnt[1], planted[2]
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.outlier_score(texts[-50:]), detector.outlier_score(texts[-50:]))
    loaded.partial_fit(texts[:50])
    assert loaded._state.stream.n_seen == len(texts) + 50


# ------------------------------------------------------------------ the plot


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are drawn, not written."""
    figures = []
    monkeypatch.setattr("tonmf.plots.timeline.save_canvas", lambda canvas, path: figures.append(canvas.figure))
    return figures


def test_a_plot_shows_topics_by_number_and_pales_windows_of_few_documents(learnt, drawn, tmp_path):
    timeline = learnt[0]
    few = replace(timeline.windows[1], n_docs=5, n_outliers=5, shares=np.ones(len(timeline.words)))
    windows = [timeline.windows[0], few, *timeline.windows[2:]]
    plot_timeline(replace(timeline, windows=windows), tmp_path / "plot.png")
    (figure,) = drawn
    rows = {axes.texts[0].get_text(): axes for axes in figure.axes}
    new = timeline.alerts[0].topic
    assert f"{new + 1}: {', '.join(timeline.words[new][:3])}" in rows
    assert [bar.get_height() for bar in rows["documents"].patches] == [100, 5, 100, 100]
    for axes in figure.axes:
        assert [bar.get_facecolor()[3] for bar in axes.patches] == [1, PALE, 1, 1]
    outliers = [100 * window.outlier_share for window in windows]
    assert rows["outliers"].get_ylim()[1] < 100 == max(outliers)  # it does not set the scale
    assert "Pale: windows of fewer than 20 documents" in figure.get_supxlabel()


def test_long_words_are_cut_in_a_plot_and_signs_are_no_formulas(learnt, drawn, tmp_path):
    timeline = learnt[0]
    words = [["a" * 60, "b"], ["$x_{", "y$"], *timeline.words[2:]]
    plot_timeline(replace(timeline, words=words), tmp_path / "plot.png")
    labels = [axes.texts[0].get_text() for axes in drawn[0].axes]
    assert "2: $x_{, y$" in labels
    assert f"1: {'a' * 35}…" in labels
    drawn[0].savefig(tmp_path / "plot.svg")
    if len(timeline.words) <= MOST_TOPICS:
        assert "topics are shown" not in drawn[0].get_supxlabel()


@pytest.mark.parametrize("extension", ["png", "svg"])
def test_a_timeline_can_be_drawn_and_the_same_one_gives_the_same_bytes(learnt, tmp_path, extension):
    paths = [tmp_path / f"{name}.{extension}" for name in "ab"]
    for path in paths:
        plot_timeline(learnt[0], path, title="Volcanoes")
    content = paths[0].read_bytes()
    assert content == paths[1].read_bytes()
    assert content.startswith(b"\x89PNG" if extension == "png" else b"<?xml")


def test_new_topics_come_last_in_the_plot_and_there_are_not_too_many(learnt):
    shown = topics_to_show(learnt[0])
    assert shown[-1] == learnt[0].alerts[0].topic
    assert len(set(shown)) == len(shown) <= MOST_TOPICS


def test_a_plot_needs_a_name_that_says_what_it_is_and_matplotlib(learnt, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"expected a name that ends in \.png or \.svg"):
        plot_timeline(learnt[0], tmp_path / "plot.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        plot_timeline(learnt[0], tmp_path / "nowhere" / "plot.png")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[plot\]'"):
        plot_timeline(learnt[0], tmp_path / "plot.png")


# ------------------------------------------------------------------ the newswire of 1987


@pytest.fixture(scope="module")
def dispatches(data_folder):
    return read_reuters_dispatches(data_folder / "reuters21578.tar.gz")


def test_dispatches_come_in_order_of_time(dispatches):
    stories = dispatches
    assert len(stories) == 19_040
    assert (time_text(stories[0].time), time_text(stories[-1].time)) == ("1987-02-26T15:01:01", "1987-10-20T22:53:18")
    assert [story.time for story in stories] == sorted(story.time for story in stories)
    assert "acq" in {subject for story in stories for subject in story.subjects}


def test_the_events_of_october_1987_show(dispatches):
    """The stories of June, then those of 19 October, and of the morning after.

    On the same day, Iranian oil platforms were attacked. Whether the two events make one new topic or two depends on the
    seed; the words of the crash are among the first of a topic of its own only.
    """
    june, july = moment_of("1987-06-01").seconds, moment_of("1987-07-01").seconds
    past = [story for story in dispatches if june <= story.time < july]
    october = [story for story in dispatches if july < story.time < moment_of("1987-10-20 15:00").seconds]
    texts = [story.text for story in past]
    detector, nursery = TextOutlierDetector(n_restarts=1).fit(texts), Nursery()
    nursery.remember(detector, texts, detector.outlier_scores_)
    timeline = follow(
        detector,
        [story.text for story in october],
        [story.time for story in october],
        window="6 hours",
        nursery=nursery,
    )
    words = {word for alert in timeline.alerts for word in alert.new.words}
    assert words & {"crash", "panic", "collapse", "dow", "1929"} or words >= {"monday", "iranian", "attacked"}
    assert all(alert.new.since >= october[0].time for alert in timeline.alerts)
