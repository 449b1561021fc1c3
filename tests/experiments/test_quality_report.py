"""The page of the benchmark of quality, and what it says about embeddings: by rules, from made-up measurements."""

import json
import warnings

import pytest

from benchmarks.embedding_peers import EMBEDDING_PEERS
from benchmarks.embedding_report import bars_of, embedding_tables, page_of, summarise_embeddings
from benchmarks.peers import PEERS
from benchmarks.quality import QUALITY, main
from benchmarks.quality_measurements import EMBEDDED, FUSED, MEANING, OURS, Measurements, rows_of
from benchmarks.quality_report import means_of, report
from benchmarks.tasks import TASKS

TUNED, OTHER, MATRIX = "BBC others + politics", "Reuters + crude", "Reuters matrix + interest"
PEER = "MiniLM + LOF"


def result(task, method, auc, ap=0.5, setting="default"):
    figures = {"auc": auc, "ap": ap}
    own = {"before_alarms": figures, "alone": figures, "precision": 0.5, "recall": 0.5, "flagged": 0.01}
    return {
        "config": {"task": task, "method": method, "seed": 0},
        "result": {"settings": {setting: {**figures, "seconds": 1.0}}, **own, "flagged_when_clean": 0.01},
    }


def measured(changed=()):
    """Return results in which both beat words, which beat embeddings alone, which beat every peer."""
    figures = {OURS: (0.9, 0.45), MEANING: (0.85, 0.4), FUSED: (0.93, 0.5)}
    figures |= dict.fromkeys((*EMBEDDING_PEERS, *PEERS), (0.7, 0.2)) | dict(changed)
    tasks = {TUNED: figures, OTHER: figures, MATRIX: {name: figures[name] for name in figures if name not in EMBEDDED}}
    return [result(task, method, *figures[method]) for task, figures in tasks.items() for method in figures]


def data_of(results):
    return Measurements(rows_of(results))


def embeddings_page(results):
    data = data_of(results)
    return page_of(summarise_embeddings(data), embedding_tables(data))


def verdicts(results):
    return [holds for holds, _ in bars_of(summarise_embeddings(data_of(results)))]


def test_all_bars_hold_if_both_are_best_and_embeddings_alone_beat_every_peer():
    assert all(verdicts(measured()))
    assert "All bars hold:" in embeddings_page(measured())


@pytest.mark.parametrize(
    ("changed", "broken"),
    [
        ({FUSED: (0.905, 0.5)}, [0]),
        ({FUSED: (0.93, 0.455)}, [1]),
        ({OURS: (0.94, 0.45)}, [2]),
        ({OURS: (0.9, 0.55)}, [2]),
        ({MEANING: (0.94, 0.4)}, [3]),
        ({MEANING: (0.96, 0.4)}, [3, 4]),
        ({PEER: (0.85, 0.2)}, [5]),
        ({PEER: (0.7, 0.41)}, [6]),
    ],
)
def test_a_bar_that_is_broken_is_named(changed, broken):
    results = measured(changed)
    assert [number for number, holds in enumerate(verdicts(results)) if not holds] == broken
    page = embeddings_page(results)
    assert f"{7 - len(broken)} of 7 bars hold:" in page
    assert page.count("- **fail**:") == len(broken)


def test_a_loss_on_one_task_is_found_whatever_the_means_are():
    results = [r for r in measured() if r["config"] != {"task": OTHER, "method": OURS, "seed": 0}]
    results.append(result(OTHER, OURS, 0.951, 0.45))
    holds, text = bars_of(summarise_embeddings(data_of(results)))[4]
    assert not holds
    assert text.endswith(f"at worst −.021, on {OTHER}")


def test_the_page_has_the_means_apart_and_the_difference_from_the_better_part_by_task():
    page = embeddings_page(measured())
    for heading in ("All text tasks", "Text tasks used for tuning", "The other text tasks"):
        assert f"## {heading}\n" in page
    columns, lines = embedding_tables(data_of(measured()))["embeddings, by task"]
    assert columns == ["task", "tuned on", "words", "embeddings alone", "both", "both − the better one"]
    assert [OTHER, "no", ".900 (.450)", ".850 (.400)", ".930 (.500)", "+.030"] in lines
    assert MATRIX not in [line[0] for line in lines]


def test_a_peer_on_embeddings_has_the_setting_that_is_best_over_tasks():
    results = measured() + [result(task, PEER, 0.8, 0.3, setting="k=20") for task in (TUNED, OTHER)]
    _, lines = embedding_tables(data_of(results))["embeddings, all"]
    assert next(line[:4] for line in lines if line[0] == PEER) == [PEER, "k=20", ".800", ".300"]


def test_without_embeddings_the_page_does_not_speak_of_them():
    page = report([r for r in measured() if r["config"]["method"] not in EMBEDDED]).text
    assert "mbeddings" not in page
    assert "By task" in page


def test_tasks_on_which_something_is_missing_are_left_out_of_the_section_only():
    results = [r for r in measured() if r["config"] != {"task": OTHER, "method": MEANING, "seed": 0}]
    data = data_of(results)
    tables = embedding_tables(data)
    assert "embeddings, held out" not in tables
    assert "## The other text tasks" not in page_of(summarise_embeddings(data), tables)
    assert OTHER in report(results).text


def test_means_of_a_method_leave_out_parts_without_a_task():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        means = means_of([result(TUNED, FUSED, 0.9)], FUSED)
    assert "others" not in means
    assert f"{FUSED}, tuned on (1 tasks): AUC .900, AP .500" in means


def test_only_texts_are_measured_by_embeddings():
    for config in QUALITY.configs():
        assert TASKS[config["task"]].is_text or config["method"] not in EMBEDDED


@pytest.mark.parametrize(
    ("options", "methods", "n_tasks", "n_draws"),
    [
        (["--embeddings-only", "--tuned", "--draws", "2"], {OURS, *EMBEDDED}, 8, 2),
        (["--only", FUSED], {FUSED}, 23, 5),
        (["--no-embeddings"], {OURS, *PEERS}, 28, 5),
        (["--embeddings-only"], {OURS, *EMBEDDED}, 23, 5),
    ],
)
def test_options_choose_what_is_measured(options, methods, n_tasks, n_draws, tmp_path, monkeypatch, capsys):
    chosen = []
    monkeypatch.setattr("benchmarks.quality.RESULTS", tmp_path)
    monkeypatch.setattr("benchmarks.quality._measure", lambda configs, log, n_processes: chosen.extend(configs))
    monkeypatch.setattr("benchmarks.quality.write_report", lambda results, page, figures: None)
    monkeypatch.setattr("benchmarks.quality.means_of", lambda results, method: "")
    main(options)
    assert {config["method"] for config in chosen} == methods
    assert len({config["task"] for config in chosen}) == n_tasks
    assert len({config["seed"] for config in chosen}) == n_draws


def test_a_report_and_a_method_that_is_measured_again_keep_all_other_results(tmp_path, monkeypatch, capsys):
    again = []
    monkeypatch.setattr("benchmarks.quality.RESULTS", tmp_path)
    monkeypatch.setattr("benchmarks.quality.PAGE", tmp_path / "quality.md")
    monkeypatch.setattr("benchmarks.quality.EMBEDDINGS_PAGE", tmp_path / "embeddings.md")
    monkeypatch.setattr("benchmarks.quality._measure", lambda configs, log, n_processes: again.extend(configs))
    lines = [
        {**result(config["task"], config["method"], 0.9), "config": config, "experiment": "quality", "versions": {}}
        for config in QUALITY.configs()
    ]
    log = "".join(json.dumps({**line, "seconds": 1.0}) + "\n" for line in lines)
    (tmp_path / "quality.jsonl").write_text(log, encoding="utf-8")
    main(["--report"])
    assert not again
    assert "There are 28 tasks with 5 draws each." in (tmp_path / "quality.md").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "quality.json").read_text())["summary"]["embeddings"]["tasks"] == 23
    main(["--again", FUSED])
    assert {config["method"] for config in again} == {FUSED}
    assert len(again) == 23 * 5
