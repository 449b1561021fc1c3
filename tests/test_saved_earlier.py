"""What earlier code saved still loads and gives the same scores (tests/saved)."""

import json
import shutil

import numpy as np
from command import run_into_files
from repository import ROOT

from tonmf import load

SAVED = ROOT / "tests" / "saved"


def expected(name):
    return json.loads((SAVED / name).read_text(encoding="utf-8"))


def test_a_detector_that_was_saved_earlier_gives_the_same_scores():
    detector, then = load(SAVED / "detector"), expected("detector-expected.json")
    assert detector.outlier_scores_.tolist() == then["training_scores"]
    assert detector.threshold_ == then["threshold"]
    assert (detector.mask, detector.strip_html) == (None, False), "it was fitted without"
    np.testing.assert_allclose(detector.outlier_score(then["documents"]), then["scores"], rtol=1e-10)
    assert detector.predict(then["documents"]).tolist() == then["labels"]


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
