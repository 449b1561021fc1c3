"""``tonmf timeline``: score documents in order of time, and follow how topics come and go."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tonmf.cli import options as opt
from tonmf.cli.learning import check_kind, check_learning, check_save, fit, learning_options
from tonmf.cli.output import check_table, is_stdout, write_results
from tonmf.cli.reading import read, reading_files
from tonmf.cli.run import wrote
from tonmf.cli.screen import Screen
from tonmf.errors import ParameterError

if TYPE_CHECKING:
    from tonmf.detector.detector import TextOutlierDetector
    from tonmf.io import Documents, ReadOptions
    from tonmf.timeline.follow import Timeline

TIME = "Time"


@reading_files
def timeline(
    files: opt.Files,
    reading: ReadOptions,
    time_column: Annotated[
        str,
        typer.Option(
            help="Column with the times of the documents: ISO 8601, mail dates, or seconds since 1970.",
            rich_help_panel=TIME,
        ),
    ],
    window: Annotated[
        str, typer.Option(help="Length of a window, such as '7 days' or '12 hours'.", rich_help_panel=TIME)
    ] = "7 days",
    warm_up: Annotated[
        str,
        typer.Option(
            help="First documents, to fit on before the timeline begins: a number, a share such as 20%, or a time.",
            rich_help_panel=TIME,
        ),
    ] = "20%",
    learn: Annotated[
        bool,
        typer.Option(help="Learn from the documents as they come, or only fit on the first.", rich_help_panel=TIME),
    ] = True,
    half_life: Annotated[
        str | None,
        typer.Option(
            help="When a document counts half: after a number of documents, or a time such as '30 days'. (Default: never.)",
            rich_help_panel=TIME,
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
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    output: opt.Output = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw topics, outliers and new topics to this .png or .svg file.",
            rich_help_panel=opt.RESULTS,
        ),
    ] = None,
    save: opt.Save = None,
    excerpts: opt.Excerpts = True,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Score the documents in FILES in order of time, each by the model at its time, and show how topics come and go."""
    screen = Screen(quiet, as_json)
    options = learning_options(
        contamination, stop_words, stem, mask, strip_html, strip_headers, min_df, boilerplate, topics, seed, jobs
    )
    _check_targets(files, window, half_life, plot)
    check_table(output, files, as_json)
    check_learning(options)
    check_save(save, excerpts)
    _first_of(warm_up)
    if half_life is not None and not learn:
        raise ParameterError("--half-life has no effect beside --no-learn. Give one of the two.")
    documents = read(screen, files, replace(reading, time_column=time_column, keep_columns=output is not None))
    check_kind(options, documents.kind)
    n_first = _n_first(warm_up, sorted(documents.times or []))
    documents = _in_order(screen, documents)
    said = _say_first(screen, n_first)
    detector, found = _follow(screen, documents, n_first, window, learn, {**options, "half_life": half_life})
    for note in found.notes[len(said) :]:
        screen.note(note)
    if output is not None:
        _write(screen, documents, found, n_first, output)
    if plot is not None:
        from tonmf.plots import plot_timeline

        with screen.step(f"Drawing {plot}"):
            plot_timeline(found, plot)
        wrote("plot", plot)
        screen.note(f"The plot is in {plot}.")
    if save is not None:
        with screen.step(f"Saving {save}"):
            detector.save(save, excerpts=excerpts)
        wrote("model", save)
        screen.note(f"The model after the last document is in {save}; its topics are numbered by share.")
    if is_stdout(output):
        return
    from tonmf.cli.answer import show_next
    from tonmf.cli.timeline_tables import show_timeline

    show_timeline(screen, found, n_first, documents.notes)
    if save is not None:
        show_next(screen, *_next_steps(save, time_column, documents))


def _check_targets(files: Sequence[str], window: str, half_life: str | None, plot: str | None) -> None:
    """Reject wrong options and targets before the work begins."""
    from tonmf.stream.half_life import half_life_of
    from tonmf.stream.times import duration_of

    duration_of(window, "window")
    half_life_of(half_life)
    if plot is not None:
        from tonmf.io.write import check_no_input
        from tonmf.plots import check_plot

        check_plot(plot)
        check_no_input(plot, files)


def _in_order(screen: Screen, documents: Documents) -> Documents:
    """Sort documents by time; those of equal times keep their order."""
    import numpy as np

    from tonmf.text.documents import take
    from tonmf.timeline.follow import PUT_IN_ORDER

    times = documents.times or []
    order = np.argsort(times, kind="stable").tolist()
    if order == list(range(len(order))):
        return documents
    screen.note(PUT_IN_ORDER)
    return replace(
        documents,
        content=take(documents.content, order),
        ids=[documents.ids[row] for row in order],
        times=[times[row] for row in order],
        rows=None if documents.rows is None else [documents.rows[row] for row in order],
        notes=[*documents.notes, PUT_IN_ORDER],
        origins=None,
    )


class _First(NamedTuple):
    """A parsed ``--warm-up``: a number of documents, a share of them, or seconds."""

    number: int | None = None
    share: float | None = None
    seconds: float = 0.0


def _first_of(warm_up: str) -> _First:
    from tonmf.stream.times import duration_of

    text = warm_up.strip()
    if text.isdecimal():
        return _First(number=int(text))
    if text.endswith("%") and text[:-1].strip().replace(".", "", 1).isdecimal():
        return _First(share=float(text[:-1]) / 100)
    try:
        return _First(seconds=duration_of(text, "warm_up"))
    except ParameterError:
        raise ParameterError(
            "--warm-up must be a number of documents, a share such as 20%, or a time above 0 such as '7 days'; got "
            f"{warm_up!r:.60}."
        ) from None


def _n_first(warm_up: str, times: Sequence[float]) -> int:
    """Return how many documents come before the timeline; `times` are in order."""
    first, n_docs = _first_of(warm_up), len(times)
    if first.number is not None:
        n_first = first.number
    elif first.share is not None:
        n_first = round(first.share * n_docs)
    else:
        n_first = sum(time < times[0] + first.seconds for time in times)
    if not 0 < n_first < n_docs:
        raise ParameterError(
            f"--warm-up {warm_up} takes {n_first:,} of {n_docs:,} documents; expected at least 1, and some left for the "
            "timeline. Give another number, share or time."
        )
    return n_first


def _say_first(screen: Screen, n_first: int) -> list[str]:
    """Print the notes on the first documents before the work begins; the timeline begins with the same notes."""
    from tonmf.timeline.follow import note_on_first

    notes = note_on_first(n_first)
    for note in notes:
        screen.note(note)
    return notes


def _follow(
    screen: Screen, documents: Documents, n_first: int, window: str, learn: bool, options: dict[str, Any]
) -> tuple[TextOutlierDetector, Timeline]:
    """Fit a detector on the first documents, and let it follow the others."""
    from tonmf.text.documents import take

    times, ids = documents.times or [], documents.ids
    first, rest = list(range(n_first)), list(range(n_first, len(ids)))
    past = take(documents.content, first)
    detector = fit(screen, past, ids[:n_first], terms=documents.terms, **options)
    with screen.step("Loading"):
        from tonmf.timeline.follow import follow
        from tonmf.timeline.nursery import Nursery
    nursery = Nursery()
    nursery.remember(detector, past, detector.outlier_scores_, ids[:n_first], times[:n_first])
    with screen.progress("Following") as done:
        found = follow(
            detector,
            take(documents.content, rest),
            times[n_first:],
            window=window,
            ids=ids[n_first:],
            learn=learn,
            nursery=nursery,
            on_done=done,
        )
    return detector, found


def _write(screen: Screen, documents: Documents, found: Timeline, n_first: int, output: str) -> None:
    from tonmf.text.documents import is_matrix, joined_items

    places = [n_first + row for row in found.rows.tolist()]
    texts: list[str | None] = [None] * len(found.ids)
    if not is_matrix(documents.content):
        later = [documents.content[place] for place in places]
        texts = [one if isinstance(one, str) else joined_items(one) for one in later]
    rows = [{}] * len(places) if documents.rows is None else [documents.rows[place] for place in places]
    write_results(screen, output, {}, {**found.columns(), "text": texts}, rows)
    if not is_stdout(output):
        wrote("table", output)
        screen.note(f"All {len(found.ids):,} documents of the timeline are in {output}.")


def _next_steps(save: str, time_column: str, documents: Documents) -> list[str]:
    from tonmf.text.documents import is_matrix

    model = shlex.quote(save)
    watch = f"tonmf watch {model} FILE --time-column {shlex.quote(time_column)}  scores documents as they arrive"
    return [
        f"tonmf score {model} NEW_FILES  scores new documents",
        *([] if is_matrix(documents.content) else [watch]),
    ]
