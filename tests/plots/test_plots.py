"""Plots of detectors and models: what is drawn, on whose axes, and that it is to be seen."""

import io
import sys

import matplotlib as mpl
import numpy as np
import pytest
from browser import picture as picture_in_docs
from hostile import HOSTILE
from matplotlib.figure import Figure
from matplotlib.image import imread
from sklearn.exceptions import NotFittedError

from tonmf import TONMF, EmbeddingOutlierDetector, TextOutlierDetector
from tonmf.datasets import load_noticeboard, make_corpus
from tonmf.errors import MissingExtraError, ParameterError
from tonmf.plots import save_canvas
from tonmf.report.web.palette import palette

CORPUS = make_corpus(n_docs=120, n_outliers=4)
rng = np.random.default_rng(0)
E = rng.normal(size=(4, 16))[np.arange(100) % 4] + 0.3 * rng.normal(size=(100, 16))
E[[7, 23]] = rng.normal(size=(2, 16))
ROWS = rng.poisson(2 * np.kron(np.eye(3), np.ones(5))[rng.integers(3, size=90)]).astype(float)


@pytest.fixture(scope="module")
def detector():
    return TextOutlierDetector().fit(CORPUS.texts, names=CORPUS.ids)


@pytest.fixture(scope="module")
def vectors():
    return EmbeddingOutlierDetector().fit(E)


@pytest.fixture(scope="module")
def model():
    return TONMF(n_topics=3, random_state=0).fit(ROWS)


PLOTS = {
    "scores": lambda of, ax: of("detector").plot.scores(ax=ax),
    "topics": lambda of, ax: of("detector").plot.topics(ax=ax),
    "map": lambda of, ax: of("detector").plot.map(CORPUS.texts, ax=ax),
    "document": lambda of, ax: of("detector").plot.document(CORPUS.texts, "doc-0003", ax=ax),
    "roc": lambda of, ax: of("detector").plot.roc(CORPUS.labels, ax=ax),
    "scores of embeddings": lambda of, ax: of("vectors").plot.scores(ax=ax),
    "map of embeddings": lambda of, ax: of("vectors").plot.map(E, names=range(100), ax=ax),
    "scores of a model": lambda of, ax: of("model").plot.scores(ax=ax),
    "topics of a model": lambda of, ax: of("model").plot.topics(ax=ax),
    "objective": lambda of, ax: of("model").plot.objective(ax=ax),
}


def test_plots_say_which_there_are(detector, vectors, model):
    assert repr(detector.plot) == "<plots: plot.document(), plot.map(), plot.roc(), plot.scores(), plot.topics()>"
    assert "plot.objective()" in repr(model.plot)
    assert "plot.topics()" not in repr(vectors.plot)


def texts_in(axes):
    """Return all texts of a plot: those on axes and in legends too."""
    return [text.get_text() for text in axes.findobj(mpl.text.Text) if text.get_text()]


def pixels_of(axes):
    """Return the pixels of what a notebook shows."""
    return imread(io.BytesIO(axes._repr_png_()[0]))[..., :3]


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_drawn_on_axes_of_its_own_which_a_notebook_shows(name, request):
    before = sys.modules.get("matplotlib.pyplot")
    figures = before and before.get_fignums()  # of other tests in this process
    axes = PLOTS[name](request.getfixturevalue, None)
    data, size = axes._repr_png_()
    pixels = imread(io.BytesIO(data))[..., :3]
    assert pixels.shape[:2] == pytest.approx((2 * size["height"], 2 * size["width"]), abs=2)
    drawn = (np.abs(pixels - pixels[0, 0]) > 0.1).any(axis=2)
    assert 0.002 < drawn.mean() < 0.6
    rows, columns = drawn.nonzero()
    assert np.ptp(rows) > 0.6 * pixels.shape[0]
    assert np.ptp(columns) > 0.6 * pixels.shape[1]
    assert sys.modules.get("matplotlib.pyplot") is before
    assert before is None or before.get_fignums() == figures


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_drawn_on_the_axes_that_are_given_and_no_settings_change(name, request):
    axes, settings = Figure().subplots(), dict(mpl.rcParams)
    assert PLOTS[name](request.getfixturevalue, axes) is axes
    assert axes.has_data()
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("name", PLOTS)
def test_colours_are_those_of_dark_pages_on_dark_axes(name, request):
    axes = Figure(facecolor="black").subplots()
    axes.set_facecolor("#101010")
    PLOTS[name](request.getfixturevalue, axes)
    found = {
        mpl.colors.to_hex(colour)
        for artist in [*axes.patches, *axes.lines, *axes.collections]
        for colour in (
            [artist.get_color()] if hasattr(artist, "get_color") else mpl.colors.to_rgba_array(artist.get_facecolor())
        )
        if mpl.colors.to_rgba(colour)[3] > 0
    }
    dark, light = set(palette(dark=True).values()), set(palette().values())
    assert found & dark
    assert not found & (light - dark)


def test_bars_of_scores_are_the_documents_and_change_colour_at_the_threshold(detector):
    axes = detector.plot.scores()
    heights = {bar.get_x(): bar.get_height() for bar in axes.patches}
    flagged = sum(height for x, height in heights.items() if x >= detector.threshold_ - 1e-9)
    assert sum(heights.values()) == len(CORPUS.texts)
    assert flagged == (detector.labels_ == -1).sum()
    assert f"{flagged} flagged" in texts_in(axes)


def test_documents_that_are_not_judged_have_no_score_to_draw():
    detector = TextOutlierDetector().fit(["", *CORPUS.texts])
    assert sum(bar.get_height() for bar in detector.plot.scores().patches) == len(CORPUS.texts)


def test_topics_have_a_bar_for_each_word(detector):
    axes = detector.plot.topics(n_topics=2, n_words=5)
    words = [word for topic in detector.topics(5)[:2] for word in topic.words]
    assert [text for text in texts_in(axes) if text in words] == words
    assert len(axes.patches) == len(words)
    assert detector.plot.topics(n_topics=1, n_words=1000).patches
    with pytest.raises(ParameterError, match="n_words must be"):
        detector.plot.topics(n_words=0)


def test_the_topics_of_a_model_are_named_by_its_columns(model):
    assert {"0", "1", "2", "3", "4"} <= set(texts_in(model.plot.topics()))


def test_a_document_has_a_bar_for_each_unexpected_word(detector):
    why = detector.explain(CORPUS.texts, ids=["doc-0003"], n_words=12)[0]
    axes = detector.plot.document(CORPUS.texts, "doc-0003")
    assert [text.get_text() for text in axes.get_yticklabels()] == [word.word for word in why.unexpected]
    lengths = {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in axes.patches}
    assert [lengths[place] for place in range(len(lengths))] == pytest.approx(
        [100 * word.share for word in why.unexpected]
    )


def test_a_map_has_a_point_for_each_document_and_a_ring_for_each_flagged_one(detector):
    *points, rings = detector.plot.map(CORPUS.texts).collections
    assert sum(len(some.get_offsets()) for some in points) == len(CORPUS.texts)
    assert len(rings.get_offsets()) == (detector.labels_ == -1).sum()


def test_the_roc_curve_is_that_of_the_scores(detector):
    axes = detector.plot.roc(CORPUS.labels, detector.outlier_score(CORPUS.texts))
    assert "area 1.000" in texts_in(axes)


def test_the_objective_is_that_of_the_fit(model):
    (line,) = model.plot.objective().lines
    assert line.get_ydata().tolist() == model.objective_history_.tolist()


def test_words_of_any_kind_can_be_drawn():
    """Formulas, marks of direction, control characters and endless words are not for matplotlib to interpret."""
    texts = [*CORPUS.texts, *[f"$\\frac{{1}}{{0}}$ {'x' * 500} $unclosed \u202e{HOSTILE[0]}"] * 2]
    detector = TextOutlierDetector(analyzer=str.split).fit(texts)
    names = ["$\\frac{", "a\x00\u202e\nb", *["name" * 50] * (len(texts) - 2)]
    for axes in (detector.plot.document(texts, 120), detector.plot.topics(), detector.plot.map(texts, names=names)):
        pixels_of(axes)


def test_a_missing_matplotlib_is_one_clear_error_and_only_when_something_is_drawn(detector, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plot = detector.plot
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[plot\]'"):
        plot.scores()


@pytest.mark.parametrize("made", [TextOutlierDetector, EmbeddingOutlierDetector, TONMF])
def test_an_unfitted_detector_has_nothing_to_draw(made):
    with pytest.raises(NotFittedError):
        made().plot.scores()


def test_methods_from_above_have_their_own_documentation():
    assert "Draw how the scores" in TextOutlierDetector.plot.scores.__doc__
    assert TextOutlierDetector.report.__doc__.startswith("Make the report")
    assert {"scores", "topics", "map", "document", "roc"} <= set(dir(TextOutlierDetector().plot))


def test_the_pictures_in_the_docs_are_of_the_notice_board(tmp_path):
    board = load_noticeboard()
    plot = TextOutlierDetector().fit(board.texts, names=board.ids).plot
    drawn = {
        "scores": plot.scores(),
        "topics": plot.topics(n_topics=6),
        "map": plot.map(board.texts),
        "document": plot.document(board.texts, "post-065"),
        "roc": plot.roc(board.labels),
    }
    for name, axes in drawn.items():
        target = picture_in_docs(f"plot-{name}.svg", tmp_path)
        save_canvas(axes.figure, target)
        assert 5_000 < target.stat().st_size < 100_000
        save_canvas(axes.figure, tmp_path / "again.svg")
        assert (tmp_path / "again.svg").read_bytes() == target.read_bytes()
