"""The page of a report in tests: reports to open, and what readers see and do; conftest.py makes the fixtures known."""

import csv
import json

import numpy as np
import pytest
from command import run

from tonmf.report import write_html

PAGE = 50
"""Documents on a page of the list."""


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The report of the demo corpus: the page, and what it should say."""
    folder = tmp_path_factory.mktemp("demo")
    for name in ("demo.html", "demo.json"):
        ran = run("demo", "--report", name, cwd=folder)
        assert ran.code == 0, ran.err
    return folder / "demo.html", json.loads((folder / "demo.json").read_text(encoding="utf-8"))


@pytest.fixture
def report(page, demo):
    """The report of the demo corpus, opened, and what it should say."""
    path, summary = demo
    opened(page, path)
    return page, summary


def opened(page, path):
    page.goto(path.as_uri())
    page.locator("html[data-ready]").wait_for()
    return page


def summary_of(documents, **changes):
    """What a report says of documents that are given by what is special about them; scores fall from 5."""
    said = [
        {
            "id": f"d{place}",
            "row": place,
            "rank": place + 1,
            "score": 5 - 5 * place / len(documents),
            "outlier": place == 0,
            "judged": "empty" not in document.get("alarms", {}),
            "sentence": "Flagged: it is strange.",
            "alarms": {},
            "unexpected": [],
            "topics": [{"number": 1, "share": 0.5}],
            "x": 0.5 - place / len(documents),
            "y": 0.0,
            "pieces": ["Some text."],
            "copy_of": place + 1,
            "copies": 1,
            **document,
        }
        for place, document in enumerate(documents)
    ]
    for document in said:
        document["topic"] = document["topics"][0]["number"] if document["topics"] else None
        document["main_alarm"] = next(iter(document["alarms"]), None)
    analysed = {
        "documents": len(said),
        "kind": "texts",
        "word": "word",
        "flagged": sum(document["outlier"] for document in said),
        "threshold": 4.99,
        "rule": "score above 4.99",
        "contamination": "auto",
        "empty": 0,
        "unknown": 0,
        "training": {"documents": len(said), "terms": 9, "same": True},
        "topics": 1,
        "fits": 1,
        "seed": None,
        "options": {},
    }
    topic = {"number": 1, "share": 0.5, "words": ["some", "words"], "documents": 1, "typical": [], "x": 0.0, "y": 1.0}
    return {
        "schema": 1,
        "title": "A report",
        "made": {"when": "2026-01-02T03:04:05+00:00", "tonmf": "0"},
        "analysed": analysed | changes.pop("analysed", {}),
        "notes": [],
        "topics": [topic],
        "groups": [],
        "curves": None,
        "documents": said,
        **changes,
    }


def written(folder, summary):
    path = folder / "report.html"
    write_html(path, summary)
    return path


def ids_listed(page):
    return page.locator("#documents button.open").all_text_contents()


def status(page):
    return page.locator("#documents .list-status .status").text_content()


def flagged_count(page):
    return page.locator(".flagged-count").text_content()


def choose(page, label, option):
    page.get_by_role("combobox", name=label, exact=True).select_option(label=option)


def look_for(page, words):
    page.get_by_label("Search").fill(words)
    page.locator(".search-status", has_text="found").wait_for()


def entry_of(page, name):
    return page.locator(".entry", has=page.get_by_role("button", name=name, exact=True))


def open_document(page, name):
    found = entry_of(page, name)
    found.get_by_role("button", name=name, exact=True).click()
    found.locator("article.document").wait_for()
    return found


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def map_shown(page):
    """The map, drawn and scrolled into view; where it is on the screen."""
    shown = page.locator(".map")
    shown.scroll_into_view_if_needed()
    shown.locator("canvas").wait_for()
    return shown.bounding_box()


def map_places(page, summary):
    """Where documents are on the screen while the whole map is shown in a wide window: 34 pixels inside its frame."""
    box = map_shown(page)
    places = np.array([[document["x"], -document["y"]] for document in summary["documents"] if document["judged"]])
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    size = np.array([box["width"], box["height"]]) - 2  # the border
    scale = ((size - 2 * 34) / np.ptp(places, axis=0)).min()
    return scale * (places - middle) + [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]


def loneliest(places):
    """The document on the map that is farthest from any other."""
    distances = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(len(places))
    return int(distances.min(axis=1).argmax())


def in_view(page):
    """How many documents are in view on the map, as the heading of its list says."""
    said = page.locator(".map-list summary").text_content()
    return int(said.split(": ")[1].split()[0].replace(",", ""))


def is_wider_than_its_window(page):
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


def export(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as CSV").click()
    with open(download.value.path(), encoding="utf-8-sig", newline="") as file:
        return download.value.suggested_filename, list(csv.DictReader(file))


def text_of(document):
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in document["pieces"])


def above(summary, threshold):
    return [document["id"] for document in summary["documents"] if document["score"] > threshold]
