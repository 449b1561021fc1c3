"""``tonmf report``: write a report on documents, scored by a saved model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.against import check_against, earlier_run
from tonmf.cli.embedding import Embedding
from tonmf.cli.learning import check_model, scored
from tonmf.cli.marks import marks_in
from tonmf.cli.reading import read, reading_files, with_labels
from tonmf.cli.report_files import check_report, title_of, write_report
from tonmf.cli.screen import Screen

if TYPE_CHECKING:
    from tonmf.io import ReadOptions


@reading_files
def report(
    model: opt.Model,
    files: opt.Files,
    reading: ReadOptions,
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="Write the report to this .html file, or its content to a .json file."),
    ] = "report.html",
    title: opt.Title = None,
    label_column: opt.LabelColumn = None,
    label_outlier: opt.LabelOutlier = None,
    marks: opt.Marks = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="OLD",
            help="Compare with an earlier report (.html, or .json for its content), or with another saved model on the same "
            "documents: what is newly strange, what no longer is, topics that came and went.",
        ),
    ] = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    jobs: opt.Jobs = None,
    device: opt.Device = "cpu",
    embed: opt.EmbedAgain = None,
    embeddings: opt.Embeddings = None,
) -> None:
    """Write a report on the documents in FILES, scored by a saved MODEL: one HTML file to browse, search and share."""
    screen = Screen(quiet, as_json)
    check_model(model, jobs, device)
    embedding = Embedding.of(embed, embeddings)
    check_report(output, [*files, *([against] if against else [])])
    check_against(against)
    known = marks_in(marks)
    documents = read(screen, files, with_labels(reading, label_column, label_outlier))
    ranking, on_scores = scored(screen, model, documents, jobs, known, embedding=embedding, device=device)
    old = None if against is None else earlier_run(screen, against, documents, jobs, embedding)
    notes = [*documents.notes, *ranking.observations, *on_scores]
    comparison = write_report(screen, ranking, output, title_of(files, title), notes, documents.labels, old)
    from tonmf.cli.answer import facts

    screen.show_json({**facts(ranking), "comparison": comparison, "notes": notes})
