"""How much a term weighs in a row."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tonmf.text.weighting import LEAST_WEIGHT, idf_of, term_weights, unit_rows


@given(n_docs=st.integers(1, 1000), data=st.data())
def test_words_of_few_documents_weigh_by_idf_and_those_of_most_documents_less(n_docs, data):
    df = np.sort(data.draw(st.lists(st.integers(0, n_docs), min_size=1)))
    idf = idf_of(df, n_docs)
    weights = term_weights(idf)
    assert (np.diff(weights) <= 0).all()
    assert (weights[2 * (1 + df) <= 1 + n_docs] >= 0.999 * idf[2 * (1 + df) <= 1 + n_docs]).all()
    assert (weights[df == n_docs] == LEAST_WEIGHT).all()
    np.testing.assert_array_equal(term_weights(idf, 1.0), idf)


def test_a_word_of_all_documents_hardly_changes_a_row():
    weights = term_weights(idf_of(np.array([2, 3, 100]), 100))
    alone, with_common = (unit_rows(sp.csr_matrix(row), weights) for row in ([[1.0, 1.0, 0.0]], [[1.0, 1.0, 1.0]]))
    assert (alone @ with_common.T).toarray().item() > 0.9999
