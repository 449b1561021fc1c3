"""Write reports: a page to share, or its content as JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tonmf.cli.against import show_comparison
from tonmf.cli.run import wrote
from tonmf.cli.screen import Screen
from tonmf.errors import InputError

if TYPE_CHECKING:
    from tonmf.ranking import Ranking
    from tonmf.report.runs import Run
    from tonmf.text.batches import Batches

PAGE, SUMMARY = (".html", ".htm"), (".json",)


def check_report(path: str, files: Sequence[str] = ()) -> None:
    """Reject a path that no report can be written to, before any work is done for it."""
    from tonmf.io.write import check_no_input
    from tonmf.storage.atomic import check_writable

    if not path.lower().endswith(PAGE + SUMMARY):
        raise InputError(f"{path}: expected a name that ends in .html, or in .json for its content.")
    check_writable(path)
    check_no_input(path, files)


def write_report(
    screen: Screen,
    ranking: Ranking,
    path: str,
    title: str,
    notes: Sequence[str] = (),
    labels: Sequence[int | None] | None = None,
    old: Run | None = None,
    batches: Batches | None = None,
) -> dict[str, Any] | None:
    """Write the report of all documents, compared with an earlier run if there is one; return the comparison.

    `batches` are the documents of a large ranking, to be read once more.
    """
    from tonmf.report import compare, summarise

    with screen.progress("Finding reasons") as done:
        summary = summarise(ranking, title=title, notes=notes, labels=labels, batches=batches, on_done=done)
    if old is not None:
        summary["comparison"] = compare(summary, old)
    write_file(screen, summary, path)
    if old is not None:
        show_comparison(screen, summary["comparison"])
    return summary.get("comparison")


def write_file(screen: Screen, summary: dict[str, Any], path: str) -> None:
    """Write a summary as a page, or its content."""
    from tonmf.report import write_html, write_summary

    with screen.step(f"Writing {path}"):
        (write_summary if path.lower().endswith(SUMMARY) else write_html)(path, summary)
    wrote("report", path)
    screen.note(f"The report is in {path}." + ("" if path.lower().endswith(SUMMARY) else " Open it in a browser."))


def title_of(files: Sequence[str], given: str | None = None) -> str:
    """Return the title of a report: the names of the files, unless one is given."""
    if given is not None:
        return given
    names = ["standard input" if name == "-" else Path(os.path.normpath(name)).name or name for name in files]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"
