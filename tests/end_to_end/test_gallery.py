"""The gallery: each page has its picture and its command, and what it says of the log that comes with the examples is so."""

import gzip

import pytest
from repository import ROOT

from benchmarks.gallery import EXHIBITS, PAGES, title_and_command_of, write_report
from tonmf import TextOutlierDetector

LARGEST_PICTURE = 150_000
DATA = ROOT / "examples" / "data"


def test_every_corpus_has_a_page_with_its_picture_that_the_index_shows():
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert {page.stem for page in PAGES.glob("*.md")} == {*EXHIBITS, "index"}
    for name in EXHIBITS:
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert f"]({name}.png)](" in index
        assert f"]({name}.png)" in page
        assert "**Where it goes wrong.**" in page


@pytest.mark.parametrize(
    "picture", [*PAGES.glob("*.png"), *ROOT.glob("docs/examples/*.*g")], ids=lambda path: path.name
)
def test_pictures_are_small(picture):
    assert picture.stat().st_size < LARGEST_PICTURE


def test_only_reports_of_our_own_texts_and_of_python_are_free():
    assert {name for name, exhibit in EXHIBITS.items() if exhibit.is_free} == {"logs", "code"}


def test_odd_requests_are_flagged_as_the_page_says():
    with gzip.open(DATA / "access.log.gz", "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    odd = [int(number) for number in (DATA / "access.odd.txt").read_text().split()]
    page = (PAGES / "logs.md").read_text(encoding="utf-8")
    detector = TextOutlierDetector(random_state=0).fit(lines)
    flagged = detector.labels_ == -1
    assert len(odd) == 11
    assert sum(flagged[number - 1] for number in odd) == 9
    assert f"the {sum(flagged)} that are flagged" in page
    assert f"{sum(flagged) - 9} ordinary lines" in page
    assert lines[detector.outlier_scores_.argmax()] == lines[odd[9] - 1]


def test_a_report_is_written_by_the_command_of_the_page(tmp_path, processes):
    title, command = title_and_command_of("logs")
    assert (title, command) == ("Log lines", "tonmf detect access.log.gz --top 16")
    report = write_report("logs", tmp_path)
    assert "<title>Log lines" in report.read_text(encoding="utf-8")
