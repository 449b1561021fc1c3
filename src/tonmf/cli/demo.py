"""``python -m tonmf.cli.demo``: the main job on a made-up corpus, start to end."""

from __future__ import annotations

import numpy as np

from tonmf import TextOutlierDetector
from tonmf.datasets import make_corpus

TOP = 12
"""Documents to show."""

WORDS = 5
"""Words to show of a topic or a document."""


def main() -> None:
    """Fit, rank, and show the reasons."""
    corpus = make_corpus(n_docs=500, n_outliers=10)
    texts = corpus.texts or []
    detector = TextOutlierDetector().fit(texts)

    print(
        f"{len(texts)} documents, {detector.n_terms_} different words; {corpus.labels.sum()} outliers were planted.\n"
    )
    print("Topics")
    for topic in detector.topics(WORDS):
        print(f"  {topic.share:4.0%}  {', '.join(topic.words)}")

    flagged = detector.labels_ == -1
    print(f"\nDocuments that do not belong: {flagged.sum()} flagged, score above {detector.threshold_:.2f}")
    print(f"  {'rank':>4}  {'id':<9} {'score':>6}  {'flagged':<7}  {'planted':<7}  unexpected words")
    ranked = np.argsort(-detector.outlier_scores_)[:TOP]
    reasons = detector.unexpected_words([texts[row] for row in ranked], WORDS)
    for rank, (row, reason) in enumerate(zip(ranked, reasons, strict=True), start=1):
        marks = ["yes" if yes else "no" for yes in (flagged[row], corpus.labels[row])]
        listed = ", ".join(word.word for word in reason)
        score = detector.outlier_scores_[row]
        print(f"  {rank:>4}  {corpus.ids[row]:<9} {score:>6.2f}  {marks[0]:<7}  {marks[1]:<7}  {listed}")


if __name__ == "__main__":
    main()
