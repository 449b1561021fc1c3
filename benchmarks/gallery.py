"""``python -m benchmarks gallery``: the reports of the gallery's pages, and their pictures.

A page of docs/gallery shows a command, ``tonmf detect …``. It is run here, in a folder with the files that it speaks of, and
writes a report beside its answer. A real Chromium then takes the picture, for which some font here must know Chinese.
Reports hold the texts of their documents, whose terms differ, so they go to benchmarks/results/gallery, which is not committed;
where texts may not be shown, the picture is of the map. ``--free`` writes only the reports that may be published.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gallery_reviews import write_reviews
from benchmarks.harness import RESULTS, data_folder

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "gallery"
WIDTH, HEIGHT = 1200, 760
COLOURS = 96


def _archive(name: str) -> Path:
    path = data_folder() / name
    if not path.exists():
        raise FileNotFoundError(name)
    return path


def _messages(folder: Path) -> None:
    shutil.unpack_archive(_archive("20news-bydate.tar.gz"), folder, filter="data")


def _access_log(folder: Path) -> None:
    shutil.copy(ROOT / "examples" / "data" / "access.log.gz", folder)


@dataclass(frozen=True)
class Exhibit:
    """What puts the files of a page into its folder, and the address within the report that its picture shows."""

    prepare: Callable[[Path], object]
    shows: str = ""
    is_free: bool = False
    """Whether the texts, and so the report, may be published."""


EXHIBITS = {
    "news": Exhibit(lambda folder: _archive("bbc-fulltext.zip"), "#map"),
    "mails": Exhibit(_messages, "#map"),
    "baskets": Exhibit(lambda folder: _archive("retail.dat.gz")),
    "logs": Exhibit(_access_log, is_free=True),
    "code": Exhibit(lambda folder: None, is_free=True),
    "reviews": Exhibit(
        write_reviews
    ),  # not free because of the Slovene texts; the picture shows only Chinese ones, which are
}


def title_and_command_of(name: str) -> tuple[str, str]:
    """Return the title of a page, and the command that it shows: its first line with ``tonmf detect``."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    found = re.search(r"^(?:\$ )?(tonmf detect .*)$", text, flags=re.MULTILINE)
    assert found, f"docs/gallery/{name}.md shows no tonmf detect"
    return text.partition("\n")[0].removeprefix("# "), found.group(1)


def write_report(name: str, folder: Path) -> Path:
    """Run the command of a page, with a report; return its path."""
    work, report = folder / name, folder / f"{name}.html"
    work.mkdir(parents=True, exist_ok=True)
    EXHIBITS[name].prepare(work)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    title, command = title_and_command_of(name)
    options = f"--quiet --title '{title}' --report ../{name}.html"
    subprocess.run(["/bin/sh", "-c", f"{command} {options}"], cwd=work, check=True, env={**os.environ, "PATH": path})
    return report


def take_picture(report: Path, shows: str, file: Path) -> None:
    """Write a picture of a report, at the address within it, of few colours so that it is small."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("TONMF_CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce"
        )
        page.goto(report.as_uri() + shows)
        page.locator("html[data-ready]").wait_for()
        page.screenshot(path=file)
        browser.close()
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(COLOURS).save(file, optimize=True)


def main(arguments: list[str]) -> None:
    """Write reports and, unless told otherwise, pictures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks gallery", description="Reports and pictures of docs/gallery."
    )
    parser.add_argument("--only", action="append", choices=EXHIBITS, help="one page; may be repeated")
    parser.add_argument("--reports", type=Path, default=RESULTS / "gallery", help="folder for the reports")
    parser.add_argument("--free", action="store_true", help="only the corpora whose texts may be published")
    parser.add_argument("--no-pictures", action="store_true", help="leave the pictures in docs/gallery as they are")
    options = parser.parse_args(arguments)
    options.reports.mkdir(parents=True, exist_ok=True)
    for name in options.only or EXHIBITS:
        if options.free and not EXHIBITS[name].is_free:
            continue
        try:
            report = write_report(name, options.reports.resolve())
        except FileNotFoundError as missing:
            print(f"{name}: left out, there is no {missing}")
            continue
        if not options.no_pictures:
            take_picture(report, EXHIBITS[name].shows, PAGES / f"{name}.png")
        print(f"{name}: {report}, {report.stat().st_size / 1e6:.1f} MB")
