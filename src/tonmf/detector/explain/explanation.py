"""Why a document has the score it has: what an `Explanation` holds, and how it is written down.

How explanations are made is in `tonmf.detector.explain.explainer`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tonmf.detector.explain.profile import Compared
from tonmf.detector.explain.topics import KnownDocument
from tonmf.detector.explain.unexpected import UnexpectedWord

NAMED = 4
"""Words that the sentence names."""

LONGEST_WORD = 40
"""Characters of a word that are written out."""


@dataclass(frozen=True)
class TopicShare:
    """A topic that a document leans on: its number and words (`tonmf.Topic`), and the share of the document it explains."""

    number: int
    share: float
    words: list[str]


@dataclass(frozen=True)
class NearDocument:
    """An ordinary training document, and the cosine of its row with the explained document's."""

    document: KnownDocument
    cosine: float


@dataclass(frozen=True)
class Explanation:
    """Why a document has its score.

    Attributes
    ----------
    id : str
        What the document is called.
    score, threshold : float
        The document is an outlier if its score is above the threshold.
    outlier : bool
    rank : int
        1 + the number of training documents with a higher score; of a stream, among those seen last.
    n_docs : int
        How many these are.
    parts : dict of str to float
        What adds up to the score: "topics", how little they say about it; "neighbours", how far it is from ordinary documents;
        "embeddings", if there are any; "alarms", what those add.
    unexplained : Compared
        The share of the document that no topic explains, beside the training documents.
    unexpected : list of UnexpectedWord
        Its words, those that say most first. The shares of all of them add up to the unexplained share.
    topic : int or None
        Number of the topic that explains most of it; None if it leans on none.
    topics : list of TopicShare
        The topics that it leans on: those that explain a good part of it in the finest fit, the largest share first.
    background : float
        The share that no topic explains in that fit; `unexplained` is the mean over all fits. What topics and background
        lack to 1 is explained by topics that it hardly leans on.
    missing : list of str
        Words that its topics lead one to expect, and that it does not have.
    length : Compared
        Its words, stop words left out.
    unknown : Compared
        The share of its different words that are outside the vocabulary.
    alarms : dict of str to float
        By which share of it the cut of each alarm is exceeded that it raises (`tonmf.detector.scores.alarms`).
    nearest : list of NearDocument
        The ordinary training documents that are most like it.
    kind : str
        What documents are made of: "word", "item", or "term" for rows of counts and where terms are characters.
    """

    id: str
    score: float
    threshold: float
    outlier: bool
    rank: int
    n_docs: int
    parts: dict[str, float]
    unexplained: Compared
    unexpected: list[UnexpectedWord]
    topic: int | None
    topics: list[TopicShare]
    background: float
    missing: list[str]
    length: Compared
    unknown: Compared
    alarms: dict[str, float]
    nearest: list[NearDocument]
    kind: str

    @property
    def beyond(self) -> float:
        """How far the score is above the threshold, in spreads of ordinary scores; below 0 for ordinary documents."""
        return self.score - self.threshold

    @property
    def sentence(self) -> str:
        """The explanation in short."""
        return f"{self._verdict()} {self._reason()}"

    @property
    def main_alarm(self) -> str | None:
        """Of the alarms that it raises, the one that says most: rare words only if there is no other."""
        others = [alarm for alarm in self.alarms if alarm != "rare"] or list(self.alarms)
        return max(others, key=lambda alarm: (alarm == "empty", self.alarms[alarm]), default=None)

    def _verdict(self) -> str:
        flagged, where = ("Flagged", "above") if self.outlier else ("Not flagged", "below")
        place = f"{abs(self.beyond):.2f} {where} the threshold, rank {self.rank:,} of {self.n_docs:,}"
        return f"{flagged}: its score of {self.score:.2f} is {place}."

    def _reason(self) -> str:
        words, alarm = f"{self.kind}s", self.main_alarm
        if alarm == "empty":
            return f"There is no {self.kind} in it that could speak for it."
        such = _quoted(self.unexpected)
        if alarm == "unknown":
            share, typical = percent(self.unknown.value), percent(self.unknown.typical)
            return f"{share} of its different {words} are outside the vocabulary (typical: {typical}), such as {such}."
        if alarm == "repeated":
            often = sorted((word for word in self.unexpected if word.count > 1), key=lambda word: -word.count)
            return f"It says the same few {words} over and over{f': {_quoted(often)}' if often else ''}."
        share, typical = percent(self.unexplained.value), percent(self.unexplained.typical)
        explained = f"No topic explains {share} of it (typical: {typical})"
        if alarm == "rare":
            return f"{explained}, and its {words} are rare ones: {such}."
        if not self.outlier:
            lean = f"; it is mostly about “{', '.join(self.topics[0].words[:3])}”" if self.topics else ""
            return f"{explained}{lean}."
        return f"{explained}{_MOST[max(self.parts, key=self.parts.__getitem__)]}; what stands out is {such}."

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, ready for JSON."""
        return {**asdict(self), "main_alarm": self.main_alarm, "beyond": self.beyond, "sentence": self.sentence}

    def to_table(self) -> list[dict[str, Any]]:
        """All of it as rows with the same four columns, ready for ``pandas.DataFrame``."""
        rows: list[tuple[str, str, float | None]] = [
            ("score", "score", self.score),
            ("score", "threshold", self.threshold),
            ("score", "rank", self.rank),
            *(("part of the score", name, value) for name, value in self.parts.items()),
            ("compared", "unexplained share", self.unexplained.value),
            ("compared", "unexplained share, typical", self.unexplained.typical),
            ("compared", "length", self.length.value),
            ("compared", "length, typical", self.length.typical),
            ("compared", "unknown share", self.unknown.value),
            ("compared", "unknown share, typical", self.unknown.typical),
            *(("alarm", name, value) for name, value in self.alarms.items()),
            *((f"unexpected {self.kind}", word.word, word.share) for word in self.unexpected),
            *(("topic", f"{topic.number}: {', '.join(topic.words)}", topic.share) for topic in self.topics),
            *((f"missing {self.kind}", word, None) for word in self.missing),
            *(("nearest ordinary document", near.document.id, near.cosine) for near in self.nearest),
        ]
        return [{"id": self.id, "part": part, "what": what, "value": value} for part, what, value in rows]

    def to_text(self) -> str:
        """All of it to read, a fact a line."""
        lines = [f"{self.id}: {self.sentence}", ""]
        parts = ", ".join(f"{name} {value:+.2f}" for name, value in self.parts.items())
        lines.append(f"  score       {self.score:.2f} = {parts}")
        lines.append(f"  unexplained {_compared(self.unexplained, percent)}")
        lines.append(f"  length      {_compared(self.length, '{:,.0f}'.format)} {self.kind}s")
        lines.append(f"  unknown     {_compared(self.unknown, percent)} of the different {self.kind}s")
        lines += [f"  alarm       {name}: {percent(value)} beyond its cut" for name, value in self.alarms.items()]
        if self.unexpected:
            lines += ["", f"  unexpected {self.kind}s, and their share of the document"]
            lines += [
                f"    {100 * word.share:4.1f} %  {_cut(word.word)}{'' if word.known else '  (unknown)'}"
                for word in self.unexpected
            ]
        if self.topics:
            lines += ["", "  topics it leans on"]
            lines += [
                f"    {100 * topic.share:4.1f} %  {topic.number}: {', '.join(topic.words)}" for topic in self.topics
            ]
        if self.missing:
            lines += ["", f"  expected there, but missing: {', '.join(self.missing)}"]
        if self.nearest:
            lines += ["", "  ordinary documents most like it"]
            lines += [f"    {near.cosine:6.2f}  {_named(near.document)}" for near in self.nearest]
        return "\n".join(lines)

    __str__ = to_text


_MOST = {
    "topics": "",
    "neighbours": ", and it is far from all ordinary documents",
    "embeddings": ", and its embedding is far from those of all ordinary documents",
    "alarms": "",
}
"""What to add, by the largest part of the score."""


def _quoted(words: Sequence[UnexpectedWord]) -> str:
    return ", ".join(f"“{_cut(word.word)}”" for word in words[:NAMED])


def _cut(word: str) -> str:
    return word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…"


def percent(share: float) -> str:
    """A share to read: 0.256 is "26 %"."""
    return f"{100 * share:.0f} %"


def _compared(number: Compared, form: Callable[[float], str]) -> str:
    return f"{form(number.value)} (typical: {form(number.typical)}; {number.percentile:.0f} % of documents have less)"


def _named(document: KnownDocument) -> str:
    return f"{document.id}  {document.excerpt}".rstrip()
