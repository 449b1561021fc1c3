"""Queue jobs and run a few at a time, each in a process that can be stopped."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tonmf.service import job_store
from tonmf.service.errors import FAULT
from tonmf.service.job_memory import memory_of_a_job
from tonmf.service.job_store import Job, JobStore
from tonmf.service.limits import Limits
from tonmf.wording import number_of

log = logging.getLogger("tonmf.service")

LONGEST_LINE = 2**20
"""Longest line that a job's process may write, in bytes."""


class JobRunner:
    """Runs the jobs of a store in order of arrival.

    Parameters
    ----------
    store : JobStore
    limits : Limits
    threads : int, optional
        Of each job; all cores if not given.
    embedder : str, optional
        What embeds the texts of jobs that ask for it.
    """

    def __init__(self, store: JobStore, limits: Limits, threads: int | None, embedder: str | None = None) -> None:
        self._store, self._limits, self._threads, self.embedder = store, limits, threads, embedder
        self._queue: deque[Job] = deque()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stopped_as: dict[str, tuple[str, str | None]] = {}
        self._closing = False

    def start(self) -> None:
        """Resume the jobs that were waiting when the last server ended."""
        for job in reversed(list(self._store)):
            if job.state == job_store.QUEUED:
                self._queue.append(job)
        self._next()

    @property
    def n_waiting(self) -> int:
        """Return the number of waiting jobs."""
        return len(self._queue)

    def add(self, job: Job) -> None:
        """Queue a job."""
        self._queue.append(job)
        self._next()

    async def cancel(self, job: Job) -> None:
        """Stop a job that is not over, and wait until it has stopped."""
        if job in self._queue:
            self._queue.remove(job)
            await self._end(job, job_store.CANCELLED)
            return
        await self._stop(job, job_store.CANCELLED, None)

    async def close(self) -> None:
        """Stop running jobs; waiting ones are kept for the next server."""
        self._closing = True
        running = [self._store.jobs[job_id] for job_id in self._tasks]
        await asyncio.gather(*(self._stop(job, job_store.INTERRUPTED, job_store.STOPPED) for job in running))

    async def _stop(self, job: Job, state: str, message: str | None) -> None:
        task = self._tasks.get(job.id)
        if task is None:
            return
        self._stopped_as.setdefault(job.id, (state, message))
        if job.id in self._processes:
            _kill(self._processes[job.id])
        await asyncio.wait([task])

    def _next(self) -> None:
        while self._queue and len(self._tasks) < self._limits.running_jobs and not self._closing:
            job = self._queue.popleft()
            job.state, job.step, job.started = job_store.RUNNING, "Starting", job_store.now()
            task = self._tasks[job.id] = asyncio.create_task(self._run(job))
            task.add_done_callback(lambda _, job_id=job.id: self._over(job_id))  # type: ignore[misc]

    def _over(self, job_id: str) -> None:
        del self._tasks[job_id]
        self._next()

    async def _run(self, job: Job) -> None:
        await asyncio.to_thread(self._store.keep, job)
        last: dict[str, Any] = {}
        try:
            async with asyncio.timeout(self._limits.job_seconds):
                last = await self._follow(job)
        except TimeoutError:
            limit = number_of(self._limits.job_seconds, "second")
            too_long = f"The job took longer than {limit}. Upload less, or start the server with a higher --job-time."
            self._stopped_as.setdefault(job.id, (job_store.FAILED, too_long))
        except Exception as error:
            log.exception("job %s cannot be run", job.id)
            last = {"error": f"The job could not be started: {type(error).__name__}."}
        finally:
            process = self._processes.pop(job.id, None)
            if process is not None:
                _kill(process)
                await process.wait()
        await self._conclude(job, last, process.returncode if process else None)

    async def _follow(self, job: Job) -> dict[str, Any]:
        """Start a job's process and record its progress; return its last report."""
        payload = {"file": job.file, "name": job.name, "options": job.options, "threads": self._threads}
        memory = self._limits.job_memory or memory_of_a_job(self._limits.running_jobs)
        payload |= {"memory": memory, "embedder": self.embedder, "model": job.model}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "tonmf.service.job_process", str(self._store.path(job.id))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name != "TONMF_TOKEN"},
            start_new_session=True,  # Ctrl-C is for the server, which stops its jobs itself
            limit=LONGEST_LINE,
        )
        self._processes[job.id] = process
        # Not among the arguments, which everybody on the machine can see. A process that is over already gets nothing.
        with suppress(OSError, RuntimeError):
            process.stdin.write(json.dumps(payload).encode() + b"\n")  # type: ignore[union-attr]
        if job.id in self._stopped_as:  # while it was starting
            _kill(process)
        last: dict[str, Any] = {}
        while line := await process.stdout.readline():  # type: ignore[union-attr]
            last = json.loads(line)
            if "step" in last:
                job.step, job.progress = last["step"], last["progress"]
        await process.wait()
        return last

    async def _conclude(self, job: Job, last: dict[str, Any], code: int | None) -> None:
        stopped = self._stopped_as.pop(job.id, None)
        if "result" in last:
            await self._end(job, job_store.DONE, result=last["result"])
        elif stopped is not None:
            await self._end(job, *stopped)
        elif "error" in last:
            await self._end(job, job_store.FAILED, last["error"])
        elif "fault" in last:
            log.error("job %s failed with an unexpected %s", job.id, last["fault"])
            await self._end(job, job_store.FAILED, FAULT)
        elif code is not None and code < 0:
            killed = (
                "The system stopped the job, perhaps for want of memory. Upload fewer or shorter documents, or start the "
                "server with another --job-memory."
            )
            await self._end(job, job_store.FAILED, killed)
        else:
            log.error("the process of job %s ended with code %s and without a word", job.id, code)
            await self._end(job, job_store.FAILED, FAULT)

    async def _end(
        self, job: Job, state: str, message: str | None = None, result: dict[str, Any] | None = None
    ) -> None:
        """End a job: first on disk, then in memory, so that nobody deletes what is still being written."""
        over = replace(job)
        over.end(state, message, result)
        await asyncio.to_thread(self._store.keep, over)
        await asyncio.to_thread(self._store.forget_upload, over)
        vars(job).update(vars(over))
        log.info("job %s: %s", job.id, state)


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
