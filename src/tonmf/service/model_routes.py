"""Routes that need no documents: the model, its topics, health, metrics and sessions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from tonmf.ranking import drift_of
from tonmf.service import schemas
from tonmf.service.any_model import any_model
from tonmf.service.bodies import JSON, chunks, parse
from tonmf.service.errors import ServiceError, encoded
from tonmf.service.limits import Limits
from tonmf.service.metrics import Metrics
from tonmf.service.model import ServedModel
from tonmf.service.model_queue import ModelQueue
from tonmf.service.models import Models
from tonmf.service.security import COOKIE, Access, unauthorised

MOST_JUDGED = 10**9
"""Documents to ask about, at most."""

LARGEST_SESSION = 4096
"""Largest body of a request that carries a token, in bytes."""


def router(
    models: Models,
    queue: ModelQueue,
    limits: Limits,
    metrics: Metrics,
    access: Access,
    job_embedder: str | None = None,
    follows_watch: bool = False,
) -> APIRouter:
    """Return the routes; jobs may embed texts with `job_embedder`."""
    routes = APIRouter(tags=["model"])

    @routes.head("/healthz", include_in_schema=False)
    @routes.get("/healthz", summary="Is it well?", responses={200: {"model": schemas.Health}}, tags=["server"])
    async def health() -> Response:
        """Answer as soon as the model is loaded and warm."""
        return _json({"status": "ok"})

    @any_model(routes, "GET", "model", "The model", schemas.ModelAnswer)
    async def about(request: Request) -> Response:
        """Describe the model and the server's limits."""
        served = models.find(request.path_params.get("name"))
        about_model = described(served.model, limits, access.token is not None, job_embedder)
        return _json({"name": served.name, **about_model, "watch": follows_watch})

    @any_model(routes, "GET", "topics", "What is ordinary", schemas.Topics)
    async def topics(
        request: Request,
        words: Annotated[int, Query(ge=1, le=1000, description="Words to list of each topic, at most.")] = 10,
    ) -> Response:
        """List the topics, most common first, with their words and typical documents."""
        model = models.find(request.path_params.get("name")).model
        (found,) = await queue.ask(("topics", id(model)), lambda counts: [model.topics(n) for n in counts], [words])
        return _json({"topics": found})

    @any_model(routes, "GET", "drift", "Is more flagged than in training?", schemas.DriftAnswer)
    async def drift(
        request: Request,
        judged: Annotated[int, Query(ge=0, le=MOST_JUDGED, description="Documents that were judged.")],
        flagged: Annotated[int, Query(ge=0, le=MOST_JUDGED, description="Those of them that were flagged.")],
    ) -> Response:
        """Say whether so many flagged documents are far more than the training documents let one expect."""
        if flagged > judged:
            raise ServiceError(422, f"flagged must be at most judged, {judged:,}; got {flagged:,}.")
        found = drift_of(models.find(request.path_params.get("name")).model.detector, judged, flagged)
        return _json({**asdict(found), "is_far": found.is_far, "warning": found.warning})

    @routes.get(
        "/metrics",
        summary="Metrics for Prometheus",
        tags=["server"],
        responses={
            200: {"description": "Metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}},
            **schemas.answers(),
        },
        response_class=Response,
    )
    async def measured() -> Response:
        """Return the server's metrics."""
        return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @routes.post(
        "/v1/session",
        summary="Let a browser in",
        status_code=204,
        responses=schemas.answers(None, 408, 413),
        openapi_extra=schemas.SESSION_IN,
        tags=["server"],
        response_class=Response,
    )
    async def begin_session(request: Request) -> Response:
        """Set a cookie that stands for the token, for pages."""
        if not access.is_token(await _shown_token(request, limits)):
            raise unauthorised("This is not the server's token.")
        if access.token is None:
            return Response(status_code=204)
        secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
        return Response(status_code=204, headers={"Set-Cookie": access.cookie(secure)})

    @routes.get(
        "/v1/session",
        summary="Is the browser let in?",
        status_code=204,
        responses=schemas.answers(),
        tags=["server"],
        response_class=Response,
    )
    async def check_session(request: Request) -> Response:
        """Answer 204 if the request shows the token, or the cookie that stands for it, and 401 if not."""
        access.check_token(request.headers)
        return Response(status_code=204)

    @routes.delete(
        "/v1/session",
        summary="Forget a browser",
        status_code=204,
        responses=schemas.answers(),
        tags=["server"],
        response_class=Response,
    )
    async def end_session() -> Response:
        """Remove that cookie."""
        gone = f"{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        return Response(status_code=204, headers={"Set-Cookie": gone})

    return routes


def described(model: ServedModel, limits: Limits, with_token: bool, job_embedder: str | None = None) -> dict[str, Any]:
    """Describe the model in numbers."""
    detector = model.detector
    return {
        "model": type(detector).__name__,
        "kind": model.kind,
        "word": detector.word_,
        "documents": len(detector.outlier_scores_),
        "terms": detector.n_terms_,
        "topics": detector.rungs_[0].topics.shape[1],
        "threshold": float(detector.threshold_),
        "contamination": detector.contamination,
        "embedder": model.embedder,
        "job_embedder": None if job_embedder is None else job_embedder.rpartition("#")[2],
        "provenance": model.provenance,
        "limits": {
            "body": limits.body,
            "batch": limits.batch,
            "text": limits.text,
            "words": limits.words,
            "upload": limits.upload,
            "jobs": limits.jobs,
            "job_seconds": limits.job_seconds,
        },
        "token": with_token,
    }


async def _shown_token(request: Request, limits: Limits) -> str:
    """Read the token in a body from anyone: no more bytes than a token can have."""
    body = bytearray()
    async for chunk in chunks(request, LARGEST_SESSION, limits.idle_seconds):
        body += chunk
    try:
        value = parse(body)
    except ValueError as error:
        raise ServiceError(422, f"The body is not JSON: {error}.") from None
    if not isinstance(value, dict) or not isinstance(value.get("token"), str):
        raise ServiceError(
            422, 'Expected an object such as {"token": "…"}, whose token is a string; got something else.'
        )
    token: str = value["token"]
    return token


def _json(value: Any) -> Response:
    return Response(encoded(value), media_type=JSON)
