"""Explanations on a card: the verdict, the unexpected words with their shares, topics and facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tonmf.detector.explain.explanation import PARTS, Explanation, percent
from tonmf.detector.explain.profile import Compared
from tonmf.detector.explain.several import ExplanationList
from tonmf.detector.vectors.explanation import EmbeddingExplanation
from tonmf.report.notebook.markup import Markup, card, element, escaped, heading, own
from tonmf.report.notebook.parts import (
    WORDS,
    bar,
    cell,
    facts,
    mark,
    more,
    number,
    score_bar,
    share_of,
    table,
    topic_mark,
    words_line,
)

SHOWN = 10
"""Explanations on a card, at most."""

NEAREST = 5
"""Near documents that are listed, at most."""


def of_explanation(why: Explanation) -> str:
    """Return an explanation as HTML."""
    return card(_explained(why))


def of_embedding_explanation(why: EmbeddingExplanation) -> str:
    """Return the explanation of an embedding as HTML."""
    return card(_embedding_explained(why))


def of_explanations(several: ExplanationList[Any]) -> str:
    """Return several explanations as HTML: the only one in full, of more the reasons of the first, each of which opens."""
    if not several:
        return card(element("p", "No documents to explain.", of="caption"))
    full = _embedding_explained if isinstance(several[0], EmbeddingExplanation) else _explained
    if len(several) == 1:
        return card(full(several[0]))
    shown = several[:SHOWN]
    largest = max(why.score for why in shown)
    entries = [
        element(
            "details",
            element(
                "summary",
                element("span", own(why.id, 40), of="entry-name"),
                element("span", f"{why.score:.2f}", score_bar(why.score, why.threshold, largest), of="entry-score"),
                element("span", why.reason, of="entry-reason"),
            ),
            full(why),
        )
        for why in shown
    ]
    return card(heading(f"{len(several):,} explanations"), entries, more(len(several) - len(shown), "explanation"))


def _explained(why: Explanation) -> Markup:
    verdict = "flagged" if why.outlier else "not flagged" if why.judged else "not judged"
    first = heading(own(why.id), verdict)
    said = element("p", why.sentence, of="reason")
    if not why.judged:
        return element("div", first, said, of="document")
    left = element("div", _words(why), _missing(why))
    right = element("div", _topics(why), _facts(why))
    return element("div", first, said, element("div", left, right, of="document-columns"), of="document")


def _words(why: Explanation) -> Markup | None:
    if not why.unexpected:
        return None
    largest = max(word.share for word in why.unexpected) or 1.0
    rows = [
        [
            element("th", mark(own(word.word, 40), word.share, largest), _unknown(word.known), scope="row"),
            number(share_of(word.share)),
            bar(word.share / largest),
            number(f"{word.count:,}"),
        ]
        for word in why.unexpected
    ]
    return element("div", table([f"unexpected {why.kind}", "share", "", "times"], rows), of="words")


def _unknown(known: bool) -> Markup | None:
    return None if known else element("span", " unknown", of="unknown", title="outside the vocabulary")


def _missing(why: Explanation) -> Markup | None:
    return element("p", "Expected but missing: ", words_line(why.missing[:WORDS])) if why.missing else None


def _topics(why: Explanation) -> Markup | None:
    shares: list[tuple[Any, Any, float]] = [
        (topic_mark(topic.number), words_line(topic.words[:4]), topic.share) for topic in why.topics
    ]
    shares += [(None, "topics with small shares", why.other_topics), (None, "no topic", why.unexplained.value)]
    rows = [
        [cell(mark), cell(name), number(share_of(share)), bar(share)] for mark, name, share in shares if share >= 0.0005
    ]
    return table(["topic", "explains", "share", ""], rows)


def _facts(why: Explanation) -> Markup:
    parts = ", ".join(f"{PARTS.get(name, name)} {value:+.2f}" for name, value in why.parts.items())
    known: dict[str, Any] = {
        "Score": f"{why.score:.2f} = {parts}",
        "Unexplained": _compared(why.unexplained),
        "Length": f"{why.length.value:,.0f} {why.kind}s (typical: {why.length.typical:,.0f})",
        "Unknown": _compared(why.unknown),
    }
    if why.alarms:
        known["Alarms"] = ", ".join(f"{name} {why.kind}s" for name in why.alarms)
    known |= {escaped(["Like ", own(like.id, 40)]): f"marked as {like.mark} ({like.effect:+.2f})" for like in why.marks}
    if why.nearest:
        known["Nearest"] = _near([(near.document.id, near.document.excerpt, near.cosine) for near in why.nearest])
    if why.nearest_by_meaning:
        near = [(near.document.id, near.document.excerpt, near.cosine) for near in why.nearest_by_meaning]
        known["In meaning"] = _near(near)
    return facts(known)


def _compared(compared: Compared) -> str:
    return f"{percent(compared.value)} (typical: {percent(compared.typical)})"


def _near(documents: Sequence[tuple[str, str, float]]) -> Markup:
    return element(
        "ul",
        [
            element("li", f"{cosine:.2f} ", own(name, 40), " ", element("span", own(excerpt, 70), of="excerpt"))
            for name, excerpt, cosine in documents[:NEAREST]
        ],
        of="nearest",
    )


def _embedding_explained(why: EmbeddingExplanation) -> Markup:
    parts = ", ".join(f"{PARTS.get(name, name)} {value:+.2f}" for name, value in why.parts.items())
    where = f"{abs(why.score - why.threshold):.2f} {'above' if why.score > why.threshold else 'below'} the threshold"
    known: dict[str, Any] = {
        "Score": f"{why.score:.2f} = {parts}",
        "Rank": f"{why.rank:,}",
        "P-value": f"{why.p_value:.4g}",
    }
    known["Closeness"] = f"{why.closeness:.2f} (usual: {why.usual_closeness:.2f})"
    if why.nearest:
        known["Nearest"] = _near([(near.id, "", near.cosine) for near in why.nearest])
    return element(
        "div",
        heading(own(why.id), "flagged" if why.outlier else "not flagged", ": ", where),
        element("p", why.reason, of="reason"),
        facts(known),
        of="document",
    )
