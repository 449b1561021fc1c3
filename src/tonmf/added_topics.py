"""Topics that were added to a detector after its fit, and when they leave again.

An added topic leaves when its use, Σ_i s_i h_ik on the finest rung, has faded to `LEAVES_BELOW` of what it was when the topic
came. There are at most `MOST_ADDED`: when there are more, those leave that are used least. Topics of the fit stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tonmf.ops import Array

LEAVES_BELOW = 0.1
"""Share of its first use at which an added topic leaves: after three to four half-lives without documents like it."""

MOST_ADDED = 50
"""Added topics of a detector."""


def staying(usage: Array, at_first: Array, most: int) -> NDArray[np.bool_]:
    """Which added topics stay, given how much each is used, how much it was at first, and how many there may be.

    >>> staying(np.array([5.0, 0.3, 8.0, 6.0]), np.array([5.0, 5.0, 5.0, 5.0]), most=2).tolist()
    [False, False, True, True]
    """
    stays: NDArray[np.bool_] = usage > LEAVES_BELOW * at_first
    stays[np.argsort(np.where(stays, -usage, np.inf), kind="stable")[most:]] = False
    return stays
