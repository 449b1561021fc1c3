"""The benchmark of fits on a sample: what it measures, and the page that it writes."""

from benchmarks.sample_fits import CHOSEN, MOST, SAMPLE_FITS, evaluate
from benchmarks.sample_report import ALL, SIZES, report
from tonmf.datasets import make_corpus


def test_a_sample_is_judged_on_all_documents():
    corpus = make_corpus(n_docs=120, n_outliers=4)
    for size in (None, 60):
        figures = evaluate(corpus.texts, corpus.labels, size, seed=0)
        assert figures["documents"] == 120
        assert figures["auc"] > 0.9


def test_no_sample_is_measured_that_has_no_effect():
    assert MOST.keys() <= CHOSEN.keys()
    sizes = {config["task"]: config["method"] for config in SAMPLE_FITS.configs() if config["method"] != ALL}
    assert sizes.keys() == CHOSEN.keys()


def test_the_page_has_differences_from_a_fit_on_all_documents():
    figures = {"recall": 0.5, "false alarms": 0.01, "seconds": 2.0, "documents": 1000.0}
    results = [
        {"config": {"task": "t", "method": method, "seed": 0}, "result": {**figures, "auc": auc, "ap": auc / 2}}
        for method, auc in ((ALL, 0.9), (str(SIZES[0]), 0.8))
    ]
    text = report(results).text
    assert "| 500 |     1 |   50% | -0.100 | -0.050 | +0.0 % |       +0.0 % |    100% |" in text
