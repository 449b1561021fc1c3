"""The loop of ``tonmf watch``: take lines, score them, write out answers, learn, and take a snapshot now and then.

Documents are scored and answered as soon as they are there, by the current detector, and learnt from in batches. The *place*
moves on only past documents that were answered. A snapshot also holds those of them that wait to be learnt from, so that
batches end where they would have ended without it, and a watch that resumes from it comes to the same scores. That watch reads
the documents after the place once more. A new topic that could not be written out is in the snapshot, too, and is the first
thing that the next watch writes.

Marks are looked for before documents are scored. A snapshot follows them at once, so that a watch that resumes has them from
the same document on.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tonmf.cli.screen import json_line
from tonmf.cli.watching.documents import DocumentParser, ScoredDocument, WatchedDocument
from tonmf.cli.watching.lines import InputLine, Lines
from tonmf.cli.watching.marks import MarksFile
from tonmf.cli.watching.new_topics import NewTopics
from tonmf.cli.watching.output import Output
from tonmf.cli.watching.pending import PendingBatch, read_by
from tonmf.cli.watching.snapshots import Snapshot, Snapshots
from tonmf.cli.watching.stopping import StopRequest
from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.explanation import Explanation
from tonmf.errors import InputError
from tonmf.stream.half_life import HalfLife
from tonmf.text.documents import joined_items, without_surrogates
from tonmf.timeline.nursery import NewTopic

AT_ONCE = 128
"""Most documents that are scored together."""

LOOK_AGAIN = 0.2
"""Seconds between two looks at a file that may grow."""

PENDING_SIZE = 8 * 2**20
"""Characters of a batch beyond which it is learnt from although it is not complete."""


@dataclass(frozen=True)
class WatchOptions:
    """Options of a watch: how to learn, what to write, and when to take snapshots."""

    learn: bool
    learn_every: int
    only_outliers: bool
    n_words: int
    snapshot_every: HalfLife
    show_time: bool


class Watch:
    """A watch that runs until its input ends, somebody asks it to stop, or nobody reads what it writes."""

    def __init__(
        self,
        detector: TextOutlierDetector,
        lines: Lines,
        parser: DocumentParser,
        output: Output,
        snapshots: Snapshots | None,
        stopping: StopRequest,
        options: WatchOptions,
        warn: Callable[[str], None],
        new_topics: NewTopics | None = None,
        pending: Sequence[ScoredDocument] = (),
        marks: MarksFile | None = None,
    ) -> None:
        self.detector, self.n_bad, self.n_docs, self.n_unjudged = detector, 0, 0, 0
        self._lines, self._parser, self._output, self._snapshots = lines, parser, output, snapshots
        self._stopping, self._options, self._warn, self._new_topics = stopping, options, warn, new_topics
        self._pending, self._marks = PendingBatch(pending), marks
        self._learning = False  # True while a batch is being learnt: a failure then must not be snapshotted
        self._place = lines.start
        self._moved, self._snapshot_at, self._snapshot_docs = False, time.monotonic(), 0

    def run(self) -> None:
        """Run until the end, learn from what is pending if the input has ended, and take a last snapshot."""
        try:
            self._look_for_marks()
            going = self._announce() and self._learn_if_complete()
            while going and not (self._stopping() or self._lines.ended):
                going = self._step()
            if going and self._lines.ended:
                self._learn()
                self._announce()
        finally:
            if not self._learning:
                self._take_snapshot(is_last=True)

    def _step(self) -> bool:
        """Process the lines that are there, or wait for some; return False if an answer could not be written."""
        room = self._options.learn_every - len(self._pending) if self._options.learn else AT_ONCE
        lines = self._lines.take(min(AT_ONCE, room))
        self._look_for_marks()  # after the lines: a mark that was written before a document counts for it
        if lines and not (self._process(lines) and self._learn_if_complete()):
            return False
        if self._is_snapshot_due():
            self._take_snapshot()
        elif not (lines or self._lines.moving or self._lines.ended):
            fd = self._lines.source.wait_fd()
            polls = fd is None or self._marks is not None
            self._stopping.wait(fd, LOOK_AGAIN if polls else self._until_snapshot())
        return True

    def _look_for_marks(self) -> None:
        """Let new marks count from the next document on, and take a snapshot if there are any."""
        if self._marks is not None and self._marks.look(self.detector):
            self._pending.read_again()
            self._moved = True
            self._take_snapshot()

    def _process(self, lines: Sequence[InputLine]) -> bool:
        """Score and answer the documents on some lines; return False if an answer could not be written."""
        parsed = [(line, self._parse(line)) for line in lines]
        while parsed:
            n_lines, marked = self._until_marked(parsed)
            if not self._score(parsed[:n_lines]):
                return False
            if self._marks is not None and marked is not None:
                self._marks.mark(marked.id, self.detector)
                self._pending.read_again()
            parsed = parsed[n_lines:]
        return True

    def _until_marked(
        self, parsed: Sequence[tuple[InputLine, WatchedDocument | None]]
    ) -> tuple[int, WatchedDocument | None]:
        """Return how many lines there are up to the first document that has its mark already, and that document."""
        if self._marks is not None:
            for n_lines, (_, document) in enumerate(parsed, start=1):
                if document is not None and self._marks.is_waited_for(document.id, self.detector):
                    return n_lines, document
        return len(parsed), None

    def _score(self, parsed: Sequence[tuple[InputLine, WatchedDocument | None]]) -> bool:
        """Score and answer documents by the detector as it is; return False if an answer could not be written."""
        documents = [document for _, document in parsed if document is not None]
        read = read_by(self.detector, documents) if documents else None
        reasons = iter(() if read is None else read.explain(self._options.n_words, n_nearest=0, n_missing=0))
        for line, document in parsed:
            if document is not None and not self._answer(document, next(reasons)):
                return False
            self._place, self._moved = line.place, True
        if read is not None and self._options.learn:
            self._pending.keep(read)
        return True

    def _parse(self, line: InputLine) -> WatchedDocument | None:
        try:
            return self._parser.parse(line)
        except InputError:
            raise
        except ValueError as error:
            self.n_bad += 1
            self._warn(f"{self._parser.name}, line {line.number} was left out: {error}.")
            return None

    def _answer(self, document: WatchedDocument, reason: Explanation) -> bool:
        """Write out the answer, unless only outliers are wanted, and let the document wait to be learnt from."""
        wanted = reason.outlier or not self._options.only_outliers
        if wanted and not self._write(self._answer_fields(document, reason)):
            return False
        self.n_docs += 1
        self.n_unjudged += not reason.judged
        if self._marks is not None:
            self._marks.memory.remember(document, reason.outlier)
        if self._options.learn:
            self._pending.add(ScoredDocument(document, reason.score))
        return True

    def _answer_fields(self, document: WatchedDocument, reason: Explanation) -> dict[str, Any]:
        fields = {
            "id": document.id,
            "score": reason.score,
            "outlier": reason.outlier,
            "judged": reason.judged,
            "topic": reason.topic,
            "unexpected_terms": [word.word for word in reason.unexpected],
            "reason": reason.sentence,
        }
        if self._options.show_time:
            fields["time"] = document.given_time
        content = document.content
        return {**fields, "text": content if isinstance(content, str) else joined_items(content)}

    def _write(self, fields: Mapping[str, Any]) -> bool:
        return self._output.write(without_surrogates(json_line(fields)).encode() + b"\n")

    def _learn_if_complete(self) -> bool:
        """Learn if the batch is complete, and announce new topics; return False if one could not be written."""
        if len(self._pending) < self._options.learn_every and self._pending.size < PENDING_SIZE:
            return True
        self._learn()
        return self._announce()

    def _learn(self) -> None:
        """Learn from the pending documents, and search them for new topics."""
        if not (len(self._pending) and self._options.learn):
            return
        self._learning = True
        batch, self._pending = self._pending, PendingBatch()
        read = batch.read(self.detector)
        self.detector.learn_from(read, times=[document.seconds for document, _ in batch.documents])
        if self._new_topics is not None:
            self._new_topics.search(self.detector, batch.documents, read)
        if self._marks is not None:
            self.detector.forget_training_rows()
        self._learning = False

    def _announce(self) -> bool:
        """Write out new topics; return False if one could not be written, which then stays, as do those after it."""
        unannounced = deque[NewTopic]() if self._new_topics is None else self._new_topics.unannounced
        while unannounced:
            if not self._write(unannounced[0].to_dict()):
                return False
            unannounced.popleft()
            self._moved = True
        return True

    def _until_snapshot(self) -> float:
        """Return the seconds until the next snapshot is due; an hour if it does not depend on time."""
        every = self._options.snapshot_every
        if self._snapshots is None or not self._moved or not every.of_time:
            return 3600.0
        return every.length - (time.monotonic() - self._snapshot_at)

    def _is_snapshot_due(self) -> bool:
        if self._snapshots is None or not self._moved:
            return False
        every = self._options.snapshot_every
        return self._until_snapshot() <= 0 if every.of_time else self.n_docs - self._snapshot_docs >= every.length

    @property
    def is_unkept(self) -> bool:
        """Return whether the watch has come further than its last snapshot, because a later one failed."""
        return self._snapshots is not None and self._moved

    def _take_snapshot(self, is_last: bool = False) -> None:
        """Take a snapshot, if anything has changed; if it fails, try again when the next is due."""
        if self._snapshots is None or not self._moved:
            return
        self._snapshot_at, self._snapshot_docs = time.monotonic(), self.n_docs
        memory = None if self._marks is None else self._marks.memory
        columns, pending = self._parser.columns, self._pending.documents
        snapshot = Snapshot(self.detector, self._place, columns, self._new_topics, pending, memory)
        try:
            self._snapshots.write(snapshot)
        except InputError as error:
            earlier = "The last one stays" if self._snapshots.exist else "There is none yet"
            self._warn(f"No snapshot: {error} {earlier}{'' if is_last else ', and the next is due as usual'}.")
        else:
            self._moved = False
