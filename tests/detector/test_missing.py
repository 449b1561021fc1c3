"""What explanations list of a document's surroundings is exact, although not everything is looked at."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.datasets.archives import read_bbc
from tonmf.detector.explain.missing import ExpectedTerms
from tonmf.nmf.ops import SAME_ROW


def by_all_terms(topics, readings, counts, n_terms):
    """Return the expected terms that each document lacks, by a look at every term."""
    found = []
    for row in range(counts.shape[0]):
        expected = sum(W @ reading.theta[row, 1:] for W, reading in zip(topics, readings, strict=True))
        expected[counts[row].indices] = 0
        order = np.argsort(-expected, kind="stable")[:n_terms]
        found.append(order[expected[order] > 0].tolist())
    return found


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([3, 40, 200, 3000]),
    st.sampled_from([1, 5, 70]),
    st.sampled_from(["steep", "flat", "few values", "mostly zero"]),
)
def test_the_expected_terms_are_those_of_a_look_at_all_terms(seed, n_terms, n_wanted, shape):
    rng = np.random.RandomState(seed)
    values = {
        "steep": lambda size: rng.zipf(1.5, size) % 2**16,
        "flat": lambda size: 2**12 + rng.randint(64, size=size),
        "few values": lambda size: rng.randint(3, size=size),
        "mostly zero": lambda size: rng.randint(1, 9, size) * (rng.rand(*size) < 0.01),
    }[shape]
    # Sums of such numbers are exact, so that terms which are expected alike are so to the last bit.
    topics = [values((n_terms, n_topics)).astype(np.float32) / 16 for n_topics in (1, 2, 4)]
    readings = [SimpleNamespace(theta=rng.randint(17, size=(7, 1 + W.shape[1])) / 16) for W in topics]
    counts = sp.csr_matrix(rng.rand(7, n_terms) < 0.3, dtype=np.float32)
    found = ExpectedTerms(topics).missing(counts, readings, np.arange(7), n_wanted)
    assert [terms.tolist() for terms in found] == by_all_terms(topics, readings, counts, n_wanted)


def plain_neighbours(detector, Y, n_nearest):
    """Return the names of the nearest ordinary documents of each row and their cosines, by sorting all of them."""
    sample, known, found = detector._state.scorer.sample, detector._state.profile, []
    for row in range(Y.shape[0]):
        cosines = (sample @ Y[row].T).toarray().ravel()
        if cosines.max() > SAME_ROW:
            cosines[cosines.argmax()] = 0
        near = {}
        for place in np.argsort(-cosines, kind="stable"):
            if cosines[place] > 0:
                near.setdefault((known.ids[place], known.excerpts[place]), float(cosines[place]))
        found.append([(name, cosine) for (name, _), cosine in near.items()][:n_nearest])
    return found


def assert_as_by_plain_loops(detector, texts, n_nearest, n_missing):
    read = detector.read(texts)
    topics = [rung.topics for rung in detector.rungs_]
    expected = by_all_terms(topics, read.readings, read.counts.matrix, n_missing)
    near = plain_neighbours(detector, read.corpus.source.matrix(), n_nearest)
    explained = detector.explain(texts, n_nearest=n_nearest, n_missing=n_missing)
    for why, terms, nearest in zip(explained, expected, near, strict=True):
        assert why.missing == ([detector.terms_[term] for term in terms] if why.topics else [])
        assert [(one.document.id, one.cosine) for one in why.nearest] == nearest


@pytest.fixture(scope="module")
def articles(data_folder):
    texts = [document.text for document in read_bbc(data_folder / "bbc-fulltext.zip")][::4]
    return TextOutlierDetector().fit(texts), texts


@pytest.mark.parametrize(("n_nearest", "n_missing"), [(1, 1), (3, 5), (40, 60)])
def test_explanations_of_real_texts_are_those_of_plain_loops(articles, n_nearest, n_missing):
    detector, texts = articles
    assert_as_by_plain_loops(detector, [*texts, "", "zxcv qwer"], n_nearest, n_missing)


def test_copies_in_the_sample_are_listed_once_however_many_there_are():
    texts = make_corpus(n_docs=300, n_outliers=6, random_state=1).texts
    names = ["same"] * 60 + [f"doc {row}" for row in range(300)]
    copied = [texts[0]] * 60 + texts
    detector = TextOutlierDetector().fit(copied, names=names)
    assert_as_by_plain_loops(detector, texts[:50], 4, 5)
    assert len({near.document.id for near in detector.explain(texts[:1])[0].nearest}) == 3


def test_what_was_prepared_to_explain_is_not_pickled():
    texts = make_corpus(n_docs=100, n_outliers=2, random_state=1).texts
    detector = TextOutlierDetector().fit(texts)
    before = len(pickle.dumps(detector._explainer))
    explained = detector.explain(texts)
    assert len(pickle.dumps(detector._explainer)) == before
    assert pickle.loads(pickle.dumps(detector)).explain(texts) == explained
