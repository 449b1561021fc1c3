"""``python -m tonmf.cli.demo``: the main job on a made-up corpus, start to end."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from tonmf import TONMF
from tonmf.datasets import make_corpus

TOP = 12
"""Documents to show."""

WORDS = 5
"""Words to show of a topic or a document."""


def main() -> None:
    """Fit, rank, and show the reasons."""
    corpus = make_corpus(n_docs=500, n_outliers=10)
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32)
    X = vectorizer.fit_transform(corpus.texts)
    words = vectorizer.get_feature_names_out()
    model = TONMF(n_topics=4, random_state=0).fit(X)

    print(f"{X.shape[0]} documents, {X.shape[1]} different words; {corpus.labels.sum()} outliers were planted.\n")
    print("Topics")
    for share, topic in sorted(zip(model.topic_shares_, model.components_, strict=True), key=lambda t: -t[0]):
        print(f"  {share:4.0%}  {_top_words(topic, words)}")

    flagged = model.outlier_scores_ > model.threshold_
    print(f"\nDocuments that do not belong: {flagged.sum()} flagged, score above {model.threshold_:.3f}")
    print(f"  {'rank':>4}  {'id':<9} {'score':>6}  {'flagged':<7}  {'planted':<7}  unexpected words")
    ranked = np.argsort(-model.outlier_scores_)[:TOP]
    unexplained = model.outlier_matrix(X, ranked)
    for rank, (row, rest) in enumerate(zip(ranked, unexplained, strict=True), start=1):
        marks = ["yes" if yes else "no" for yes in (flagged[row], corpus.labels[row])]
        score = model.outlier_scores_[row]
        print(
            f"  {rank:>4}  {corpus.ids[row]:<9} {score:>6.3f}  {marks[0]:<7}  {marks[1]:<7}  {_top_words(rest, words)}"
        )


def _top_words(weights: np.ndarray, words: np.ndarray) -> str:
    best = np.argsort(-weights)[:WORDS]
    return ", ".join(words[i] for i in best if weights[i] > 0)


if __name__ == "__main__":
    main()
