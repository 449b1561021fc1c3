"""Why a document has its score: what an `Explanation` holds, and how it reads.

`tonmf.detector.explain.explainer` makes explanations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tonmf.attached import Attached
from tonmf.detector.explain.profile import Compared
from tonmf.detector.explain.quotes import isolated, listed, quoted
from tonmf.detector.explain.topics import KnownDocument
from tonmf.detector.explain.unexpected import UnexpectedWord, most_telling
from tonmf.detector.marks.marks import FINE, STRANGE
from tonmf.wording import number_of, shown

NAMED = 4
"""Words that the sentence names."""

UNJUDGED_NAMED = 3
"""Documents that a note on those that are not judged names."""

UNUSUAL = 84
"""The percentile from which on an unexplained share is a reason for a high score; P84 is what thresholds go by, too."""

LITTLE = 0.1
"""Share of the threshold that marks must add or take away to be a reason for the score."""

SAME = 0.999
"""Likeness from which on a marked document of the same id is the document itself."""

SMALLEST_SHOWN = 0.0005
"""The smallest share that is not shown as 0.0 %."""

PARTS = {
    "neighbours": "distance from ordinary documents",
    "meaning": "distance in meaning",
    "company": "likeness to strange ones",
}
"""How parts of a score are shown whose names do not say what they are."""

ALARMS = {"unknown": "unknown {}", "rare": "rare {}", "repeated": "repeated {}"}
"""How alarms are shown, given the plural of what documents are made of."""


@dataclass(frozen=True)
class TopicShare:
    """A topic, and how much of a document it explains.

    Attributes
    ----------
    number : int
        The topic's number (`tonmf.Topic`).
    share : float
        The share of the document that it explains, from 0 to 1.
    words : list of str
        The topic's first words.
    """

    number: int
    share: float
    words: list[str]


@dataclass(frozen=True)
class NearDocument:
    """An ordinary training document that is similar to the explained one.

    Attributes
    ----------
    document : KnownDocument
    cosine : float
        The cosine of the two documents' rows.
    """

    document: KnownDocument
    cosine: float


@dataclass(frozen=True)
class NearMark:
    """A document that a reader marked, and that is like the explained one, or is that one.

    Attributes
    ----------
    id : str
        What it is called.
    mark : str
        "strange" or "fine".
    likeness : float
        How much both have in common beyond what ordinary documents have, up to 1.
    effect : float
        What this mark adds to the score of the explained document. Marks on like documents share what they add.
    """

    id: str
    mark: str
    likeness: float
    effect: float


@dataclass(frozen=True)
class Explanation:
    """Why a document has its score.

    The shares add up: `unexplained`, the shares of `topics` and `other_topics` make 1, and the shares of all unexpected words
    make `unexplained`.

    Attributes
    ----------
    id : str
        The document's id.
    score : float
        Higher is stranger; 0 for a document that is not judged.
    threshold : float
        Judged documents with a higher score are outliers.
    outlier : bool
        Whether the score is above the threshold; False for a document that is not judged. With `fdr`, whether it stands out
        at that rate.
    p_value : float
        The share of ordinary documents that are at least as strange, without marks; 1 for a document that is not judged
        (docs/guide/scores.md). A document with the score of a training document has the p-value of that one.
    fdr : float or None
        The false-discovery rate that `outlier` goes by; None if that is the threshold.
    rank : int
        1 + the number of judged training documents with a higher score, so that documents with the same score have the same
        rank; after all of these for a document that is not judged. In a stream, the documents seen last stand for the
        training documents.
    n_docs : int
        The number of judged documents that it is ranked among.
    parts : dict of str to float
        What adds up to the score: "topics", how little they explain; "neighbours", how far the document is from ordinary ones;
        "meaning", how far its meaning is from theirs, if there are embeddings; "company", what strange documents that are
        like it add; "marks", what the marks of a reader add, if there are any; "alarms", what these add. Nothing for a
        document that is not judged.
    unexplained : Compared
        The share of the document that no topic explains, the mean over all fits.
    unexpected : list of UnexpectedWord
        The words that say most about it, the largest share first. The shares of all its words add up to `unexplained`.
    topic : int or None
        Number of the topic that explains most of it; None if none explains a tenth of it.
    topics : list of TopicShare
        The topics of the finest fit that explain a tenth of it or more, the largest share first.
    missing : list of str
        Words that its topics lead one to expect, and that it lacks.
    length : Compared
        The number of its words, without stop words.
    unknown : Compared
        The share of its distinct words that are outside the vocabulary.
    alarms : dict of str to float
        The alarms that it raises, with value / cut − 1 of each (`tonmf.detector.scores.alarms`).
    nearest : list of NearDocument
        The most similar ordinary training documents, by their words.
    nearest_by_meaning : list of NearDocument
        Those that are nearest in meaning, if there are embeddings; the cosine is that of the embeddings.
    marks : list of NearMark
        The marked documents that are most like it, at most three, the likest first.
    kind : str
        What documents are made of: "word", "item", or "term" for rows of counts and where terms are characters.
    """

    id: str
    score: float
    threshold: float
    outlier: bool
    p_value: float
    fdr: float | None
    rank: int
    n_docs: int
    parts: dict[str, float]
    unexplained: Compared
    unexpected: list[UnexpectedWord]
    topic: int | None
    topics: list[TopicShare]
    missing: list[str]
    length: Compared
    unknown: Compared
    alarms: dict[str, float]
    nearest: list[NearDocument]
    nearest_by_meaning: list[NearDocument]
    marks: list[NearMark]
    kind: str

    _repr_html_ = Attached("html of explanation")

    def __repr__(self) -> str:
        """Return the verdict on one line; ``str`` has all of it."""
        verdict = f"score={self.score:.2f}, outlier={self.outlier}, rank={self.rank:,}"
        return f"Explanation({shown(self.id)}, {verdict}: {self.reason})"

    @property
    def judged(self) -> bool:
        """Return whether the document is judged: it is not if it has no words that count."""
        return "empty" not in self.alarms

    @property
    def beyond(self) -> float:
        """Return how far the score is above the threshold, in spreads of ordinary scores; below 0 for ordinary documents."""
        return self.score - self.threshold

    @property
    def other_topics(self) -> float:
        """Return the share of the document that topics outside `topics` explain, a little by each."""
        if not self.judged:
            return 0.0
        return max(1.0 - self.unexplained.value - sum(topic.share for topic in self.topics), 0.0)

    @property
    def sentence(self) -> str:
        """Return the explanation in short: whether it is flagged, and the reason."""
        return f"{self._verdict()} {self.reason}" if self.judged else self.reason

    @property
    def reason(self) -> str:
        """Return the reason for the score, for places that show the score and the rank themselves."""
        if not self.judged:
            return f"Not judged: it has {no_words(self.kind)}."
        mark = self.main_mark
        return self._reason() if mark is None else f"{self._reason()} {self._of_mark(mark)}"

    @property
    def main_mark(self) -> NearMark | None:
        """Return the likest marked document whose mark says what marks did to the score; its own mark if it has one.

        None if there is none, or if marks did little.
        """
        own = [mark for mark in self.marks if self._is_own(mark)]
        if not self._follows_marks:
            return own[0] if own else None
        agreeing = STRANGE if self.parts["marks"] > 0 else FINE
        return next((mark for mark in [*own, *self.marks] if mark in own or mark.mark == agreeing), None)

    @property
    def _follows_marks(self) -> bool:
        """Return whether marks changed the score by more than a little."""
        added = self.parts.get("marks", 0.0)
        return added != 0 and abs(added) >= LITTLE * abs(self.threshold)

    def _is_own(self, mark: NearMark) -> bool:
        return mark.id == self.id and mark.likeness >= SAME

    def _of_mark(self, mark: NearMark) -> str:
        if self._is_own(mark):
            return f"You marked it as {mark.mark}."
        if self.unknown.value == 1:
            return f"Like {isolated(mark.id)}, which you marked as {mark.mark}, it has no known {self.kind}."
        return f"It is {mark.likeness:.2f} like {isolated(mark.id)}, which you marked as {mark.mark}."

    @property
    def main_alarm(self) -> str | None:
        """Return the alarm that says most of those it raises: rare words only if there is no other."""
        return main_alarm_of(self.alarms)

    def _verdict(self) -> str:
        flagged, rank = "Flagged" if self.outlier else "Not flagged", f"rank {self.rank:,} of {self.n_docs:,}"
        without_marks = " without marks" if self._follows_marks else ""
        among = f"{rank}, stranger than {stranger_than(self.p_value)} of ordinary documents{without_marks}"
        if self.fdr is not None:
            return f"{flagged} at a false-discovery rate of {100 * self.fdr:g} %: its score of {self.score:.2f} is {among}."
        where = "above" if self.beyond > 0 else "below"
        return f"{flagged}: its score of {self.score:.2f} is {abs(self.beyond):.2f} {where} the threshold, {among}."

    def _reason(self) -> str:
        words, alarm = f"{self.kind}s", self.main_alarm
        if alarm == "unknown":
            share, typical = percent(self.unknown.value), percent(self.unknown.typical)
            strangers = [word for word in self.unexpected if not word.known]
            such = f", such as {_named(strangers)}" if strangers else ""
            return f"{share} of its distinct {words} are outside the vocabulary (typical: {typical}){such}."
        if alarm == "repeated":
            often = sorted((word for word in self.unexpected if word.count > 1), key=lambda word: -word.count)
            return f"It repeats the same few {words} over and over{f': {_quoted(often)}' if often else ''}."
        if alarm == "rare":
            link = "and" if self._is_unexplained else "but"
            return f"{self._of_topics()}, {link} its {words} are rare: {_named(self.unexpected)}."
        if not self.outlier:
            main = f"; its main topic is “{listed(self.topics[0].words[:3])}”" if self.topics else ""
            return f"{self._of_topics()}{main}."
        if self.by_meaning_alone:
            far = "its meaning is far from that of ordinary documents"
            return f"By its words alone it would not be flagged, but {far}{self._far_from()}."
        own = {name: value for name, value in self.parts.items() if name != "marks"}
        largest = max(own, key=own.__getitem__)
        if largest in _FAR:
            more = f", {'and' if self._is_unexplained else 'but'} {_FAR[largest]}"
        else:
            more = "" if self._is_unexplained else f", but they fit its {words} badly"
        return f"{self._of_topics()}{more}. Unexpected {words}: {_named(self.unexpected)}."

    @property
    def by_meaning_alone(self) -> bool:
        """Return whether it is flagged for its meaning, and would not be by its words."""
        added = self.parts.get("meaning", 0.0)
        return (
            self.outlier and not self.alarms and self.fdr is None and added > 0 and self.score - added <= self.threshold
        )

    def _far_from(self) -> str:
        if not self.nearest_by_meaning:
            return ""
        nearest = self.nearest_by_meaning[0]
        return f": the nearest is {isolated(nearest.document.id)}, with a cosine of {nearest.cosine:.2f}"

    @property
    def _is_unexplained(self) -> bool:
        """Return whether what no topic explains is a reason for a high score."""
        return (self.outlier or bool(self.alarms)) and self.unexplained.percentile >= UNUSUAL

    def _of_topics(self) -> str:
        """Say what no topic explains where that is a reason for the score, and what the topics explain otherwise."""
        share, typical = self.unexplained.value, self.unexplained.typical
        if self._is_unexplained:
            return f"{percent(share)} of it fits no topic (typical: {percent(typical)})"
        return f"The topics explain {percent(1 - share)} of it (typical: {percent(1 - typical)})"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON."""
        return {**asdict(self), **{name: getattr(self, name) for name in DERIVED}}

    def to_table(self) -> list[dict[str, Any]]:
        """Return all of it as rows with the same four columns, ready for ``pandas.DataFrame``."""
        rows: list[tuple[str, str, float | None]] = [
            ("score", "score", self.score),
            ("score", "threshold", self.threshold),
            ("score", "rank", self.rank),
            ("score", "p-value", self.p_value),
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
            ("topic", "topics with small shares", self.other_topics),
            *((f"missing {self.kind}", word, None) for word in self.missing),
            *(("nearest ordinary document", near.document.id, near.cosine) for near in self.nearest),
            *(("nearest in meaning", near.document.id, near.cosine) for near in self.nearest_by_meaning),
            *((f"like a document marked as {mark.mark}", mark.id, mark.likeness) for mark in self.marks),
        ]
        return [{"id": self.id, "part": part, "what": what, "value": value} for part, what, value in rows]

    def to_text(self) -> str:
        """Return all of it to read, a fact a line.

        Words that are written from right to left are isolated (`tonmf.detector.explain.quotes`).
        """
        words = f"{self.kind}s"
        if not self.judged:
            return f"{isolated(self.id)}: {self.sentence}"
        parts = ", ".join(f"{PARTS.get(name, name)} {value:+.2f}" for name, value in self.parts.items())
        lines = [f"{isolated(self.id)}: {self.sentence}", "", f"  score       {self.score:.2f} = {parts}"]
        lines.append(f"  unexplained {_compared(self.unexplained, percent)}")
        unit = f" {self.kind if self.length.value == 1 else words}"
        lines.append(f"  length      {_compared(self.length, '{:,.0f}'.format, unit)}")
        lines.append(f"  unknown     {_compared(self.unknown, percent, f' of the distinct {words}')}")
        for name, excess in self.alarms.items():
            lines.append(f"  alarm       {ALARMS[name].format(words)}: {percent(excess)} more than an alarm takes")
        if self.unexpected:
            left = self.unexplained.value - sum(word.share for word in self.unexpected)
            lines += ["", f"  unexpected {words}, and their share of the document"]
            lines += [
                _share(word.share, f"{listed([word.word])}{'' if word.known else '  (unknown)'}")
                for word in self.unexpected
            ]
            lines += [_share(left, f"other {words}")] if left >= SMALLEST_SHOWN else []
        if self.topics or self.other_topics >= SMALLEST_SHOWN:
            lines += ["", "  topics that explain it, and their share of the document"]
            lines += [_share(topic.share, f"{topic.number}: {listed(topic.words)}") for topic in self.topics]
            lines += (
                [_share(self.other_topics, "topics with small shares")] if self.other_topics >= SMALLEST_SHOWN else []
            )
            lines += [_share(self.unexplained.value, "no topic")]
        if self.missing:
            lines += ["", f"  expected but missing: {listed(self.missing)}"]
        if self.nearest:
            lines += ["", "  most similar ordinary documents"]
            lines += [f"    {near.cosine:6.2f}  {_beginning(near.document)}" for near in self.nearest]
        if self.nearest_by_meaning:
            lines += ["", "  ordinary documents nearest in meaning"]
            lines += [f"    {near.cosine:6.2f}  {_beginning(near.document)}" for near in self.nearest_by_meaning]
        if self.marks:
            lines += ["", "  most like it of the documents that you marked, and what each mark adds to the score"]
            lines += [
                f"    {near.likeness:6.2f}  {isolated(near.id)}, {near.mark}  {near.effect:+.2f}" for near in self.marks
            ]
        return "\n".join(lines)

    __str__ = to_text


DERIVED = ("judged", "beyond", "other_topics", "main_alarm", "by_meaning_alone", "reason", "sentence")
"""Properties that `Explanation.to_dict` adds to the fields."""

_FAR = {
    "neighbours": "it is far from every ordinary document",
    "meaning": "its meaning is far from that of every ordinary document",
    "company": "the documents most like it are strange too",
}
"""The reason to add if this part of the score is the largest."""


def main_alarm_of(alarms: Mapping[str, float]) -> str | None:
    """Return the alarm that says most of those that a document raises: rare words only if there is no other.

    >>> main_alarm_of({"rare": 2.0, "unknown": 0.5}), main_alarm_of({})
    ('unknown', None)
    """
    others = [alarm for alarm in alarms if alarm != "rare"] or list(alarms)
    return max(others, key=lambda alarm: (alarm == "empty", alarms[alarm]), default=None)


def no_words(kind: str) -> str:
    """Say what a document lacks that is not judged.

    >>> no_words("word"), no_words("item")
    ('no words that count', 'no items')
    """
    return "no words that count" if kind == "word" else f"no {kind}s"


def note_on_unjudged(ids: Sequence[str], kind: str) -> list[str]:
    """Return a note that names the documents that are not judged; none if there are none.

    >>> note_on_unjudged(["post-17", "post-230"], "word")
    ['2 documents have no words that count and were not judged: post-17, post-230.']
    """
    if not ids:
        return []
    have, were = ("has", "was") if len(ids) == 1 else ("have", "were")
    named = ", ".join(ids[:UNJUDGED_NAMED]) + (", …" if len(ids) > UNJUDGED_NAMED else "")
    return [f"{number_of(len(ids), 'document')} {have} {no_words(kind)} and {were} not judged: {named}."]


def _named(words: list[UnexpectedWord]) -> str:
    """Return the most telling words in quotes."""
    return _quoted(most_telling(words, NAMED))


def _quoted(words: list[UnexpectedWord]) -> str:
    """Return the first words in quotes."""
    return quoted(word.word for word in words[:NAMED])


def percent(share: float) -> str:
    """Return a share to read.

    >>> percent(0.256)
    '26 %'
    """
    return f"{100 * share:.0f} %"


def stranger_than(p_value: float) -> str:
    """Return the share of ordinary documents that are less strange, rounded down.

    >>> stranger_than(0.38), stranger_than(0.0025), stranger_than(1e-7)
    ('62 %', '99.7 %', '99.99 %')
    """
    digits = 0 if p_value > 0.1 else 1 if p_value > 0.001 else 2
    rounded = math.floor((100 - 100 * p_value) * 10**digits + ROUNDING) / 10**digits
    return f"{min(rounded, 99.99):.{digits}f} %"


ROUNDING = 1e-9
"""Error of a share in percent that is taken for rounding."""


def _share(share: float, what: str) -> str:
    return f"    {100 * share:4.1f} %  {what}"


def _compared(number: Compared, form: Callable[[float], str], unit: str = "") -> str:
    return f"{form(number.value)}{unit} (typical: {form(number.typical)}; {number.percentile:.0f} % of documents have less)"


def _beginning(document: KnownDocument) -> str:
    return f"{isolated(document.id)}  {isolated(document.excerpt)}".rstrip()
