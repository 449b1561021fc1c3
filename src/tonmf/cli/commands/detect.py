"""``tonmf detect``: fit on documents, and rank them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tonmf.cli import options as opt
from tonmf.cli.embedding import Embedding
from tonmf.cli.errors import in_flags
from tonmf.cli.learning import check_kind, check_learning, check_save, learn, learning_options, rate_in
from tonmf.cli.marks import apply_marks, marks_in
from tonmf.cli.output import check_table, is_stdout
from tonmf.cli.reading import as_flags, read, reading_files, with_labels
from tonmf.cli.report_files import check_report, title_of, write_report
from tonmf.cli.run import wrote
from tonmf.cli.sampling import check_sample, learn_on_sample, note_on_sample
from tonmf.cli.screen import Screen
from tonmf.errors import ParameterError

if TYPE_CHECKING:
    from tonmf.io import ReadOptions
    from tonmf.ranking import Ranking

LARGE = "Large files"

LONGEST_COMMAND = 200
"""Maximum length of a command that is suggested."""


class Reasons(StrEnum):
    """Documents that get their topic, unexpected terms and reason in a table."""

    ALL = "all"
    OUTLIERS = "outliers"


@reading_files
def detect(
    files: opt.Files,
    reading: ReadOptions,
    contamination: opt.Contamination = "auto",
    fdr: opt.Fdr = None,
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
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Fit on the Dask cluster whose scheduler is at this address, such as tcp://127.0.0.1:8786.",
            rich_help_panel=LARGE,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="Fit on a random sample of N documents, and score all of them: faster, and a little worse.",
            rich_help_panel=LARGE,
        ),
    ] = None,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    device: opt.Device = "cpu",
    top: opt.Top = 20,
    all_copies: opt.AllCopies = False,
    output: opt.Output = None,
    save: opt.Save = None,
    report: opt.Report = None,
    title: opt.Title = None,
    label_column: opt.LabelColumn = None,
    label_outlier: opt.LabelOutlier = None,
    excerpts: opt.Excerpts = True,
    marks: opt.Marks = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory limit, such as 2GB. Counts are spilled to disk.",
            rich_help_panel=LARGE,
        ),
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="With --memory: keep its files in this folder, so that an interrupted run resumes. (Default: temporary.)",
            rich_help_panel=LARGE,
        ),
    ] = None,
    reasons: Annotated[
        Reasons | None,
        typer.Option(
            help="Which documents get their topic, unexpected terms and reason in --output. (Default: all; outliers with "
            "--memory.)",
            rich_help_panel=opt.RESULTS,
        ),
    ] = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find the documents that do not belong among those in FILES, and say why."""
    screen = Screen(quiet, as_json)
    learning = learning_options(
        contamination, stop_words, stem, mask, strip_html, strip_headers, min_df, boilerplate, topics, seed, jobs, embed,
        device,
    )  # fmt: skip
    check_table(output, files, as_json)
    check_save(save, excerpts)
    if reasons is not None and output is None:
        raise ParameterError("--reasons has no effect without --output. Give both, or leave it out.")
    if dask is not None and jobs is not None:
        raise ParameterError("--jobs has no effect beside --dask: workers use the threads that they were started with.")
    if device != "cpu" and (dask is not None or memory is not None):
        option = "--memory, which fits from disk on the CPU" if dask is None else "--dask, which fits on its workers"
        raise ParameterError(f"--device {device} has no effect beside {option}. Leave one of them out.")
    _check_report(files, report, title, label_column, label_outlier)
    check_learning(learning)
    embedding = Embedding.of(embed, embeddings, mapped=memory is not None)
    if dask is not None and (embed or embeddings):
        option = "--embed" if embed else "--embeddings"
        raise ParameterError(f"{option} is for documents on this machine. Leave out either --dask or {option}.")
    check_sample(sample, memory, dask)
    rate = _rate(fdr, contamination, report)
    known = _marks_of(marks, memory, dask)
    from tonmf.cli.answer import GROUPS_SHOWN, note_count, show_next, show_ranking, write

    ranking: Ranking
    if memory is not None:
        _check_memory(memory, label_column, dask)
        from tonmf.io import DocumentFiles

        documents_on_disk = DocumentFiles(files, replace(reading, keep_columns=output is not None))
        with screen.step("Loading"):
            from tonmf.cli.large import fetch_and_write, learn_large
        on_disk = {"memory": memory, "cache": cache, **learning}
        fitted, on_embeddings = learn_large(screen, documents_on_disk, embedding.mapped(), **on_disk)
        large = fitted.at_rate(rate)
        if save is not None:
            large.detector.save(save, excerpts=excerpts)
            wrote("model", save)
        fetch_and_write(screen, large, documents_on_disk, top, output, (reasons or Reasons.OUTLIERS).value)
        for note in large.observations:
            screen.note(note)
        notes = [*map(in_flags, documents_on_disk.notes), *on_embeddings, *large.observations]
        ranking = large
        if report is not None:
            write_report(screen, large, report, title_of(files, title), notes, batches=documents_on_disk)
    else:
        if cache is not None:
            raise ParameterError("--cache has no effect without --memory. Give both, or leave it out.")
        reading_all = replace(reading, keep_columns=output is not None)
        documents = read(screen, files, with_labels(reading_all, label_column, label_outlier))
        check_kind(learning, documents.kind)
        of_documents = embedding.given(screen, documents)
        on_sample = [] if sample is None else [note_on_sample(sample, len(documents.ids))]
        if sample is not None and sample < len(documents.ids):
            ranking, on_embeddings, on_marks = learn_on_sample(screen, documents, sample, of_documents, known, learning)
        else:
            given = {"terms": documents.terms, "embeddings": of_documents, "dask": dask}
            ranking, on_embeddings = learn(screen, documents.content, documents.ids, **given, **learning)
            on_marks = apply_marks(ranking.detector, known, documents.ids)
            ranking = ranking.again() if known else ranking
        ranking = ranking.at_rate(rate)
        of_ranking = [*on_sample, *ranking.observations, *on_marks]
        for note in of_ranking:
            screen.note(note)
        notes = [*documents.notes, *on_embeddings, *of_ranking]
        if output is not None:
            write(screen, ranking, documents, output, (reasons or Reasons.ALL).value)
        if save is not None:
            ranking.detector.save(save, excerpts=excerpts)
            wrote("model", save)
        if report is not None:
            write_report(screen, ranking, report, title_of(files, title), notes, documents.labels)
    if is_stdout(output):
        note_count(screen, ranking)
        return
    rows = show_ranking(screen, ranking, top, notes, ranking.small_groups[:GROUPS_SHOWN], all_copies)
    strangest = ranking.ids[rows[0] if rows else int(ranking.order[0])]
    show_next(screen, *_next_steps(files, reading, embedding, strangest, output, save, report, memory))


def _marks_of(marks: str | None, memory: str | None, dask: str | None) -> dict[str, str]:
    """Read the file of marks; reject it beside options that keep documents elsewhere."""
    for option, value in (("--memory", memory), ("--dask", dask)):
        if marks is not None and value is not None:
            raise ParameterError(f"--marks needs all documents in memory. Leave out either {option} or --marks.")
    return marks_in(marks)


def _rate(fdr: str | None, contamination: str, report: str | None) -> float | None:
    """Return the false-discovery rate; reject it beside other options that decide which documents are flagged."""
    rate = rate_in(fdr)
    if rate is not None and contamination != "auto":
        raise ParameterError("--fdr and --contamination both say which documents to flag. Give one of the two.")
    if rate is not None and report is not None:
        raise ParameterError(
            "--fdr flags no documents in a report, which has a threshold to move. Leave out either --fdr or --report."
        )
    return rate


def _check_memory(memory: str, label_column: str | None, dask: str | None) -> None:
    """Reject a limit that cannot be, and options that need the documents in memory."""
    from tonmf.detector.disk.budget import bytes_of

    bytes_of(memory)
    for option, value, why in (
        ("--label-column", label_column, "needs all documents in memory"),
        ("--dask", dask, "keeps the documents in the memory of a cluster"),
    ):
        if value:
            raise ParameterError(f"{option} {why}. Leave out either --memory or {option}.")


def _check_report(
    files: Sequence[str],
    report: str | None,
    title: str | None,
    label_column: str | None,
    label_outlier: list[str] | None,
) -> None:
    """Reject a report that cannot be written, and options that have no effect without one."""
    if report is not None:
        check_report(report, files)
        return
    options = (("--title", title), ("--label-column", label_column), ("--label-outlier", label_outlier))
    for option, value in options:
        if value is not None:
            raise ParameterError(f"{option} has no effect without --report. Give both, or leave it out.")


def _next_steps(
    files: Sequence[str],
    reading: ReadOptions,
    embedding: Embedding,
    strangest: str,
    output: str | None,
    save: str | None,
    report: str | None,
    memory: str | None,
) -> list[str]:
    if save is None:
        command = shlex.join(["tonmf", *sys.argv[1:]])
        if len(command) > LONGEST_COMMAND:
            command = "tonmf detect … (as before)"
        both = "--save model" + (" --output scores.csv" if output is None else "")
        keeps = f"{command} {both}  keeps the model" + (" and all scores" if output is None else "")
        return (
            [keeps]
            if report is not None
            else [keeps, f"{command} --report report.html  writes a report to open in a browser and share"]
        )
    names = shlex.join(files) if len(files) < 4 else f"{shlex.quote(files[0])} …"
    flags = "".join(f" {flag}" for flag in as_flags(reading)) + embedding.flags(with_saved=True)
    for_new = Embedding(embedding.model, embedding.file and "FILE").flags(with_saved=True)
    page = (
        []
        if report is not None or memory is not None
        else [f"tonmf report {shlex.quote(save)} {names}{flags}  writes a report to open in a browser and share"]
    )
    return [
        f"tonmf explain {shlex.quote(save)} {names}{flags} --id {shlex.quote(strangest)}  says why",
        *page,
        f"tonmf topics {shlex.quote(save)}  shows the topics",
        f"tonmf score {shlex.quote(save)} NEW_FILES{for_new}  scores new documents",
    ]
