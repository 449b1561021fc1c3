"""Scoring a single document costs no more with a large vocabulary, since what is needed for it is prepared once."""

import pickle
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import numpy as np
import pytest

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus
from tonmf.nmf import threads

TEXTS = make_corpus(n_docs=120, n_outliers=8, random_state=1).texts


@pytest.fixture(scope="module")
def small():
    return TextOutlierDetector(n_restarts=1).fit(TEXTS)


@pytest.fixture(scope="module")
def large():
    """The same texts, with 30,000 more words of which each text has a few."""
    rng = np.random.RandomState(0)
    words = np.array([f"w{number}x" for number in range(30_000)])
    more = np.concatenate([rng.permutation(words), rng.permutation(words)]).reshape(len(TEXTS), -1)
    texts = [f"{text} {' '.join(added)}" for text, added in zip(TEXTS, more, strict=True)]
    detector = TextOutlierDetector(n_restarts=1).fit(texts)
    assert detector.n_terms_ > 25_000
    return detector


def memory_of(job):
    """Return the most bytes that a job holds at a time, of those that it allocates."""
    job()
    tracemalloc.start()
    try:
        job()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", ["outlier_score", "predict", "reasons"])
def test_an_answer_takes_memory_for_the_document_and_not_for_the_vocabulary(small, large, method):
    bytes_of_small, bytes_of_large = (memory_of(lambda d=d: getattr(d, method)(TEXTS[:1])) for d in (small, large))
    assert bytes_of_large < bytes_of_small + large.n_terms_  # not a byte for each term


def test_a_score_does_not_look_for_the_libraries_of_blas_again(small, monkeypatch):
    looked = []

    def controller():
        looked.append(1)
        return real()

    real = threads.ThreadpoolController
    small.outlier_score(TEXTS[:1])
    monkeypatch.setattr(threads, "ThreadpoolController", controller)
    small.outlier_score(TEXTS[:1])
    assert not looked
    monkeypatch.setitem(sys.modules, "a_module_that_may_bring_another", ModuleType("other"))
    small.outlier_score(TEXTS[:1])
    small.outlier_score(TEXTS[:1])
    assert len(looked) == 1


def test_documents_have_the_same_scores_alone_together_and_in_several_threads(small):
    together = small.outlier_score(TEXTS)
    fresh = pickle.loads(pickle.dumps(small))  # nothing is prepared yet
    with ThreadPoolExecutor(8) as pool:
        alone = list(pool.map(lambda text: float(fresh.outlier_score([text])[0]), TEXTS))
    np.testing.assert_array_equal(alone, together)


def test_what_was_prepared_to_score_is_neither_pickled_nor_saved(tmp_path):
    detector = TextOutlierDetector(n_restarts=1).fit(TEXTS)
    n_bytes = len(pickle.dumps(detector._state.scorer))
    detector.save(tmp_path / "before")
    scores = detector.outlier_score(TEXTS)
    assert detector._state.scorer.company is not None
    assert len(pickle.dumps(detector._state.scorer)) == n_bytes
    detector.save(tmp_path / "after")
    before, after = (tmp_path / name / "arrays.safetensors" for name in ("before", "after"))
    assert after.read_bytes() == before.read_bytes()
    np.testing.assert_array_equal(load(tmp_path / "after").outlier_score(TEXTS), scores)
