"""Compare two runs: which documents are newly strange and which no longer are, which topics came and which went.

**Documents.** First, those with the same id and the same content are the same; then those with the same content, whatever their
ids; and last those with the same id, whose content has changed. Ids that are numbers of rows or lines tell nothing: a row that
is put in at the top of a file moves all that follow. Of several with the same key, the first is the first, and so on.

**Strangeness.** Scores of two fits are on scales of their own, so a document is strange in a run if it is flagged there.

**Topics.** Two topics are as alike as the cosine of their words, cos(u, v) = Σ u_t v_t / ‖u‖ ‖v‖, over the weights of the 50
first terms of each. One came if no topic of the earlier run is at least `SAME_TOPIC` like it, and one went if none of the
later run is.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tonmf.ranking import Ranking
from tonmf.report.runs import Run, RunTopic

SAME_TOPIC = 0.5
"""Cosine from which on two topics are the same."""

MOST_NAMED = 1000
"""Documents of a kind that are named; more are only counted."""


def compare(new: Run | Ranking | Mapping[str, Any], old: Run | Ranking | Mapping[str, Any]) -> dict[str, Any]:
    """Compare a run with an earlier one.

    Parameters
    ----------
    new, old : Ranking or dict
        Scored documents, or the summary of a report (`summarise`, `read_summary`).

    Returns
    -------
    comparison : dict
        Ready for JSON; docs/guide/report.md has all its keys.

    Examples
    --------
    >>> from tonmf import TextOutlierDetector
    >>> from tonmf.datasets import make_corpus
    >>> corpus = make_corpus(n_docs=150, n_outliers=5)
    >>> detector = TextOutlierDetector().fit(corpus.texts)
    >>> today = Ranking.of(detector, corpus.texts, corpus.ids, detector.outlier_scores_)
    >>> ordinary = [text for text, label in zip(corpus.texts, corpus.labels) if not label]
    >>> detector = TextOutlierDetector().fit(ordinary)
    >>> yesterday = Ranking.of(detector, ordinary, list(map(str, range(145))), detector.outlier_scores_)
    >>> comparison = compare(today, yesterday)
    >>> comparison["documents"]["in_both"], comparison["newly_strange"][0]["was"]
    (145, 'absent')
    """
    new, old = _run(new), _run(old)
    matched = match(new, old)
    later = {of_old: place for place, of_old in enumerate(matched) if of_old is not None}
    newly = [place for place, strange in enumerate(new.flagged) if strange and not _was_flagged(old, matched[place])]
    no_longer = [
        place for place, strange in enumerate(old.flagged) if strange and not _was_flagged(new, later.get(place))
    ]
    return {
        "old": _about(old),
        "new": _about(new),
        "documents": {
            "in_both": len(later),
            "only_new": new.n_docs - len(later),
            "only_old": old.n_docs - len(later),
            "by_content": new.contents is not None and old.contents is not None,
        },
        "strange": {
            "newly": len(newly),
            "no_longer": len(no_longer),
            "still": sum(new.flagged) - len(newly),
        },
        "newly_strange": [_newly(new, old, place, matched[place]) for place in newly[:MOST_NAMED]],
        "no_longer_strange": [_no_longer(new, old, place, later.get(place)) for place in no_longer[:MOST_NAMED]],
        "topics": _topics(new.topics, old.topics),
    }


def _run(given: Run | Ranking | Mapping[str, Any]) -> Run:
    if isinstance(given, Run):
        return given
    return Run.of_ranking(given, "") if isinstance(given, Ranking) else Run.of_summary(given)


def match(new: Run, old: Run) -> list[int | None]:
    """Return for each document of a run its place in the earlier one; None if it is not there."""
    matched: list[int | None] = [None] * len(new.ids)
    left = set(range(len(old.ids)))

    def pair(of_new: Iterable[Any], of_old: Iterable[Any]) -> None:
        waiting = defaultdict[Any, deque[int]](deque)
        for place, key in sorted(enumerate(of_old), key=lambda one: old.rows[one[0]]):
            if place in left:
                waiting[key].append(place)
        for place, key in sorted(enumerate(of_new), key=lambda one: new.rows[one[0]]):
            if matched[place] is None and waiting.get(key):
                matched[place] = found = waiting[key].popleft()
                left.discard(found)

    if new.contents is not None and old.contents is not None:
        pair(zip(new.ids, new.contents, strict=True), zip(old.ids, old.contents, strict=True))
        pair(new.contents, old.contents)
        if new.is_numbered and old.is_numbered:
            return matched
    pair(new.ids, old.ids)
    return matched


def _was_flagged(run: Run, place: int | None) -> bool:
    return place is not None and bool(run.flagged[place])


def _about(run: Run) -> dict[str, Any]:
    return {
        "title": run.title,
        "when": run.when,
        "documents": run.n_docs,
        "flagged": sum(run.flagged),
        "threshold": run.threshold,
        "topics": len(run.topics),
    }


def _newly(new: Run, old: Run, place: int, before: int | None) -> dict[str, Any]:
    return {
        "place": place + 1,
        "id": new.ids[place],
        "rank": new.ranks[place],
        "score": new.scores[place],
        "was": _standing(old, before),
        "old_rank": None if before is None else old.ranks[before],
        "old_score": None if before is None else old.scores[before],
        "sentence": new.sentences.get(place),
    }


def _no_longer(new: Run, old: Run, before: int, place: int | None) -> dict[str, Any]:
    return {
        "place": None if place is None else place + 1,
        "id": old.ids[before] if place is None else new.ids[place],
        "rank": None if place is None else new.ranks[place],
        "score": None if place is None else new.scores[place],
        "is": _standing(new, place),
        "old_rank": old.ranks[before],
        "old_score": old.scores[before],
        "sentence": old.sentences.get(before),
    }


def _standing(run: Run, place: int | None) -> str:
    """Return "not flagged", or "absent"; a document may also be beyond those that a report lists."""
    if place is not None:
        return "not flagged"
    return "absent" if len(run.ids) == run.n_docs else "absent or not listed"


def _topics(new: Sequence[RunTopic], old: Sequence[RunTopic]) -> dict[str, Any]:
    """Return which topics stayed, which came and which went, each with the most similar one of the other run."""
    kept, came = list[dict[str, Any]](), list[dict[str, Any]]()
    for topic in new:
        nearest, cosine = _nearest(topic, old)
        (kept if cosine >= SAME_TOPIC else came).append({**_shown(topic), "old": nearest, "cosine": cosine})
    went = []
    for topic in old:
        nearest, cosine = _nearest(topic, new)
        if cosine < SAME_TOPIC:
            went.append({**_shown(topic), "new": nearest, "cosine": cosine})
    return {"same_from": SAME_TOPIC, "kept": kept, "came": came, "went": went}


def _shown(topic: RunTopic) -> dict[str, Any]:
    return {"number": topic.number, "share": topic.share, "words": list(topic.words)}


def _nearest(topic: RunTopic, others: Sequence[RunTopic]) -> tuple[dict[str, Any] | None, float]:
    """Return the most similar of other topics, and the cosine; None if no word is in both."""
    cosines = [cosine_of(topic.weights, other.weights) for other in others]
    cosine = max(cosines, default=0.0)
    return (_shown(others[cosines.index(cosine)]), round(cosine, 4)) if cosine > 0 else (None, 0.0)


def cosine_of(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the cosine of the weights of terms.

    >>> cosine_of({"garden": 0.6, "soil": 0.8}, {"garden": 1.0})
    0.6
    """
    product = sum(weight * other.get(term, 0.0) for term, weight in one.items())
    norms = math.hypot(*one.values()) * math.hypot(*other.values())
    return product / norms if norms > 0 else 0.0
