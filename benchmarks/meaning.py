"""What sentence embeddings cost: to make them by MiniLM, to fit and to score with them, and to find the nearest.

``python -m benchmarks meaning`` prints tables, and writes benchmarks/results/meaning.json and docs/evidence/meaning.md. The
embeddings of whole collections are those that `benchmarks.embeddings` keeps; if there are none yet, to make them takes hours.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.embeddings import embeddings_of, encode
from benchmarks.harness import RESULTS, in_new_process, save, write_whole
from benchmarks.meaning_report import PAGE, page_text
from benchmarks.nearest import SEARCHES
from benchmarks.tasks import TEXTS
from tonmf import TextOutlierDetector

COLLECTIONS = ("20 Newsgroups", "BBC")
N_TEXTS, RUNS, VECTORS = 300, 3, (10_000, 100_000, 1_000_000)


def main(arguments: list[str]) -> None:
    """Measure, print and save, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks meaning", description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=N_TEXTS, help="texts of each collection that MiniLM reads")
    parser.add_argument("--runs", type=int, default=RUNS, help="fits and scores with and without embeddings")
    parser.add_argument("--vectors", type=int, nargs="+", default=VECTORS, help="numbers of vectors to search among")
    parser.add_argument("--report", action="store_true", help="measure nothing, only print and write the page")
    options = parser.parse_args(arguments)
    if not options.report:
        collections = [of_collection(name, options.texts, options.runs) for name in COLLECTIONS]
        searches = [in_new_process("benchmarks.nearest", m, n) for n in options.vectors for m in SEARCHES]
        save("meaning", {"runs": options.runs, "collections": collections, "searches": searches})
    path = RESULTS / "meaning.json"
    text = page_text(json.loads(path.read_text(encoding="utf-8")) if path.exists() else None)
    print(text)
    write_whole(PAGE, text)


def of_collection(name: str, n_texts: int, n_runs: int) -> dict[str, Any]:
    """Measure MiniLM on some texts of a collection, and tonmf with and without embeddings on all that have one."""
    texts, embeddings = texts_with_embeddings(name)
    some = texts[:: max(len(texts) // n_texts, 1)][:n_texts]
    encode(some[:8])  # load the model
    seconds_to_encode = _seconds(lambda: encode(some))
    return {
        "collection": name,
        "documents": len(texts),
        "encoded": len(some),
        "encode_s": seconds_to_encode,
        **with_and_without(texts, embeddings, n_runs),
    }


def texts_with_embeddings(collection: str) -> tuple[list[str], NDArray[np.float32]]:
    """Return the texts of a collection that some task uses, and their embeddings."""
    embeddings = embeddings_of(collection)
    known = np.isfinite(embeddings[:, 0])
    texts = [document.text for document, is_known in zip(TEXTS[collection](), known, strict=True) if is_known]
    return texts, embeddings[known]


def with_and_without(texts: Sequence[str], embeddings: NDArray[np.float32], n_runs: int) -> dict[str, float]:
    """Return the median seconds of fits, and of scores of the same documents, by words and with embeddings, in turn."""
    by_words, by_both = TextOutlierDetector(), TextOutlierDetector()
    TextOutlierDetector().fit(texts[:200], embeddings=embeddings[:200])  # compile
    jobs: dict[str, Callable[[], Any]] = {
        "fit_words_s": lambda: by_words.fit(texts),
        "fit_both_s": lambda: by_both.fit(texts, embeddings=embeddings),
        "score_words_s": lambda: by_words.outlier_score(texts),
        "score_both_s": lambda: by_both.outlier_score(texts, embeddings=embeddings),
    }
    runs = [[_seconds(job) for job in jobs.values()] for _ in range(n_runs)]
    return dict(zip(jobs, np.median(runs, axis=0).tolist(), strict=True))


def _seconds(job: Callable[[], Any]) -> float:
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
