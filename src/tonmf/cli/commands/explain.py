"""``tonmf explain``: say why documents have their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.embedding import Embedding, embedded
from tonmf.cli.learning import check_model, check_terms
from tonmf.cli.reading import read, reading_files
from tonmf.cli.screen import Screen
from tonmf.errors import InputError, ParameterError

if TYPE_CHECKING:
    from tonmf.io import ReadOptions

LONGEST_TEXT = 1000
"""Maximum number of characters of a document to show."""


@reading_files
def explain(
    model: opt.Model,
    files: opt.Files,
    reading: ReadOptions,
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", help="Id of a document to explain; can be repeated. (Default: the strangest document.)"),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Explain this many of the strangest documents, if no --id is given. (Default: 1.)"),
    ] = None,
    words: Annotated[int, typer.Option(min=1, help="Number of unexpected words to list.")] = 10,
    embed: opt.EmbedAgain = None,
    embeddings: opt.Embeddings = None,
    as_json: opt.AsJson = False,
) -> None:
    """Explain the scores of documents in FILES, by a saved MODEL."""
    screen = Screen(as_json=as_json)
    if ids and top is not None:
        raise ParameterError(
            "--top explains the strangest documents, and --id those that it names. Give one of the two."
        )
    check_model(model)
    embedding = Embedding.of(embed, embeddings)
    documents = read(screen, files, reading)
    given = embedding.given(screen, documents)
    with screen.step("Loading"):
        from rich.text import Text

        from tonmf.cli.tables import explanation_lines, styled
        from tonmf.persist import load_fitted
        from tonmf.ranking import Ranking, pieces_of
        from tonmf.text.documents import take
        from tonmf.text.pieces import excerpt

        detector = load_fitted(model)
        check_terms(detector, documents)
        on_embeddings = embedding.prepare(detector, model)
    for note in on_embeddings:
        screen.note(note)
    unjudged: list[str] = []
    if ids:
        rows = _rows(ids, documents.ids)
        some = take(documents.content, rows)
        vectors, made = embedded(screen, detector, some, None if given is None else given[rows])
    else:
        of_all, made = embedded(screen, detector, documents.content, given)
        with screen.progress("Scoring") as done:
            ranking = Ranking.by(detector, documents.content, documents.ids, done, embeddings=of_all)
        rows, unjudged = ranking.order[: top or 1].tolist(), ranking.unjudged_notes
        some, vectors = take(documents.content, rows), ranking.embeddings_of(rows)
    names = [documents.ids[row] for row in rows]
    explanations = detector.explain(some, embeddings=vectors, names=names, n_words=words)
    notes = [*documents.notes, *on_embeddings, *made, *unjudged]
    screen.show_json({"explanations": [why.to_dict() for why in explanations], "notes": notes})
    for number, (why, row) in enumerate(zip(explanations, rows, strict=True)):
        if number:
            screen.show()
        for line in explanation_lines(why, screen.width):
            screen.show(line, isolates=True)
        screen.show()
        screen.show(styled(excerpt(pieces_of(detector, documents.content, row, why.unexpected), LONGEST_TEXT)))
    for note in unjudged:
        screen.show()
        screen.show(Text(note))


def _rows(ids: Sequence[str], known: Sequence[str]) -> list[int]:
    """Return the numbers of the documents with these ids; all of them, if several share one."""
    rows = []
    for wanted in ids:
        found = [row for row, name in enumerate(known) if name == wanted]
        if not found:
            some = ", ".join(known[:3]) + (", …" if len(known) > 3 else "")
            raise InputError(f"There is no document with the id {wanted!r}. The ids are {some}.")
        rows += found
    return rows
