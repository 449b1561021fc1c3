"""Keep jobs on disk, a folder each, so that they survive a server that was killed.

::

    FOLDER/.lock                   held by the server that uses the folder
    FOLDER/5c1e0b7d9f3a4e62/       named by the job's id, which is random
        job.json                   what it is and how far it is
        5c1e0b7d9f3a4e62.csv.gz    the file to learn from, until the job has ended
        result.json, model/, model.zip, scores.csv, summary.json, report.html     what it leaves
        marks.json                 the marks on its documents (`tonmf.service.marks`)
        scorer/                    the model that scores the file, if the job fits none, until the job has ended
    FOLDER/marks-….json            the marks on the served model, named by its fingerprint

Each file appears whole or not at all, and so does a job's folder: until the upload is complete its name begins with a dot.
Only the server writes ``job.json``; ``result.json`` is the last that a job's process writes.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from tonmf.errors import InputError, Param
from tonmf.storage.atomic import replacing, to_disk
from tonmf.storage.locks import hold
from tonmf.wording import one_line, path_shown

log = logging.getLogger("tonmf.service")

QUEUED, RUNNING, DONE, FAILED, CANCELLED, INTERRUPTED = (
    "queued",
    "running",
    "done",
    "failed",
    "cancelled",
    "interrupted",
)
STATES = (QUEUED, RUNNING, DONE, FAILED, CANCELLED, INTERRUPTED)

JOB, RESULT = "job.json", "result.json"
MODEL, MODEL_ARCHIVE, SCORES, SUMMARY, REPORT = "model", "model.zip", "scores.csv", "summary.json", "report.html"
MARKS = "marks.json"
SCORER = "scorer"

ID = re.compile(r"[0-9a-f]{16}")
UNFINISHED = re.compile(r"\.[0-9a-f]{16}(-gone)?")

STOPPED = "The server was stopped while the job was under way. Upload the file again."


@dataclass
class Job:
    """A requested fit, or a file to score by `model`; `file` is the stored upload, `options` what the request asked for."""

    id: str
    name: str
    file: str
    options: dict[str, Any]
    state: str = QUEUED
    step: str = "Waiting"
    progress: float = 0.0
    created: str = field(default_factory=lambda: now())
    started: str | None = None
    ended: str | None = None
    message: str | None = None
    notes: list[str] = field(default_factory=list)
    documents: int | None = None
    flagged: int | None = None
    model: str | None = None

    @property
    def is_over(self) -> bool:
        """Return whether the job has ended, in whatever way."""
        return self.state not in (QUEUED, RUNNING)

    def end(self, state: str, message: str | None = None, result: dict[str, Any] | None = None) -> None:
        """Mark the job as ended; only a job that succeeded has a result."""
        if result is not None:
            self.notes, self.documents, self.flagged = result["notes"], result["documents"], result["flagged"]
            self.progress = 1.0
        self.state, self.message, self.ended, self.step = state, message, now(), state.capitalize()

    def public(self) -> dict[str, Any]:
        """Return what clients may see."""
        return {name: value for name, value in asdict(self).items() if name not in ("file", "options")}


def now() -> str:
    """Return the time to the millisecond, so that jobs have an order."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class JobStore:
    """The folder of jobs, as a context manager; one server at a time may use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.realpath(folder))
        self.jobs: dict[str, Job] = {}
        self._lock: IO[str] | None = None

    def __enter__(self) -> JobStore:
        """Take the folder and all jobs in it; jobs that were running when the last server ended are marked as interrupted."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = _locked(self.folder)
            names = sorted(entry.name for entry in self.folder.iterdir() if entry.is_dir())
        except OSError as error:
            raise InputError(
                f"The folder {path_shown(str(self.folder))} cannot be used for jobs: {error.strerror or error}. Give another "
                "with ",
                Param("jobs_folder"),
                ".",
            ) from error
        for name in names:
            if UNFINISHED.fullmatch(name):
                shutil.rmtree(self.folder / name, ignore_errors=True)
            elif ID.fullmatch(name):
                self._recover(name)
        return self

    def __exit__(self, *raised: object) -> None:
        """Release the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _recover(self, name: str) -> None:
        try:
            job = _read(self.path(name) / JOB)
        except (OSError, ValueError, TypeError, KeyError) as error:
            log.warning("the job in %s cannot be read, and is left out: %s", name, one_line(error))
            return
        if job.id != name:
            return
        self.jobs[name] = job
        if job.state != RUNNING:
            return
        try:
            job.end(DONE, result=json.loads((self.path(name) / RESULT).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError):
            job.end(INTERRUPTED, STOPPED)
        self.keep(job)
        self.forget_upload(job)

    def __iter__(self) -> Iterator[Job]:
        """Iterate over the jobs, newest first."""
        return iter(sorted(self.jobs.values(), key=lambda job: (job.created, job.id), reverse=True))

    def in_order_of_going(self) -> list[Job]:
        """Return the jobs that are over in the order in which they make room for others.

        Those without results go first, then those with; of either, the one that ended first.
        """
        over = [job for job in self.jobs.values() if job.is_over]
        return sorted(over, key=lambda job: (job.state == DONE, job.ended or "", job.id))

    def path(self, job_id: str) -> Path:
        """Return the folder of a job."""
        return self.folder / job_id

    def marks_of(self, fingerprint: str) -> Path:
        """Return the file of the marks on a served model."""
        return self.folder / f"marks-{fingerprint}.json"

    def begin(self) -> tuple[str, Path]:
        """Return a new id and a folder for its upload, which is not a job yet."""
        job_id = secrets.token_hex(8)
        unfinished = self.folder / f".{job_id}"
        unfinished.mkdir(mode=0o700)
        return job_id, unfinished

    def add(self, job: Job) -> None:
        """Write a job that `begin` prepared; it exists once it is in `jobs`."""
        unfinished = self.folder / f".{job.id}"
        _write(unfinished / JOB, job)
        unfinished.rename(self.path(job.id))
        to_disk(self.folder)

    def give_up(self, job_id: str) -> None:
        """Drop an upload that will not become a job."""
        shutil.rmtree(self.folder / f".{job_id}", ignore_errors=True)

    def keep(self, job: Job) -> None:
        """Write a job's state. If that fails, the state holds in memory until the server ends."""
        try:
            _write(self.path(job.id) / JOB, job)
        except InputError as error:
            log.error("the state of job %s cannot be written: %s", job.id, error)

    def forget_upload(self, job: Job) -> None:
        """Remove the uploaded file, and the model that was to score it."""
        shutil.rmtree(self.path(job.id) / SCORER, ignore_errors=True)
        with suppress(OSError):
            (self.path(job.id) / job.file).unlink(missing_ok=True)

    def remove(self, job: Job) -> Path:
        """Remove a job; return the folder that is still to be deleted."""
        gone = self.folder / f".{job.id}-gone"
        with suppress(FileNotFoundError):  # somebody else has deleted it
            self.path(job.id).rename(gone)
        del self.jobs[job.id]
        return gone


def _read(path: Path) -> Job:
    values = {"model": None} | json.loads(path.read_text(encoding="utf-8"))  # earlier versions only fitted
    job = Job(**{known.name: values[known.name] for known in fields(Job)})
    if (
        not isinstance(job.created, str)
        or job.state not in STATES
        or not re.fullmatch(r"[0-9a-f]{16}(\.\w+){1,2}", job.file)
    ):
        raise ValueError("it was changed")
    return job


def _write(path: Path, job: Job) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(asdict(job), indent=1), encoding="utf-8")


def _locked(folder: Path) -> IO[str]:
    """Lock a folder of jobs."""
    try:
        return hold(folder / ".lock")
    except BlockingIOError as error:
        raise InputError(
            f"Another server uses the jobs in {path_shown(str(folder))}. Give this one another folder with ",
            Param("jobs_folder"),
            ".",
        ) from error
