"""What earlier code saved still loads and gives the same scores (tests/saved)."""

import json
import shutil
from dataclasses import replace

import numpy as np
from command import run_into_files
from repository import ROOT

from tonmf import TextOutlierDetector, load
from tonmf.datasets import make_corpus

SAVED = ROOT / "tests" / "saved"


def expected(name):
    return json.loads((SAVED / name).read_text(encoding="utf-8"))


def test_a_detector_that_was_saved_earlier_gives_the_same_scores():
    """Except to a document without words, which had the highest score + 1, and is not judged now."""
    detector, then = load(SAVED / "detector"), expected("detector-expected.json")
    assert detector.outlier_scores_.tolist() == then["training_scores"]
    assert detector.threshold_ == then["threshold"]
    assert (detector.mask, detector.strip_html, detector.strip_headers) == (None, False, False), "it was fitted without"
    documents, scores, labels = then["documents"], np.array(then["scores"]), np.array(then["labels"])
    empty = detector.alarms(documents)["empty"] > 0
    np.testing.assert_allclose(detector.outlier_score(documents), np.where(empty, 0.0, scores), rtol=1e-10)
    assert detector.predict(documents).tolist() == np.where(empty, 1, labels).tolist()
    assert [documents[row] for row in np.flatnonzero(empty)] == [""]


def test_a_detector_that_was_saved_earlier_has_p_values_by_its_scores():
    """It was saved without them, and without the lengths of its documents, so documents of all lengths are compared."""
    detector, then = load(SAVED / "detector"), expected("detector-expected.json")
    documents = then["documents"]
    scores, p_values = detector.score_with_p_value(documents)
    judged = detector.alarms(documents)["empty"] == 0
    assert (np.diff(p_values[judged][np.argsort(scores[judged])]) <= 0).all()
    assert (np.diff(detector.p_values_[np.argsort(detector.outlier_scores_)]) <= 0).all()
    assert (p_values[~judged] == 1).all()


def test_training_documents_without_words_that_were_saved_with_the_highest_score_are_not_judged(tmp_path):
    """They are told by their alarm, so that a model of an earlier version agrees with what it says of new ones."""
    detector = TextOutlierDetector(n_restarts=1).fit([*make_corpus(80, 2).texts, "the", ""])
    state = detector._state
    highest = state.outlier_scores.max()
    earlier = np.where(state.alarms["empty"] > 0, highest + 1, state.outlier_scores)
    detector._adopt(replace(state, outlier_scores=earlier))
    detector.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.outlier_scores_[-2:].tolist() == [0.0, 0.0]
    assert loaded.labels_[-2:].tolist() == [1, 1]
    np.testing.assert_array_equal(loaded.outlier_scores_[:-2], earlier[:-2])


def test_a_factorisation_that_was_saved_earlier_gives_the_same_scores():
    model, then = load(SAVED / "tonmf"), expected("tonmf-expected.json")
    np.testing.assert_allclose(model.outlier_score(np.array(then["rows"], float)), then["scores"], rtol=1e-10)


def test_a_watch_goes_on_from_a_snapshot_that_was_saved_earlier(tmp_path):
    shutil.copytree(SAVED / "watch", tmp_path, dirs_exist_ok=True)
    options = ("--time-column", "at", "--until-end", "--snapshot", "snapshots", "--learn-every", "16", "--quiet")
    posts, answers = tmp_path / "new.jsonl", tmp_path / "answers.jsonl"
    posts.write_bytes((tmp_path / "posts.jsonl").read_bytes())
    assert run_into_files("watch", SAVED / "detector", posts.name, *options, cwd=tmp_path, stdout=answers) == 0
    given = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    then = [json.loads(line) for line in (tmp_path / "expected.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["id"], line["outlier"]) for line in given] == [(line["id"], line["outlier"]) for line in then]
    np.testing.assert_allclose([line["score"] for line in given], [line["score"] for line in then], rtol=1e-10)
