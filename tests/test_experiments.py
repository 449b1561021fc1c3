"""The experiments: specifications, the log that a run goes on from, and what is said about results."""

import json

import numpy as np
import pytest

from tonmf import InputError
from tonmf.datasets import make_baskets
from tonmf.experiments import running, tasks
from tonmf.experiments.catalogue import EXPERIMENTS
from tonmf.experiments.claims import VERDICTS, judged
from tonmf.experiments.log import ResultLog
from tonmf.experiments.methods import METHODS
from tonmf.experiments.page import finished, write_page
from tonmf.experiments.running import run
from tonmf.experiments.specification import Experiment, Section
from tonmf.experiments.tracing import trace_fit
from tonmf.metrics import area_under_curve


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda e: e.name)
def test_every_configuration_is_json_and_comes_once(experiment):
    for quick in (False, True):
        configs = [json.dumps(config, sort_keys=True) for config in experiment.configs(quick)]
        assert configs
        assert len(set(configs)) == len(configs)
        assert all(json.loads(config)["quick"] == quick for config in configs)
    assert len(list(experiment.configs(True))) <= len(list(experiment.configs(False)))


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda e: e.name)
def test_every_configuration_names_a_data_set_and_a_seed(experiment):
    for config in experiment.configs():
        assert config["task"] in tasks.TASKS
        assert isinstance(config["seed"], int)


def test_the_full_roc_has_every_data_set_method_and_ten_draws():
    configs = list(EXPERIMENTS["roc"].configs())
    assert {config["task"] for config in configs} == set(tasks.TASKS)
    assert {config["method"] for config in configs} == set(METHODS)
    assert {config["seed"] for config in configs} == set(range(10))
    by_detector = [config for config in configs if config["method"] == "detector"]
    assert len(by_detector) == 10 * len(tasks.TASKS)
    assert {config["rows"] for config in by_detector} == {None}


@pytest.fixture
def counted(monkeypatch):
    """An experiment that counts its measurements, on data that is always there."""
    done = []

    def measure(config):
        done.append(config["x"])
        if config["x"] == 3 and len(done) == 4:
            raise KeyboardInterrupt
        return {"auc": config["x"] / 10}

    monkeypatch.setattr(running, "draw", lambda config: None)
    experiment = Experiment(
        "counted",
        "?",
        {"task": ("baskets",), "seed": (0,), "x": range(5)},
        {"x": (1,)},
        measure,
        lambda r: Section("", ""),
    )
    return experiment, done


def test_a_run_that_was_stopped_goes_on_where_it_stopped(counted, tmp_path):
    experiment, done = counted
    path = tmp_path / "results.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(experiment, ResultLog(path), False, lambda share: None)
    assert done == [0, 1, 2, 3]
    shares = []
    run(experiment, ResultLog(path), False, shares.append)
    assert done == [0, 1, 2, 3, 3, 4]
    assert shares[0] == 0
    assert shares[-1] == 1
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["config"]["x"] for line in lines] == [0, 1, 2, 3, 4]
    assert all(line["versions"]["tonmf"] and line["seconds"] >= 0 for line in lines)
    assert len(finished(experiment, ResultLog(path), False)) == 5


def test_a_quick_run_is_never_taken_for_a_full_one(counted, tmp_path):
    experiment, done = counted
    log = ResultLog(tmp_path / "results.jsonl")
    run(experiment, log, True, lambda share: None)
    assert done == [1]
    assert finished(experiment, log, False) == []
    assert len(finished(experiment, log, True)) == 1


def test_a_line_that_was_cut_short_is_measured_again(counted, tmp_path):
    experiment, _ = counted
    path = tmp_path / "results.jsonl"
    run(experiment, ResultLog(path), True, lambda share: None)
    whole = path.read_text()
    path.write_text(whole + whole[: len(whole) // 2])
    log = ResultLog(path)
    assert path.read_text() == whole
    assert len(finished(experiment, log, True)) == 1
    path.write_text("no JSON\n" + whole)
    with pytest.raises(InputError, match=r"Line 1 of .*results.jsonl is no result of tonmf paper. Remove the line"):
        ResultLog(path)


def test_results_are_forgotten_one_experiment_at_a_time(counted, tmp_path):
    experiment, done = counted
    log = ResultLog(tmp_path / "results.jsonl")
    run(experiment, log, True, lambda share: None)
    log.forget(["another"], True)
    log.forget(["counted"], False)
    assert len(finished(experiment, ResultLog(log.path), True)) == 1
    log.forget(["counted"], True)
    assert finished(experiment, ResultLog(log.path), True) == []
    run(experiment, log, True, lambda share: None)
    assert done == [1, 1]


def test_a_data_set_that_cannot_be_had_is_left_out_and_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TONMF_DATA", str(tmp_path))
    monkeypatch.setenv("TONMF_CACHE", str(tmp_path / "cache"))
    log = ResultLog(tmp_path / "results.jsonl")
    tasks._draw.cache_clear()
    experiment = Experiment(
        "few",
        "?",
        {"task": ("wiki-people", "baskets"), "seed": (0,)},
        {},
        lambda config: {"n": len(tasks.draw(config).labels)},
        lambda results: Section("", ""),
    )
    left_out = run(experiment, log, True, lambda share: None)
    assert list(left_out) == ["wiki-people"]
    assert "wiki-featured-bios.jsonl.gz" in left_out["wiki-people"]
    assert [line["config"]["task"] for line in finished(experiment, log, True)] == ["baskets"]


@pytest.fixture(scope="module")
def baskets():
    return tasks.Draw(make_baskets(300, 9, random_state=1))


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: m.name)
def test_every_method_scores_every_document_and_repeats(method, baskets):
    for rows in (None,) if method.own_rows else tasks.ROWS:
        scores, notes = method.run(baskets, rows, 0)
        again, _ = method.run(baskets, rows, 0)
        assert scores.shape == (300,)
        assert np.isfinite(scores).all()
        np.testing.assert_array_equal(scores, again)
        json.dumps(notes, allow_nan=False)


def test_the_rows_are_those_of_the_detector(baskets):
    assert baskets.counts.shape == baskets.dataset.X.shape
    norms = np.sqrt(baskets.tfidf.multiply(baskets.tfidf).sum(axis=1))
    np.testing.assert_allclose(norms, 1, rtol=1e-5)
    assert (np.diff(baskets.tfidf.tocsc().indptr) >= 2).all()


@pytest.mark.parametrize("solver", ["reweighted", "paper"])
def test_a_trace_never_rises_and_counts_its_passes(solver, baskets):
    trace = trace_fit(baskets.tfidf, 4, alpha=0.5, solver=solver, max_iter=6, inner_iter=3)
    assert (np.diff(trace.objectives) <= 1e-6 * trace.objectives[0]).all()
    assert trace.passes == ([1, 2, 3, 4, 5, 6] if solver == "reweighted" else [1, 4, 7, 10, 13, 16])
    assert (np.diff(trace.seconds) >= 0).all()
    assert trace.first.shape == trace.last.shape == (300,)


def test_from_the_authors_start_the_papers_algorithm_stays_where_it_is(reuters):
    """With W and H uniform on [0, 1] the ranking of the residuals is that of the start."""
    counts, labels = reuters
    options = {"alpha": 10.0, "beta": 1.0, "solver": "paper", "max_iter": 9, "inner_iter": 9}
    stalled, moved = (trace_fit(counts, 10, start=start, **options) for start in ("uniform", "random"))
    assert stalled.start_correlation > 0.99
    assert area_under_curve(labels, stalled.last) < 0.55
    assert moved.start_correlation < 0.9
    assert area_under_curve(labels, moved.last) > 0.65


def test_a_page_without_results_says_what_was_not_run(tmp_path):
    page = write_page(tmp_path, ResultLog(tmp_path / "results.jsonl"), True, {"bbc": "it is gone."})
    text = page.read_text(encoding="utf-8")
    assert "**BBC was left out**: it is gone." in text
    assert "Not run, or not finished: `roc`" in text
    assert judged({}) == []


def test_claims_are_judged_by_what_is_measured():
    """Made-up areas: TONMF at .95 beats baselines at .6 on Reuters, and ours at .97 reaches the paper's figure."""
    configs = [c for c in EXPERIMENTS["roc"].configs() if c["task"] == "reuters" and c["seed"] < 2]
    area = {"tonmf-paper": 0.95, "detector": 0.97}
    lines = [{"config": config, "result": {"auc": area.get(config["method"], 0.6)}} for config in configs]
    claims = {claim.statement: claim for claim in judged({"roc": lines})}
    assert claims["Reuters: AUC .934"].verdict == "holds"
    assert claims["k-NN is hardly better than guessing (.537 to .543)"].verdict == "does not hold"
    assert claims["TONMF is better than k-NN, SVD and RPCA, each with the rows that suit it"].verdict == "holds"
    assert all(claim.verdict in VERDICTS for claim in claims.values())
    area["tonmf-paper"] = 0.5
    lines = [{"config": config, "result": {"auc": area.get(config["method"], 0.6)}} for config in configs]
    claims = {claim.statement: claim for claim in judged({"roc": lines})}
    assert claims["Reuters: AUC .934"].verdict == "reached by tonmf, not by the paper's algorithm"
    worse = claims["TONMF is better than k-NN, SVD and RPCA, each with the rows that suit it"]
    assert worse.verdict == "does not hold"
    assert "k-NN .600 against .500" in worse.found
