"""Quantile sketches of streams."""

import numpy as np
import pytest

from tonmf.stream.digest import KEPT, LARGEST, Digest


def test_a_digest_is_exact_while_it_is_small_and_near_afterwards():
    rng = np.random.default_rng(0)
    values = rng.gamma(2, size=3000)
    small = Digest.of(values[:1000]).add(values[1000:], np.ones(2000))
    np.testing.assert_allclose(
        small.percentiles([0, 16, 50, 84, 99, 100]), np.percentile(values, [0, 16, 50, 84, 99, 100])
    )
    large, everything = Digest.of([]), []
    for _ in range(100):
        more = rng.gamma(2, size=700)
        everything.append(more)
        large = large.add(more, np.ones(700))
    everything = np.concatenate(everything)
    assert len(large.values) <= LARGEST
    assert large.weight == pytest.approx(70_000)
    places = [1, 16, 50, 84, 99]
    ranks = [100 * (everything <= value).mean() for value in large.percentiles(places)]
    np.testing.assert_allclose(ranks, places, atol=100 * 4 / KEPT)
    assert large.values[-1] == everything.max()


def test_a_digest_takes_what_comes_however_much_there_was():
    """Beyond a weight of 10^9 the quantiles froze."""
    large = Digest(np.arange(3000.0), np.full(3000, 1e9))
    for _ in range(3):
        large = large.add(np.full(1000, 1e6), np.ones(1000))
    assert large.values.max() == 1e6
    assert large.weight == pytest.approx(3e12 + 3000, abs=0.1)
    assert len(large.values) <= LARGEST
    faded = Digest.of(np.arange(50.0)).faded(1e-10).add(np.array([70.0]), np.ones(1))
    assert faded.values.tolist() == [70.0]


def test_a_digest_follows_what_is_recent():
    digest = Digest.of(np.zeros(1000))
    for _ in range(100):
        digest = digest.faded(0.9).add(np.ones(20), np.ones(20))
    assert digest.percentiles([50])[0] == 1
    assert digest.weight == pytest.approx(200, rel=0.01)
