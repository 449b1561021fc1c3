"""Print the answer of `detect` and `score`: a ranked table, the number of flagged documents, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tonmf.cli.output import is_stdout, write_results
from tonmf.cli.run import wrote
from tonmf.cli.screen import Screen
from tonmf.cli.tables import ranking_table

if TYPE_CHECKING:
    from tonmf.detector.scores.groups import Group
    from tonmf.io import Documents
    from tonmf.ranking import Ranking

GROUPS_SHOWN = 3
"""Number of small groups to show."""

MOST_IDS = 1000
"""Number of ids of flagged documents in JSON; the table of results has all."""


def write(screen: Screen, ranking: Ranking, documents: Documents, output: str, reasons: str = "all") -> None:
    """Write all documents to a file or standard output, with the columns that they had."""
    from tonmf.ranking import TYPES

    with screen.progress("Finding reasons") as done:
        columns = ranking.columns(on_done=done, reasons=reasons)
    rows = documents.rows or [{}] * len(ranking.ids)
    write_results(screen, output, TYPES, columns, [rows[row] for row in ranking.order.tolist()])
    if not is_stdout(output):
        wrote("table", output)
        screen.note(f"All {len(ranking.ids):,} documents are in {output}.")


def note_count(screen: Screen, ranking: Ranking) -> None:
    """Say beside a table on standard output how many documents are flagged, and which are not judged."""
    for sentence in (*_count(ranking), *ranking.assumptions, *ranking.unjudged_notes):
        screen.note(sentence)


def show_ranking(
    screen: Screen,
    ranking: Ranking,
    top: int,
    notes: Sequence[str],
    groups: Sequence[Group] = (),
    all_copies: bool = False,
) -> list[int]:
    """Print the answer, except for what to do next; return the numbers of the documents shown.

    Exact copies are shown on one line, unless `all_copies`.
    """
    lines = ranking.lines(top, all_copies)
    rows, names = [line[0] for line in lines], ranking.ids
    explanations = ranking.explain(rows) if rows else []
    if screen.as_json:
        screen.show_json(
            {
                **facts(ranking),
                "strangest": [
                    {**why.to_dict(), "copies": len(line), "copy_ids": ranking.names(line[1:])}
                    for why, line in zip(explanations, lines, strict=True)
                ],
                "groups": [
                    {
                        "words": group.words,
                        "documents": [names[row] for row in group.documents],
                        "copies": group.copies,
                    }
                    for group in groups
                ],
                "notes": list(notes),
            }
        )
        return rows
    if explanations:
        screen.show(ranking_table(ranking, explanations, lines, screen.width))
        screen.show()
    for sentence in (*_count(ranking), *ranking.assumptions, *_on_copies(lines), *ranking.unjudged_notes):
        screen.show(Text(sentence))
    if groups:
        _show_groups(screen, groups, names)
    return rows


def facts(ranking: Ranking) -> dict[str, Any]:
    """Return what JSON says of all documents."""
    return {
        "documents": len(ranking.ids),
        "flagged": int(ranking.outliers.sum()),
        "flagged_ids": ranking.names(strangest_flagged(ranking)),
        "threshold": ranking.detector.threshold_,
        "rule": ranking.rule,
        "fdr": ranking.fdr,
        "assumptions": ranking.assumptions,
        "empty": [ranking.ids[row] for row in ranking.empty],
    }


def strangest_flagged(ranking: Ranking) -> list[int]:
    """Return the numbers of the flagged documents, the strangest first; at most `MOST_IDS`."""
    rows: list[int] = ranking.order[ranking.outliers[ranking.order]][:MOST_IDS].tolist()
    return rows


def _count(ranking: Ranking) -> list[str]:
    """Say how many documents are flagged; nothing if none was judged."""
    flagged, n_docs, rule = int(ranking.outliers.sum()), len(ranking.ids), ranking.rule
    scores = ranking.scores[ranking.judged]
    if len(scores) == 0:
        return []
    if n_docs == 1:
        return [
            f"The document is flagged ({rule})." if flagged else f"The document is not flagged, which takes a {rule}."
        ]
    if flagged == 0 and ranking.fdr is not None:
        return [_none_at_rate(ranking, ranking.fdr)]
    if flagged == 0:
        ranked = float(scores.max()) > float(scores.min())
        advice = "The ranking is still of use: read it from the top." if ranked else "They all have the same score."
        return [f"None of {n_docs:,} documents is flagged, which takes a {rule}. {advice}"]
    return [f"{flagged:,} of {n_docs:,} documents {'is' if flagged == 1 else 'are'} flagged ({rule})."]


def _none_at_rate(ranking: Ranking, fdr: float) -> str:
    """Say that no document is flagged at a false-discovery rate, and why, if the training documents are the reason."""
    smallest = f"the smallest is {ranking.p_values[ranking.judged].min():.2g}"
    sentence = f"No document has a p-value small enough for a false-discovery rate of {100 * fdr:g} %; {smallest}."
    known = ranking.detector.outlier_scores_
    n_strange = int((known > ranking.detector.threshold_).sum())
    if ranking.is_of_training or n_strange == 0:
        return f"{sentence} The ranking is still of use: read it from the top."
    return (
        f"{sentence} New documents are compared with all {len(known):,} training documents, and {n_strange:,} of these are "
        "flagged themselves. Fit the model without them, or leave out --fdr to go by the threshold."
    )


def _on_copies(lines: Sequence[Sequence[int]]) -> list[str]:
    """Say what a line of several copies means, if there is any."""
    most = max(map(len, lines), default=1)
    if most == 1:
        return []
    return [
        f"×{most:,} stands for {most:,} documents that are the same word for word; --all-copies lists each of them."
    ]


def _show_groups(screen: Screen, groups: Sequence[Group], names: Sequence[str]) -> None:
    screen.show()
    screen.show(Text("Small groups of similar documents, the most unusual first:"))
    for group in groups:
        words = ", ".join(group.words[:5])
        first = ", ".join(names[row] for row in group.documents[:3])
        such_as = f"{'copies, ' if group.copies else ''}such as {first}"
        screen.show(Text(f"  {group.size:>4} documents  {words}  ({such_as})"), wrap=False)


def show_next(screen: Screen, *steps: str) -> None:
    """Print what to do next."""
    screen.show()
    for number, step in enumerate(steps):
        screen.show(Text(f"{'Next: ' if number == 0 else '      '}{step}"), wrap=False)
