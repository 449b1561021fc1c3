"""Follow the folders of models: load what is new or has changed, without a restart, and forget what is gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from tonmf.service.model_queue import ModelQueue
from tonmf.service.models import Models

log = logging.getLogger("tonmf.service")

BETWEEN_LOOKS = 1.0
"""Seconds between two looks at the folders. A model is loaded when its files are the same at two looks."""


class Reloading:
    """Keeps models as they are on disk, one change after the other.

    Parameters
    ----------
    models : Models
    queue : ModelQueue
        Warms a model up before it answers.
    on_change : callable
        Called when other models answer.
    """

    def __init__(self, models: Models, queue: ModelQueue, on_change: Callable[[], None]) -> None:
        self._models, self._queue, self._on_change = models, queue, on_change
        self._lock = asyncio.Lock()

    async def follow(self) -> None:
        """Look at the folders for ever."""
        while True:
            await asyncio.sleep(BETWEEN_LOOKS)
            try:
                await self.look()
            except OSError as error:
                log.warning("the models on disk cannot be looked at: %s", error.strerror)

    async def look(self) -> None:
        """Load what has changed since the last look."""
        async with self._lock:
            found = await asyncio.to_thread(self._models.look)
            for name, path in self._models.changed(found):
                loaded = await asyncio.to_thread(self._models.try_to_load, name, path)
                if loaded is None:
                    continue
                await self._queue.ask(object(), loaded.model.warm_up, [None])
                self._models.take(loaded)
                log.info("the model %s is loaded", name)
            self._on_change()

    async def change(self, run: Callable[[], object]) -> None:
        """Change the models by a function, while nothing is loaded."""
        async with self._lock:
            await asyncio.to_thread(run)
            self._on_change()

    async def add(self, name: str, write: Callable[[], object]) -> None:
        """Have a function write a model, and load it at once."""
        async with self._lock:
            path = await asyncio.to_thread(write)
            loaded = await asyncio.to_thread(self._models.load, name, path)  # type: ignore[arg-type]
            await self._queue.ask(object(), loaded.model.warm_up, [None])
            self._models.take(loaded)
            log.info("the model %s is loaded", name)
