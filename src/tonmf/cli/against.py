"""``--against``: compare with an earlier report, or with another saved model on the same documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tonmf.cli.embedding import Embedding, embedded
from tonmf.cli.screen import Screen
from tonmf.errors import InputError
from tonmf.wording import number_of

if TYPE_CHECKING:
    from tonmf.io import Documents
    from tonmf.report.runs import Run

REPORTS = (".html", ".htm", ".json")

NAMED, WORDS = 5, 4
"""Documents of a kind, and words of a topic, that the text names."""


def check_against(path: str | None) -> None:
    """Reject what is neither a report nor a saved model, before any work is done."""
    if path is None:
        return
    if Path(path).is_dir():
        from tonmf.storage.bundles import check_is_model

        check_is_model(path)
    elif not path.lower().endswith(REPORTS):
        raise InputError(
            f"{path}: expected an earlier report (.html, or .json for its content), or the folder of a saved model."
        )
    elif not Path(path).is_file():
        raise InputError(f"There is no {path}. Expected an earlier report, or the folder of a saved model.")


def earlier_run(screen: Screen, path: str, documents: Documents, jobs: int | None, embedding: Embedding) -> Run:
    """Read the run of an earlier report, or score the same documents by another saved model."""
    if not Path(path).is_dir():
        with screen.step(f"Reading {path}"):
            from tonmf.report import read_summary
            from tonmf.report.runs import Run

            return Run.of_summary(read_summary(path), path)
    with screen.step("Loading"):
        from tonmf.cli.learning import check_terms
        from tonmf.persist import load_fitted
        from tonmf.ranking import Ranking
        from tonmf.report.runs import Run

        detector = load_fitted(path)
        detector.n_jobs = jobs
        check_terms(detector, documents)
    rows = None
    if detector.uses_embeddings_:
        embedding.prepare(detector, path)
        rows, _ = embedded(screen, detector, documents.content, embedding.given(screen, documents))
    with screen.progress(f"Scoring by {path}") as done:
        ranking = Ranking.by(detector, documents.content, documents.ids, done, embeddings=rows)
    return Run.of_ranking(ranking, path)


def show_comparison(screen: Screen, comparison: Mapping[str, Any]) -> None:
    """Print a comparison in a few lines."""
    from rich.text import Text

    for line in lines_of(comparison):
        screen.show(Text(line))


def lines_of(comparison: Mapping[str, Any]) -> list[str]:
    """Return a comparison to read, in a few lines."""
    old, documents, strange, topics = (comparison[name] for name in ("old", "documents", "strange", "topics"))
    since = "" if old["when"] is None else f" ({old['when'][:10]})"
    both = f"{number_of(documents['in_both'], 'document')} {'is' if documents['in_both'] == 1 else 'are'} in both"
    only = f"{documents['only_new']:,} only here, {documents['only_old']:,} only there"
    return [
        f"Compared with {old['title']}{since}: {both}, {only}.",
        f"  Newly strange: {_count(strange['newly'], comparison['newly_strange'])}",
        f"  No longer strange: {_count(strange['no_longer'], comparison['no_longer_strange'])}",
        f"  Strange in both: {strange['still']:,}",
        f"  Topics that came: {_topics(topics['came'])}",
        f"  Topics that went: {_topics(topics['went'])}",
    ]


def _count(count: int, named: Sequence[Mapping[str, Any]]) -> str:
    shown = [f"{document['id']}{_why(document)}" for document in named[:NAMED]]
    return f"{count:,}" + (f": {', '.join(shown)}{', …' if count > len(shown) else ''}" if shown else "")


def _why(document: Mapping[str, Any]) -> str:
    if "was" in document:
        return " (new)" if document["was"] == "absent" else ""
    return "" if document["is"] == "not flagged" else f" ({document['is']})"


def _topics(topics: Sequence[Mapping[str, Any]]) -> str:
    words = [f"“{', '.join(topic['words'][:WORDS])}”" for topic in topics[:NAMED]]
    return f"{len(topics):,}" + (f": {', '.join(words)}{', …' if len(topics) > len(words) else ''}" if words else "")
