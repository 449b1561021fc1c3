"""``tonmf detect``: fit on documents, and rank them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tonmf.cli import options as opt
from tonmf.cli.answer import rule_of, show_groups, show_next, show_ranking, write
from tonmf.cli.reading import as_flags, read, reading_files
from tonmf.cli.screen import Screen

if TYPE_CHECKING:
    from tonmf.io import ReadOptions

LEARNING = "Learning"


@reading_files
def detect(
    files: opt.Files,
    reading: ReadOptions,
    contamination: Annotated[
        str, typer.Option(help="Share of the documents to flag, such as 0.05 or 5%, or auto.", rich_help_panel=LEARNING)
    ] = "auto",
    stop_words: Annotated[
        str,
        typer.Option(
            help="Language whose commonest words to leave out, such as german, or none.", rich_help_panel=LEARNING
        ),
    ] = "english",
    stem: Annotated[
        str | None,
        typer.Option(help="Language whose endings to cut off words, such as english.", rich_help_panel=LEARNING),
    ] = None,
    min_df: Annotated[
        int, typer.Option(min=1, help="Documents that a word must occur in to be known.", rich_help_panel=LEARNING)
    ] = 2,
    topics: Annotated[int, typer.Option(min=1, help="Topics to use, at most.", rich_help_panel=LEARNING)] = 25,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    top: opt.Top = 20,
    output: opt.Output = None,
    save: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Save the model in this folder.", rich_help_panel=opt.RESULTS)
    ] = None,
    excerpts: Annotated[
        bool,
        typer.Option(help="Keep how ordinary documents begin in the saved model.", rich_help_panel=opt.RESULTS),
    ] = True,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find the documents that do not belong among those in FILES, and say why."""
    screen = Screen(quiet, as_json)
    share = opt.contamination_of(contamination)
    _check_targets(output, save)
    documents = read(screen, files, reading)
    learning: dict[str, Any] = {"contamination": share, "max_topics": topics, "random_state": seed, "n_jobs": jobs}
    learning |= {"min_df": min_df} | _text_options(stop_words, stem)
    ranking = fit(screen, documents, learning)
    if output:
        write(screen, ranking, output)
    if save:
        ranking.detector.save(save, excerpts=excerpts)
    rule = rule_of(share, ranking.detector.threshold_)
    show_ranking(screen, ranking, top, rule, documents.notes)
    show_groups(screen, ranking)
    show_next(screen, *_next_steps(files, reading, ranking, save))


def _check_targets(output: str | None, save: str | None) -> None:
    """Refuse what cannot be written before the work begins, not after."""
    if output:
        from tonmf.io import output_format

        output_format(output)
    if save:
        from pathlib import Path

        from tonmf.bundles import check_target

        check_target(Path(save))


def _text_options(stop_words: str, stem: str | None) -> dict[str, Any]:
    return {"stop_words": None if stop_words == "none" else stop_words, "stemmer": stem}


def fit(screen: Screen, documents: Any, learning: dict[str, Any]) -> Any:
    """Learn what is ordinary, with a bar that shows how far that is."""
    with screen.step("Loading"):
        from tonmf.detector import TextOutlierDetector
        from tonmf.ranking import Ranking
    with screen.progress("Learning") as done:
        detector = TextOutlierDetector(**learning, callback=done)
        detector.fit(documents.content, names=documents.ids, terms=documents.terms)
    detector.callback = None
    return Ranking.of(detector, documents.content, documents.ids, detector.outlier_scores_)


def _next_steps(files: Sequence[str], reading: ReadOptions, ranking: Any, save: str | None) -> list[str]:
    names = " ".join(map(shlex.quote, files)) if len(files) < 4 else f"{shlex.quote(files[0])} …"
    names += "".join(f" {flag}" for flag in as_flags(reading))
    if not save:
        return [
            f"tonmf detect {names} --save model --output scores.csv  keeps the model, and the scores of all documents"
        ]
    strangest = shlex.quote(ranking.ids[int(ranking.order[0])])
    return [
        f"tonmf explain {shlex.quote(save)} {names} --id {strangest}  says why",
        f"tonmf topics {shlex.quote(save)}  shows what is ordinary",
        f"tonmf score {shlex.quote(save)} NEW_FILES  scores documents that come later",
    ]
