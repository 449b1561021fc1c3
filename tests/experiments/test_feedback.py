"""The benchmark of marks: the simulated reader, the ways to re-rank, and the page."""

import numpy as np
import pytest

from benchmarks.feedback import FEEDBACK
from benchmarks.feedback_report import WRONG, report
from benchmarks.readers import LEARNERS, OURS, WITHOUT, Ranked, leaves_of, read_on
from benchmarks.tasks import TASKS
from tonmf.datasets import make_corpus
from tonmf.experiments.tasks import Draw


@pytest.fixture(scope="module")
def ranked():
    return Ranked(Draw(make_corpus(300, 12, random_state=3)))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_reader_is_shown_every_document_once(ranked, name):
    shown = read_on(LEARNERS[name](ranked), ranked, 40, 0.1, 0)
    assert len(set(shown.tolist())) == 40
    assert ranked.judged[shown].all()


def test_a_reader_without_marks_is_shown_the_ranking(ranked):
    shown = read_on(LEARNERS[WITHOUT](ranked), ranked, 300, 0.0, 0)
    np.testing.assert_array_equal(ranked.scores[shown], np.sort(ranked.scores)[::-1])


def test_all_ways_but_the_forest_begin_with_the_ranking_of_the_detector(ranked):
    first = int(ranked.scores.argmax())
    assert {name for name in LEARNERS if read_on(LEARNERS[name](ranked), ranked, 1, 0.0, 0)[0] == first} >= {
        name for name in LEARNERS if name != "anomaly discovery"
    }


def test_marks_leave_the_detector_of_others_alone(ranked):
    before = ranked.detector.outlier_scores_.copy()
    read_on(LEARNERS[OURS](ranked), ranked, 10, 0.0, 0)
    assert ranked.detector.marks_ == {}
    np.testing.assert_array_equal(ranked.detector.outlier_scores_, before)


def test_documents_are_in_one_leaf_of_every_tree():
    leaves = leaves_of(np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32))
    assert (np.diff(leaves.indptr) == 100).all()
    assert (leaves.data < 0).all()


def results(ours, plain, peers, task="Reuters + crude"):
    for method in LEARNERS:
        n_found = {OURS: ours, WITHOUT: plain}.get(method, peers)
        found = {f"{wrong:g}": np.linspace(0, n_found / 0.6, 100).round().tolist() for wrong in WRONG}
        flags = {str(n): {"flagged": 3.0, "precision": None, "recall": 0.5} for n in (0, 20, 60)}
        yield {
            "config": {"task": task, "seed": 0, "method": method},
            "result": {"found": found, "n_outliers": 100, "flags": flags},
        }


def test_the_page_says_which_bars_hold():
    section = report(list(results(50, 30, 40)))
    assert section.text.count("**pass**") == 3
    assert [figure.name for figure in section.figures] == ["feedback"]
    assert report(list(results(20, 30, 40))).text.count("**fail**") == 3
    assert report([]).text == "Not measured yet.\n"


def test_the_page_says_how_many_draws_there_are():
    one = list(results(50, 30, 40))
    assert "1 tasks\nwith 1 draw each:" in report(one).text
    again = [{**r, "config": {**r["config"], "seed": 1}} for r in one]
    more = list(results(50, 30, 40, "Reuters + trade"))
    assert "2 tasks\nwith 1 to 2 draws each:" in report([*one, *again, *more]).text


def test_every_task_is_measured():
    assert set(FEEDBACK.axes["task"]) == set(TASKS)
