"""The documents: links lead somewhere, make targets exist, every parameter and benchmark is written down."""

import re
from pathlib import Path

import pytest

from tonmf import TONMF

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files_that_exist(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_make_targets_that_are_mentioned_exist(document):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    mentioned = set(re.findall(r"`make ([a-z-]+)", document.read_text(encoding="utf-8")))
    assert mentioned <= targets


def test_every_parameter_is_documented():
    for name in TONMF().get_params():
        assert re.search(rf"^    {name} : ", TONMF.__doc__, flags=re.MULTILINE), name


def test_the_readme_shows_what_the_demo_prints(capsys):
    from tonmf.cli.demo import main

    main()
    shown = re.search(r"```text\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL).group(1)
    assert capsys.readouterr().out.strip() == shown.strip()


def test_constraints_are_plain_name_and_version():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in pins)


def test_the_readme_quotes_the_figures_of_the_quality_page():
    readme, page = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/quality.md"))
    section = readme[readme.index("## How well it does") : readme.index("## The model underneath")]
    quoted = re.findall(r"^\| ([^|]+) \| (\.\d+) \| (\.\d+) \|$", section, flags=re.MULTILINE)
    assert len(quoted) == 6
    table = page[page.index("## All tasks") : page.index("### ")]
    for method, auc, ap in quoted:
        assert re.search(rf"\| +{re.escape(method)} \|[^|]+\| {auc} \| {ap} \|", table), method
