"""The documents: links lead somewhere, make targets exist, every parameter and benchmark is written down."""

import re

import pytest
from repository import ROOT

from tonmf import TONMF, TextOutlierDetector

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def name_of(document):
    return str(document.relative_to(ROOT))


def headings(document):
    """The names by which links address the headings of a document."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_to_files_and_headings_that_exist(document):
    for path, heading in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", document.read_text(encoding="utf-8")):
        target = document.parent / path if path else document
        assert target.exists(), f"{name_of(document)} links to {path}"
        assert not heading or heading in headings(target), f"{name_of(document)} links to {path}#{heading}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_make_targets_that_are_mentioned_exist(document):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    mentioned = set(re.findall(r"`make ([a-z-]+)", document.read_text(encoding="utf-8")))
    assert mentioned <= targets


def test_every_parameter_is_documented():
    for estimator in (TONMF, TextOutlierDetector):
        for name in estimator().get_params():
            assert re.search(rf"^ *{name} : ", estimator.__doc__, flags=re.MULTILINE), name


def test_constraints_are_plain_names_and_versions_that_say_what_asks_for_them():
    names = []
    for file in ("constraints.txt", "constraints-bench.txt", "constraints-gpu.txt", "constraints-min.txt"):
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        pins = [line for line in lines if line and not line.startswith("#")]
        assert pins
        assert all(re.fullmatch(r"[a-z0-9-]+==[A-Za-z0-9.]+ +# via [a-z0-9-][^/@]*", line) for line in pins)
        names += [line.split("==")[0] for line in pins if file != "constraints-min.txt"]
    assert len(names) == len(set(names))


def test_the_readme_quotes_the_figures_of_the_quality_page():
    readme, page = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/evidence/quality.md"))
    section = readme[readme.index("<!-- figures -->") : readme.index("<!-- end of figures -->")]
    quoted = re.findall(r"^\| ([^|]+) \| (\.\d+) \| (\.\d+) \|$", section, flags=re.MULTILINE)
    assert len(quoted) == 6
    table = page[page.index("## All tasks") : page.index("### ")]
    for method, auc, ap in quoted:
        assert re.search(rf"\| +{re.escape(method)} \|[^|]+\| {auc} \| {ap} \|", table), method
