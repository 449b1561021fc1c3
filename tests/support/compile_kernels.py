"""Compile the kernels for matrices of both precisions; numba keeps what it has compiled."""

import numpy as np

from tonmf import TONMF, TextOutlierDetector
from tonmf.datasets import make_corpus
from tonmf.nmf.inner import INNER_METHODS
from tonmf.service.json_outline import outline_of
from tonmf.text.compiled import FEWEST_CHARACTERS

if __name__ == "__main__":
    rows = np.random.default_rng(0).poisson(1.0, (40, 12))
    for dtype in (np.float32, np.float64):
        for inner in INNER_METHODS:
            TONMF(2, inner=inner, tol=0.1, random_state=0).fit(rows.astype(dtype)).transform(rows.astype(dtype))
    corpus = make_corpus(n_docs=60, n_outliers=2)
    texts = [*corpus.texts, "words " * FEWEST_CHARACTERS]  # enough for compiled code to count them
    TextOutlierDetector(max_topics=4, n_restarts=1).fit(texts).explain(texts[:2])
    outline_of(b"{}")
