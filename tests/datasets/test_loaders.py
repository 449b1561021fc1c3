"""The loaders of the real collections give what is known of them."""

import re
import sys

import numpy as np
import pytest

from tonmf import MissingExtraError, ParameterError
from tonmf.datasets import load_bbc, load_newsgroups, load_reuters, load_wiki_people

CHRISTIAN = "soc.religion.christian"
LOADERS = {
    # loader, options, ordinary documents, outliers
    "Reuters": (load_reuters, {}, 5_768, 100),
    "Reuters matrix": (load_reuters, {"form": "matrix"}, 5_768, 100),
    "newsgroups": (load_newsgroups, {}, 1_945, 50),
    "newsgroups, bodies": (load_newsgroups, {"outliers": CHRISTIAN, "headers": False}, 1_945, 50),
    "BBC": (load_bbc, {}, 927, 50),
    "Wikipedia": (load_wiki_people, {"form": "texts"}, 2_332, 100),
}


@pytest.mark.parametrize("name", LOADERS)
def test_sizes_order_and_seeds(data_folder, name):
    load, options, n_ordinary, n_outliers = LOADERS[name]
    first, again, other = (load(**options, random_state=seed) for seed in (0, 0, 1))
    for dataset in (first, other):
        assert len(dataset.labels) == len(set(dataset.ids)) == n_ordinary + n_outliers
        assert (dataset.texts is None) == (dataset.X is not None)
        assert len(dataset.texts or dataset.ids) == n_ordinary + n_outliers
        assert dataset.labels.sum() == n_outliers
        places = np.flatnonzero(dataset.labels)
        assert places[0] < n_ordinary / 4
        assert places[-1] > n_ordinary * 3 / 4
        assert n_ordinary / 4 < places.mean() < n_ordinary * 3 / 4
    assert first.ids == again.ids
    assert first.texts == again.texts
    assert set(other.ids) != set(first.ids)


def test_the_matrix_of_reuters_has_the_papers_terms(data_folder):
    reuters = load_reuters("matrix")
    assert reuters.X.shape == (5_868, 18_933)
    assert reuters.terms is None
    assert (reuters.X.data == np.round(reuters.X.data)).all()


def test_rows_of_the_matrix_are_those_of_the_ids(data_folder):
    first, other = (load_reuters("matrix", random_state=seed) for seed in (0, 1))
    place = {name: number for number, name in enumerate(other.ids)}
    shared = [number for number, name in enumerate(first.ids) if name in place]
    there = [place[first.ids[number]] for number in shared]
    assert len(shared) > 5_768
    assert (first.X[shared] != other.X[there]).nnz == 0
    np.testing.assert_array_equal(first.labels[shared], other.labels[there])


def test_labels_of_newsgroups_agree_with_the_ids(data_folder):
    groups = load_newsgroups(inliers="rec.autos", outliers=["sci.med", CHRISTIAN], n_outliers=20)
    for name, label in zip(groups.ids, groups.labels, strict=True):
        assert name.split("/")[1] in (("rec.autos",), ("sci.med", CHRISTIAN))[label]


def test_headers_go_with_the_quotes(data_folder):
    whole, bodies = load_newsgroups(), load_newsgroups(headers=False)
    assert whole.ids == bodies.ids
    assert sum(text.startswith("From: ") for text in whole.texts) > 1_900
    assert sum(text.startswith("From: ") for text in bodies.texts) < 20
    assert sum("\n>" in text for text in whole.texts) > 500
    assert not any("\n>" in text for text in bodies.texts)


def test_labels_of_bbc_agree_with_the_ids(data_folder):
    news = load_bbc(inliers=["sport"], outliers="business", n_outliers=510)
    assert len(news.labels) == 511 + 510
    for name, label in zip(news.ids, news.labels, strict=True):
        assert name.startswith(("bbc/sport/", "bbc/business/")[label])


def test_terms_of_the_biographies_are_by_the_papers_rules(data_folder):
    people, texts = load_wiki_people(), load_wiki_people("texts")
    assert people.ids == texts.ids
    assert people.labels.tolist() == texts.labels.tolist()
    assert people.X.shape == (2_432, len(people.terms))
    assert all(3 <= len(term) <= 15 for term in people.terms)
    assert people.X.sum(axis=0).min() >= 4
    assert (people.X > 0).sum(axis=0).min() >= 2
    assert {"the", "and", "married", "films"}.isdisjoint(people.terms)
    assert {"marri", "film"} <= set(people.terms)
    column = people.terms.index("funer")
    with_it = ["funeral" in text.lower() for text in texts.texts]
    np.testing.assert_array_equal(people.X[:, [column]].toarray().ravel() > 0, with_it)


def test_the_matrix_of_biographies_needs_the_stemmer(monkeypatch):
    """It says so before anything is read or downloaded."""
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    monkeypatch.setattr("tonmf.datasets.loaders.read_archive", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'tonmf[stem]'")):
        load_wiki_people()


def test_groups_that_there_are_not_are_refused_with_those_that_there_are(data_folder):
    with pytest.raises(ParameterError, match=r"alt\.atheism, comp\.graphics.*talk\.religion\.misc; got 'comp\.mac'"):
        load_newsgroups(inliers="comp.mac")
    with pytest.raises(ParameterError, match="business, entertainment, politics, sport, tech; got 'weather'"):
        load_bbc(outliers=["tech", "weather"])


@pytest.mark.parametrize(("load", "most"), [(load_bbc, 401), (load_wiki_people, 303), (load_reuters, 197)])
def test_more_outliers_than_there_are_are_refused(data_folder, load, most):
    with pytest.raises(ParameterError, match=f"n_outliers must be a whole number from 0 to {most}, .* got {most + 1}"):
        load(n_outliers=most + 1)


@pytest.mark.parametrize("load", [load_reuters, load_wiki_people])
def test_a_form_that_there_is_not_is_refused(load):
    with pytest.raises(ParameterError, match="form must be 'texts' or 'matrix'; got 'counts'"):
        load("counts")
