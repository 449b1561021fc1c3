"""Blocks cut from a matrix in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from tonmf.nmf.in_memory import MatrixSource, rows_between
from tonmf.nmf.ops.on_host import squared_norms
from tonmf.nmf.ops.reference import ReferenceOps


def test_squared_norms_of_float32_rows_are_exact():
    """4097² needs 25 bits, one more than float32 has, and small squares beside it vanish in a float32 sum."""
    rows = np.ones((3, 50), np.float32)
    rows[:, 7] = [1, 4097, 10_000]
    assert squared_norms(sp.csr_matrix(rows)).tolist() == [50, 4097**2 + 49, 10_000**2 + 49]


def test_squared_norms_of_many_rows_are_those_of_each():
    X = sp.random(10_000, 30, 0.1, format="csr", random_state=0)
    np.testing.assert_allclose(squared_norms(X), np.asarray(X.multiply(X).sum(axis=1)).ravel(), rtol=1e-12)


@pytest.mark.parametrize("block_size", [1, 7, 20, 100])
def test_blocks_hold_all_rows_in_order_and_share_their_memory(block_size):
    X = sp.random(20, 9, 0.3, format="csr", random_state=0)
    weights = np.arange(20.0)
    blocks = MatrixSource(X, weights, block_size, ReferenceOps()).blocks()
    assert [block.first for block in blocks] == list(range(0, 20, block_size))
    np.testing.assert_array_equal(np.vstack([block.X.by_row.toarray() for block in blocks]), X.toarray())
    np.testing.assert_array_equal(np.concatenate([block.sample_weight for block in blocks]), weights)
    assert all(np.shares_memory(block.X.by_row.data, X.data) for block in blocks if block.X.by_row.nnz)


def test_rows_between_are_in_canonical_form():
    X = sp.random(20, 9, 0.3, format="csr", random_state=0)
    rows = rows_between(X, 3, 11)
    rows.check_format()
    assert rows.has_canonical_format
    np.testing.assert_array_equal(rows.toarray(), X[3:11].toarray())


def test_a_twin_shares_documents_and_forgets_the_fit():
    source = MatrixSource(sp.random(20, 9, 0.3, format="csr", random_state=0), np.ones(20), 6, ReferenceOps())
    source.start_from(None, 2)
    for block, twin in zip(source.blocks(), source.again().blocks(), strict=True):
        assert twin.X is block.X
        assert block.H.shape[1] == 2
        assert twin.H.size == 0


def test_a_branch_shares_documents_and_goes_on_from_the_state_of_the_fit():
    source = MatrixSource(sp.random(20, 9, 0.3, format="csr", random_state=0), np.ones(20), 6, ReferenceOps())
    source.start_from(np.ones((20, 2)), 2)
    for block, branch in zip(source.blocks(), source.branch().blocks(), strict=True):
        assert branch.X is block.X
        np.testing.assert_array_equal(branch.H, block.H)
        branch.H[:] = 0
        assert block.H.all()
