"""``tonmf paper``, on the real data, small."""

import json
import re

import pytest
from command import run

from tonmf.experiments.catalogue import EXPERIMENTS
from tonmf.experiments.page import LINE

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def quick(data_folder, tmp_path_factory):
    """A quick run of everything."""
    folder = tmp_path_factory.mktemp("paper")
    return run("paper", "--quick", "--out", "out", cwd=folder, TONMF_DATA=str(data_folder)), folder


def test_a_quick_run_has_every_experiment(quick):
    ran, folder = quick
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert "Reuters" in ran.out
    assert "The page is out/paper.md, with its figures and results in out/paper." in ran.out
    lines = [json.loads(line) for line in (folder / "out/paper/results.jsonl").read_text().splitlines()]
    assert {line["experiment"] for line in lines} == set(EXPERIMENTS)
    expected = sum(len(list(experiment.configs(quick=True))) for experiment in EXPERIMENTS.values())
    assert len(lines) == expected


def test_the_page_has_a_section_for_each_experiment_and_the_claims(quick):
    _, folder = quick
    page = (folder / "out/paper.md").read_text(encoding="utf-8")
    assert "**This is a quick run**" in page
    assert page.count("\n## ") == len(EXPERIMENTS) + 1
    assert "Not run" not in page
    assert "{" not in page
    prose = [line for line in page.splitlines() if not line.startswith(("|", "!", "- "))]
    assert max(map(len, prose)) <= LINE
    for name, experiment in EXPERIMENTS.items():
        assert f"{experiment.question} (`tonmf paper --only {name}`)" in " ".join(page.split())


def test_every_figure_of_the_page_is_there_as_svg_and_png(quick):
    _, folder = quick
    page = (folder / "out/paper.md").read_text(encoding="utf-8")
    figures = re.findall(r"!\[[^\]]+\]\((paper/[a-z-]+)\.svg\)", page)
    assert len(figures) >= 7
    for figure in figures:
        assert "</svg>" in (folder / "out" / f"{figure}.svg").read_text(encoding="utf-8")
        assert (folder / "out" / f"{figure}.png").read_bytes().startswith(PNG)
    assert not list((folder / "out").rglob(".*"))


def test_running_again_measures_nothing_and_writes_the_same_page(quick, data_folder):
    _, folder = quick
    before = {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
    again = run("paper", "--quick", "--out", "out", "--json", cwd=folder, TONMF_DATA=str(data_folder))
    assert again.code == 0
    after = {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
    assert after == before
    answer = json.loads(again.out)
    assert answer["left_out"] == {}
    assert answer["auc"]["Reuters"]["paper"] == 0.934
    assert answer["auc"]["Market baskets"]["tonmf"] > 0.99


def test_without_any_data_it_says_what_is_missing_and_runs_the_rest(tmp_path):
    nowhere = {"TONMF_DATA": str(tmp_path), "TONMF_CACHE": str(tmp_path / "cache")}
    nowhere |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    ran = run("paper", "--quick", "--only", "bbc", "--out", "out", cwd=tmp_path, **nowhere)
    assert ran.code == 1
    assert len(ran.error_lines) == 1
    assert "bbc-fulltext.zip" in ran.error_lines[0]
    ran = run("paper", "--quick", "--only", "beta", "--out", "out", cwd=tmp_path, **nowhere)
    assert ran.code == 0
    assert "reuters was left out" in ran.err
    assert "**Reuters was left out**" in (tmp_path / "out/paper.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (
            ("--only", "rocc"),
            2,
            "--only must be one of roc, rpca-lambda, baseline-ranks, threads, sensitivity, beta, own-topic",
        ),
        (("--out", "file/inside"), 1, "The folder file/inside cannot be made"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(args, code, message, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    ran = run("paper", "--quick", *args, cwd=tmp_path)
    assert ran.code == code
    assert message in ran.err
    assert len(ran.error_lines) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
