"""Figures that others report: the paper's, and those known of its published code.

Kannan, Woo, Aggarwal, Park: "Outlier Detection for Text Data", section 4. The paper gives no figure for RCV20, only curves.
"""

from __future__ import annotations

PAPER_AUC: dict[str, dict[str, float]] = {
    "reuters": {"TONMF": 0.9340, "knn": 0.5370, "svd": 0.5816, "rpca": 0.6120},
    "wiki-people": {"TONMF": 0.8552, "knn": 0.5395, "svd": 0.5670, "rpca": 0.5471},
    "baskets": {"TONMF": 0.7598, "knn": 0.5431, "svd": 0.5731, "rpca": 0.5758},
    "christian": {"TONMF": 0.9732},
}
"""Areas under ROC curves by data set: the paper's TONMF, and the baselines under our names for them."""

AUTHORS_CODE_AUC = {"reuters": 0.480}
"""Area of the authors' published code on the same matrix, at k = 10, α = 10, β = 1 and 9 × 9 iterations; not measured here."""

AUTHORS_CODE_SECONDS, AUTHORS_CODE_GB = 471, 4.4
"""Processor time and memory of that run."""

REGULAR_WORDS, LONG_WORDS, SHORT_WORDS = 195, 400, 150
"""Section 4.6 on RCV20: a regular document has 195 words on average; false positives have over 400 or under 150."""
