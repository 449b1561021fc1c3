"""The bars of the robustness benchmark."""

import numpy as np
import pytest

from benchmarks.changes import CHANGES
from benchmarks.robustness import auc_with_labels
from benchmarks.robustness_report import Cell


def cell(change, before, after, before_with_labels=None, after_with_labels=None):
    def result(auc, with_labels):
        return {"config": {"method": "tonmf"}, "result": {"auc": auc, "auc_with_labels": with_labels}}

    return Cell("demo", CHANGES[change], [result(after, after_with_labels)], [result(before, before_with_labels)])


@pytest.mark.parametrize(
    ("change", "aucs", "holds"),
    [
        ("greeting", (0.9, 0.88), True),
        ("greeting", (0.9, 0.86), False),
        ("first 5 words", (0.9, 0.7, 0.95, 0.77), True),
        ("first 5 words", (0.9, 0.7, 0.95, 0.79), False),
        ("first 5 words", (0.9, 0.88, 0.95, 0.97), True),
    ],
)
def test_a_cut_may_cost_as_much_as_it_costs_a_classifier_that_sees_the_labels(change, aucs, holds):
    assert cell(change, *aucs).bars()["AUC"] == holds


def test_the_classifier_knows_what_can_be_told_from_the_texts():
    labels = np.repeat([0, 1], [80, 20])
    told = [f"{'strange' if label else 'plain'} words" for label in labels]
    assert auc_with_labels(told, labels) == 1
    assert auc_with_labels(["the same words"] * 100, labels) == pytest.approx(0.5, abs=0.1)
