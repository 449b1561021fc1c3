"""Check that a store on disk holds documents as they are counted in memory."""

import numpy as np
import scipy.sparse as sp

from tonmf.text.weighting import damped, inverse_document_frequencies


def assert_stored(store, facts, terms, counts):
    """Compare the terms, totals, counts and idf of a store with those of documents in memory."""
    assert store.terms(facts) == terms
    corpus = store.corpus(facts, terms)
    for name, values in vars(corpus.totals).items():
        np.testing.assert_array_equal(values, getattr(counts.totals, name))
    C = sp.vstack([block.C.by_row for block in corpus.source.blocks()])
    assert abs(C - damped(counts.matrix)).nnz == 0
    np.testing.assert_array_equal(corpus.idf, inverse_document_frequencies(counts.matrix))
