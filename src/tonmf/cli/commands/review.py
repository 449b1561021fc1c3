"""``tonmf review``: read the strangest documents one by one, mark each, and let the rest follow."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from tonmf.cli import options as opt
from tonmf.cli.embedding import Embedding, embedded
from tonmf.cli.learning import check_kind, check_learning, check_model, check_terms, learn, learning_options
from tonmf.cli.marks import apply_marks
from tonmf.cli.output import check_table, is_stdout, write_results
from tonmf.cli.reading import as_flags, read, reading_files
from tonmf.cli.screen import Screen
from tonmf.errors import InputError, ParameterError

if TYPE_CHECKING:
    from tonmf.cli.reviewing.pile import Pile
    from tonmf.cli.reviewing.review import Review
    from tonmf.io import Documents, ReadOptions

STDIN = "-"

SEVERAL = "marks.csv"
"""Where the marks on several inputs are kept, if nothing else is said."""

LEARNING = (
    "contamination", "stop_words", "stem", "mask", "strip_html", "strip_headers", "min_df", "boilerplate", "topics", "seed",
)  # fmt: skip
"""Options that a saved model has settled."""


@reading_files
def review(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] FILES",
            help="Files as in detect, which are learnt from; after the folder of a saved model, files as in score.",
            show_default=False,
        ),
        opt.TO_READ,
    ],
    reading: ReadOptions,
    marks: Annotated[
        str | None,
        typer.Option(
            "--marks",
            metavar="FILE",
            help="CSV file to add marks to; those that it has count from the start. (Default: posts.marks.csv beside "
            "posts.jsonl; marks.csv for several inputs.)",
            rich_help_panel=opt.RESULTS,
        ),
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="At the end, write the documents marked as strange, with their own columns, to this .csv, .tsv, .jsonl or "
            ".parquet file.",
            rich_help_panel=opt.RESULTS,
        ),
    ] = None,
    contamination: opt.Contamination = "auto",
    stop_words: opt.StopWords = "english",
    stem: opt.Stem = None,
    mask: opt.Mask = opt.USUAL_MASK,
    strip_html: opt.StripHtml = True,
    strip_headers: opt.StripHeaders = True,
    min_df: opt.MinDf = 2,
    boilerplate: opt.Boilerplate = "5%",
    topics: opt.Topics = 25,
    embed: opt.Embed = None,
    embeddings: opt.Embeddings = None,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
) -> None:
    """Read the strangest documents one by one and mark each as strange or fine; the others are ranked anew by each mark."""
    screen = Screen()
    model, files = _split(files)
    learning = learning_options(
        contamination, stop_words, stem, mask, strip_html, strip_headers, min_df, boilerplate, topics, seed, jobs, embed
    )
    if model is None:
        check_learning(learning)
    else:
        check_model(model, jobs)
        _check_idle(context)
    embedding = Embedding.of(embed, embeddings)
    _check_export(export, files)
    path = marks_beside(files) if marks is None else marks
    earlier = _earlier(path, files)
    with ExitStack() as stack:
        keys = _keys(files, stack)
        documents = read(screen, files, replace(reading, keep_columns=export is not None))
        if model is None:
            pile = _learnt(screen, documents, learning, embedding)
        else:
            pile = _loaded(screen, model, documents, jobs, embedding)
        _mark_as_before(screen, pile, earlier)
        done, interrupt = _review(screen, pile, path, keys, earlier)
    if export is not None:
        _export(screen, done, documents, export)
    _conclude(screen, done, model, files, reading, embedding, path)
    if interrupt is not None:
        raise interrupt


def _split(files: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the model, if the first argument is one, and the files."""
    try:
        check_model(files[0])
    except InputError:
        return None, list(files)
    if len(files) == 1:
        raise ParameterError(
            f"{files[0]} is a saved model, which has no documents. Give files to review as well: tonmf review "
            f"{shlex.quote(files[0])} FILES."
        )
    return files[0], list(files[1:])


def _check_idle(context: typer.Context) -> None:
    for name in LEARNING:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"{option} has no effect beside a saved model, which has learnt. Leave it out.")


def _check_export(export: str | None, files: Sequence[str]) -> None:
    if is_stdout(export):
        raise ParameterError("--export needs the name of a file: standard output is where the documents are shown.")
    check_table(export, files, as_json=False)


def marks_beside(files: Sequence[str]) -> str:
    """Return where to keep the marks on files: beside the only one, otherwise in the current folder.

    >>> marks_beside(["data/posts.csv.gz"]), marks_beside(["data/"]), marks_beside(["a.csv", "b.csv"])
    ('data/posts.marks.csv', 'data.marks.csv', 'marks.csv')
    """
    from tonmf.io.formats import split_name

    name = os.path.normpath(files[0])
    if len(files) > 1 or name in (STDIN, os.curdir, os.pardir) or not os.path.basename(name) or "*" in name:
        return SEVERAL
    return f"{name if os.path.isdir(name) else split_name(name)[0]}.marks.csv"


def _earlier(path: str, files: Sequence[str]) -> dict[str, str]:
    """Return the marks of earlier reviews; raise `InputError` if no mark could be added to them."""
    from tonmf.io.marks import check_appendable, read_marks
    from tonmf.io.write import check_no_input
    from tonmf.storage.atomic import check_writable

    check_writable(path)
    check_no_input(path, files)
    if not os.path.exists(path):
        return {}
    if not os.access(path, os.W_OK):
        raise InputError(f"{path} cannot be written: Permission denied. Check the access rights.")
    check_appendable(path)
    return read_marks(path)


def _keys(files: Sequence[str], stack: ExitStack) -> IO[str]:
    """Return where keys come from: standard input, or the terminal if documents come from there."""
    if STDIN not in files:
        return sys.stdin or stack.enter_context(open(os.devnull))
    try:
        return stack.enter_context(open("/dev/tty", encoding="utf-8", errors="replace"))
    except OSError as error:
        raise InputError(
            "Documents come from standard input, and there is no terminal that keys could come from. Give a file instead of -."
        ) from error


def _learnt(screen: Screen, documents: Documents, learning: Mapping[str, Any], embedding: Embedding) -> Pile:
    """Fit a detector on the documents, as `detect` does."""
    check_kind(learning, documents.kind)
    given = embedding.given(screen, documents)
    ranking, _ = learn(screen, documents.content, documents.ids, terms=documents.terms, embeddings=given, **learning)
    from tonmf.cli.reviewing.pile import Pile

    for note in ranking.observations:
        screen.note(note)
    return Pile.of_training(ranking)


def _loaded(screen: Screen, model: str, documents: Documents, jobs: int | None, embedding: Embedding) -> Pile:
    """Score the documents by a saved model, as `score` does."""
    given = embedding.given(screen, documents)
    with screen.step("Loading"):
        from tonmf.cli.reviewing.pile import Pile
        from tonmf.persist import load_detector

        detector = load_detector(model).set_params(n_jobs=jobs)
        check_terms(detector, documents)
    for note in embedding.prepare(detector, model):
        screen.note(note)
    rows, _ = embedded(screen, detector, documents.content, given)
    with screen.progress("Scoring") as done:
        return Pile.of_new(detector, documents.content, documents.ids, done, rows)


def _mark_as_before(screen: Screen, pile: Pile, earlier: Mapping[str, str]) -> None:
    of_others = pile.content if pile.following else None
    for note in apply_marks(pile.detector, earlier, pile.ids, of_others, pile.embeddings if pile.following else None):
        screen.note(note)


def _review(
    screen: Screen, pile: Pile, path: str, keys: IO[str], earlier: Mapping[str, str]
) -> tuple[Review, KeyboardInterrupt | None]:
    """Let the reader review the documents; return what was done, and what broke it off, if anything did."""
    from tonmf.cli.reviewing.dialogue import ByLines, WholeScreen, takes_the_whole_screen
    from tonmf.cli.reviewing.loop import Loop
    from tonmf.cli.reviewing.review import Review
    from tonmf.io.marks import append_marks
    from tonmf.wording import number_of

    done = Review(pile, lambda name, mark: append_marks(path, [(name, mark)]), earlier)
    before = done.n_earlier
    goes_on = f"Going on after {number_of(before, 'mark')} in {path}." if before else f"Marks go to {path}."
    dialogue: WholeScreen | ByLines = ByLines(screen, keys)
    if takes_the_whole_screen(keys.fileno()):
        dialogue = WholeScreen(screen, keys.fileno())
    try:
        with dialogue:
            Loop(done, dialogue, path, goes_on).run()
    except KeyboardInterrupt as interrupt:
        return done, interrupt
    return done, None


def _export(screen: Screen, done: Review, documents: Documents, export: str) -> None:
    """Write the documents that were found to a file."""
    from tonmf.ranking import TYPES
    from tonmf.wording import number_of

    rows = done.pile.in_order(done.found())
    with screen.progress("Finding reasons") as shown:
        columns = done.pile.table(rows, on_done=shown)
    users = documents.rows or [{}] * len(done.pile.ids)
    write_results(screen, export, TYPES, columns, [users[row] for row in rows])
    screen.note(f"{number_of(len(rows), 'strange document')} {'is' if len(rows) == 1 else 'are'} in {export}.")


def _conclude(
    screen: Screen,
    done: Review,
    model: str | None,
    files: Sequence[str],
    reading: ReadOptions,
    embedding: Embedding,
    path: str,
) -> None:
    """Say what was found, where the marks are, and what to do with them."""
    from rich.text import Text

    from tonmf.cli.answer import show_next
    from tonmf.cli.reviewing.view import progress

    screen.show(Text(progress(done)))
    if not done.n_strange + done.n_fine:
        return
    screen.show(Text(f"Marks are in {path}."), wrap=False)
    names = shlex.join(files) if len(files) < 4 else f"{shlex.quote(files[0])} …"
    command = ["detect"] if model is None else ["score", shlex.quote(model)]
    flags = "".join(f" {flag}" for flag in as_flags(reading)) + embedding.flags(with_saved=model is not None)
    ranked = f"tonmf {' '.join(command)} {names}{flags} --marks {shlex.quote(path)}"
    saves = [f"{ranked} --save model  keeps a model with them"] if model is None else []
    show_next(screen, f"{ranked}  ranks all documents by them", *saves)
