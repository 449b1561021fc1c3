"""``tonmf bench``: quality and speed on this machine, beside two baselines in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from tonmf.cli import options as opt
from tonmf.cli.learning import check_jobs
from tonmf.cli.screen import Screen
from tonmf.errors import ParameterError

NEIGHBOURS = 10
TOPICS = 10


def bench(
    documents: Annotated[int, typer.Option(min=50, help="Number of documents to make.")] = 2000,
    outliers: Annotated[int, typer.Option(min=1, help="Number of outliers among them.")] = 20,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    as_json: opt.AsJson = False,
) -> None:
    """Compare tonmf with k-NN and NMF on a synthetic corpus: time, and how well they find outliers.

    The corpus is easy. For results on real text see docs/evidence/quality.md.
    """
    screen = Screen(as_json=as_json)
    if outliers >= documents:
        raise ParameterError(f"--outliers must be fewer than --documents; got {outliers} and {documents}.")
    check_jobs(jobs)
    with screen.step("Loading"):
        from sklearn.metrics import average_precision_score, roc_auc_score

        from tonmf.datasets import make_corpus

    corpus = make_corpus(documents, outliers, seed)
    with screen.step("Compiling"):
        _tonmf(jobs)(corpus.texts[:50] if corpus.texts else [])  # kernels are compiled once, not once a corpus
    results: list[dict[str, Any]] = []
    for name, method in {
        "tonmf": _tonmf(jobs),
        "k-NN, cosine, tf-idf": _nearest,
        "NMF residual, tf-idf": _nmf(seed),
    }.items():
        with screen.step(name):
            begin = time.perf_counter()
            scores = method(corpus.texts)
            seconds = time.perf_counter() - begin
        figures = roc_auc_score(corpus.labels, scores), average_precision_score(corpus.labels, scores)
        results.append({"method": name, "seconds": seconds, "auc": float(figures[0]), "ap": float(figures[1])})
    screen.show_json({"documents": documents, "outliers": outliers, "seed": seed, "results": results})
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("method", "seconds", "AUC", "AP"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for row in results:
        table.add_row(row["method"], f"{row['seconds']:.2f}", f"{row['auc']:.3f}", f"{row['ap']:.3f}")
    screen.show(table)


def _tonmf(jobs: int | None) -> Callable[[Any], Any]:
    from tonmf import TextOutlierDetector

    return lambda texts: TextOutlierDetector(n_jobs=jobs).fit(texts).outlier_scores_


def _rows(texts: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english").fit_transform(texts)


def _nearest(texts: Any) -> Any:
    """Score by the mean distance to the nearest neighbours."""
    from tonmf.baselines import KNNDistance

    return KNNDistance(NEIGHBOURS, metric="cosine", score_by="mean").fit(_rows(texts)).outlier_scores_


def _nmf(seed: int) -> Callable[[Any], Any]:
    """Score by the distance of each row from its approximation by topics."""
    from tonmf.baselines import NMFResidual

    return lambda texts: NMFResidual(TOPICS, max_iter=400, random_state=seed).fit(_rows(texts)).outlier_scores_
