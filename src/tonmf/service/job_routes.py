"""``/v1/jobs``: upload a file, follow the fit, and fetch its results."""

from __future__ import annotations

import asyncio
import html
import logging
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse

from tonmf.detector.detector import TextOutlierDetector
from tonmf.errors import InputError
from tonmf.service import job_store, schemas
from tonmf.service.bodies import JSON, chunks
from tonmf.service.errors import ServiceError, encoded
from tonmf.service.job_marks import JobMarks, head_with_marks, packed_model, rescored
from tonmf.service.job_queue import JobRunner
from tonmf.service.job_store import Job, JobStore
from tonmf.service.limits import Limits
from tonmf.service.model_queue import Admission
from tonmf.service.models import Models
from tonmf.service.reading_query import Column, HowToRead, Name, Words, listed
from tonmf.service.security import POLICY
from tonmf.service.uploads import (
    READING,
    check_content,
    disk_error,
    display_name,
    embedder_of,
    learning_options,
    reading_options,
    receive_file,
    stored_name,
)
from tonmf.wording import number_of, shown

log = logging.getLogger("tonmf.service")

HEAD = 16_384
"""Bytes at the start of a report that hold its content security policy."""

AT_ONCE = 2**18
"""Bytes of a file to send at a time."""

Language = Annotated[str, Query(max_length=100)]


class Desk:
    """Accepts jobs while there is room."""

    def __init__(self, store: JobStore, runner: JobRunner, limits: Limits, marks: JobMarks, models: Models) -> None:
        self.store, self.runner, self.limits, self.marks, self.models = store, runner, limits, marks, models
        self._admission = Admission(limits.waiting, limits.arriving)
        self._n_complete = 0  # uploads that are complete, but no jobs yet

    async def take(self, request: Request, name: str, options: dict[str, Any], model: str | None = None) -> Job:
        """Receive a file and make a job of it: a fit, or its scores by a model that is named."""
        name = display_name(name)
        reading_options(options)
        learning_options(options)
        embedder_of(options, self.runner.embedder)
        stored_name("", name, options["format"])
        if model is not None:
            self.models.find(model)
        self._check_room()
        return await self._receive(request, name, options, model)

    def _check_room(self) -> None:
        """Fail if there is no room for another job. An upload that is not complete takes none, however slowly it comes."""
        limits, n_complete = self.limits, self._n_complete
        if sum(not job.is_over for job in self.store) + n_complete >= limits.jobs:
            raise ServiceError(
                429,
                f"The server keeps at most {number_of(limits.jobs, 'job')}, and none of them is over. Cancel one, or try again "
                "later.",
                {"Retry-After": "60"},
            )
        if self.runner.n_waiting + n_complete >= limits.queued_jobs:
            waiting = f"{number_of(limits.queued_jobs, 'job')} {'waits' if limits.queued_jobs == 1 else 'wait'} already"
            raise ServiceError(
                429, f"{waiting}, and that is the most. Try again when one is done.", {"Retry-After": "60"}
            )

    async def _receive(self, request: Request, name: str, options: dict[str, Any], model: str | None) -> Job:
        limits = self.limits
        try:
            job_id, folder = self.store.begin()
        except OSError as error:
            raise disk_error(error) from error
        try:
            job = Job(job_id, name, stored_name(job_id, name, options["format"]), options, model=model)
            with self._admission.arriving() as admitted:
                body = chunks(request, limits.upload, limits.idle_seconds, "--max-upload")
                await receive_file(admitted.each(body), folder / job.file)
                check_content(folder / job.file, name)
                await self._place(job, folder)
        finally:
            self.store.give_up(job_id)
        await self._make_room()
        return job

    async def _place(self, job: Job, folder: Path) -> None:
        """Queue a job, unless others have taken the last place while its file came."""
        self._check_room()
        self._n_complete += 1
        try:
            if job.model is not None:  # as it is now, whatever becomes of it while the job waits
                await asyncio.to_thread(self._keep_scorer, self.models.find(job.model).model.detector, folder)
            await asyncio.to_thread(self._keep, job)
            self.store.jobs[job.id] = job
        finally:
            self._n_complete -= 1
        self.runner.add(job)

    async def _make_room(self) -> None:
        """Delete jobs that are over, until no more are kept than there is room for."""
        for job in self.store.in_order_of_going()[: max(len(self.store.jobs) - self.limits.jobs, 0)]:
            log.info("job %s made room for another", job.id)
            await self.remove(job)

    async def remove(self, job: Job) -> None:
        """Delete a job that is over, with its results."""
        try:
            gone = self.store.remove(job)
        except OSError as error:
            raise disk_error(error) from error
        await asyncio.to_thread(shutil.rmtree, gone, ignore_errors=True)

    def _keep(self, job: Job) -> None:
        try:
            self.store.add(job)
        except (InputError, OSError) as error:  # either may name a path
            raise disk_error(error.__cause__ if isinstance(error.__cause__, OSError) else error) from error

    def _keep_scorer(self, detector: TextOutlierDetector, folder: Path) -> None:
        try:
            detector.save(folder / job_store.SCORER)
        except (InputError, OSError) as error:
            raise disk_error(error.__cause__ if isinstance(error.__cause__, OSError) else error) from error

    def find(self, job_id: str) -> Job:
        """Return the job with an id."""
        if job_id not in self.store.jobs:
            raise ServiceError(404, "There is no such job. GET /v1/jobs lists those that there are.")
        return self.store.jobs[job_id]

    def result(self, job_id: str, name: str) -> tuple[Job, BinaryIO]:
        """Open a result file of a job."""
        job = self.find(job_id)
        if job.state != job_store.DONE:
            raise ServiceError(409, f"The job's state is “{job.state}”; it has results only when it is done.")
        if job.model is not None and name == job_store.MODEL_ARCHIVE:
            raise ServiceError(409, "The job scored a file, and has fitted no model.")
        try:
            return job, (self.store.path(job_id) / name).open("rb")
        except OSError as error:
            gone = "This result of the job is no longer on the server's disk. Upload the file again."
            raise ServiceError(404, gone) from error


def router(desk: Desk) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/v1/jobs", tags=["jobs"])

    @routes.post(
        "",
        summary="Fit a model",
        status_code=202,
        responses=schemas.answers(schemas.JobAnswer, 408, 413, 429, 503, 507, status=202),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        },
        response_class=Response,
    )
    async def upload(
        request: Request,
        name: Name,
        how_to_read: HowToRead,
        id_column: Column = None,
        label_column: Column = None,
        label_outlier: Words = None,
        encoding: Annotated[str, Query(max_length=50)] = "auto",
        skip_bad: bool = False,
        min_words: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        contamination: Annotated[str, Query(max_length=50)] = "auto",
        stop_words: Language = "english",
        stem: Annotated[str | None, Query(max_length=100)] = None,
        mask: Annotated[str | None, Query(max_length=100)] = None,
        strip_html: bool = True,
        strip_headers: bool = True,
        min_df: Annotated[int, Query(ge=1, le=1_000_000_000)] = 2,
        boilerplate: Annotated[str, Query(max_length=50)] = "5%",
        topics: Annotated[int, Query(ge=1, le=1000)] = 25,
        seed: Annotated[int, Query(ge=0, le=2**32 - 1)] = 0,
        embed: Annotated[
            bool,
            Query(description="Whether the meaning of texts counts, by the embedding model that the server names."),
        ] = False,
        model: Annotated[
            str | None,
            Query(max_length=100, description="Score the file by the model with this name, in place of fitting one."),
        ] = None,
    ) -> Response:
        """Upload a file and get a job, which fits a model in the background. The options are those of ``tonmf detect``.

        With `model`, the job scores the file by a model that there is, and only options on how to read the file are taken.
        """
        options = {
            **how_to_read,
            "id_column": id_column,
            "label_column": label_column,
            "label_outlier": listed(label_outlier),
            "encoding": encoding,
            "skip_bad": skip_bad,
            "min_words": min_words,
            "contamination": contamination,
            "stop_words": stop_words,
            "stem": stem,
            "mask": mask,
            "strip_html": strip_html,
            "strip_headers": strip_headers,
            "min_df": min_df,
            "boilerplate": boilerplate,
            "topics": topics,
            "seed": seed,
            "embed": embed,
        }
        _check_known(request.query_params, ("name", *options, "model"))
        if model:
            _check_reading_alone(request.query_params)
        given = {option: value or None if isinstance(value, str) else value for option, value in options.items()}
        defaults = {"encoding": "auto", "contamination": "auto", "stop_words": "english", "boilerplate": "5%"}
        given |= {option: value for option, value in defaults.items() if given[option] is None}
        return _json((await desk.take(request, name, given, model or None)).public(), 202)

    @routes.get("", summary="All jobs", responses=schemas.answers(schemas.Jobs))
    async def all_jobs() -> Response:
        """List all jobs, newest first."""
        return _json({"jobs": [job.public() for job in desk.store]})

    @routes.get("/{job_id}", summary="A job", responses=schemas.answers(schemas.JobAnswer, 404))
    async def one_job(job_id: str) -> Response:
        """Return a job's state and progress."""
        return _json(desk.find(job_id).public())

    @routes.post("/{job_id}/cancel", summary="Stop a job", responses=schemas.answers(schemas.JobAnswer, 404, 409))
    async def cancel(job_id: str) -> Response:
        """Stop a job that waits or runs."""
        job = desk.find(job_id)
        if job.is_over:
            raise ServiceError(409, f"The job's state is “{job.state}”: there is nothing to stop.")
        await desk.runner.cancel(job)
        return _json(job.public())

    @routes.delete(
        "/{job_id}",
        summary="Delete a job",
        status_code=204,
        responses=schemas.answers(None, 404, 409, 507),
        response_class=Response,
    )
    async def delete(job_id: str) -> Response:
        """Delete a finished job and its results."""
        job = desk.find(job_id)
        if not job.is_over:
            raise ServiceError(409, f"The job's state is “{job.state}”. Cancel it first.")
        await desk.remove(job)
        return Response(status_code=204)

    @routes.get(
        "/{job_id}/report",
        summary="Its report",
        responses=schemas.files("text/html", "A page."),
        response_class=Response,
    )
    async def report(job_id: str) -> Response:
        """Return the report as one page. It runs in a sandbox, so nothing in it can send requests to this server."""
        job, file = desk.result(job_id, job_store.REPORT)
        headers = {"Content-Security-Policy": policy_of(file)}
        head = head_with_marks(file.read(HEAD), desk.marks.marks(job)) if desk.marks.has_marks(job) else b""
        return held_file(file, "text/html; charset=utf-8", headers, head)

    @routes.get(
        "/{job_id}/scores",
        summary="Its scores",
        responses=schemas.files("text/csv", "A table."),
        response_class=Response,
    )
    async def scores(job_id: str) -> Response:
        """Return all documents with their scores, strangest first; scores, ranks and flags follow marks."""
        job, file = desk.result(job_id, job_store.SCORES)
        if desk.marks.has_marks(job):
            detector = await desk.marks.ask(job, lambda kept: kept.model.detector)
            table = await asyncio.to_thread(rescored, file, detector)
            return Response(table, media_type="text/csv; charset=utf-8", headers=_called(job, "scores.csv"))
        return held_file(file, "text/csv; charset=utf-8", _called(job, "scores.csv"))

    @routes.get(
        "/{job_id}/model",
        summary="Its model",
        responses=schemas.files("application/zip", "A saved model."),
        response_class=Response,
    )
    async def model(job_id: str) -> Response:
        """Return the model, with its marks, as a zip file of the folder that ``tonmf.load`` reads."""
        job, file = desk.result(job_id, job_store.MODEL_ARCHIVE)
        if desk.marks.has_marks(job):
            file.close()
            detector = await desk.marks.ask(job, lambda kept: kept.model.detector)
            file = await asyncio.to_thread(packed_model, detector)
        return held_file(file, "application/zip", _called(job, "model.zip"))

    @routes.get(
        "/{job_id}/summary",
        summary="Its summary",
        responses=schemas.files(JSON, "docs/guide/report.md."),
        response_class=Response,
    )
    async def summary(job_id: str) -> Response:
        """Return the content of the report as JSON."""
        _, file = desk.result(job_id, job_store.SUMMARY)
        return held_file(file, JSON, {})

    return routes


def _check_known(given: Iterable[str], known: Sequence[str]) -> None:
    """Reject unknown options: a misspelt name is not the same as leaving an option out."""
    for name in given:
        if name not in known:
            raise ServiceError(422, f"There is no option {shown(name)}; expected {', '.join(known)}.")


def _check_reading_alone(given: Iterable[str]) -> None:
    """Reject options of a fit for a file that is scored by a model: they would change nothing."""
    for name in given:
        if name not in ("name", "model", *READING):
            raise ServiceError(
                422, f"{name} is an option of a fit, and changes nothing where a model is given. Leave it out."
            )


def held_file(file: BinaryIO, media_type: str, headers: dict[str, str], head: bytes = b"") -> Response:
    """Return `head` and the rest of an open file as a response; it is sent whole even if the job is deleted meanwhile."""
    size = len(head) + os.fstat(file.fileno()).st_size - file.tell()
    headers = {**headers, "Content-Length": str(size)}
    return StreamingResponse(_chunks(file, head), media_type=media_type, headers=headers)


def _chunks(file: BinaryIO, head: bytes) -> Iterator[bytes]:
    with file:
        yield head
        while chunk := file.read(AT_ONCE):
            yield chunk


def policy_of(report: BinaryIO) -> str:
    """Return a report's own content security policy, with a sandbox added."""
    head = report.read(HEAD).decode("utf-8", "replace")
    report.seek(0)
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', head)
    own = html.unescape(found.group(1)) if found else POLICY
    return f"{own}; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"


def _called(job: Job, what: str) -> dict[str, str]:
    """Return the file name that a browser saves under, derived from the upload's name."""
    stem = re.sub(r"[^a-zA-Z0-9_-]+", "-", job.name.partition(".")[0]).strip("-") or "job"
    return {"Content-Disposition": f'attachment; filename="{stem}-{what}"'}


def _json(value: Any, status: int = 200) -> Response:
    return Response(encoded(value), status, media_type=JSON)
