"""``tonmf check``: fail if too many documents are flagged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tonmf.cli import options as opt
from tonmf.cli.annotations import LineFormat, github_line, on_one_line, path_from_here, place_of
from tonmf.cli.embedding import Embedding
from tonmf.cli.learning import check_kind, check_learning, check_model, learn, learning_options, rate_in, scored
from tonmf.cli.marks import apply_marks, marks_in
from tonmf.cli.reading import read, reading_files
from tonmf.cli.run import DONE, TOO_MANY_FLAGGED
from tonmf.cli.screen import Screen
from tonmf.errors import ParameterError
from tonmf.wording import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tonmf.detector.explain.explanation import Explanation
    from tonmf.io import Documents, ReadOptions
    from tonmf.ranking import Ranking


TITLE = "tonmf check"
"""Title of annotations that are of no document."""

LIMIT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})\s*(%?)", re.ASCII)
"""A number without an exponent, which could be longer than memory."""


@reading_files
def check(
    files: opt.Files,
    reading: ReadOptions,
    max_flagged: Annotated[
        str,
        typer.Option(
            "--max-flagged",
            metavar="SHARE",
            help="Fail if more is flagged: a share, such as 2% or 0.02, or a number of documents, such as 5.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Judge the documents by this saved model. (Default: by a model that is fitted on them.)",
        ),
    ] = None,
    fdr: opt.Fdr = None,
    marks: opt.Marks = None,
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
    top: Annotated[
        int, typer.Option("--top", min=0, help="Number of flagged documents to list.", rich_help_panel=opt.RESULTS)
    ] = 20,
    output_format: Annotated[
        LineFormat,
        typer.Option(
            "--output-format",
            help="How to list them: text (file:line: reason), or github for annotations of GitHub Actions.",
            rich_help_panel=opt.RESULTS,
        ),
    ] = LineFormat.TEXT,
    seed: opt.Seed = 0,
    jobs: opt.Jobs = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Check that no more of the documents in FILES are flagged than --max-flagged allows.

    Exit codes: 0 if the check passes, 1 if too many documents are flagged or the job failed (--json says which), 2 for
    wrong usage.
    """
    screen = Screen(quiet, as_json)
    limit = Limit.of(max_flagged)
    if as_json and output_format is not LineFormat.TEXT:
        raise ParameterError("--json and --output-format both say how to print the answer. Leave one of them out.")
    if marks is not None and fdr is not None:
        raise ParameterError("--marks change no p-value, so they have no effect beside --fdr. Leave one of them out.")
    learning = learning_options(
        "auto", stop_words, stem, mask, strip_html, strip_headers, min_df, boilerplate, topics, seed, jobs, embed
    )
    if model is None:
        check_learning(learning)
    else:
        check_model(model, jobs)
        _check_no_learning(learning)
    embedding, rate, known = Embedding.of(embed, embeddings), rate_in(fdr), marks_in(marks)
    documents = read(screen, files, reading)
    if model is None:
        check_kind(learning, documents.kind)
        ranking, notes = _fitted(screen, documents, embedding, known, learning)
    else:
        ranking, notes = scored(screen, model, documents, jobs, known, embedding=embedding)
    ranking = ranking.at_rate(rate)
    found = Checked.of(ranking, documents, limit, top)
    said = [*ranking.assumptions, *ranking.unjudged_notes]
    _show(screen, found, [*documents.notes, *notes], said, output_format)
    if not found.passes:
        raise typer.Exit(1)


@dataclass(frozen=True)
class Limit:
    """The limit: a share of the documents or a number of them, and the text that was typed."""

    amount: Fraction
    is_share: bool
    typed: str

    @classmethod
    def of(cls, text: str) -> Limit:
        """Parse what was typed: a whole number counts documents, all else is a share.

        >>> Limit.of("2%").allows(99), Limit.of("0.02").allows(100), Limit.of("5").allows(3)
        (1, 2, 5)
        """
        found = LIMIT.fullmatch(text.strip())
        number, per_cent = found.groups() if found else ("-1", "")
        is_share, amount = bool(per_cent) or "." in number, Fraction(number) / (100 if per_cent else 1)
        if amount < 0 or (is_share and amount > 1):
            raise ParameterError(
                f"--max-flagged must be a share of the documents, such as 2% or 0.02, or a number of them, such as 5; got "
                f"{text!r:.60}."
            )
        return cls(amount, is_share, text.strip())

    def allows(self, n_docs: int) -> int:
        """Return how many of so many documents may be flagged."""
        return int(self.amount * n_docs) if self.is_share else int(self.amount)


@dataclass(frozen=True)
class Checked:
    """The result of a check; `explained` are the strangest of the flagged documents, by their numbers."""

    ranking: Ranking
    documents: Documents
    limit: Limit
    explained: Mapping[int, Explanation]

    @classmethod
    def of(cls, ranking: Ranking, documents: Documents, limit: Limit, top: int) -> Checked:
        """Explain the strangest flagged documents."""
        rows = ranking.order[ranking.outliers[ranking.order]][:top].tolist()
        explained = ranking.explain(rows, n_nearest=0, n_missing=0) if rows else []
        return cls(ranking, documents, limit, dict(zip(rows, explained, strict=True)))

    @property
    def flagged(self) -> int:
        """Return how many documents are flagged."""
        return int(self.ranking.outliers.sum())

    @property
    def allowed(self) -> int:
        """Return how many may be flagged."""
        return self.limit.allows(len(self.ranking.ids))

    @property
    def passes(self) -> bool:
        """Return whether no more are flagged than may be."""
        return self.flagged <= self.allowed

    @property
    def verdict(self) -> str:
        """Return the result in a sentence."""
        n_docs = len(self.ranking.ids)
        are = "is" if self.flagged == 1 else "are"
        share = "" if n_docs == 0 else f" ({100 * self.flagged / n_docs:.1f} %)"
        allowed = f"--max-flagged {self.limit.typed}" + (f" allows {self.allowed:,}" if self.limit.is_share else "")
        return (
            f"{'Passed' if self.passes else 'Failed'}: {self.flagged:,} of {number_of(n_docs, 'document')}{share} {are} flagged"
            f" ({self.ranking.rule}); {allowed}."
        )

    def lines(self, form: LineFormat) -> list[str]:
        """Return a line for each of the strangest flagged documents."""
        assert self.documents.origins is not None  # noqa: S101 (files were read)
        lines = []
        for row, why in self.explained.items():
            origin = self.documents.origins[row]
            message = f"score {why.score:.2f}: {why.reason}"
            if form is LineFormat.GITHUB:
                level = "warning" if self.passes else "error"
                lines.append(github_line(level, message, f"{why.id} is strange", origin))
                continue
            place = place_of(origin)
            name = "" if place.endswith(why.id) else f"{why.id}: "
            lines.append(on_one_line(f"{place}: {name}{message}"))
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON says of it."""
        from tonmf.cli.answer import facts

        assert self.documents.origins is not None  # noqa: S101
        listed = []
        for row, why in self.explained.items():
            origin = self.documents.origins[row]
            path = None if origin.path is None else path_from_here(origin.path)
            words = [word.word for word in why.unexpected]
            of_document = {"score": why.score, "p_value": why.p_value, "reason": why.reason, "unexpected": words}
            listed.append({"id": why.id, "file": path, "line": origin.line, **of_document})
        verdict = {"passed": self.passes, "max_flagged": self.limit.typed, "allowed": self.allowed}
        return {**verdict, **facts(self.ranking), "strangest": listed}


def _check_no_learning(learning: Mapping[str, Any]) -> None:
    """Reject options for a fit beside a saved model."""
    from tonmf.parameters import check_unused

    usual = learning_options("auto", "english", None, opt.USUAL_MASK, True, True, 2, "5%", 25, 0, None)
    names = [name for name in usual if name not in ("n_jobs", "embedder", "device", "contamination")]
    check_unused(learning, usual, names, "beside --model, which was fitted already")


def _fitted(
    screen: Screen, documents: Documents, embedding: Embedding, marks: Mapping[str, str], learning: Mapping[str, Any]
) -> tuple[Ranking, list[str]]:
    """Fit a model on the documents, and rank them by it and the marks."""
    given = {"terms": documents.terms, "embeddings": embedding.given(screen, documents)}
    ranking, notes = learn(screen, documents.content, documents.ids, **given, **learning)
    on_marks = apply_marks(ranking.detector, marks, documents.ids)
    for note in (*ranking.observations, *on_marks):
        screen.note(note)
    return ranking.again() if marks else ranking, [*notes, *ranking.observations, *on_marks]


def _show(screen: Screen, found: Checked, notes: list[str], said: list[str], form: LineFormat) -> None:
    """Print the flagged documents, what there is to say of them, and the verdict."""
    status, code = (DONE, 0) if found.passes else (TOO_MANY_FLAGGED, 1)
    screen.show_json({**found.to_dict(), "notes": [*notes, *said]}, status=status, exit_code=code)
    from rich.text import Text

    for line in found.lines(form):
        screen.show(Text(line), wrap=False)
    if more := found.flagged - len(found.explained):
        screen.show(Text(f"… and {more:,} more; --top {found.flagged} lists all of them."), wrap=False)
    for sentence in said if form is LineFormat.TEXT else [*found.ranking.on_drift, *said]:
        screen.show(Text(sentence if form is LineFormat.TEXT else github_line("notice", sentence, TITLE)), wrap=False)
    level = "notice" if found.passes else "error"
    screen.show(
        Text(found.verdict if form is LineFormat.TEXT else github_line(level, found.verdict, TITLE)), wrap=False
    )
