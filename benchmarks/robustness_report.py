"""Turn the measurements of `benchmarks.robustness` into docs/evidence/robustness.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.changes import CHANGES, CUT, Change
from benchmarks.contenders import CONTENDERS, OURS
from benchmarks.corpora import CORPORA
from benchmarks.grid import means
from benchmarks.harness import ROOT
from tonmf.experiments.measured import markdown_table, share
from tonmf.experiments.specification import Result, Section

PAGE = ROOT / "docs" / "evidence" / "robustness.md"
PLAIN = "plain"
PEERS = tuple(name for name in CONTENDERS if name != OURS)

MOST_LOST = 0.03
"""Most AUC that a change may cost."""
MOST_BEHIND = 0.02
"""Most AUC by which a peer may be ahead."""
MOST_COPIED = 0.05
"""Share of the corpus up to which copies must not pass for ordinary."""
STAYS = 0.8
"""Share of the copies of an outlier that must be above the threshold."""


@dataclass(frozen=True)
class Cell:
    """All measurements of a corpus after a change, with those of the plain corpus."""

    corpus: str
    change: Change
    results: Sequence[Result]
    plain: Sequence[Result]

    def of(self, method: str) -> list[Result]:
        """Return the draws of a method."""
        return [result for result in self.results if result["config"]["method"] == method]

    def mean(self, field: str, method: str = OURS) -> float | None:
        """Return the mean of a figure over draws."""
        return means(self.of(method), field)

    @property
    def lost(self) -> float | None:
        """AUC of the plain corpus minus AUC after the change."""
        before = means([r for r in self.plain if r["config"]["method"] == OURS], "auc")
        after = self.mean("auc")
        return None if before is None or after is None else before - after

    @property
    def lost_with_labels(self) -> float | None:
        """AUC that the change costs a classifier that sees the labels; None if that was not measured."""
        before, after = means(list(self.plain), "auc_with_labels"), means(list(self.results), "auc_with_labels")
        return None if before is None or after is None else before - after

    @property
    def behind(self) -> float | None:
        """AUC of the best peer minus ours."""
        ours, theirs = self.mean("auc"), [auc for peer in PEERS if (auc := self.mean("auc", peer)) is not None]
        return None if ours is None or not theirs else max(theirs) - ours

    @cached_property
    def counts(self) -> bool:
        """Whether the bars apply: copies of more than `MOST_COPIED` of the corpus are only shown."""
        copying, n_docs = self.change.copying, self.mean("n_docs")
        return copying is None or n_docs is None or copying.n <= MOST_COPIED * n_docs

    @cached_property
    def copied(self) -> list[CopiedDocument]:
        """What became of each copied document: of outliers, only those that are flagged in the plain corpus."""
        if self.change.copying is None:
            return []
        flagged = {n for r in self.plain if r["config"]["method"] == OURS for n in r["result"]["flagged"]}
        found = [r["result"] for r in self.of(OURS)]
        return [
            CopiedDocument(r["copies_above"], r["copies_score"] - r["threshold"], r["copies_group"])
            for r in found
            if not self.copies_outlier or r["copied"] in flagged
        ]

    @property
    def copies_outlier(self) -> bool:
        """Whether the change copies an outlier."""
        return self.change.copying is not None and self.change.copying.label == 1

    def bars(self) -> dict[str, bool]:
        """Return which bars apply, and whether they hold."""
        if not self.counts:
            return {}
        held = {}
        if self.change.name != PLAIN and self.lost is not None:
            held["AUC"] = self.lost <= MOST_LOST + max(self.lost_with_labels or 0.0, 0.0)
        if self.copied and self.copies_outlier:
            held["copies"] = all(outlier.is_shown for outlier in self.copied)
        if self.behind is not None:
            held["peers"] = self.behind <= MOST_BEHIND
        return held


@dataclass(frozen=True)
class CopiedDocument:
    """A copied document: the share of its copies above the threshold, their mean score beyond it, and their group's size."""

    above: float
    beyond: float
    group: int | None

    @property
    def is_above(self) -> bool:
        """Whether most copies are above the threshold."""
        return self.above >= STAYS

    @property
    def is_shown(self) -> bool:
        """Whether a user sees it: above the threshold, or listed as a group."""
        return self.is_above or self.group is not None


def cells_of(results: Sequence[Result]) -> list[Cell]:
    """Gather results by corpus and change."""
    cells: list[Cell] = []
    for corpus in CORPORA:
        of_corpus = [r for r in results if r["config"]["task"] == corpus]
        plain = [r for r in of_corpus if r["config"]["change"] == PLAIN]
        by_change = {name: [r for r in of_corpus if r["config"]["change"] == name] for name in CHANGES}
        cells += [Cell(corpus, CHANGES[name], found, plain) for name, found in by_change.items() if found]
    return cells


def report(results: Sequence[Result]) -> Section:
    """Return the page about results of the experiment."""
    cells = cells_of(results)
    parts = [
        INTRODUCTION,
        _bars(cells),
        OVERVIEW,
        _overview(cells),
        *_copies(cells),
        *_cut(cells),
        *_few(cells),
        "## By corpus\n",
    ]
    for corpus in CORPORA:
        if of_corpus := [cell for cell in cells if cell.corpus == corpus]:
            about = (CORPORA[corpus].__doc__ or "").removeprefix("Return ")
            parts.append(f"### {corpus}\n\n{about[:1].upper()}{about[1:]}\n\n{_by_change(of_corpus)}\n")
    return Section("What real text does to the scores", "\n".join(parts))


INTRODUCTION = f"""`python -m benchmarks robustness` writes this page and prints every figure on it. It takes
labelled corpora and does to them what happens to real text: boilerplate, markup, copies, numbers, short documents, few
documents. tonmf has its defaults; the peers are k-NN (mean cosine distance on tf-idf, k = 50 or a fifth of the documents)
and the residual of NMF (rank 10), and see the same texts. Copies of a document count once, with the mean of their scores.
Where data has classes, they are those of tasks marked as [tuned on](quality.md).

For mixed languages, three tenths of the ordinary documents are translated word by word into three made-up languages: every
letter stands for another one. So each language has about a tenth of the documents, and topics of its own.

For mixed encodings, documents are written to files in UTF-8 with and without a byte-order mark, UTF-16, cp1252 and Latin-1 in
turn, and read back. A fiftieth of the words of six letters or more have accents, or a fifth of them ("many accents"), the same
in all documents. What is not UTF-8 and has no mark is read in the encoding that it
[seems to have](../guide/files.md#encodings).

The bars:

- **AUC**: a change costs at most {share(MOST_LOST)} of AUC. [Cut documents](#cut-documents) say less, whoever reads them:
  they may cost as much more as they cost a classifier that sees the labels.
- **copies**: an outlier that is flagged in the plain corpus and then copied stays above the threshold
  ({STAYS:.0%} of its copies), or `groups_` lists it: a group that holds 80% of the copies, and at most twice as many
  documents. Bars count for copies of up to {MOST_COPIED:.0%} of the corpus; beyond that, figures are only shown.
- **peers**: no peer is ahead by more than {share(MOST_BEHIND)}.
"""

OVERVIEW = """## AUC by change and corpus

What a change costs is in brackets; an asterisk marks cells that fail a bar.
"""


def _bars(cells: Sequence[Cell]) -> str:
    rows = []
    for corpus in [*CORPORA, "all"]:
        held = [cell.bars() for cell in cells if corpus in (cell.corpus, "all")]
        if held:
            rows.append([corpus, *(_passed([bars[name] for bars in held if name in bars]) for name in BARS)])
    return markdown_table(["corpus", *BARS], rows) + "\n"


BARS = ("AUC", "copies", "peers")


def _passed(held: Sequence[bool]) -> str:
    return f"{'pass' if all(held) else 'fail'} ({sum(held)} of {len(held)})" if held else ""


def _overview(cells: Sequence[Cell]) -> str:
    corpora = [corpus for corpus in CORPORA if any(cell.corpus == corpus for cell in cells)]
    place = {(cell.corpus, cell.change.name): cell for cell in cells}
    rows = [
        [name, *(_glance(place.get((corpus, name))) for corpus in corpora)]
        for name in CHANGES
        if any((corpus, name) in place for corpus in corpora)
    ]
    return markdown_table(["change", *corpora], rows) + "\n"


def _glance(cell: Cell | None) -> str:
    if cell is None:
        return ""
    mark = "" if all(cell.bars().values()) else " *"
    lost = "" if cell.lost is None or cell.change.name == PLAIN else f" ({_signed(-cell.lost)})"
    return f"{_share(cell.mean('auc'))}{lost}{mark}"


def _by_change(cells: Sequence[Cell]) -> str:
    columns = [
        "change",
        "AUC",
        "change of AUC",
        "AP",
        "precision in first 10",
        "recall",
        "false alarms",
        *PEERS,
        "bars",
    ]
    rows = []
    for cell in cells:
        failed = [name for name, holds in cell.bars().items() if not holds]
        rows.append(
            [
                cell.change.name,
                _share(cell.mean("auc")),
                "" if cell.lost is None or cell.change.name == PLAIN else _signed(-cell.lost),
                *(_share(cell.mean(field)) for field in ("ap", "precision")),
                *(_percent(cell.mean(field)) for field in ("recall", "false_alarms")),
                *(_share(cell.mean("auc", peer)) for peer in PEERS),
                "not counted" if not cell.counts else f"fail: {', '.join(failed)}" if failed else "pass",
            ]
        )
    return markdown_table(columns, rows)


def _copies(cells: Sequence[Cell]) -> Iterator[str]:
    """Tabulate what becomes of copied documents."""
    rows = [[c.corpus, c.change.name, *_copied(c), _verdict(c)] for c in cells if c.change.copying is not None]
    if rows:
        columns = ["corpus", "change", "flagged before", "still above", "listed", "either", "score − threshold", "bar"]
        yield f"{COPIES}\n{markdown_table(columns, rows)}\n"


COPIES = """## Copies

How many of the copied outliers were flagged in the plain corpus, and how many of these are still above the threshold, are
listed in `groups_`, or are either. Of ordinary documents, all that were copied are counted: few of them should be above it.
"""


def _copied(cell: Cell) -> list[str]:
    found, n = cell.copied, len(cell.copied)
    before = f"{n} of {len(cell.of(OURS))}" if cell.copies_outlier else ""
    if not found:
        return [before, "", "", "", ""]
    shown = ([d.is_above for d in found], [d.group is not None for d in found], [d.is_shown for d in found])
    return [before, *(f"{sum(how)} of {n}" for how in shown), f"{sum(d.beyond for d in found) / n:.1f}"]


def _verdict(cell: Cell) -> str:
    bars = cell.bars()
    return ("pass" if bars["copies"] else "fail") if "copies" in bars else "" if cell.counts else "not counted"


def _cut(cells: Sequence[Cell]) -> Iterator[str]:
    """Tabulate what the first words of documents tell, beside a classifier that sees the labels."""
    rows = [
        [
            cell.corpus,
            cell.change.name,
            _share(cell.mean("auc")),
            "" if cell.lost is None else _signed(-cell.lost),
            _share(cell.mean("auc_with_labels")),
            "" if cell.lost_with_labels is None else _signed(-cell.lost_with_labels),
        ]
        for cell in cells
        if cell.change.family == CUT
    ]
    if rows:
        columns = ["corpus", "documents", "AUC", "change of AUC", "classifier with labels", "change of its AUC"]
        yield f"{CUT_DOCUMENTS}\n{markdown_table(columns, rows)}\n"


CUT_DOCUMENTS = """## Cut documents

How much do the first words of a document tell about its subject? The classifier is a logistic regression on tf-idf rows. It
sees the labels of four fifths of the documents and scores the others.
"""


def _few(cells: Sequence[Cell]) -> Iterator[str]:
    """Tabulate scores and flags in small corpora."""
    rows = [
        [
            cell.corpus,
            cell.change.name,
            _share(cell.mean("auc")),
            *(_number(_highest(cell, "highest_ordinary", how)) for how in (_mean, max)),
            _number(cell.mean("highest_outlier")),
            _number(cell.mean("threshold")),
            _number(cell.mean("n_flagged")),
            _percent(cell.mean("recall")),
            _percent(cell.mean("false_alarms")),
        ]
        for cell in cells
        if cell.change.family == "few documents"
    ]
    if rows:
        columns = [
            "corpus", "documents", "AUC", "highest ordinary score, mean", "highest ordinary score, worst", "highest outlier",
            "threshold", "flagged", "recall", "false alarms",
        ]  # fmt: skip
        yield f"## Few documents\n\nMeans over draws.\n\n{markdown_table(columns, rows)}\n"


def _highest(cell: Cell, field: str, how: Callable[[list[float]], float]) -> float | None:
    values = [r["result"][field] for r in cell.of(OURS)]
    return how(values) if values else None


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _share(value: float | None) -> str:
    return "" if value is None else share(value)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1)
