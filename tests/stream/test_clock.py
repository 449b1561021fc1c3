"""The clock of a stream, and how documents age by it."""

import warnings

import numpy as np
import pytest

from tonmf.stream.clock import Clock
from tonmf.stream.half_life import age, half_life_of

DAYS = 86400.0


@pytest.mark.parametrize(
    ("before", "start", "days", "now", "n_doubted"),
    [
        (0, 0, [1, 30_000, 2], 2, 1),
        (0, 0, [30_000], 0, 1),
        (0, 0, [5, 30_000, 30_000, 30_000, 30_000], 5, 4),
        (0, 0, [5, 30_000, 30_001, 30_002, 30_003, 30_004], 30_004, 0),  # after a long silence
        (0, 0, [400, 401, 402, 30_000, 403, 404], 404, 1),  # the same, with one far ahead of that
        (None, 1, [30_000, 1, 2, 3], 3, 1),
        (None, 1, [-20_000, 1, 2, 3, 4, 5], 5, 0),
        (None, 0, [*range(0, 4000, 10), 30_000, 3990], 3990, 1),  # an archive in one block
        (None, 4000, [*range(4000, 0, -10)], 4000, 0),  # the newest first
    ],
)
def test_a_time_far_ahead_of_the_others_is_doubted_until_five_in_a_row_are(before, start, days, now, n_doubted):
    """One wrong year made all that was known fade, and all that came count as old."""
    clock = Clock(None if before is None else before * DAYS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ageing = age(half_life_of("30 days"), len(days), np.array(days) * DAYS, clock)
    assert ageing.clock.now == now * DAYS
    assert ageing.factor == pytest.approx(0.5 ** ((now - start) / 30))
    np.testing.assert_allclose(ageing.weights, [0.5 ** (max(now - day, 0) / 30) for day in days])
    says = f"{n_doubted} of {len(days)} documents have times up to 2052-02-20"
    assert [str(one.message)[: len(says)] for one in caught] == ([says] if n_doubted else [])
