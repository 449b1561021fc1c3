"""``tonmf paper``, on the real data, small."""

import json
import re
from pathlib import Path

import pytest
from command import run

from tonmf import TonmfError
from tonmf.experiments.page import LINE
from tonmf.experiments.paper import EXPERIMENTS


def without_data(folder):
    """Return an environment without data and without a network."""
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    return {"TONMF_DATA": str(folder), "TONMF_CACHE": str(folder / "cache"), **proxies}


@pytest.fixture(scope="module")
def quick(data_folder, tmp_path_factory):
    """Run everything, quick."""
    folder = tmp_path_factory.mktemp("paper")
    return run("paper", "--quick", "--out", "out", cwd=folder, TONMF_DATA=str(data_folder)), folder


def test_a_quick_run_has_every_experiment(quick):
    ran, folder = quick
    assert ran.code == 0, ran.err
    assert ran.error_lines == []
    assert "note: roc is done" in ran.err
    assert "Reuters" in ran.out
    page, figures = Path("out/paper-quick.md"), Path("out/paper-quick")
    assert f"The page is {page}, with its figures and results in {figures}." in ran.out
    lines = [json.loads(line) for line in (folder / "out/paper-quick/results.jsonl").read_text().splitlines()]
    assert {line["experiment"] for line in lines} == set(EXPERIMENTS)
    expected = sum(len(list(experiment.configs(quick=True))) for experiment in EXPERIMENTS.values())
    assert len(lines) == expected


def test_the_page_has_a_section_for_each_experiment(quick):
    _, folder = quick
    page = (folder / "out/paper-quick.md").read_text(encoding="utf-8")
    assert "**This is a quick run**" in page
    assert page.count("\n## ") == len(EXPERIMENTS)
    assert "Not run" not in page
    assert "claims" in page  # which a quick run does not judge
    assert "### " not in page
    assert "{" not in page
    prose = [line for line in page.splitlines() if not line.startswith(("|", "!", "- "))]
    assert max(map(len, prose)) <= LINE
    for name, experiment in EXPERIMENTS.items():
        assert f"{experiment.question} (`tonmf paper --only {name}`)" in " ".join(page.split())


def test_every_figure_of_the_page_is_there_as_svg(quick):
    _, folder = quick
    page = (folder / "out/paper-quick.md").read_text(encoding="utf-8")
    figures = re.findall(r"!\[[^\]]+\]\((paper-quick/[a-z-]+)\.svg\)", page)
    assert len(figures) >= 7
    for figure in figures:
        assert "</svg>" in (folder / "out" / f"{figure}.svg").read_text(encoding="utf-8")
    assert not list((folder / "out").rglob(".*"))


def test_running_again_measures_nothing_needs_no_data_and_writes_the_same_page(quick, tmp_path):
    _, folder = quick
    before = {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
    again = run("paper", "--quick", "--out", "out", "--json", cwd=folder, **without_data(tmp_path))
    assert again.code == 0
    after = {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
    assert after == before
    assert "are there already; 0 are left to measure" in again.err
    answer = json.loads(again.out)
    assert answer["quick"]
    assert answer["left_out"] == {}
    assert answer["auc"]["Reuters"]["paper"] == 0.934
    assert answer["auc"]["Market baskets"]["tonmf"] > 0.99


def test_without_any_data_it_says_what_is_missing_and_runs_the_rest(tmp_path):
    nowhere = without_data(tmp_path)
    ran = run("paper", "--quick", "--only", "bbc", "--out", "out", cwd=tmp_path, **nowhere)
    assert ran.code == 1
    assert len(ran.error_lines) == 1
    assert "bbc-fulltext.zip" in ran.error_lines[0]
    ran = run("paper", "--quick", "--only", "beta", "--out", "out", cwd=tmp_path, **nowhere)
    assert ran.code == 0
    assert "reuters was left out" in ran.err
    page = " ".join((tmp_path / "out/paper-quick.md").read_text(encoding="utf-8").split())
    assert "- `beta`: Reuters" in page
    assert "Reuters21578.mat (http" in page
    assert str(tmp_path) not in page


def test_a_page_of_somebody_else_is_not_overwritten(tmp_path):
    (tmp_path / "paper-quick.md").write_text("my own")
    ran = run("paper", "--quick", "--only", "beta", "--out", ".", cwd=tmp_path, **without_data(tmp_path))
    assert ran.code == 1
    assert "but not the results that it was made from" in ran.err
    assert (tmp_path / "paper-quick.md").read_text() == "my own"


def test_fresh_without_the_data_loses_nothing(tmp_path):
    command = ("paper", "--quick", "--only", "beta", "--out", "out")
    assert run(*command, cwd=tmp_path, **without_data(tmp_path)).code == 0
    results = tmp_path / "out/paper-quick/results.jsonl"
    before = results.read_text()
    ran = run(*command, "--fresh", cwd=tmp_path, **without_data(tmp_path))
    assert ran.code == 0
    assert results.read_text().startswith(before)


def test_files_of_the_user_are_not_imported_where_methods_are_timed(tmp_path, monkeypatch):
    (tmp_path / "statistics.py").write_text("raise SystemExit('a file of the user')")
    monkeypatch.chdir(tmp_path)
    config = {"task": "baskets", "seed": 0, "method": "tonmf", "rows": "tf-idf", "quick": True}
    found = EXPERIMENTS["cost"].measure(config)
    assert found["seconds"] > 0
    with pytest.raises(TonmfError, match="failed in a process of its own: KeyError: 'nothing'"):
        EXPERIMENTS["cost"].measure({**config, "method": "nothing"})


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (
            ("--only", "rocc"),
            2,
            "--only must be one of roc, rpca-lambda, baseline-ranks, threads, sensitivity, beta, own-topic",
        ),
        (("--out", "file/inside"), 1, "The folder file/inside cannot be created"),
        (("--out", ""), 1, "--out must be the name of a folder; got an empty one."),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(args, code, message, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    ran = run("paper", "--quick", *args, cwd=tmp_path)
    assert ran.code == code
    assert message in ran.err
    assert len(ran.error_lines) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
