"""How things look in a notebook: every text escaped, of bounded size, without scripts or network; and short as text."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hostile import HOSTILE
from sklearn import config_context
from sklearn.exceptions import NotFittedError

from tonmf import TONMF, EmbeddingOutlierDetector, TextOutlierDetector, load
from tonmf.datasets import make_baskets, make_corpus
from tonmf.errors import InputError
from tonmf.ranking import LargeRanking, Ranking
from tonmf.report.notebook.markup import element, own
from tonmf.report.web.palette import palette

CORPUS = make_corpus(n_docs=120, n_outliers=4)
TEXTS = [*CORPUS.texts, *(text[:3000] + CORPUS.texts[0] for text in HOSTILE)]
IDS = [*CORPUS.ids, *HOSTILE[:-1], "last"]
LARGEST = 60_000
"""Characters of what a notebook keeps below one cell, apart from scikit-learn's diagram."""


VOID = {"rect", "line", "br", "wbr", "hr"}


class Reading(HTMLParser):
    """What a browser would find: elements, their attributes, and text; and whether all that opens is closed."""

    def __init__(self, html):
        super().__init__()
        self.found, self.text, self.open = [], "", []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data


@pytest.fixture(scope="module")
def detector():
    return TextOutlierDetector().fit(TEXTS, names=IDS)


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    E = rng.normal(size=(4, 16))[np.arange(100) % 4] + 0.3 * rng.normal(size=(100, 16))
    E[[7, 23]] = rng.normal(size=(2, 16))
    return E, EmbeddingOutlierDetector().fit(E, names=[f"{HOSTILE[0]} {n}" for n in range(100)])


@pytest.fixture(scope="module")
def shown(detector, vectors):
    """Everything that a notebook shows, by name."""
    E, of_vectors = vectors
    why = detector.explain(TEXTS, ids=[0, *range(120, len(TEXTS))])
    groups = TextOutlierDetector().fit([*TEXTS, *[f"{HOSTILE[0]} copy copies copied"] * 5]).groups_
    return {
        "ranking": detector.ranking(TEXTS),
        "explanations": why,
        "one explanation": why[1],
        "groups": groups,
        "explanations of embeddings": of_vectors.explain(E, ids=[7, 8]),
        "explanation of an embedding": of_vectors.explain(E, ids=[7])[0],
    }


NAMES = ["ranking", "explanations", "one explanation", "groups"]
NAMES += ["explanations of embeddings", "explanation of an embedding"]


def without_diagram(html):
    return html[: html.rindex("<style>")]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_has_no_markup_of_documents_no_scripts_and_nothing_from_elsewhere(shown, name):
    html = shown[name]._repr_html_()
    read = Reading(html)
    assert not read.open
    tags = {tag for tag, _ in read.found}
    assert not tags & {"script", "img", "link", "iframe", "b", "object", "base", "meta", "form"}
    attributes = {key for _, of in read.found for key in of}
    assert attributes <= {"class", "style", "title", "scope", "dir", "viewbox", "preserveaspectratio", "role", "aria-label"} | {
        "x", "y", "x1", "x2", "y1", "y2", "width", "height", "colspan",
    }  # fmt: skip
    assert "http" not in html
    assert "url(" not in html
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff]", html)
    json.dumps(html).encode()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_is_of_bounded_size(shown, name):
    assert len(shown[name]._repr_html_()) < LARGEST
    assert len(repr(shown[name])) < 20_000


def test_dollar_signs_are_not_typeset(shown):
    assert '<div class="tonmf tex2jax_ignore mathjax_ignore">' in shown["ranking"]._repr_html_()


def test_styles_apply_to_the_card_alone(shown):
    (style,) = re.findall("<style>(.*?)</style>", shown["ranking"]._repr_html_(), flags=re.DOTALL)
    assert style.startswith(".tonmf.tonmf{&{")
    assert style.count("{") == style.count("}")
    depth = 0
    for place, character in enumerate(style):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth > 0 or place < 14 or place == len(style) - 1
    assert ":root" not in style


def test_marks_of_direction_stay_within_their_own_words():
    assert own("a\u202eb") == "<bdi>a\u202eb</bdi>"
    assert element("p", "a\x00\ud800<") == "<p>a\ufffd\ufffd&lt;</p>"


def test_a_ranking_shows_the_strangest_texts_with_their_unexpected_words():
    detector = TextOutlierDetector().fit(CORPUS.texts, names=CORPUS.ids)
    ranking = detector.ranking(CORPUS.texts)
    read = Reading(ranking._repr_html_())
    assert {CORPUS.ids[row] for row in CORPUS.labels.nonzero()[0]} <= set(re.findall(r"doc-\d{4}", read.text))
    assert [tag for tag, _ in read.found].count("mark") > 10
    assert f"{int(ranking.outliers.sum())} of 120 documents" in read.text
    assert ranking.ids == CORPUS.ids  # known from fit


def test_a_ranking_flags_by_a_false_discovery_rate(detector):
    ranking = detector.ranking(CORPUS.texts, fdr=0.1)
    assert "false-discovery rate of 10 %" in repr(ranking)
    assert "false-discovery rate of 10 %" in ranking._repr_html_()


def test_copies_share_a_line():
    texts = [*CORPUS.texts, *["quixotic zeppelin gargoyle bassoon marzipan"] * 3]
    read = Reading(TextOutlierDetector().fit(texts).ranking(texts)._repr_html_())
    assert "×3" in read.text


def test_a_ranking_on_disk_says_how_many_are_flagged():
    detector = TextOutlierDetector(memory="600MB").fit(CORPUS.texts)
    ranking = LargeRanking.of_training(detector, None)
    assert "of 120 documents" in Reading(ranking._repr_html_()).text
    assert repr(ranking).startswith("LargeRanking(120 documents")


def test_counts_and_baskets_are_shown_too():
    baskets = make_baskets(n_docs=150, n_outliers=4)
    items = [row.indices.tolist() for row in baskets.X]
    for documents in (items, baskets.X):
        detector = TextOutlierDetector().fit(documents)
        assert "unexpected" in detector.explain(documents, ids=[0])._repr_html_()
        assert Reading(detector.ranking(documents)._repr_html_()).text
        assert Reading(without_diagram(detector._repr_html_())).text


def test_a_ranking_with_embeddings_that_nobody_has_shows_words_without_reasons():
    E = np.random.default_rng(0).normal(size=(120, 8))
    detector = TextOutlierDetector().fit(CORPUS.texts, embeddings=E)
    whole = detector.ranking(CORPUS.texts, embeddings=E)
    assert "Unexpected words" in Reading(whole._repr_html_()).text
    without = Ranking.of(detector, CORPUS.texts, CORPUS.ids, detector.outlier_scores_, whole.p_values)
    assert [tag for tag, _ in Reading(without._repr_html_()).found].count("mark") > 5


def test_documents_that_are_not_judged_say_so():
    detector = TextOutlierDetector().fit(["", *CORPUS.texts])
    assert "not judged" in detector.explain(["", *CORPUS.texts], ids=[0])._repr_html_()
    assert "Not judged" in detector._repr_html_()
    assert "1 document has no words that count" in Reading(detector.ranking(["", *CORPUS.texts])._repr_html_()).text


# ------------------------------------------------------------------ detectors and models


@pytest.mark.parametrize("made", [TextOutlierDetector, EmbeddingOutlierDetector, TONMF])
def test_an_unfitted_detector_shows_how_to_fit_it_and_its_parameters(made):
    html = made(contamination=0.125)._repr_html_()
    assert "not fitted" in html
    assert "contamination" in html
    assert "0.125" in html


def test_a_fitted_detector_shows_what_it_learnt(detector, vectors, tmp_path):
    html = without_diagram(detector._repr_html_())
    read = Reading(html)
    assert not read.open
    assert len(html) < LARGEST
    assert f"{int((detector.labels_ == -1).sum())} of {len(TEXTS)} documents, with a score above" in read.text
    assert ", ".join(detector.topics(8)[0].words) in read.text
    assert "svg" in {tag for tag, _ in read.found}
    _, of_vectors = vectors
    assert "of 100 documents" in Reading(without_diagram(of_vectors._repr_html_())).text
    TextOutlierDetector().fit(CORPUS.texts).save(tmp_path / "model")
    assert "of 120 documents" in load(tmp_path / "model")._repr_html_()


def test_a_fitted_model_shows_topics_by_the_names_of_columns():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = rng.poisson(2 * np.kron(np.eye(3), np.ones(5))[rng.integers(3, size=90)]).astype(float)
    model = TONMF(n_topics=3, random_state=0).fit(pd.DataFrame(X, columns=[f"<i>{n}" for n in range(15)]))
    html = without_diagram(model._repr_html_())
    assert "<i>" not in html
    assert "&lt;i&gt;0" in html
    assert "of 90 rows" in Reading(html).text


def test_scores_that_are_all_the_same_have_no_histogram():
    model = TONMF(n_topics=1).fit(np.ones((10, 3)))
    assert "<svg" not in without_diagram(model._repr_html_())


@pytest.mark.parametrize("made", [TextOutlierDetector, EmbeddingOutlierDetector, TONMF])
def test_scikit_learn_decides_whether_estimators_are_shown_as_html(made):
    with config_context(display="text"):
        assert made()._repr_html_() is None
    assert not callable(made()._repr_mimebundle_)  # of two ways, a notebook would take the other one


# ------------------------------------------------------------------ lists


def test_explanations_are_a_list_and_short_as_text(detector):
    several = detector.explain(CORPUS.texts, names=CORPUS.ids)
    assert isinstance(several, list)
    assert several == list(several)
    assert "… 110 more" in repr(several)
    assert len(repr(several).splitlines()) == 11
    assert type(several[:2]) is type(several)
    assert repr(several[0]).startswith("Explanation('doc-0000', score=")
    assert "… and 110 more explanations." in Reading(several._repr_html_()).text
    assert Reading(detector.explain(CORPUS.texts, ids=[])._repr_html_()).text == "No documents to explain."


def test_groups_name_their_documents():
    texts = [*CORPUS.texts, *["quixotic zeppelin gargoyle bassoon marzipan"] * 5]
    names = [f"name-{n}" for n in range(len(texts))]
    groups = TextOutlierDetector().fit(texts, names=names).groups_
    copies = next(group for group in groups if group.copies and 120 in group.documents)
    assert repr(copies).startswith("Group(5 copies: ")
    assert "name-120" in Reading(groups._repr_html_()).text
    assert Reading(type(groups)()._repr_html_()).text.strip() == "0 small groups"


# ------------------------------------------------------------------ the report


def test_a_report_is_written_in_one_call(detector, tmp_path):
    made = detector.report(CORPUS.texts, tmp_path / "report.html", labels=CORPUS.labels, title="<A corpus>")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>&lt;A corpus&gt;:" in page
    assert made.summary["curves"]["roc"]["area"] == 1.0
    made.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["title"] == "<A corpus>"
    assert repr(made).startswith("ReportPage(120 documents, ")


def test_a_notebook_shows_the_report_in_a_frame_that_can_reach_nothing(detector):
    html = detector.report(TEXTS, title=HOSTILE[0])._repr_html_()
    ((tag, attributes),) = Reading(html).found
    assert tag == "iframe"
    assert "allow-same-origin" not in attributes["sandbox"]
    assert attributes["srcdoc"].startswith("<!doctype html>")
    assert "default-src 'none'" in attributes["srcdoc"]


def test_a_page_that_is_too_large_for_a_notebook_is_for_a_file(detector, monkeypatch):
    monkeypatch.setattr("tonmf.report.notebook.framed.LARGEST", 1000)
    html = detector.report(CORPUS.texts)._repr_html_()
    assert "<iframe" not in html
    assert 'report.save("report.html")' in Reading(html).text


def test_a_report_cannot_be_written_anywhere(detector, tmp_path):
    with pytest.raises(InputError, match=r"report\.pdf: expected a name that ends in \.html"):
        detector.report(CORPUS.texts, tmp_path / "report.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        detector.report(CORPUS.texts, tmp_path / "nowhere" / "report.html")


def test_an_unfitted_detector_has_no_ranking():
    with pytest.raises(NotFittedError):
        TextOutlierDetector().ranking(CORPUS.texts)


def test_the_palette_is_that_of_the_pages():
    light, dark = palette(), palette(dark=True)
    assert light.keys() == dark.keys() >= {"paper", "ink", "accent", "dot", *(f"topic-{n}" for n in range(1, 6))}
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in [*light.values(), *dark.values()])


def test_an_explanation_names_the_marks_that_it_follows():
    detector = TextOutlierDetector().fit(CORPUS.texts, names=CORPUS.ids).mark(strange=["doc-0003"])
    read = Reading(detector.explain(CORPUS.texts, ids=["doc-0003"])._repr_html_())
    assert "Like doc-0003" in read.text
    assert "marked as strange" in read.text
    assert "Marked" in detector._repr_html_()
