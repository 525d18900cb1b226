"""The server's worker pools: one for drafts, one for the model. A pool that is not needed costs nothing."""

from __future__ import annotations

from functools import partial

from galley.parsing.options import ParseOptions
from galley.serving.draft_models import DraftModels
from galley.serving.models import Models
from galley.serving.settings import Settings
from galley.serving.task_handler import TaskHandler
from galley.strategy_factory import needs_model
from galley.workers.async_pool import AsyncPool
from galley.workers.processes import ProcessBackend


class WorkerPools:
    """Knows which pool reads what."""

    def __init__(self, settings: Settings) -> None:
        self._options = settings.options
        drafts = partial(DraftModels, settings.factory, settings.options.model)
        self._drafts = AsyncPool(ProcessBackend(partial(TaskHandler, drafts), settings.workers))
        # A model's own threads share the cores among the pages of its batch.
        reader = partial(TaskHandler, partial(_load_reader, settings.options))
        self._reader = AsyncPool(ProcessBackend(reader, 1, settings.lanes, threads=None))

    async def start(self) -> None:
        """Start the pool that the server's own options need.

        Raises:
            ModelError: It cannot work.
        """
        if error := await self.of(self._options).start():
            raise error

    def of(self, options: ParseOptions) -> AsyncPool:
        """The pool that reads with these options."""
        return self._reader if needs_model(options) else self._drafts

    @property
    def waiting(self) -> int:
        """Tasks that no worker has begun."""
        return self._drafts.waiting + self._reader.waiting

    async def close(self) -> None:
        """End all processes."""
        await self._drafts.close()
        await self._reader.close()


def _load_reader(options: ParseOptions) -> Models:
    from galley.serving.reader_models import ReaderModels  # it may bring a framework with it

    return ReaderModels(options)
