"""The benchmark of false-discovery rates: its figures, and its page."""

import numpy as np
import pytest

from benchmarks.fdr import FDR, at_rates, evaluate
from benchmarks.fdr_report import FEW, IN_SAMPLE, LEVELS, NEW, RATES, report
from benchmarks.tasks import TASKS
from tonmf.datasets import make_corpus
from tonmf.experiments.tasks import Draw

TASK = "BBC business, politics + tech"


def test_figures_are_shares_of_the_flagged_documents_and_of_the_outliers():
    p_values, labels = np.array([0.001, 0.002, 0.003, 0.9, 0.9, 0.9]), np.array([1, 0, 1, 0, 0, 1])
    figures = at_rates(p_values, labels)
    assert figures["flagged 0.1"] == 3
    assert figures["realised 0.1"] == pytest.approx(1 / 3)
    assert figures["found 0.1"] == pytest.approx(2 / 3)


def test_nothing_flagged_is_no_false_discovery():
    figures = at_rates(np.array([0.5, 0.9]), np.array([1, 0]))
    assert [figures[f"{what} 0.2"] for what in ("realised", "found", "flagged")] == [0, 0, 0]


@pytest.mark.parametrize("method", [NEW, IN_SAMPLE, "100 fitted"])
def test_planted_outliers_are_found_at_about_the_rate_that_is_wanted(method):
    figures = evaluate(Draw(make_corpus(400, 12, random_state=5)), 0, method)
    if method in FEW:
        assert set(figures) == {f"{what} {level}" for what in ("share", "counted") for level in LEVELS}
    else:
        assert figures["found 0.2"] == 1
        assert figures["realised 0.2"] <= 0.3


def test_the_page_names_the_tasks_that_break_the_promise():
    good = {f"{what} {rate}": 0.05 for rate in RATES for what in ("realised", "found", "flagged")}
    good |= {f"{what} {level}": level for level in LEVELS for what in ("share", "counted")}
    results = [
        {"config": {"task": TASK, "method": method, "seed": 0}, "result": good} for method in (NEW, IN_SAMPLE, *FEW)
    ]
    assert "- none" in report(results).text
    results[1] = {**results[1], "result": {**good, "realised 0.1": 0.5, "flagged 0.1": 8}}
    page = report(results).text
    assert f"- in sample, {TASK}: 0.50, of 8 documents flagged on average" in page
    assert "| 100 documents |" in page
    assert report([]).text == "Not measured yet.\n"


def test_every_task_is_measured_and_few_documents_only_where_it_was_tuned():
    configs = list(FDR.configs())
    assert {config["task"] for config in configs} == set(TASKS)
    assert all(TASKS[config["task"]].tuned for config in configs if config["method"] in FEW)
