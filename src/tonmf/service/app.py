"""Put the parts of the server together into one ASGI app."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event

from fastapi import FastAPI
from starlette.types import ASGIApp

from tonmf import __version__
from tonmf.service import (
    errors,
    job_routes,
    live_routes,
    mark_routes,
    model_routes,
    models_routes,
    page_routes,
    preview_routes,
    score_routes,
)
from tonmf.service.described import DescribedBodies
from tonmf.service.job_marks import JobMarks
from tonmf.service.job_queue import JobRunner
from tonmf.service.job_store import STATES, JobStore
from tonmf.service.limits import Limits
from tonmf.service.live import LiveFile
from tonmf.service.metrics import Metrics
from tonmf.service.model_queue import Admission, ModelQueue
from tonmf.service.models import Models
from tonmf.service.parsing_thread import ParsingThread
from tonmf.service.reloading import Reloading
from tonmf.service.security import Access, Guard

ABOUT = "Finds documents that do not belong, and says why. Scores of documents are on the scale of those of training."


@dataclass(frozen=True)
class Settings:
    """Settings of an app.

    `models` are those to serve; `store` is open; `threads` is the number for each job, all cores if None;
    `embedder` is what jobs embed texts with if they are asked to; `watch` is the file of a watch to follow; `stopping` is set
    when the server is to stop, which ends answers that would have no end.
    """

    models: Models
    store: JobStore
    access: Access
    limits: Limits
    threads: int | None = None
    embedder: str | None = None
    watch: Path | None = None
    stopping: Event = field(default_factory=Event)


def make_app(settings: Settings) -> ASGIApp:
    """Return the app; it starts working when the server starts it."""
    limits, metrics, models = settings.limits, Metrics(), settings.models
    queue = ModelQueue(metrics.count_call)
    store = settings.store
    parsing = ParsingThread()
    runner = JobRunner(store, limits, settings.threads, settings.embedder)
    admission = Admission(limits.waiting, limits.held)
    live = None if settings.watch is None else LiveFile(settings.watch, settings.stopping.is_set)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        queue.start()
        await parsing.start()
        for served in models:
            await queue.ask(object(), served.model.warm_up, [None])
        gc.collect()
        gc.freeze()  # what is loaded by now stays: to look through it again and again would take 0.1 s each time
        runner.start()
        followers = [asyncio.create_task(reloading.follow())]
        if live is not None:
            followers.append(asyncio.create_task(live.follow()))
        yield
        for follower in followers:
            follower.cancel()
        await runner.close()
        parsing.stop()
        await asyncio.to_thread(queue.stop)

    app = FastAPI(
        title="tonmf",
        version=__version__,
        description=ABOUT,
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    errors.install(app)
    described = DescribedBodies(models, limits)

    def describe_anew() -> None:
        described.refresh()
        app.openapi_schema = None

    reloading, on_jobs = Reloading(models, queue, describe_anew), JobMarks(store, queue)
    desk = job_routes.Desk(store, runner, limits, on_jobs, models)

    def scoring_by(name: str | None) -> score_routes.Scoring:
        return score_routes.Scoring(models.find(name).model, queue, limits, metrics, admission, parsing)

    app.include_router(score_routes.router(scoring_by, described))
    app.include_router(mark_routes.router(mark_routes.MarkDesk(models, scoring_by, on_jobs, desk), described))
    app.include_router(
        model_routes.router(models, queue, limits, metrics, settings.access, settings.embedder, live is not None)
    )
    app.include_router(models_routes.router(models, reloading, desk))
    app.include_router(job_routes.router(desk))
    app.include_router(preview_routes.router(store, limits))
    app.include_router(live_routes.router(live))
    app.include_router(page_routes.router())
    _watch(metrics, queue, admission, store)
    return Guard(app, settings.access, metrics, limits.idle_seconds, page_routes.sign_in)


def _watch(metrics: Metrics, queue: ModelQueue, admission: Admission, store: JobStore) -> None:
    metrics.watch("tonmf_queue_length", "Calls that wait for the model.", lambda: queue.length)
    metrics.watch("tonmf_requests_under_way", "Requests to score or explain.", lambda: admission.requests)

    def count(state: str) -> float:
        return sum(job.state == state for job in store.jobs.values())

    metrics.watch_all("tonmf_jobs", "Jobs by their state.", "state", {state: partial(count, state) for state in STATES})
