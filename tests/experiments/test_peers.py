"""The peers of the benchmark of quality: methods like those of the experiments, at several settings."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks.embedding_peers import EMBEDDING_PEERS, NEIGHBOURS
from benchmarks.peers import PEERS, RANKS, View, scores_of
from benchmarks.quality import METHODS as MEASURED
from tonmf.datasets import make_baskets
from tonmf.experiments.methods import METHODS

BY_PYOD = {"k-NN (PyOD)", "ECOD", "COPOD", "PCA (PyOD)"}
"""Peers that need the extra ``bench``."""


@pytest.fixture(scope="module")
def view():
    return View(make_baskets(300, 9, random_state=1))


@pytest.mark.parametrize("name", PEERS if find_spec("pyod") else [name for name in PEERS if name not in BY_PYOD])
def test_every_peer_scores_every_document_at_every_setting(name, view):
    scores = scores_of(PEERS[name], view)
    assert len(scores) > 1
    for values in scores.values():
        assert values.shape == (300,)
        assert np.isfinite(values).all()


def test_methods_that_the_experiments_have_too_are_the_same(view):
    peer = scores_of(PEERS["NMF residual"], view)
    assert set(peer) == {f"rank {rank}" for rank in RANKS}
    scores, _ = METHODS["nmf"].run(view, "tf-idf", 0)
    np.testing.assert_array_equal(peer["rank 10"], scores)
    scores, _ = METHODS["tonmf-paper"].run(view, "tf-idf", 0)
    np.testing.assert_array_equal(scores_of(PEERS["paper's algorithm"], view)["10 topics"], scores)


def test_every_peer_is_measured():
    assert set(PEERS) | set(EMBEDDING_PEERS) < set(MEASURED)


@pytest.fixture(scope="module")
def embeddings():
    """150 vectors of unit norm around three subjects, and 5 around a fourth."""
    rng = np.random.default_rng(0)
    subjects = np.append(np.repeat([0, 1, 2], 50), np.repeat(3, 5))
    rows = rng.standard_normal((4, 64))[subjects] + 0.4 * rng.standard_normal((155, 64))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("name", EMBEDDING_PEERS if find_spec("pyod") else ["MiniLM + k-NN"])
def test_every_peer_on_embeddings_scores_every_document_at_every_setting(name, embeddings):
    if name.endswith("autoencoder"):
        pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = EMBEDDING_PEERS[name].score(embeddings, None, 0)
    for values in scores.values():
        assert values.shape == (155,)
        assert np.isfinite(values).all()


@pytest.mark.parametrize("method", ["mean", "largest"])
def test_neighbours_that_are_found_once_for_all_settings_give_the_scores_of_pyod(method, embeddings):
    knn = pytest.importorskip("pyod.models.knn")
    scores = EMBEDDING_PEERS["MiniLM + k-NN"].score(embeddings, None, 0)
    for k in NEIGHBOURS:
        theirs = knn.KNN(n_neighbors=k, method=method).fit(embeddings).decision_scores_
        np.testing.assert_allclose(scores[f"{method}, k={k}"], theirs, rtol=1e-5)
