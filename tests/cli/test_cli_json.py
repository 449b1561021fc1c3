"""What ``--json`` says of a run: the same for every command, and also if it fails."""

import json

import pytest
from command import run

from tonmf import TextOutlierDetector, __version__
from tonmf.datasets import make_corpus

CORPUS = make_corpus(n_docs=60, n_outliers=2)

KEYS = ["schema", "tonmf", "command", "status", "exit_code", "error", "seconds", "outputs", "warnings"]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    rows = zip(CORPUS.ids, CORPUS.texts, strict=True)
    (folder / "docs.jsonl").write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows))
    TextOutlierDetector(n_restarts=1, topic_shares=(0.03,)).fit(CORPUS.texts).save(folder / "model")
    return folder


@pytest.mark.parametrize(
    ("command", "outputs"),
    [
        (
            ["detect", "docs.jsonl", "--output", "all.csv", "--save", "new", "--report", "all.html"],
            [("table", "all.csv"), ("model", "new"), ("report", "all.html")],
        ),
        (["detect", "docs.jsonl", "--memory", "1GB", "--output", "all.tsv"], [("table", "all.tsv")]),
        (["score", "model", "docs.jsonl", "--output", "scores.jsonl"], [("table", "scores.jsonl")]),
        (["explain", "model", "docs.jsonl"], []),
        (["report", "model", "docs.jsonl", "--output", "report.html"], [("report", "report.html")]),
        (["topics", "model"], []),
        (["check", "docs.jsonl", "--model", "model", "--max-flagged", "100%"], []),
    ],
    ids=lambda value: " ".join(value[:2]) if value and isinstance(value[0], str) else "",
)
def test_a_run_says_how_it_ended_and_what_it_wrote(command, outputs, here):
    ran = run(*command, "--json", cwd=here)
    assert ran.code == 0, ran.err
    (line,) = ran.out.splitlines()
    answer = json.loads(line)
    said = answer["run"]
    assert list(said) == KEYS
    assert (said["schema"], said["tonmf"], said["command"]) == (1, __version__, command[0])
    assert (said["status"], said["exit_code"], said["error"], said["warnings"]) == ("done", 0, None, [])
    assert said["seconds"] >= 0
    assert [(one["kind"], one["path"]) for one in said["outputs"]] == outputs
    if "flagged" in answer:
        assert answer["documents"] == 60
        assert len(answer["flagged_ids"]) == answer["flagged"]
        assert set(answer["flagged_ids"]) <= set(CORPUS.ids)


@pytest.mark.parametrize(
    ("command", "status", "code", "says"),
    [
        (["score", "model", "missing.csv"], "failed", 1, "missing.csv cannot be read"),
        (["score", "nomodel", "docs.jsonl"], "failed", 1, "nomodel"),
        (["detect", "docs.jsonl", "--contamination", "2"], "wrong_usage", 2, "--contamination"),
        (["detect", "docs.jsonl", "--sample", "10", "--memory", "1GB"], "wrong_usage", 2, "--memory or --sample"),
        (
            ["detect", "docs.jsonl", "--sample", "10", "--dask", "tcp://127.0.0.1:1"],
            "wrong_usage",
            2,
            "--dask or --sample",
        ),
    ],
)
def test_a_run_that_fails_says_why_in_json_too(command, status, code, says, here):
    ran = run(*command, "--json", cwd=here)
    assert ran.code == code
    answer = json.loads(ran.out)
    assert answer.keys() == {"run"}
    assert (answer["run"]["status"], answer["run"]["exit_code"], answer["run"]["command"]) == (status, code, command[0])
    assert says in answer["run"]["error"]
    assert ran.error_lines == [f"tonmf: {answer['run']['error']}"]


def test_without_json_a_failure_prints_nothing_to_standard_output(here):
    assert run("score", "model", "missing.csv", cwd=here).out == ""


def test_a_fit_on_a_sample_ranks_all_documents(here):
    answers = [
        json.loads(run("detect", "docs.jsonl", "--sample", "40", "--seed", seed, "--json", cwd=here).out)
        for seed in (0, 0, 1)
    ]
    assert all(answer["documents"] == 60 for answer in answers)
    scores = [{why["id"]: why["score"] for why in answer["strangest"]} for answer in answers]
    assert scores[0] == scores[1] != scores[2]
    assert all(any("sample of 40 of 60 documents" in note for note in answer["notes"]) for answer in answers)
    planted = {name for name, label in zip(CORPUS.ids, CORPUS.labels, strict=True) if label}
    assert all(planted == {why["id"] for why in answer["strangest"][:2]} for answer in answers)


def test_a_sample_of_all_documents_changes_nothing_but_a_note(here):
    plain, sampled = (
        json.loads(run("detect", "docs.jsonl", *option, "--json", cwd=here).out) for option in ([], ["--sample", "60"])
    )
    (note,) = set(sampled["notes"]) - set(plain["notes"])
    assert "has no effect" in note
    assert {**sampled, "notes": None, "run": None} == {**plain, "notes": None, "run": None}


def test_marks_count_in_a_fit_on_a_sample(here):
    (here / "marks.csv").write_text(f"id,mark\n{CORPUS.ids[0]},strange\n")
    ran = run("detect", "docs.jsonl", "--sample", "40", "--marks", "marks.csv", "--json", "--top", "60", cwd=here)
    strangest = {why["id"]: why for why in json.loads(ran.out)["strangest"]}
    assert strangest[CORPUS.ids[0]]["outlier"]
    assert strangest[CORPUS.ids[0]]["parts"]["marks"] > 0
