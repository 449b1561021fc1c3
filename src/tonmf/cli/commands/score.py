"""``tonmf score``: rank documents by a saved model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tonmf.cli import options as opt
from tonmf.cli.embedding import Embedding
from tonmf.cli.learning import check_model, rate_in, scored
from tonmf.cli.marks import marks_in
from tonmf.cli.output import check_table, is_stdout
from tonmf.cli.reading import read, reading_files
from tonmf.cli.screen import Screen

if TYPE_CHECKING:
    from tonmf.io import ReadOptions


@reading_files
def score(
    model: opt.Model,
    files: opt.Files,
    reading: ReadOptions,
    top: opt.Top = 20,
    all_copies: opt.AllCopies = False,
    output: opt.Output = None,
    marks: opt.Marks = None,
    fdr: opt.Fdr = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    jobs: opt.Jobs = None,
    device: opt.Device = "cpu",
    embed: opt.EmbedAgain = None,
    embeddings: opt.Embeddings = None,
) -> None:
    """Score the documents in FILES by a saved MODEL, on the scale of its training documents."""
    screen = Screen(quiet, as_json)
    check_model(model, jobs, device)
    embedding = Embedding.of(embed, embeddings)
    check_table(output, files, as_json)
    rate = rate_in(fdr)
    known = marks_in(marks)
    documents = read(screen, files, replace(reading, keep_columns=output is not None))
    ranking, on_scores = scored(
        screen, model, documents, jobs, known, output is not None and rate is None, embedding, device
    )
    ranking = ranking.at_rate(rate)
    from tonmf.cli.answer import note_count, show_ranking, write

    if output is not None:
        write(screen, ranking, documents, output)
    if is_stdout(output):
        note_count(screen, ranking)
    else:
        show_ranking(screen, ranking, top, [*documents.notes, *on_scores], all_copies=all_copies)
