"""Lay out the answer of `tonmf timeline`: a line for each window, new topics, and all topics by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from tonmf.cli.screen import Screen, printable
from tonmf.cli.tables import GAP, NARROWEST

if TYPE_CHECKING:
    from tonmf.timeline.follow import Timeline, Window

DAY = 86_400
"""Seconds."""

WORDS, NEW_WORDS = 3, 6
"""Number of words shown of a topic in a window, and of a new topic."""

FEW = " few"
"""Mark after the number of documents of a window that has few."""


UNLIKE_DETECT = (
    "Each was judged when it came, by those before it. tonmf detect judges all together, so it may flag more or fewer: the "
    "first are judged by as many as the last, and strange documents that are alike raise each other's scores."
)
"""Why the number of flagged documents may differ from that of `tonmf detect`."""


def show_timeline(screen: Screen, found: Timeline, n_first: int, notes: Sequence[str]) -> None:
    """Print the answer, except for what to do next."""
    if screen.as_json:
        screen.show_json({"learnt_from": n_first, **found.to_dict(), "notes": [*notes, *found.notes]})
        return
    for line in window_lines(found, screen.width if screen.is_terminal else None):
        screen.show(line, wrap=False)
    screen.show()
    flagged, n_docs = int(found.outliers.sum()), len(found.ids)
    were = "was" if flagged == 1 else "were"
    screen.show(
        Text(f"{flagged:,} of {n_docs:,} documents {were} flagged, after {n_first:,} to fit on. {UNLIKE_DETECT}")
    )
    _show_few(screen, found)
    if found.alerts:
        screen.show()
        screen.show(Text("New topics:"))
    else:
        screen.show(Text("No new topic was found."))
    for alert in found.alerts:
        new = alert.new
        words = printable(", ".join(new.words[:NEW_WORDS]))
        such = printable(", ".join(new.documents[:3]))
        when = f"{_written(new.raised, found)}  {new.size:>4} documents since {_written(new.since, found)}"
        screen.show(Text(f"  {when}  {alert.topic + 1}: {words}  (such as {such})"), wrap=False)
    screen.show()
    for line in topic_lines(found):
        screen.show(line, wrap=False)


def _show_few(screen: Screen, found: Timeline) -> None:
    from tonmf.timeline.trends import ENOUGH

    n_few = sum(window.has_few for window in found.windows)
    if n_few:
        have = "window has" if n_few == 1 else "windows have"
        screen.show(
            Text(
                f"{n_few:,} {have} fewer than {ENOUGH} documents ({FEW.strip()}), too few to tell that a topic emerges or "
                "fades."
            )
        )


def window_lines(found: Timeline, width: int | None) -> list[Text]:
    """Return a table of the windows that have documents, with the topics that change in each.

    Nothing is cut: what does not fit into the width continues on the next line. Without a width each window has one line.
    """
    windows = [window for window in found.windows if window.n_docs]
    columns = [
        ["from", *(_written(window.start, found) for window in windows)],
        ["documents", *_numbers(windows)],
        ["outliers", *(f"{100 * window.outlier_share:.1f} %" for window in windows)],
    ]
    widths = [max(map(len, column)) for column in columns]
    columns[0] = [value.ljust(widths[0]) for value in columns[0]]
    facts = [
        (" " * GAP).join(value.rjust(wide) for value, wide in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    ]
    indent = sum(widths) + GAP * len(widths)
    room = None if width is None else max(width - indent, NARROWEST)
    title = "topics that are new (*), emerge (+) or fade (-)"
    lines = [Text(f"{facts[0]}{' ' * GAP}{title}", style="bold")]
    for known, window in zip(facts[1:], windows, strict=True):
        for number, events in enumerate(_packed(_events(window, found), room)):
            lines.append(Text(f"{known if number == 0 else '':<{indent - GAP}}{' ' * GAP}{events}".rstrip()))
    return lines


def topic_lines(found: Timeline) -> list[Text]:
    """Return a line for each topic: its number, its share of the documents of the timeline, and its words."""
    n_docs = max(len(found.ids), 1)
    lines = [Text("topic   share  words", style="bold")]
    for topic, words in enumerate(found.words):
        share = sum(float(window.shares[topic]) * window.n_docs for window in found.windows) / n_docs
        lines.append(Text(f"{topic + 1:>5}  {100 * share:>4.1f} %  {printable(', '.join(words))}"))
    return lines


def _numbers(windows: Sequence[Window]) -> list[str]:
    """Return the number of documents of each window, marked if they are few."""
    blank = " " * len(FEW) if any(window.has_few for window in windows) else ""
    return [f"{window.n_docs:,}{FEW if window.has_few else blank}" for window in windows]


def _events(window: Window, found: Timeline) -> list[str]:
    new = {alert.topic for alert in found.alerts if window.start <= alert.new.raised < window.end}
    marked = [("*" if topic in new else "+", topic) for topic in window.emerging]
    marked = [*sorted(marked), *(("-", topic) for topic in window.fading)]
    return [f"{mark}{topic + 1}: {printable(' '.join(found.words[topic][:WORDS]))}" for mark, topic in marked]


def _packed(events: Sequence[str], room: int | None) -> list[str]:
    """Put as many events on a line as there is room for; return one empty line if there are none.

    >>> _packed(["+1: oil", "-2: wheat", "-3: tin"], 20)
    ['+1: oil  -2: wheat', '-3: tin']
    """
    lines = [""]
    for event in events:
        longer = f"{lines[-1]}{' ' * GAP}{event}" if lines[-1] else event
        if lines[-1] and room is not None and cell_len(longer) > room:
            lines.append(event)
        else:
            lines[-1] = longer
    return lines


def _written(seconds: float, found: Timeline) -> str:
    """Return the date, with the time if windows are shorter than a day."""
    from tonmf.stream.times import time_text

    short = found.windows[0].end - found.windows[0].start < DAY
    return time_text(seconds)[:16].replace("T", " ") if short else time_text(seconds)[:10]
