"""Whether two models are the same, told by what they make of three sentences.

Rows of the same text differ a little with the batch, the number of threads, the device and the precision (by 1e-6 of their
length in float32, by about 1e-2 in bfloat16), so no digest of them can be relied on: some number always lies at the edge
at which it is rounded. So the rows themselves are kept, and compared by their distance. Models that were trained on
something else differ by a large part of their length.
"""

from __future__ import annotations

import numpy as np

from tonmf.arrays import Array

SENTENCES = [
    "The ferry to the island leaves at half past seven.",
    "Interest rates rose by a quarter of a percentage point, said the central bank.",
    "Whisk two eggs with the sugar until the mixture is pale and thick.",
]
"""What every model is asked for. Saved models and caches hold the answers, so these never change."""

NEAR = 0.05
"""Distance up to which two rows are the same, in lengths of the longer one; the angle between them is then below 3°."""


def same_model(probe: Array, other: Array) -> bool:
    """Return True if two probes are those of one model, on whatever machine, device and precision.

    >>> probe = np.eye(3, 8)
    >>> same_model(probe, probe + 1e-3), same_model(probe, probe[::-1]), same_model(probe, np.eye(3, 9))
    (True, False, False)
    """
    if probe.shape != other.shape:
        return False
    distances = np.linalg.norm(np.subtract(probe, other, dtype=np.float64), axis=1)
    lengths = np.maximum(*(np.linalg.norm(rows.astype(np.float64), axis=1) for rows in (probe, other)))
    return bool(np.all(distances <= NEAR * lengths))
