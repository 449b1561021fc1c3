"""``tonmf demo``: detect outliers in a small corpus that comes with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tonmf.cli import options as opt
from tonmf.cli.learning import learn
from tonmf.cli.report_files import check_report, write_report
from tonmf.cli.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tonmf.detector.explain.explanation import Explanation


def demo(top: opt.Top = 15, report: opt.Report = None) -> None:
    """Find the outliers among 260 posts on a neighbourhood's notice board, and compare with the ones planted there."""
    from tonmf.datasets.noticeboard import read_noticeboard

    if report is not None:
        check_report(report)
    screen, posts = Screen(), read_noticeboard()
    ranking, _ = learn(screen, [post.text for post in posts], [post.id for post in posts])
    from rich.text import Text

    from tonmf.cli.answer import show_next
    from tonmf.cli.tables import STRANGE, ranking_table

    planted = [post.planted for post in posts]
    n_planted = sum(kind is not None for kind in planted)
    screen.show(
        Text(
            f"{len(posts)} posts on a neighbourhood's notice board, on gardens, kitchens, bicycles and pets. {n_planted} that "
            "do not belong were planted among them: on another subject, in another language, boilerplate, gibberish. The "
            "detector was not told which, and nothing was tuned.\n"
        )
    )
    lines = ranking.lines(top)
    rows = [line[0] for line in lines]
    explanations = ranking.detector.explain(ranking.documents, ids=rows, names=list(ranking.ids))
    screen.show(ranking_table(ranking, explanations, lines, screen.width, planted))
    screen.show()
    flagged = ranking.outliers
    found = sum(bool(flagged[row]) for row, kind in enumerate(planted) if kind is not None)
    last = max(place for place, row in enumerate(ranking.order, start=1) if planted[row] is not None)
    screen.show(
        Text(
            f"{flagged.sum()} posts are flagged (score above {ranking.detector.threshold_:.2f}); {found} of the {n_planted} "
            f"planted ones are among them. All {n_planted} are among the first {last}."
        )
    )
    for why in _one_of_each_kind(explanations, [planted[row] for row in rows]):
        screen.show()
        screen.show(Text.assemble((f"{why.id}  ", STRANGE), why.sentence))
    if report is not None:
        labels = [int(kind is not None) for kind in planted]
        write_report(screen, ranking, report, "A neighbourhood's notice board", labels=labels)
    page = [] if report is not None else ["tonmf demo --report demo.html  writes a report to open in a browser"]
    show_next(
        screen, *page, "tonmf detect FILES  does the same with your documents", "tonmf --help  lists all commands"
    )


def _one_of_each_kind(explanations: Sequence[Explanation], kinds: Sequence[str | None]) -> list[Explanation]:
    """Return the first flagged document of each kind that was planted."""
    first: dict[str, Explanation] = {}
    for why, kind in zip(explanations, kinds, strict=True):
        if why.outlier and kind is not None:
            first.setdefault(kind, why)
    return list(first.values())
