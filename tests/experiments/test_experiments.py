"""The experiments: specifications, the log that a run resumes from, and the page about the results."""

import json
import re
import shutil
import sys

import numpy as np
import pytest
from repository import DOCS

from tonmf import InputError, MissingExtraError
from tonmf.cli.commands.paper import NAMES
from tonmf.datasets import make_baskets
from tonmf.experiments import tasks
from tonmf.experiments.beside_baselines import beside_baselines
from tonmf.experiments.claims import VERDICTS, judged
from tonmf.experiments.log import ResultLog
from tonmf.experiments.methods import METHODS
from tonmf.experiments.page import finished, write_page
from tonmf.experiments.paper import EXPERIMENTS
from tonmf.experiments.plotting import save_figure
from tonmf.experiments.running import run, todo
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


def go(experiment, log, quick=False, fresh=False, on_progress=lambda share: None, load=lambda config: None):
    return run(experiment, log, todo(experiment, log, quick, fresh), on_progress, load=load)


@pytest.fixture
def counted():
    """Return an experiment that counts its measurements, on data that is always there."""
    done = []

    def measure(config):
        done.append(config["x"])
        if config["x"] == 3 and len(done) == 4:
            raise KeyboardInterrupt
        return {"auc": config["x"] / 10}

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
        go(experiment, ResultLog(path))
    assert done == [0, 1, 2, 3]
    shares = []
    go(experiment, ResultLog(path), on_progress=shares.append)
    assert done == [0, 1, 2, 3, 3, 4]
    assert shares[0] == 0
    assert shares[-1] == 1
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["config"]["x"] for line in lines] == [0, 1, 2, 3, 4]
    assert all(line["versions"]["tonmf"] and line["seconds"] >= 0 for line in lines)
    assert len(finished(experiment, ResultLog(path), False)) == 5


def doubled(config):
    return {"auc": config["x"] * 2}


def nothing(config):
    return None


@pytest.mark.usefixtures("processes")
def test_processes_side_by_side_measure_the_same(tmp_path):
    axes = {"task": ("baskets",), "seed": (0, 1), "x": range(3)}
    experiment = Experiment("doubled", "?", axes, {}, doubled, lambda r: Section("", ""))
    log = ResultLog(tmp_path / "results.jsonl")
    assert run(experiment, log, todo(experiment, log), lambda share: None, load=nothing, n_processes=2) == {}
    assert [result["result"]["auc"] for result in finished(experiment, log, False)] == [0, 2, 4, 0, 2, 4]


def test_a_quick_run_is_never_taken_for_a_full_one(counted, tmp_path):
    experiment, done = counted
    log = ResultLog(tmp_path / "results.jsonl")
    go(experiment, log, quick=True)
    assert done == [1]
    assert finished(experiment, log, False) == []
    assert len(finished(experiment, log, True)) == 1


def test_a_line_that_was_cut_short_is_measured_again(counted, tmp_path):
    experiment, _ = counted
    path = tmp_path / "results.jsonl"
    go(experiment, ResultLog(path), quick=True)
    whole = path.read_text()
    path.write_text(whole + whole[: len(whole) // 2])
    log = ResultLog(path)
    assert path.read_text() == whole
    assert len(finished(experiment, log, True)) == 1


def test_fresh_measures_again_and_the_last_result_counts(counted, tmp_path):
    experiment, done = counted
    path = tmp_path / "results.jsonl"
    go(experiment, ResultLog(path), quick=True)
    go(experiment, ResultLog(path), quick=True)
    assert done == [1]
    go(experiment, ResultLog(path), quick=True, fresh=True)
    assert done == [1, 1]
    assert len(path.read_text().splitlines()) == 2
    assert len(finished(experiment, ResultLog(path), True)) == 1


@pytest.mark.parametrize(
    "broken",
    [
        b"no JSON",
        b"\xff\xfe",
        b"[1, 2]",
        b'{"experiment": "roc"}',
        b'{"experiment": "roc", "config": {"task": "bbc", "seed": 0}, "result": {}, "seconds": 1, "versions": {}}',
        b'{"experiment": "roc", "config": 7, "result": {}, "seconds": 1, "versions": {}}',
    ],
)
def test_a_line_that_is_no_result_is_named(broken, tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_bytes(broken + b"\n")
    with pytest.raises(
        InputError, match=r"Line 1 of .*results.jsonl is not a result of an experiment. Remove the line"
    ):
        ResultLog(path)


def test_results_without_a_figure_are_of_another_version(tmp_path):
    log = ResultLog(tmp_path / "results.jsonl")
    for config in EXPERIMENTS["threads"].configs(quick=True):
        log.add("threads", config, {"something else": 1}, 0.1)
    with pytest.raises(InputError, match="results without 'ordinary': they come from another version of tonmf"):
        write_page(tmp_path, log, True)


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
    left_out = go(experiment, log, quick=True, load=tasks.draw)
    assert list(left_out) == ["wiki-people"]
    assert "wiki-featured-bios.jsonl.gz" in left_out["wiki-people"]
    assert [line["config"]["task"] for line in finished(experiment, log, True)] == ["baskets"]


@pytest.fixture(scope="module")
def baskets():
    return tasks.Draw(make_baskets(300, 9, random_state=1))


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: m.name)
def test_every_method_scores_every_document_and_repeats(method, baskets):
    for rows in method.rows:
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
    """Check that with W and H uniform on [0, 1] the ranking of the residuals is that of the start."""
    counts, labels = reuters
    options = {"alpha": 10.0, "beta": 1.0, "solver": "paper", "max_iter": 9, "inner_iter": 9}
    stalled, moved = (trace_fit(counts, 10, start=start, **options) for start in ("uniform", "random"))
    assert stalled.start_correlation > 0.99
    assert area_under_curve(labels, stalled.last) < 0.55
    assert moved.start_correlation < 0.9
    assert area_under_curve(labels, moved.last) > 0.65


def test_a_page_says_what_is_missing(counted, tmp_path):
    page = write_page(tmp_path, ResultLog(tmp_path / "results.jsonl"), True)
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert page.name == "paper-quick.md"
    assert "- `bbc`: BBC" in text
    assert "bbc-fulltext.zip (http" in text
    assert "wiki-featured-bios.jsonl.gz (not published)" not in text  # a quick run does without
    assert judged({}) == []


SHAPES = {
    "cuts": {name: {"at": 1.0, "tpr": 90.0, "fpr": 1.0} for name in ("1", "2", "3", "automatic")},
    "curve": [0.0] + [100.0] * 23,
    "notes": {"k": 3, "areas": {"1": 0.5, "50": 0.6}, "rank": 0},
    "scores": [0.0, 1.0, 2.0],
    "outliers": [2],
    "passes": [1, 2],
    "seconds": [0.1, 0.2],
    "objectives": [3.0, 2.0],
    "alone": {"documents": 3, "mean_words": 9.0, "median_words": 9.0, "long": 0.5, "short": 0.2, "median_distinct": 5.0}
    | {"median_repetition": 2.0},
}
SHAPES["ordinary"] = SHAPES["alone"]


class Anything(dict):
    """A result with a value for every name."""

    def __missing__(self, name):
        return SHAPES.get(name, 0.7)


def made_up(experiment):
    """Return made-up results of the full grid."""
    special = {"threads": {"outliers": 0.1, "ordinary": 0.5}, "cost": {"seconds": 1.0, "mb": 10, "peak_mb": None}}
    return [
        {
            "experiment": experiment.name,
            "config": config,
            "result": Anything(special.get(experiment.name, {})),
            "seconds": 1.0,
            "peak_mb": 100,
            "versions": {"tonmf": "0"},
        }
        for config in experiment.configs()
    ]


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda e: e.name)
def test_the_full_grid_can_be_told_and_drawn(experiment, tmp_path):
    section = experiment.report(made_up(experiment))
    assert set(re.findall(r"\{([a-z-]+)\}", section.text)) == {figure.name for figure in section.figures}
    for figure in section.figures:
        save_figure(figure, tmp_path)
        assert {path.suffix for path in tmp_path.glob(f"{figure.name}.*")} == {".svg"}


def test_every_claim_of_a_full_run_is_judged_with_its_rule():
    claims = judged({name: made_up(experiment) for name, experiment in EXPERIMENTS.items()})
    assert {claim.section for claim in claims} == {"2", "3.2", "4.4", "4.5", "4.6"}
    assert all(claim.verdict in VERDICTS and claim.rule for claim in claims)
    by_statement = {claim.statement: claim.verdict for claim in claims}
    assert by_statement["mean and standard deviation of the scores separate the outliers of BBC"] == "holds"
    assert by_statement["Wiki People: AUC .855"] == "cannot be judged"
    assert by_statement["β makes no significant difference"] == "holds"
    assert by_statement["Market baskets: AUC falls with rank and α"] == "does not hold"


def roc_results(**areas):
    """Return made-up areas on Reuters by method, .6 for the others."""
    configs = [c for c in EXPERIMENTS["roc"].configs() if c["task"] == "reuters" and c["seed"] < 2]
    return [
        {"config": config, "result": Anything(auc=areas.get(config["method"].replace("-", "_"), 0.6))}
        for config in configs
    ]


def test_claims_follow_the_figures():
    grid = made_up(EXPERIMENTS["sensitivity"])
    good = {c.statement: c for c in judged({"roc": roc_results(tonmf_paper=0.95, detector=0.97), "sensitivity": grid})}
    assert good["Reuters: AUC .934"].verdict == "holds"
    assert good["k-NN is hardly better than guessing (.537 to .543)"].verdict == "holds"
    all_rows = "TONMF is better than k-NN, SVD and RPCA on every data set; each on its best rows"
    assert good[all_rows].verdict == "holds"
    bad = {c.statement: c for c in judged({"roc": roc_results(tonmf_paper=0.5, detector=0.97), "sensitivity": grid})}
    assert bad["Reuters: AUC .934"].verdict == "reached by tonmf, not by the paper's model"
    assert bad[all_rows].verdict == "does not hold"
    assert "k-NN .600 against .500" in bad[all_rows].found


def test_a_tie_in_the_digits_shown_is_no_defeat():
    claims = {c.statement: c for c in judged({"roc": roc_results(tonmf_paper=0.7001, knn=0.7004)})}
    assert claims["TONMF is better than k-NN, SVD and RPCA on every data set; on counts"].verdict == "holds"


def test_baselines_that_are_better_are_named_with_reasons():
    text = beside_baselines({"roc": roc_results(detector=0.9, nmf=0.95)})
    assert "- **Reuters**: NMF residual on counts .950, tonmf .900." in text
    by_rank = {"baseline-ranks": made_up(EXPERIMENTS["baseline-ranks"])}
    text = beside_baselines({"roc": roc_results(detector=0.9, nmf=0.95), **by_rank})
    assert "The area depends on the rank, which only labels can choose: .700 at 2" in text
    assert "The best k, chosen by the labels, ranges from 3 to 3" in beside_baselines(
        {"roc": roc_results(detector=0.5, knn=0.8)}
    )
    assert "No baseline is better on any data set." in beside_baselines({"roc": roc_results(detector=0.99)})
    assert beside_baselines({}) == ""


def test_help_and_documents_name_every_experiment():
    document = (DOCS / "guide" / "cli.md").read_text(encoding="utf-8")
    assert tuple(EXPERIMENTS) == NAMES
    for name in EXPERIMENTS:
        assert f"`{name}`" in document


def test_the_page_in_the_documents_is_what_its_results_say(tmp_path):
    docs = DOCS / "evidence"
    (tmp_path / "paper").mkdir()
    shutil.copy(docs / "paper" / "results.jsonl", tmp_path / "paper")
    page = write_page(tmp_path, ResultLog(tmp_path / "paper" / "results.jsonl"), False)
    assert page.read_text(encoding="utf-8") == (docs / "paper.md").read_text(encoding="utf-8")
    assert {path.name for path in (tmp_path / "paper").iterdir()} == {path.name for path in (docs / "paper").iterdir()}


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tonmf\[paper\]'"):
        save_figure(None, tmp_path)
