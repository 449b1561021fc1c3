"""The peers of the benchmark of quality: methods like those of the experiments, at several settings."""

from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks.peers import EMBEDDING_NEIGHBOURS, PEERS, RANKS, View, scores_of
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
    assert set(PEERS) | {EMBEDDING_NEIGHBOURS.name} < set(MEASURED)
