"""``detector.report()``: the whole report, which a notebook shows in a frame."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import Any

from tonmf.detector.fitted import FittedDetector
from tonmf.errors import InputError
from tonmf.ranking.ranking import ranking_of
from tonmf.report.html import page_of, write_html
from tonmf.report.notebook.markup import card, element, heading
from tonmf.report.summary import summarise, write_summary
from tonmf.storage.atomic import check_writable
from tonmf.wording import number_of, path_shown

LARGEST = 10_000_000
"""Characters of a page that a notebook shows. More would make the notebook itself too large to open."""

HEIGHT = 640
"""Height of the frame, in pixels."""

PAGE, SUMMARY = (".html", ".htm"), (".json",)


class ReportPage:
    """The report of scored documents. A notebook shows its page; ``save`` writes it.

    Attributes
    ----------
    summary : dict
        All that it says, as plain values (docs/guide/report.md).
    """

    def __init__(self, summary: dict[str, Any]) -> None:
        self.summary = summary

    def save(self, path: str | os.PathLike[str]) -> ReportPage:
        """Write the report, whole or not at all: a page to open in a browser, or all that it says, as JSON.

        Parameters
        ----------
        path : str or path
            A name that ends in .html or .json.

        Returns
        -------
        self : ReportPage
        """
        check_report_path(path)
        (write_summary if os.fspath(path).lower().endswith(SUMMARY) else write_html)(path, self.summary)
        return self

    def __repr__(self) -> str:
        analysed = self.summary["analysed"]
        return f"ReportPage({number_of(analysed['documents'], 'document')}, {analysed['flagged']:,} flagged)"

    def _repr_html_(self) -> str:
        """Return the page in a frame that can reach neither the notebook nor the network."""
        page = page_of(self.summary)
        if len(page) > LARGEST:
            advice = 'The page is too large to show in a notebook. Write it to a file: report.save("report.html")'
            return card(heading(repr(self)), element("p", advice))
        return (
            f'<iframe sandbox="allow-scripts allow-popups allow-downloads" title="{html.escape(repr(self))}" '
            f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #8886; border-radius: 4px" '
            f'srcdoc="{html.escape(page)}"></iframe>'
        )


def check_report_path(path: str | os.PathLike[str]) -> None:
    """Reject a path that no report can be written to."""
    if not os.fspath(path).lower().endswith(PAGE + SUMMARY):
        raise InputError(
            f"{path_shown(os.fspath(path))}: expected a name that ends in .html, or in .json for its content."
        )
    check_writable(path)


def report(
    detector: FittedDetector,
    documents: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    embeddings: Any = None,
    names: Sequence[Any] | None = None,
    labels: Sequence[int | None] | None = None,
    fdr: float | None = None,
    title: str = "Report",
    notes: Sequence[str] = (),
) -> ReportPage:
    """Make the report of documents: a notebook shows it, and a file gets it if a path is given.

    Parameters
    ----------
    documents : as in ``fit``
        The training documents, which a detector does not keep, or new ones.
    path : str or path, optional
        A file to write it to: .html for the page, .json for its content.
    embeddings : array of shape (n_docs, width), optional
        If the detector was fitted with embeddings.
    names : sequence of shape (n_docs,), optional
        Names of the documents, as in ``explain``.
    labels : sequence of shape (n_docs,), optional
        1 for known outliers, 0 for ordinary documents, None for those without a label; adds curves.
    fdr : float, optional
        Flag documents at this false-discovery rate, in place of the threshold.
    title : str
        Title of the page.
    notes : sequence of str
        Sentences for the reader to know.

    Returns
    -------
    report : ReportPage

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import load_noticeboard
    >>> board = load_noticeboard()
    >>> detector = TextOutlierDetector().fit(board.texts, names=board.ids)
    >>> detector.report(board.texts, title="The notice board")
    ReportPage(260 documents, 13 flagged)
    """
    if path is not None:
        check_report_path(path)
    ranking = ranking_of(detector, documents, embeddings=embeddings, names=names, fdr=fdr)
    notes = [*notes, *ranking.observations, *ranking.unjudged_notes, *ranking.assumptions]
    made = ReportPage(summarise(ranking, title=title, notes=notes, labels=labels))
    return made if path is None else made.save(path)
