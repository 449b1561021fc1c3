"""``tonmf detect --memory``: documents that are too many to be held."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

from tonmf.cli.screen import Screen
from tonmf.errors import ParameterError

if TYPE_CHECKING:
    from tonmf.io import ReadOptions
    from tonmf.io.batches import DocumentFiles
    from tonmf.large_ranking import LargeRanking


def learn_large(
    screen: Screen, files: Sequence[str], reading: ReadOptions, **options: Any
) -> tuple[LargeRanking, DocumentFiles]:
    """Learn from files within a given memory, and rank their documents."""
    with screen.step("Loading"):
        from tonmf.detector import TextOutlierDetector
        from tonmf.io.batches import DocumentFiles
        from tonmf.large_ranking import rank_on_disk
    documents = DocumentFiles(files, reading)
    fingerprint = documents.fingerprint
    with screen.progress("Counting, then learning") as done:
        detector = TextOutlierDetector(**options, callback=done).fit(documents)
    detector.callback = None
    return rank_on_disk(detector, fingerprint), documents


def fetch_and_write(
    screen: Screen, ranking: LargeRanking, documents: DocumentFiles, top: int, output: str | None, reasons: str
) -> None:
    """Bring what is to be shown, and write the table of all documents on the way."""
    from tonmf.io.write import writing_table
    from tonmf.large_ranking import TYPES, fetch

    empty = set(ranking.empty)
    rows = list(islice((int(row) for row in ranking.order if int(row) not in empty), max(top, 1)))
    rows = rows or [int(ranking.order[0])]
    names = {*empty, *(int(row) for group in ranking.small_groups for row in group.documents)}
    table = writing_table(output, TYPES) if output else nullcontext()
    with screen.progress("Writing" if output else "Reading") as done, table as write:
        fetch(ranking, documents, rows, names, write, reasons, done)
    for note in documents.notes:  # known now, also if all was learnt before and is in the cache
        screen.note(note)
    if output:
        screen.note(f"All {len(ranking.ids):,} documents are in {output}, in the order in which they came.")


def refuse_beside_memory(report: str | None, dask: str | None) -> None:
    """Options that do not go together with documents on disk."""
    for option, value, why in (
        ("report", report, "looks at all documents together, in memory"),
        ("dask", dask, "has the documents in the memory of a cluster, and --memory has them on the disk here"),
    ):
        if value:
            raise ParameterError(f"--{option} {why}. Leave out --memory, or --{option}.")
