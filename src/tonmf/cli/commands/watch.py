"""``tonmf watch``: score documents as they arrive, and learn from them."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.embedding import Embedding, check_can_embed
from tonmf.cli.errors import INTERRUPTED
from tonmf.cli.learning import check_jobs, check_model
from tonmf.cli.marks import check_growing_marks
from tonmf.cli.screen import Screen
from tonmf.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tonmf.cli.watching.following import FollowedFile, Pipe, Place
    from tonmf.cli.watching.snapshots import Snapshot, Snapshots
    from tonmf.cli.watching.watch import Watch
    from tonmf.io import ReadOptions
    from tonmf.stream.half_life import HalfLife

READING, LEARNING, KEEPING = "Reading", "Learning", "Snapshots"


class WatchFormat(StrEnum):
    """Formats of lines."""

    JSONL = "jsonl"
    LINES = "lines"


def watch(
    model: opt.Model,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Growing file of JSON lines or plain lines, or - for standard input.",
            show_default=False,
        ),
    ],
    file_format: Annotated[
        WatchFormat | None,
        typer.Option(
            "--format",
            help="Format of the lines. (Default: by the name of FILE, else jsonl.)",
            rich_help_panel=READING,
        ),
    ] = None,
    text_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Key of the texts, such as text, or user.bio for a key within another. Give it several times to join keys.",
            rich_help_panel=READING,
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(help="Key of the ids. (Default: id, or file and line.)", rich_help_panel=READING),
    ] = None,
    time_column: Annotated[
        str | None,
        typer.Option(help="Key of the documents' times. (Default: when they arrive.)", rich_help_panel=READING),
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(
            help="What separates the items on plain lines: comma, semicolon, tab, bar, space, or the characters themselves. "
            "(Default: the lines decide.)",
            rich_help_panel=READING,
        ),
    ] = None,
    until_end: Annotated[
        bool,
        typer.Option("--until-end", help="Stop at the end of the file instead of waiting.", rich_help_panel=READING),
    ] = False,
    learn: Annotated[
        bool,
        typer.Option("--learn/--no-learn", help="Learn from the documents as they arrive.", rich_help_panel=LEARNING),
    ] = True,
    learn_every: Annotated[
        int | None,
        typer.Option(min=1, help="Batch size for learning. (Default: 128.)", rich_help_panel=LEARNING),
    ] = None,
    half_life: Annotated[
        str | None,
        typer.Option(
            help="When a document counts half: after 5000 documents, '30 days', or never. (Default: as the model says.)",
            rich_help_panel=LEARNING,
        ),
    ] = None,
    new_topics: Annotated[
        bool,
        typer.Option(
            "--new-topics/--no-new-topics",
            help="Announce strange documents that turn out to share a subject, and learn them as a topic.",
            rich_help_panel=LEARNING,
        ),
    ] = True,
    snapshot: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Keep snapshots in this folder, and resume from the last.", rich_help_panel=KEEPING
        ),
    ] = None,
    snapshot_every: Annotated[
        str | None,
        typer.Option(
            help="Time or number of documents between two snapshots. (Default: '60 s'.)", rich_help_panel=KEEPING
        ),
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(
            "--marks",
            metavar="FILE",
            help="CSV file with an id and a mark, strange or fine, on each line. It may grow, or come into being, while the "
            "watch runs: marks count from the next document on.",
            rich_help_panel=opt.RESULTS,
        ),
    ] = None,
    only_outliers: Annotated[
        bool, typer.Option("--only-outliers", help="Print outliers only.", rich_help_panel=opt.RESULTS)
    ] = False,
    words: Annotated[
        int, typer.Option(min=1, help="Number of unexpected words to list.", rich_help_panel=opt.RESULTS)
    ] = 10,
    embed: opt.EmbedAgain = None,
    quiet: opt.Quiet = False,
    jobs: opt.Jobs = None,
) -> None:
    """Score the documents in FILE by a saved MODEL as they arrive, print a JSON line for each, and learn from them."""
    screen = Screen(quiet)
    from tonmf.stream.half_life import half_life_of

    _check_no_option_idle(learn, learn_every, half_life, snapshot, snapshot_every)
    every = _interval(snapshot_every or "60 s")
    parameter = None if half_life in (None, "never") else half_life
    half_life_of(parameter)
    form = _format(file, file_format)
    if form == "lines" and (column := next(iter(text_column or ()), None) or id_column or time_column):
        raise ParameterError(f"Plain lines have no columns; got {column!r:.60}. Leave it out, or give --format jsonl.")
    read_options = _read_options(text_column, id_column, separator, form)
    check_jobs(jobs)
    Embedding.of(embed, None)
    if snapshot is None or not os.path.exists(snapshot):
        check_model(model)
    _check_file(file)
    if marks is not None:
        check_growing_marks(marks)
    with screen.step("Loading"), ExitStack() as stack:
        from tonmf.cli.watching.documents import DocumentParser, check_kind
        from tonmf.cli.watching.lines import Lines
        from tonmf.cli.watching.marks import MarksFile, MarksMemory
        from tonmf.cli.watching.output import Output
        from tonmf.cli.watching.snapshots import Snapshots
        from tonmf.cli.watching.stopping import stop_on_signals
        from tonmf.cli.watching.watch import Watch, WatchOptions
        from tonmf.nmf.threads import one_blas_thread

        snapshots = None if snapshot is None else Snapshots(snapshot)
        last = _start(model, snapshots, learn and new_topics, screen)
        detector = last.detector
        check_kind(detector.kind_)
        for note in check_can_embed(detector, model, embed):
            screen.note(note)
        detector.set_params(n_jobs=jobs)
        if half_life is not None:
            detector.set_params(half_life=parameter)
        source, start = _source(file, last.place, screen.note, until_end)
        stopping = stack.enter_context(stop_on_signals())
        columns = last.columns if start.lines else None
        parser = DocumentParser(source.name, form, detector.kind_, read_options, time_column, screen.note, columns)
        options = WatchOptions(learn, learn_every or LEARN_EVERY, only_outliers, words, every, time_column is not None)
        lines, output = Lines(source, start), Output(sys.stdout.fileno(), stopping.wake, stopping)
        marking = None if marks is None else MarksFile(marks, last.marks or MarksMemory(), screen.note, _warn)
        watching = Watch(
            detector, lines, parser, output, snapshots, stopping, options, _warn, last.new_topics, last.pending, marking
        )
        # The screen's bar must be gone before the first answer.
        entered = stack.pop_all()
    with entered, one_blas_thread():
        watching.run()
    _note_totals(screen, watching)
    if stopping.signal_number == 2:
        raise typer.Exit(INTERRUPTED)
    if watching.is_unkept:
        raise typer.Exit(1)


LEARN_EVERY = 128
"""Default number of documents in a batch."""


def _read_options(
    text_column: list[str] | None, id_column: str | None, separator: str | None, form: str
) -> ReadOptions:
    from tonmf.io import ReadOptions
    from tonmf.io.options import check_options

    if separator is not None and form != "lines":
        raise ParameterError("--separator has no effect on JSON lines. Leave it out, or give --format lines.")
    options = ReadOptions(text_column=tuple(text_column or ()) or None, id_column=id_column, separator=separator)
    check_options(options)
    return options


def _check_no_option_idle(
    learn: bool, learn_every: int | None, half_life: str | None, snapshot: str | None, snapshot_every: str | None
) -> None:
    for option, value in (("--learn-every", learn_every), ("--half-life", half_life)):
        if value is not None and not learn:
            raise ParameterError(f"{option} has no effect beside --no-learn. Give one of the two.")
    if snapshot_every is not None and snapshot is None:
        raise ParameterError("--snapshot-every has no effect without --snapshot. Give both, or leave it out.")


def _interval(text: str) -> HalfLife:
    """Parse the time or number of documents between snapshots, which is written as a half-life is."""
    from tonmf.stream.half_life import half_life_of

    try:
        every = half_life_of(text)
    except ParameterError:
        every = None
    if every is None:
        raise ParameterError(
            f"--snapshot-every must be a time such as '60 s', or a number of documents; got {text!r:.60}."
        )
    return every


def _format(file: str, given: WatchFormat | None) -> str:
    from tonmf.io.archives import is_archive
    from tonmf.io.formats import FORMAT_OF
    from tonmf.wording import path_shown

    if given is not None:
        return given.value
    form = FORMAT_OF.get(os.path.splitext(file)[1].lower(), "jsonl")
    if form not in ("lines", "jsonl", "baskets") or is_archive(file):
        raise ParameterError(
            f"By its name {path_shown(os.path.basename(file))} is not a file of lines. Give a file of JSON lines or of plain "
            "lines, or say which it is (--format)."
        )
    return "jsonl" if form in ("jsonl", "json") else "lines"  # a basket is on a line of its own


def _start(model: str, snapshots: Snapshots | None, new_topics: bool, screen: Screen) -> Snapshot:
    """Return the last snapshot; if there is none, the model, at the start of the file."""
    from tonmf.cli.watching.following import Place
    from tonmf.cli.watching.new_topics import NewTopics
    from tonmf.cli.watching.snapshots import Snapshot
    from tonmf.persist import load_detector

    last = None if snapshots is None else snapshots.last(new_topics)
    if last is None:
        last = Snapshot(load_detector(model), Place(), None, None)
    else:
        screen.note(f"Resuming from the last snapshot, after line {last.place.lines:,}.")
    wanted = new_topics and not last.detector.uses_embeddings_
    return replace(last, new_topics=(last.new_topics or NewTopics()) if wanted else None)


def _check_file(file: str) -> int:
    """Raise `InputError` if there is no such file; return its mode, 0 for standard input."""
    from tonmf.wording import cannot

    if file == "-":
        return 0
    try:
        return os.stat(file).st_mode
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, OSError) else OSError(str(error))
        raise InputError(cannot("read", file, reason)) from error


def _source(file: str, place: Place, note: Callable[[str], None], until_end: bool) -> tuple[FollowedFile | Pipe, Place]:
    """Open FILE, and return it with the place where reading begins."""
    from tonmf.cli.watching.following import FollowedFile, Pipe, Place
    from tonmf.wording import path_shown

    if file == "-":
        return Pipe(sys.stdin.fileno(), "stdin"), Place(lines=place.lines)
    mode = _check_file(file)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return Pipe(os.open(file, os.O_RDONLY), path_shown(os.path.basename(file))), Place(lines=place.lines)
    followed = FollowedFile(file, place, note, until_end)
    return followed, followed.start


def _warn(sentence: str) -> None:
    from tonmf.cli.screen import printable

    print(printable(f"tonmf: {' '.join(sentence.split())}"), file=sys.stderr, flush=True)


def _note_totals(screen: Screen, watching: Watch) -> None:
    from tonmf.detector.explain.explanation import no_words
    from tonmf.wording import number_of

    n_docs, n_bad, n_unjudged = watching.n_docs, watching.n_bad, watching.n_unjudged
    have, were = ("has", "was") if n_unjudged == 1 else ("have", "were")
    lacks = no_words(watching.detector.word_)
    unjudged = f" {n_unjudged:,} of them {have} {lacks} and {were} not judged." if n_unjudged else ""
    left_out = (
        f" {number_of(n_bad, 'line')} could not be read and {'was' if n_bad == 1 else 'were'} left out."
        if n_bad
        else ""
    )
    screen.note(f"{number_of(n_docs, 'document')} scored.{unjudged}{left_out}")
