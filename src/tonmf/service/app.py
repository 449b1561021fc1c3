"""Put the parts of the server together into one ASGI app."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from fastapi import FastAPI
from starlette.types import ASGIApp

from tonmf import __version__
from tonmf.service import errors, job_routes, mark_routes, model_routes, page_routes, score_routes
from tonmf.service.job_marks import JobMarks
from tonmf.service.job_queue import JobRunner
from tonmf.service.job_store import STATES, JobStore
from tonmf.service.limits import Limits
from tonmf.service.marks import KeptMarks
from tonmf.service.metrics import Metrics
from tonmf.service.model_queue import Admission, ModelQueue
from tonmf.service.parsing_thread import ParsingThread
from tonmf.service.security import Access, Guard

ABOUT = "Finds documents that do not belong, and says why. Scores of documents are on the scale of those of training."


@dataclass(frozen=True)
class Settings:
    """Settings of an app.

    `marks` are those on the model to serve; `store` is open; `threads` is the number for each job, all cores if None;
    `embedder` is what jobs embed texts with if they are asked to.
    """

    marks: KeptMarks
    store: JobStore
    access: Access
    limits: Limits
    threads: int | None = None
    embedder: str | None = None


def make_app(settings: Settings) -> ASGIApp:
    """Return the app; it starts working when the server starts it."""
    limits, metrics, model = settings.limits, Metrics(), settings.marks.model
    queue = ModelQueue(metrics.count_call)
    store = settings.store
    parsing = ParsingThread()
    runner = JobRunner(store, limits, settings.threads, settings.embedder)
    admission = Admission(limits.waiting, limits.held)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        queue.start()
        await parsing.start()
        await queue.ask("warm up", model.warm_up, [None])
        gc.collect()
        gc.freeze()  # what is loaded by now stays: to look through it again and again would take 0.1 s each time
        runner.start()
        yield
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
    scoring, on_jobs = score_routes.Scoring(model, queue, limits, metrics, admission, parsing), JobMarks(store, queue)
    desk = job_routes.Desk(store, runner, limits, on_jobs)
    app.include_router(score_routes.router(scoring))
    app.include_router(mark_routes.router(mark_routes.MarkDesk(scoring, settings.marks, on_jobs, desk)))
    app.include_router(model_routes.router(model, queue, limits, metrics, settings.access, settings.embedder))
    app.include_router(job_routes.router(desk))
    app.include_router(page_routes.router())
    _watch(metrics, queue, admission, store)
    return Guard(app, settings.access, metrics, limits.idle_seconds)


def _watch(metrics: Metrics, queue: ModelQueue, admission: Admission, store: JobStore) -> None:
    metrics.watch("tonmf_queue_length", "Calls that wait for the model.", lambda: queue.length)
    metrics.watch("tonmf_requests_under_way", "Requests to score or explain.", lambda: admission.requests)

    def count(state: str) -> float:
        return sum(job.state == state for job in store.jobs.values())

    metrics.watch_all("tonmf_jobs", "Jobs by their state.", "state", {state: partial(count, state) for state in STATES})
