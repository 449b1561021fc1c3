"""``tonmf detect --memory``: more documents than fit into memory."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from tonmf.cli.embedding import on_embedding
from tonmf.cli.errors import in_flags
from tonmf.cli.output import is_stdout, say_renamed, writing
from tonmf.cli.run import wrote
from tonmf.cli.screen import Screen

if TYPE_CHECKING:
    from tonmf.arrays import Array
    from tonmf.io.document_files import DocumentFiles
    from tonmf.ranking import LargeRanking
    from tonmf.text.batches import Batch


def learn_large(
    screen: Screen, documents: DocumentFiles, embeddings: Array | None = None, **options: Any
) -> tuple[LargeRanking, list[str]]:
    """Fit a detector on files within a memory limit, and rank their documents; also return notes on their embeddings."""
    with screen.step("Loading"):
        from tonmf.detector.detector import TextOutlierDetector
        from tonmf.ranking import LargeRanking
    fingerprint = documents.fingerprint
    with screen.progress("Counting, then learning") as done:
        detector = TextOutlierDetector(**options, callback=done).fit(documents, embeddings=embeddings)
    detector.callback = None
    encoder = detector.encoder()
    notes = [] if encoder is None else on_embedding(encoder, len(detector.outlier_scores_))
    for note in notes:
        screen.note(note)
    return LargeRanking.of_training(detector, fingerprint, embeddings), notes


def fetch_and_write(
    screen: Screen, ranking: LargeRanking, documents: DocumentFiles, top: int, output: str | None, reasons: str
) -> None:
    """Fetch the documents to show, and write the table of all documents on the way."""
    from tonmf.cli.answer import strangest_flagged
    from tonmf.io.user_columns import UserColumns
    from tonmf.ranking import COLUMNS, TYPES

    if output and documents.column_names is None:
        with screen.step("Looking for columns"):  # the counts came from the cache, so nothing has been read yet
            for _ in documents:
                pass
    users = UserColumns(documents.column_names or (), COLUMNS)
    names = {*ranking.empty, *(int(row) for group in ranking.small_groups for row in group.documents)}
    if screen.as_json:
        names |= {*strangest_flagged(ranking)}
    table = writing(output, {**TYPES, **users.types}) if output else nullcontext()
    with screen.progress("Writing" if output else "Reading") as done, table as write:

        def write_batch(columns: dict[str, list[Any]], batch: Batch) -> None:
            if write is not None:
                write(users.beside(columns, batch.rows or [{}] * len(batch.ids)))

        ranking.fetch(documents, top, names, write_batch if output else None, reasons, done)
    for note in documents.notes:  # known only now if the counts came from the cache
        screen.note(in_flags(note))
    if output:
        say_renamed(screen, users, output)
    if output and not is_stdout(output):
        wrote("table", output)
        screen.note(f"All {len(ranking.ids):,} documents are in {output}, in the order in which they came.")
