"""Quantiles of numbers that are kept in order."""

import numpy as np

from tonmf.stream.quantile import quantile_of_sorted


def test_a_quantile_of_sorted_numbers_is_that_of_numpy():
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 10, 999):
        values = np.sort(rng.normal(size=n)).tolist()
        for q in (0.0, 0.1, 0.75, 1.0):
            assert quantile_of_sorted(values, q) == np.quantile(values, q)
