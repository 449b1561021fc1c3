"""The benchmark of what embeddings cost: its measurements of a few documents, and its page."""

import numpy as np
import pytest

from benchmarks.meaning import with_and_without
from benchmarks.meaning_report import page_text
from benchmarks.nearest import OURS, SEARCHES, WIDTH, made_up_vectors, measure
from tonmf.datasets import make_corpus

MACHINE = {"cpu": "Intel(R) Xeon(R)", "cores": 2, "memory_gb": 24}


def search(method, seconds, vectors=1000):
    memory = {"vectors_mb": 1.5, "added_mb": 20.0, "peak_mb": 300.0}
    return {"vectors": vectors, "method": method, "prepare_s": 0.5, "search_s": seconds, "queries": 1000, **memory}


def results(**changed):
    collection = {
        "collection": "BBC",
        "documents": 2000,
        "encoded": 100,
        "encode_s": 10.0,
        "fit_words_s": 2.0,
        "fit_both_s": 3.0,
        "score_words_s": 0.5,
        "score_both_s": 0.4,
    }
    searches = [search(method, seconds) for method, seconds in zip(SEARCHES, (0.5, 4.5, 0.25), strict=True)]
    return {"runs": 3, "collections": [collection | changed], "searches": searches}


def page_of(measured):
    return page_text({"machine": MACHINE, "results": measured})


def cells(page, first):
    """Return the cells of the rows that begin with these."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    return [row[len(first) :] for row in rows if row[: len(first)] == first]


def test_the_page_has_rates_and_what_embeddings_add():
    page = page_of(results())
    assert cells(page, ["BBC", "2,000"]) == [
        ["100", "10", "1,000", "4,000"],
        ["2", "3", "+50%", "0.5", "0.4", "-20%"],
    ]
    assert "- BBC: MiniLM takes 100 times as long as a fit by words, document for document." in page
    assert "2 cores of\nan Intel(R) Xeon(R) with 24 GB" in page


def test_the_page_says_so_if_nothing_was_measured():
    assert "Not measured yet: `python -m benchmarks meaning`" in page_text(None)


def test_sentences_follow_the_figures():
    page = page_of(results(encode_s=0.05))
    assert "MiniLM takes 0.5 times as long as a fit by words" in page


def test_peers_are_compared_with_ours_among_the_most_vectors():
    measured = results()
    measured["searches"] = [search(method, 100.0, vectors=10) for method in SEARCHES] + measured["searches"]
    page = page_of(measured)
    assert "- 1,000 vectors: faiss IndexFlatIP takes 5 times as long as tonmf, preparation included." in page
    assert "- 1,000 vectors: faiss IndexIVFFlat takes 0.75 times as long as tonmf, preparation included." in page


def test_made_up_vectors_have_unit_norm_and_are_the_same_every_time():
    rows = made_up_vectors(300)
    assert rows.shape == (300, WIDTH)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(made_up_vectors(300), rows)


@pytest.mark.parametrize("method", SEARCHES)
def test_every_search_reports_time_and_memory(method):
    if method != OURS:
        pytest.importorskip("faiss")
    figures = measure(method, 1200)
    assert (figures["method"], figures["vectors"], figures["queries"]) == (method, 1200, 1200)
    assert min(figures["prepare_s"], figures["search_s"], figures["peak_mb"]) > 0


def test_fits_and_scores_are_timed_with_and_without_embeddings():
    corpus = make_corpus(200, 6, random_state=1)
    rows = np.random.default_rng(0).standard_normal((200, 8)).astype(np.float32)
    seconds = with_and_without(corpus.texts, rows, 1)
    assert set(seconds) == {"fit_words_s", "fit_both_s", "score_words_s", "score_both_s"}
    assert min(seconds.values()) > 0
