"""How documents are chosen from a collection with classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tonmf import ParameterError
from tonmf.datasets.selection import choose_documents

CLASSES = np.array(["a", "b", "c", "a", "b", "c", "a", "d"])


@given(st.lists(st.sampled_from("abcd"), min_size=1), st.integers(0, 2**32), st.data())
def test_all_of_the_ordinary_and_some_of_the_strange(names, seed, data):
    classes = np.array(["a", "b", "c", "d", *names])
    n = data.draw(st.integers(0, int(np.isin(classes, ["c", "d"]).sum())))
    chosen = choose_documents(classes, ("a", "b"), ("c", "d"), n, seed)
    assert len(set(chosen)) == len(chosen)
    assert np.isin(classes[chosen], ["a", "b"]).sum() == np.isin(classes, ["a", "b"]).sum()
    assert np.isin(classes[chosen], ["c", "d"]).sum() == n


@pytest.mark.parametrize("n_outliers", [3, -1, 1.0, True, "all", None])
def test_a_number_of_outliers_that_cannot_be(n_outliers):
    with pytest.raises(ParameterError, match=r"n_outliers must be a whole number from 0 to 2, the documents of c; got"):
        choose_documents(CLASSES, ["a"], ["c"], n_outliers, 0)


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_a_seed_that_cannot_be(seed):
    with pytest.raises(ParameterError, match="random_state must be a whole number of at least 0; got"):
        choose_documents(CLASSES, ["a"], ["c"], 1, seed)


def test_classes_that_cannot_be():
    with pytest.raises(ParameterError, match="inliers must be classes of the collection, a, b, c, d; got 'e'"):
        choose_documents(CLASSES, ["a", "e"], ["c"], 1, 0)
    with pytest.raises(ParameterError, match="outliers must be classes of the collection, a, b, c, d; got none"):
        choose_documents(CLASSES, ["a"], [], 0, 0)
    with pytest.raises(ParameterError, match="'c' is among both inliers and outliers"):
        choose_documents(CLASSES, ["a", "c"], ["c"], 1, 0)
