"""``/v1/marks``: a reader's marks on the served model, or on the documents of a job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request, Response

from tonmf.errors import InputError
from tonmf.io.marks import MARKS
from tonmf.service import schemas
from tonmf.service.any_model import any_model
from tonmf.service.bodies import JSON, LINES, content_type
from tonmf.service.described import DescribedBodies
from tonmf.service.documents import KEYS, DocumentReader, name_of, what
from tonmf.service.errors import ServiceError, encoded
from tonmf.service.job_marks import JobMarks
from tonmf.service.job_routes import Desk
from tonmf.service.marks import KeptMarks, MarkChange
from tonmf.service.models import Models
from tonmf.service.score_routes import Scoring
from tonmf.service.uploads import disk_error
from tonmf.wording import shown

T = TypeVar("T")

JobId = Annotated[
    str | None, Query(max_length=100, description="The job whose documents are meant; the served model if not given.")
]


@dataclass(frozen=True)
class MarkDesk:
    """Takes marks for models, and for jobs."""

    models: Models
    scoring_by: Callable[[str | None], Scoring]
    jobs: JobMarks
    desk: Desk

    async def ask(self, name: str | None, job: str | None, run: Callable[[KeptMarks], T]) -> T:
        """Return what a function says of the marks on a job, or on a model; changes come one after the other."""
        try:
            if job is not None:
                return await self.jobs.ask(self.desk.find(job), run)
            queue, kept = self.scoring_by(name).queue, self.models.find(name).kept
            (answer,) = await queue.ask(object(), lambda some: [run(some[0])], [kept])
            return answer  # type: ignore[no-any-return]
        except InputError as error:
            if isinstance(error.__cause__, OSError):  # it names a path
                raise disk_error(error.__cause__) from error
            raise

    def wanted(self, body: Any, scoring: Scoring) -> tuple[str | None, list[Any]]:
        """Return the job that the body of a request means, if any, and its marks as they came."""
        if not isinstance(body, dict) or not set(body) <= {"job", "marks"} or "marks" not in body:
            raise ServiceError(422, f'Expected an object such as {{"marks": […], "job": …}}; got {what(body)}.')
        job, marks = body.get("job"), body["marks"]
        if job is not None and not isinstance(job, str):
            raise ServiceError(422, f"job must be the id of a job; got {what(job)}.")
        if not isinstance(marks, list | dict) or not marks:
            expected = "marks must be a list, or an object of marks by id, with one at least"
            raise ServiceError(422, f"{expected}; got {what(marks)}.")
        if isinstance(marks, dict):
            marks = [{"id": name, "mark": mark} for name, mark in marks.items()]
        if len(marks) > scoring.limits.batch:
            raise scoring.reader.too_many()
        return job, marks

    def changes(self, marks: list[Any], kept: KeptMarks) -> list[MarkChange]:
        """Read marks, with documents of the kind that a model knows."""
        reader = DocumentReader.of(kept.model, self.desk.limits)
        changes = [_change(value, f"Mark {number}", reader) for number, value in enumerate(marks)]
        _check_agreement(changes)
        return changes


def _change(value: Any, where: str, reader: DocumentReader) -> MarkChange:
    if not isinstance(value, dict) or "mark" not in value:
        raise ServiceError(
            422, f'{where}: expected an object such as {{"id": …, "mark": "strange"}}; got {what(value)}.'
        )
    mark = value["mark"].strip().lower() if isinstance(value["mark"], str) else value["mark"]
    if mark is not None and mark not in MARKS:
        got = shown(value["mark"]) if isinstance(mark, str) else what(mark)
        raise ServiceError(422, f'{where}: mark must be "strange", "fine" or null; got {got}.')
    name = None if value.get("id") is None else name_of(value["id"], where)
    if any(key in value for key in KEYS.values()):
        return MarkChange(name, mark, reader.read(value, where, "")[1])
    if name is None:
        raise ServiceError(422, f"{where}: expected the id of a document, or the document; got neither.")
    return MarkChange(name, mark)


def _check_agreement(changes: list[MarkChange]) -> None:
    """Raise `ServiceError` if a document is marked as strange and as fine."""
    marks: dict[str, str] = {}
    for change in changes:
        if change.name is None or change.mark is None:
            continue
        if marks.setdefault(change.name, change.mark) != change.mark:
            raise ServiceError(
                422, f"{shown(change.name)} is marked as strange and as fine. Give each document one mark."
            )


def router(marking: MarkDesk, described: DescribedBodies) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["marks"])

    @any_model(
        routes,
        "POST",
        "marks",
        "Mark documents",
        schemas.MarksAnswer,
        *(404, 408, 409, 413, 415, 503, 507),
        body=described.marks,
        response_class=Response,
    )
    async def mark(request: Request) -> Response:
        """Mark documents as strange or fine, or take marks back with null: scores follow from then on."""
        if content_type(request) == LINES:
            raise ServiceError(415, f"Expected {JSON}; got JSON lines.")
        name = request.path_params.get("name")
        scoring = marking.scoring_by(name)
        with scoring.admission.arriving() as admitted:
            job, marks = marking.wanted(await scoring.json(request, admitted), scoring)

            def change(kept: KeptMarks) -> dict[str, Any]:
                names = kept.change(marking.changes(marks, kept))
                return {"job": job, **kept.described(), "marked": names}

            return _json(await marking.ask(name, job, change))

    @any_model(routes, "GET", "marks", "All marks", schemas.MarksAnswer, 404, 409)
    async def all_marks(request: Request, job: JobId = None) -> Response:
        """List the marks on the model, or on the documents of a job, in the order in which they were made."""
        name = request.path_params.get("name")
        return _json(await marking.ask(name, job, lambda kept: {"job": job, **kept.described(), "marked": []}))

    @any_model(routes, "DELETE", "marks", "Take all marks back", schemas.MarksAnswer, 404, 409, 507)
    async def clear(request: Request, job: JobId = None) -> Response:
        """Take back all marks, those that the model was saved with too."""

        def run(kept: KeptMarks) -> dict[str, Any]:
            kept.clear()
            return {"job": job, **kept.described(), "marked": []}

        return _json(await marking.ask(request.path_params.get("name"), job, run))

    return routes


def _json(value: Any) -> Response:
    return Response(encoded(value), media_type=JSON)
