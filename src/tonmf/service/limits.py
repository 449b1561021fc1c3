"""The limits of a server, so that no request and no job can harm the others."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tonmf.errors import ParameterError


@dataclass(frozen=True)
class Limits:
    """The most that a server accepts.

    ============ ===========================================================================
    body         bytes of a request to score or explain
    batch        documents in such a request
    text         characters of a document
    words        words of a document; its items, or its terms
    waiting      requests to score or explain that are under way at once
    upload       bytes of a file to learn from
    jobs         jobs that are kept; of those that are over, the oldest make room for new ones
    queued_jobs  jobs that wait for their turn
    running_jobs jobs that run at once
    job_seconds  time that a job may take
    job_memory   bytes of memory that a job may use; by default, a share of what there is
    idle_seconds time that a client may keep us waiting for its next bytes
    connections  connections from one address; if None, as `tonmf.service.connections` has it
    grace        seconds that requests under way have to finish when the server is stopped
    ============ ===========================================================================
    """

    body: int = 16 * 2**20
    batch: int = 10_000
    text: int = 1_000_000
    words: int = 100_000
    waiting: int = 512
    upload: int = 256 * 2**20
    jobs: int = 100
    queued_jobs: int = 10
    running_jobs: int = 1
    job_seconds: int = 3600
    job_memory: int | None = None
    idle_seconds: int = 60
    connections: int | None = None
    grace: int = 30

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value < 1:
                raise ParameterError(f"The limit {field.name} must be at least 1; got {value}.")

    @property
    def held(self) -> int:
        """Return the most bytes of score and explain requests to hold at once."""
        return 8 * self.body

    @property
    def arriving(self) -> int:
        """Return the most bytes of uploads that are not jobs yet to hold at once."""
        return 8 * self.upload
