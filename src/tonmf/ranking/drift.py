"""Whether far more of new documents are flagged than of the training documents: then these may no longer say what is ordinary.

Of n judged documents, k are flagged. If new documents were as ordinary as those of training, the number of flagged ones would
be binomial, with the share p that is flagged in training, by Laplace's rule: (flagged + 1)/(judged + 2). They have drifted if
at least k would be flagged with a probability below `RARE`, and k/n is at least `TIMES` p: among very many documents a small
difference is certain too, but no reason for a warning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tonmf.detector.explain.explanation import percent
from tonmf.detector.fitted import FittedDetector
from tonmf.wording import number_of

RARE = 0.001
"""Probability below which so many flagged documents are no accident."""

TIMES = 2.0
"""How many times the share of training must be flagged, at least."""


@dataclass(frozen=True)
class Drift:
    """How many of new documents are flagged, and how many one would expect.

    Attributes
    ----------
    judged, flagged : int
        Of the new documents.
    expected_share : float
        Share of ordinary documents that would be flagged, by the training documents.
    share : float
        Share of the new ones that are flagged.
    p_value : float
        Probability of at least so many flagged ones if the new documents were like those of training.
    """

    judged: int
    flagged: int
    expected_share: float
    share: float
    p_value: float

    @property
    def is_far(self) -> bool:
        """Return whether far more are flagged than in training."""
        return self.p_value < RARE and self.share >= TIMES * self.expected_share

    @property
    def warning(self) -> str | None:
        """Return a sentence for the user, None if there is nothing to warn of."""
        if not self.is_far:
            return None
        share, expected = percent(self.share), percent(self.expected_share)
        return (
            f"{self.flagged:,} of {number_of(self.judged, 'judged document')} ({share}) are flagged, far more than the "
            f"{expected} that training lets expect. They may be of another kind than the documents that the model was fitted "
            "on; fit it again on such as these are."
        )


def drift_of(detector: FittedDetector, judged: int, flagged: int) -> Drift:
    """Compare the number of flagged documents among new, judged ones with the share that is flagged in training.

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import make_corpus
    >>> detector = TextOutlierDetector().fit(make_corpus(n_docs=200, n_outliers=4).texts)
    >>> drift_of(detector, judged=100, flagged=3).is_far, drift_of(detector, judged=100, flagged=40).is_far
    (False, True)
    """
    from scipy.special import bdtrc  # commands that only score need not load it

    known = ~detector.empty_
    n_known, n_flagged = int(known.sum()), int((detector.outlier_scores_[known] > detector.threshold_).sum())
    expected = (n_flagged + 1) / (n_known + 2)
    p_value = 1.0 if flagged == 0 else float(np.clip(bdtrc(flagged - 1, judged, expected), 0, 1))
    return Drift(judged, flagged, expected, flagged / judged if judged else 0.0, p_value)
