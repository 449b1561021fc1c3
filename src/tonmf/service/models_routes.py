"""``/v1/models``: the models by name, and models that jobs have fitted among them."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response

from tonmf.errors import TonmfError
from tonmf.service import job_store, schemas
from tonmf.service.bodies import JSON, chunks, parse
from tonmf.service.documents import what
from tonmf.service.errors import ServiceError, encoded
from tonmf.service.job_routes import Desk
from tonmf.service.models import Models, Served, check_name
from tonmf.service.reloading import Reloading
from tonmf.service.uploads import disk_error

LARGEST_BODY = 4096
"""Bytes of a request to name a model, at most."""


def router(models: Models, reloading: Reloading, desk: Desk) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/v1/models", tags=["models"])

    @routes.get("", summary="All models", responses=schemas.answers(schemas.NamedModels))
    async def all_models() -> Response:
        """List the models by name, those that cannot be loaded too."""
        return _json({"models": listed(models)})

    @routes.put(
        "/{name}",
        summary="Name the model of a job",
        status_code=201,
        responses=schemas.answers(schemas.NamedModel, 404, 408, 409, 413, 429, 507, status=201),
        openapi_extra=schemas.NAMED | schemas.MODEL_NAME_IN,
        response_class=Response,
    )
    async def name_model(request: Request) -> Response:
        """Keep the model that a job has fitted, with its marks, under a name by which it answers from then on."""
        name = request.path_params["name"]
        check_name(name)
        job = desk.find(await _job_in(request, desk.limits.idle_seconds))
        if job.state != job_store.DONE:
            raise ServiceError(409, f"The job's state is “{job.state}”; it has a model only when it is done.")
        if job.model is not None:
            raise ServiceError(409, "The job scored a file, and has fitted no model.")
        save = partial(_copied, desk.store.path(job.id) / job_store.MODEL)
        if desk.marks.has_marks(job):
            detector = await desk.marks.ask(job, lambda kept: kept.model.detector)
            save = partial(_saved, detector)
        try:
            await reloading.add(name, partial(models.add, name, save))
        except OSError as error:
            raise disk_error(error) from error
        return _json(described(models, models.find(name)), 201)

    @routes.post(
        "/{name}/serve",
        summary="Make it the served model",
        responses=schemas.answers(schemas.NamedModel, 404, 507),
        openapi_extra=schemas.NAMED,
        response_class=Response,
    )
    async def serve(request: Request) -> Response:
        """Let a model answer where no name is given, from the next request on."""
        name = request.path_params["name"]
        try:
            await reloading.change(partial(models.serve, name))
        except (OSError, TonmfError) as error:  # either may name a path
            raise disk_error(error.__cause__ if isinstance(error.__cause__, OSError) else error) from error
        return _json(described(models, models.find(name)))

    @routes.delete(
        "/{name}",
        summary="Delete a model",
        status_code=204,
        responses=schemas.answers(None, 404, 409, 507),
        openapi_extra=schemas.NAMED,
        response_class=Response,
    )
    async def delete(request: Request) -> Response:
        """Delete a model and its folder; neither the served one, nor the one that the server was started with."""
        try:
            await reloading.change(partial(models.remove, request.path_params["name"]))
        except OSError as error:
            raise disk_error(error) from error
        return Response(status_code=204)

    return routes


def listed(models: Models) -> list[dict[str, Any]]:
    """Describe all models by name."""
    of_names = {served.name: described(models, served) for served in models}
    nothing = {"kind": None, "documents": None, "topics": None, "threshold": None, "loaded": None}
    for name, problem in models.problems.items():
        if name not in of_names:
            of_names[name] = {"name": name, "served": False, "own": False, "problem": problem, **nothing}
    return [of_names[name] for name in sorted(of_names)]


def described(models: Models, served: Served) -> dict[str, Any]:
    """Describe a model in a line of the list."""
    detector = served.model.detector
    return {
        "name": served.name,
        "served": served.name == models.default,
        "own": served.name == models.first,
        "problem": models.problems.get(served.name),
        "kind": served.model.kind,
        "documents": len(detector.outlier_scores_),
        "topics": detector.rungs_[0].topics.shape[1],
        "threshold": float(detector.threshold_),
        "loaded": served.loaded,
    }


async def _job_in(request: Request, idle_seconds: float) -> str:
    body = bytearray()
    async for chunk in chunks(request, LARGEST_BODY, idle_seconds):
        body += chunk
    try:
        value = parse(body)
    except ValueError as error:
        raise ServiceError(422, f"The body is not JSON: {error}.") from None
    if not isinstance(value, dict) or set(value) != {"job"} or not isinstance(value["job"], str):
        raise ServiceError(422, f'Expected an object such as {{"job": "5c1e0b7d9f3a4e62"}}; got {what(value)}.')
    job: str = value["job"]
    return job


def _copied(folder: Path, target: Path) -> None:
    shutil.copytree(folder, target)


def _saved(detector: Any, target: Path) -> None:
    detector.save(target, rows=True)


def _json(value: Any, status: int = 200) -> Response:
    return Response(encoded(value), status, media_type=JSON)
