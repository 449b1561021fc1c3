"""What `detect` and `score` answer: a ranked table, how many documents are flagged and by what rule, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from tonmf.cli.screen import Screen
from tonmf.cli.tables import ranking_table

if TYPE_CHECKING:
    from tonmf.groups import Group
    from tonmf.ranking import Ranking

EMPTY_SHOWN = 3
"""Documents without words that are named."""

GROUPS_SHOWN, SMALL = 3, 0.05
"""Small groups that are shown, and the share of the documents up to which a group is small enough for it."""


def write(screen: Screen, ranking: Ranking, output: str) -> None:
    """All documents to a file."""
    from tonmf.io import write_table

    with screen.progress("Finding reasons") as done:
        columns = ranking.columns(on_done=done)
    with screen.step(f"Writing {output}"):
        write_table(output, columns)
    screen.note(f"All {len(ranking.ids):,} documents are in {output}.")


def show_ranking(
    screen: Screen, ranking: Ranking, top: int, rule: str, notes: Sequence[str], groups: Sequence[Group] = ()
) -> list[int]:
    """The whole answer but for what to do next; returns the numbers of the documents that are shown."""
    empty = set(_empty(ranking))
    rows = [row for row in ranking.order.tolist() if row not in empty][:top]
    names = list(ranking.ids)
    explanations = ranking.detector.explain(ranking.documents, ids=rows, names=names)
    if screen.as_json:
        screen.show_json(
            {
                "documents": len(names),
                "flagged": int(ranking.outliers.sum()),
                "threshold": ranking.detector.threshold_,
                "rule": rule,
                "empty": [names[row] for row in sorted(empty)],
                "strangest": [why.to_dict() for why in explanations],
                "groups": [
                    {"words": group.words, "documents": [names[row] for row in group.documents]} for group in groups
                ],
                "notes": list(notes),
            }
        )
        return rows
    if explanations:
        screen.show(ranking_table(ranking, explanations, rows, screen.width))
        screen.show()
    screen.show(Text(_count(ranking, rule)))
    if empty:
        more = ", …" if len(empty) > EMPTY_SHOWN else ""
        named = ", ".join(names[row] for row in sorted(empty)[:EMPTY_SHOWN]) + more
        have, are = ("has", "is") if len(empty) == 1 else ("have", "are")
        what = {"items": "items", "terms": "terms"}.get(_words(ranking), "words but stop words and single characters")
        screen.show(Text(f"{len(empty):,} of them {have} no {what}, and {are} not in the table: {named}."))
    if groups:
        _show_groups(screen, groups, names)
    return rows


def _empty(ranking: Ranking) -> list[int]:
    """Numbers of documents without words, for which there is nothing to show; their scores are above all of training."""
    highest = ranking.detector.highest_score_
    suspects = [row for row in ranking.order.tolist() if ranking.scores[row] > highest]
    if not suspects:
        return []
    from tonmf.documents import take

    empty = ranking.detector.alarms(take(ranking.documents, suspects))["empty"]
    return [row for row, alarm in zip(suspects, empty, strict=True) if alarm > 0]


def _words(ranking: Ranking) -> str:
    from tonmf.documents import COUNTS, ITEMS

    return {ITEMS: "items", COUNTS: "terms"}.get(ranking.detector.kind_, "words")


def _count(ranking: Ranking, rule: str) -> str:
    flagged, n_docs = int(ranking.outliers.sum()), len(ranking.ids)
    if n_docs == 1:
        return f"The document is {'' if flagged else 'not '}flagged ({rule})."
    if flagged == 0:
        ranked = float(ranking.scores.max()) > float(ranking.scores.min())
        advice = "The ranking holds all the same: read it from the top." if ranked else "They all have the same score."
        return f"None of {n_docs:,} documents is flagged ({rule}). {advice}"
    return f"{flagged:,} of {n_docs:,} documents {'is' if flagged == 1 else 'are'} flagged ({rule})."


def rule_of(contamination: float | str, threshold: float) -> str:
    """By what rule documents are flagged."""
    from tonmf.scoring import WIDTHS

    if isinstance(contamination, str):
        return f"score above {threshold:.2f}, the automatic threshold: median + {WIDTHS:g} (P84 − median)"
    return f"score above {threshold:.2f}, so that {100 * contamination:g} % of the training documents are"


def small_groups(ranking: Ranking) -> list[Group]:
    """Documents that hang together but are rare, which may explain one another and so have ordinary scores."""
    return [group for group in ranking.detector.groups_ if group.share <= SMALL][:GROUPS_SHOWN]


def _show_groups(screen: Screen, groups: Sequence[Group], names: Sequence[str]) -> None:
    screen.show()
    screen.show(Text("Small groups of documents that hang together, those that stand out most first:"))
    for group in groups:
        words = ", ".join(group.words[:5])
        first = ", ".join(names[row] for row in group.documents[:3])
        screen.show(Text(f"  {group.size:>4} documents  {words}  (such as {first})"), wrap=False)


def show_next(screen: Screen, *steps: str) -> None:
    """What to do next."""
    screen.show()
    for number, step in enumerate(steps):
        screen.show(Text(f"{'Next: ' if number == 0 else '      '}{step}"), wrap=False)
