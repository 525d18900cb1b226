"""The worker pools: one for drafts, one for the model."""

from __future__ import annotations

from functools import partial

from galley.errors import ModelError
from galley.parsing.options import ParseOptions
from galley.serving.models import DraftModels
from galley.serving.pool import Pool
from galley.serving.settings import Settings


class Pools:
    """Starts the pools that the server's own options need."""

    def __init__(self, settings: Settings) -> None:
        self._drafts = Pool(settings.workers, 1, partial(DraftModels, settings.factory))

    async def start(self) -> None:
        """Start the processes. Raises ``ModelError`` when they cannot work."""
        if unfit := await self._drafts.start():
            raise ModelError(unfit)

    def of(self, options: ParseOptions) -> Pool:
        """The pool that reads with these options."""
        return self._drafts

    @property
    def waiting(self) -> int:
        """Tasks that no worker has begun."""
        return self._drafts.waiting

    async def close(self) -> None:
        """End all processes."""
        await self._drafts.close()
