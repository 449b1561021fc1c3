"""The strangest documents of a ranking, with their texts and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tonmf.detector.explain.explanation import Explanation
from tonmf.ranking import LargeRanking, Ranking, pieces_of
from tonmf.report.notebook.groups import groups_table
from tonmf.report.notebook.markup import Markup, card, element, heading, own
from tonmf.report.notebook.parts import cell, number, score_bar, shaded, table, topic_mark
from tonmf.text.documents import take
from tonmf.text.pieces import excerpt
from tonmf.wording import number_of

SHOWN, GROUPS = 10, 3
"""Documents and groups on a card, at most."""

READ, TEXT = 4000, 280
"""Characters of a document in which to look for unexpected words, and characters to show."""


def of_ranking(ranking: Ranking) -> str:
    """Return a ranking as HTML: how many documents are flagged, and the strangest ones."""
    n_flagged, n_docs = int(ranking.outliers.sum()), len(ranking.scores)
    title = heading(f"{n_flagged:,} of {number_of(n_docs, 'document')}", f"flagged: {ranking.rule}")
    if isinstance(ranking, LargeRanking):  # which does not have its documents
        return card(title)
    lines = ranking.lines(SHOWN)
    notes = [element("p", note, of="caption") for note in ranking.unjudged_notes]
    if not lines:
        return card(title, notes)
    rows, groups = [line[0] for line in lines], ranking.small_groups
    largest, said = float(ranking.scores[rows[0]]), _explained(ranking, rows)
    entries = []
    for row, line, (text, topic) in zip(rows, lines, said, strict=True):
        score, copies = float(ranking.scores[row]), f" ×{len(line):,}" if len(line) > 1 else None
        flag = element("span", " flagged", of="flag") if ranking.outliers[row] else None
        scored = cell(f"{score:.2f}", score_bar(score, float(ranking.detector.threshold_), largest), of="scored")
        entry = cell(element("p", own(ranking.ids[row], 60), copies, flag), text)
        entries.append([number(f"{ranking.ranks[row]:,}"), scored, entry, cell(topic)])
    listed = table(["rank", "score", "document", "topic"], entries)
    below = n_docs - len(rows)
    rest = element("p", f"The {len(rows)} strangest are shown.", of="caption") if below > 0 else None
    more = [element("p", "Small groups of similar documents"), groups_table(groups, GROUPS)] if groups else None
    return card(title, listed, rest, more, notes)


def _explained(ranking: Ranking, rows: Sequence[int]) -> list[tuple[list[Any], Any]]:
    """Return the text and reason of some documents, and their topics; no reason if it needs embeddings that nobody has."""
    detector = ranking.detector
    if detector.uses_embeddings_ and ranking.embeddings is None and detector.embedder is None:
        topics, words = detector.reasons(take(ranking.documents, rows), 10)
        return [
            ([_text(ranking, row, of_row)], topic_mark(topic))
            for row, topic, of_row in zip(rows, topics, words, strict=True)
        ]
    return [
        _said(ranking, row, why) for row, why in zip(rows, ranking.explain(rows, n_nearest=0, n_missing=0), strict=True)
    ]


def _said(ranking: Ranking, row: int, why: Explanation) -> tuple[list[Any], Any]:
    return [_text(ranking, row, why.unexpected), element("p", why.reason, of="caption")], topic_mark(why.topic)


def _text(ranking: Ranking, row: int, words: Sequence[Any]) -> Markup:
    pieces = excerpt(pieces_of(ranking.detector, ranking.documents, row, words, READ), TEXT)
    return element("p", shaded(pieces), of="glimpse")
