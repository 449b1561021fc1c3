"""The loop of ``tonmf watch``: take lines, score them, say why, learn from them, keep a snapshot now and then.

Documents are scored and written out as soon as they are there, by the detector of the moment, and learnt from in batches. The
*place* moves on only with documents that have been written out; a snapshot holds those of them that have not been learnt yet
beside the detector, so that batches end where they would have ended without it, and whoever goes on from it comes to the same
scores. It sees the documents after the place once more. A new topic that could not be written out is in the snapshot, too, and
is the first thing that whoever goes on from it writes.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tonmf.cli.watching.lines import Line, Lines
from tonmf.cli.watching.new_topics import NewTopics
from tonmf.cli.watching.output import Output
from tonmf.cli.watching.records import Record, Records, Scored
from tonmf.cli.watching.snapshots import Snapshot, Snapshots
from tonmf.cli.watching.stopping import Stopping
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.explanation import Explanation
from tonmf.detector.reading import ReadDocuments
from tonmf.errors import InputError
from tonmf.stream.half_life import HalfLife
from tonmf.text.batches import size_of
from tonmf.text.documents import without_surrogates
from tonmf.timeline.nursery import NewTopic

AT_ONCE = 32
"""Documents that are scored together, if as many are there."""

LOOK_AGAIN = 0.2
"""Seconds after which to see whether a file has grown."""

PENDING_SIZE = 8 * 2**20
"""Characters of documents that wait to be learnt from, at most."""


@dataclass(frozen=True)
class Habits:
    """How to watch."""

    learn: bool
    learn_every: int
    only_outliers: bool
    n_words: int
    snapshot_every: HalfLife
    show_time: bool


class Watch:
    """A watch that goes on until its input ends, somebody asks it to stop, or nobody reads what it writes."""

    def __init__(
        self,
        detector: TextOutlierDetector,
        lines: Lines,
        records: Records,
        output: Output,
        snapshots: Snapshots | None,
        stopping: Stopping,
        habits: Habits,
        say: Callable[[str], None],
        new_topics: NewTopics | None = None,
        pending: Sequence[Scored] = (),
    ) -> None:
        self.detector, self.n_bad, self.n_docs = detector, 0, 0
        self._lines, self._records, self._output, self._snapshots = lines, records, output, snapshots
        self._stopping, self._habits, self._say, self._new_topics = stopping, habits, say, new_topics
        self._pending = list(pending)
        self._documents: list[ReadDocuments] = []
        """Those of `_pending` that were not in the snapshot, as the detector has read them."""
        self._learning = False
        """Whether the detector is between two states; what fails then must not be kept."""
        self._place = lines.start
        self._moved, self._kept_at, self._docs_kept = False, time.monotonic(), 0

    def run(self) -> None:
        """Until it ends, with a snapshot, unless it was learning that failed; at the end of the input all is learnt."""
        try:
            going = self._announce() and self._learn_batch()
            while going and not (self._stopping() or self._lines.ended):
                going = self._step()
            if going and self._lines.ended:
                self._learn()
                self._announce()
        finally:
            if not self._learning:
                self._keep()

    def _step(self) -> bool:
        """Deal with the lines that are there, or wait for some; False if a line could not be written."""
        room = self._habits.learn_every - len(self._pending) if self._habits.learn else AT_ONCE
        lines = self._lines.take(min(AT_ONCE, room))
        if lines and not (self._score(lines) and self._learn_batch()):
            return False
        if self._due():
            self._keep()
        elif not (lines or self._lines.moving or self._lines.ended):
            fd = self._lines.coming.waits_on()
            self._stopping.wait(fd, LOOK_AGAIN if fd is None else self._until_due())
        return True

    def _learn_batch(self) -> bool:
        """Learn if there is a whole batch, and say what there is to say then; False if that could not be written."""
        enough = sum(size_of(record.content) for record, _ in self._pending) >= PENDING_SIZE
        if not (enough or len(self._pending) >= self._habits.learn_every):
            return True
        self._learn()
        return self._announce()

    def _score(self, lines: Sequence[Line]) -> bool:
        """Write out what there is to say about the documents on some lines."""
        read = [(line, self._record(line)) for line in lines]
        found = [record for _, record in read if record is not None]
        documents = self._read_documents(found) if found else None
        reasons: list[Explanation] = []
        if documents is not None:
            reasons = documents.explain(self._habits.n_words, n_nearest=0, n_missing=0)
        following = iter(reasons)
        for line, record in read:
            if record is not None:
                reason = next(following)
                if (reason.outlier or not self._habits.only_outliers) and not self._emit(self._answer(record, reason)):
                    return False
                self.n_docs += 1
                if self._habits.learn:
                    self._pending.append(Scored(record, reason.score))
            self._place, self._moved = line.place, True
        if documents is not None and self._habits.learn:
            self._documents.append(documents)
        return True

    def _read_documents(self, records: Sequence[Record]) -> ReadDocuments:
        return self.detector.read([record.content for record in records], names=[record.id for record in records])

    def _record(self, line: Line) -> Record | None:
        try:
            return self._records.read(line)
        except InputError:
            raise
        except ValueError as error:
            self.n_bad += 1
            self._say(f"{self._records.name}, line {line.number} was left out: {error}.")
            return None

    def _answer(self, record: Record, reason: Explanation) -> dict[str, Any]:
        answer = {
            "id": record.id,
            "score": reason.score,
            "outlier": reason.outlier,
            "topic": reason.topic,
            "unexpected_terms": [word.word for word in reason.unexpected],
            "reason": reason.sentence,
        }
        if self._habits.show_time:
            answer["time"] = record.given_time
        content = record.content
        return {**answer, "text": content if isinstance(content, str) else " ".join(content)}

    def _emit(self, answer: Mapping[str, Any]) -> bool:
        line = json.dumps(answer, ensure_ascii=False, allow_nan=False)
        return self._output.write(without_surrogates(line).encode() + b"\n")

    def _learn(self) -> None:
        """Learn from what is pending, and look for new topics in it."""
        if not (self._pending and self._habits.learn):
            return
        self._learning = True
        batch, self._pending = self._pending, []
        documents, self._documents = self._documents, []
        unread = [record for record, _ in batch[: len(batch) - sum(len(some.ids) for some in documents)]]
        if unread:  # they are from a snapshot
            documents.insert(0, self._read_documents(unread))
        self.detector.learn_from(ReadDocuments.joined(documents), times=[record.seconds for record, _ in batch])
        if self._new_topics is not None:
            self._new_topics.look(self.detector, batch)
        self._learning = False

    def _announce(self) -> bool:
        """Write out new topics; False if one could not be written, which then is kept with those after it."""
        unsaid = deque[NewTopic]() if self._new_topics is None else self._new_topics.unsaid
        while unsaid:
            if not self._emit(unsaid[0].to_dict()):
                return False
            unsaid.popleft()
            self._moved = True
        return True

    def _until_due(self) -> float:
        every = self._habits.snapshot_every
        if self._snapshots is None or not self._moved or not every.of_time:
            return 3600.0
        return every.length - (time.monotonic() - self._kept_at)

    def _due(self) -> bool:
        """Whether it is time for a snapshot."""
        if self._snapshots is None or not self._moved:
            return False
        every = self._habits.snapshot_every
        return self._until_due() <= 0 if every.of_time else self.n_docs - self._docs_kept >= every.length

    def _keep(self) -> None:
        """Take a snapshot, if anything has moved; one that fails is tried again when the next is due."""
        if self._snapshots is None or not self._moved:
            return
        self._kept_at, self._docs_kept = time.monotonic(), self.n_docs
        try:
            self._snapshots.write(
                Snapshot(self.detector, self._place, self._records.columns, self._new_topics, self._pending)
            )
        except InputError as error:
            self._say(f"No snapshot: {error} The last one stays, and it will be tried again.")
        else:
            self._moved = False
