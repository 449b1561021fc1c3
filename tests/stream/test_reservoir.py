"""Weighted random samples of streams."""

import numpy as np

from tonmf.stream.reservoir import chosen, faded_keys, fresh_keys, keys_of_sample


def test_a_reservoir_is_a_fair_sample_and_a_fading_one_prefers_the_recent():
    counts, recent = np.zeros(300), np.zeros(300)
    for seed in range(400):
        rng = np.random.default_rng(seed)
        for factor, counted in ((1.0, counts), (0.5, recent)):
            members, keys = (
                np.arange(20),
                keys_of_sample(20, 100, rng),
            )  # 20 of 100, numbers that stand for the first hundred
            for block in range(2):
                numbers = np.arange(100, 200) + 100 * block
                old, new = faded_keys(keys, factor), fresh_keys(np.ones(100), rng)
                kept, taken = chosen(old, new, 20)
                members, keys = np.concatenate([members[kept], numbers[taken]]), np.concatenate([old[kept], new[taken]])
            counted[members] += 1
    thirds = counts[:100].sum(), counts[100:200].sum(), counts[200:].sum()
    np.testing.assert_allclose(thirds, 400 * 20 / 3, rtol=0.06)
    faded = recent[:100].sum(), recent[100:200].sum(), recent[200:].sum()
    np.testing.assert_allclose(np.array(faded) / (400 * 20), np.array([1, 2, 4]) / 7, atol=0.03)
