"""The penalty on topics: the paper's ℓ1 term, and the log-mass prior that makes topics earn their place.

====== ========= =================================================================
letter shape     what
====== ========= =================================================================
m_k    n_topics  mass of a topic: ‖w_k‖ Σ_i s_i h_ik, its use with w_k at unit norm
n      scalar    Σ_i s_i, the number of documents
E      scalar    Σ_i s_i (‖x_i‖² − ρ_i²), what the topics explain of the data
====== ========= =================================================================

    R(m) = β Σ_k m_k + τE Σ_k ln(1 + m_k/(εn))

The first term is the paper's. The second (from automatic relevance determination) grows with the logarithm: halving a
small topic gains as much as halving a large one, so a topic that few documents use is not worth its price and goes to
zero. τ ("topic_share") sets the share of what is explained that a topic must carry. ε is tiny and only keeps the
logarithm finite.

R is concave in m, so its tangent lies above it: Σ_k β_k m_k + const with β_k = β + τE/(εn + m_k). That is the paper's β made
adaptive, one for each topic. The steps of a solver see nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tonmf.arrays import Array

RAMP_AFTER = 6
"""Passes before topics have a price, in which they settle."""

RAMP_PASSES = 8
"""Passes over which the price rises to its full value; from then on the objective is fixed."""

SMALLEST_MASS = 1e-7
"""ε for rows of unit norm."""


@dataclass(frozen=True)
class Penalty:
    """The penalty R(m), with price = τE and floor = εn."""

    beta: float
    price: float = 0.0
    floor: float = 1.0

    def value(self, masses: Array) -> float:
        """Return R(m).

        >>> round(Penalty(beta=2.0, price=1.0, floor=1.0).value(np.array([0.0, np.e - 1])), 6)
        4.436564
        """
        return float(self.beta * masses.sum() + self.price * np.log1p(masses / self.floor).sum())

    def slopes(self, masses: Array) -> Array:
        """Return β_k, the derivative of R: the cost of one more unit of each topic.

        >>> Penalty(beta=2.0, price=1.0, floor=1.0).slopes(np.array([0.0, 1.0])).tolist()
        [3.0, 2.5]
        """
        slopes: Array = self.beta + self.price / (self.floor + masses)
        return slopes

    def of_more(self, ratio: float) -> Penalty:
        """Return the penalty of `ratio` times as many documents of the same kind.

        >>> Penalty(beta=2.0, price=1.0, floor=1.0).of_more(3).slopes(np.array([0.0, 3.0])).tolist()
        [3.0, 2.5]
        """
        return Penalty(self.beta, ratio * self.price, ratio * self.floor)


@dataclass(frozen=True)
class Ramp:
    """The schedule by which the price of topics rises, pass by pass."""

    topic_share: float

    def over(self, iteration: int) -> bool:
        """Return whether the price is fixed from this pass on."""
        return iteration > RAMP_AFTER + RAMP_PASSES

    def penalty(self, beta: float, iteration: int, explained: float, n_docs: float, squared_norms: float) -> Penalty:
        """Return the penalty after pass `iteration`, from what the topics explain and the squared norm of all rows."""
        height = min(max(iteration + 1 - RAMP_AFTER, 0) / RAMP_PASSES, 1.0)
        floor = SMALLEST_MASS * float(np.sqrt(n_docs * squared_norms))  # εn, in units of the rows' norm
        return Penalty(beta, height * self.topic_share * explained, floor) if floor > 0 else Penalty(beta)
