"""Marks on the documents of a job, and its results with them.

The job's files stay as the fit left them. Results with marks are made when they are asked for, from these and ``marks.json``:
the table with other scores, the model with the marks, and the report with the marks in its head, which its page follows.
"""

from __future__ import annotations

import asyncio
import csv
import html
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from tonmf.detector.detector import TextOutlierDetector
from tonmf.detector.explain.ranks import rank_among
from tonmf.io.harmless import as_it_was
from tonmf.io.write import text_writer
from tonmf.persist import load_detector
from tonmf.ranking import order_of
from tonmf.service import job_store
from tonmf.service.errors import ServiceError
from tonmf.service.job_process import pack
from tonmf.service.job_store import Job, JobStore
from tonmf.service.marks import KeptMarks, marks_in
from tonmf.service.model import ServedModel
from tonmf.service.model_queue import ModelQueue

T = TypeVar("T")

LONGEST_CELL = 2**31 - 1
"""Characters of a cell: a document of any length."""


class JobMarks:
    """Answers about marks on jobs; the model of the job asked about last stays loaded."""

    def __init__(self, store: JobStore, queue: ModelQueue) -> None:
        self._store, self._queue = store, queue
        self._lock = asyncio.Lock()
        self._last: tuple[str, KeptMarks] | None = None

    async def ask(self, job: Job, run: Callable[[KeptMarks], T]) -> T:
        """Return what a function says of a job's marks; one call at a time, in the thread that may use models."""
        if job.state != job_store.DONE:
            raise ServiceError(
                409, f"The job's state is “{job.state}”; its documents can be marked only when it is done."
            )
        if job.model is not None:
            raise ServiceError(
                409,
                "The job scored a file by a model, and marks are kept with that model. Send the documents with their marks, "
                "and leave out job.",
            )
        async with self._lock:
            if self._last is None or self._last[0] != job.id:
                detector = await asyncio.to_thread(self._load, job)
                path = self._store.path(job.id) / job_store.MARKS
                (kept,) = await self._queue.ask(
                    object(), lambda some: [KeptMarks(ServedModel.of(some[0], {}), path)], [detector]
                )
                self._last = (job.id, kept)
            (answer,) = await self._queue.ask(object(), lambda some: [run(some[0])], [self._last[1]])
            return answer  # type: ignore[no-any-return]

    def has_marks(self, job: Job) -> bool:
        """Return whether there are or were marks on a job."""
        return (self._store.path(job.id) / job_store.MARKS).exists()

    def marks(self, job: Job) -> list[tuple[str, str]]:
        """Return the marks on a job, without its model."""
        return marks_in(self._store.path(job.id) / job_store.MARKS)

    def _load(self, job: Job) -> TextOutlierDetector:
        try:
            return load_detector(self._store.path(job.id) / job_store.MODEL)
        except Exception as error:
            gone = "The model of the job is no longer on the server's disk, or damaged. Upload the file again."
            raise ServiceError(404, gone) from error


def rescored(table: BinaryIO, detector: TextOutlierDetector) -> bytes:
    """Return a job's table of scores with those that a detector has now; what else it says stays as it was."""
    usual = csv.field_size_limit(LONGEST_CELL)
    try:
        with io.TextIOWrapper(table, encoding="utf-8", newline="") as text:
            names, *lines = csv.reader(text)
    finally:
        csv.field_size_limit(usual)
    judged, scores = ~detector.empty_, detector.outlier_scores_
    # The lines are in the order of the scores without marks.
    line_of = order_of(detector.unmarked_scores_, judged).argsort()
    order = order_of(scores, judged)
    ranks = rank_among(np.sort(scores[judged]), np.where(judged, scores, -np.inf))
    flagged = judged & (scores > detector.threshold_)
    columns: dict[str, list[Any]] = {
        name: [as_it_was(cell) for cell in column]
        for name, column in zip(names, zip(*(lines[line] for line in line_of[order]), strict=True), strict=True)
    }
    columns |= {"rank": ranks[order].tolist(), "score": scores[order].tolist(), "outlier": flagged[order].tolist()}
    out = io.BytesIO()
    text_writer(out.write, "csv")(columns)
    return out.getvalue()


def packed_model(detector: TextOutlierDetector) -> BinaryIO:
    """Return a saved model as an open zip file, which is gone once it is closed."""
    archive = tempfile.TemporaryFile()  # noqa: SIM115  (whoever sends it closes it)
    with tempfile.TemporaryDirectory() as folder:
        detector.save(Path(folder) / job_store.MODEL)
        pack(Path(folder) / job_store.MODEL, Path(folder) / "model.zip")
        archive.write((Path(folder) / "model.zip").read_bytes())
    archive.seek(0)
    return archive


def head_with_marks(head: bytes, marks: list[tuple[str, str]]) -> bytes:
    """Return the beginning of a report with marks in it, which the page takes up."""
    content = html.escape(json.dumps(marks), quote=True)
    return head.replace(b"<title>", f'<meta name="marks" content="{content}">\n<title>'.encode(), 1)
