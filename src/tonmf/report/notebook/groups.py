"""Small groups as a table."""

from __future__ import annotations

from typing import Any

from tonmf.detector.scores.groups import Groups
from tonmf.report.notebook.markup import Markup, card, element, heading, own
from tonmf.report.notebook.parts import WORDS, cell, more, number, share_of, table, words_line
from tonmf.wording import number_of

SHOWN, MEMBERS = 10, 4
"""Groups on a card, and documents that are named of each, at most."""


def of_groups(groups: Groups) -> str:
    """Return groups as HTML."""
    title = heading(
        number_of(len(groups), "small group"), "of similar documents, the most unusual first" if groups else ""
    )
    return card(title, groups_table(groups, SHOWN) if groups else None)


def groups_table(groups: Groups, shown: int) -> Markup:
    """Return the first groups as a table."""

    def called(document: int) -> Any:
        return own(document if groups.names is None else groups.names[document], 40)

    rows = []
    for group in groups[:shown]:
        members: list[Any] = []
        for document in group.documents[:MEMBERS].tolist():
            members += [", "] * bool(members) + [called(document)]
        members += [", …"] * (group.size > MEMBERS)
        kind = element("span", " copies", of="caption") if group.copies else None
        words = cell(words_line(group.words[:WORDS]))
        rows.append([number([f"{group.size:,}", kind]), number(share_of(group.share)), words, cell(members)])
    listed = table(["documents", "share", "words", "such as"], rows)
    return element("div", listed, more(len(groups) - len(rows), "group"))
