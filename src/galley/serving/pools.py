"""The worker pools: one for drafts, one for the model. A pool that is not needed costs nothing."""

from __future__ import annotations

from functools import partial

from galley.errors import ModelError
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.choose import needs_model
from galley.serving.models import DraftModels, Models
from galley.serving.pool import Pool
from galley.serving.settings import Settings


class Pools:
    """Knows which pool reads what."""

    def __init__(self, settings: Settings) -> None:
        self._options = settings.options
        self._drafts = Pool(
            settings.workers, 1, partial(DraftModels, settings.factory, settings.options.model)
        )
        # A model's own threads share the cores among the pages of its batch.
        self._reader = Pool(1, settings.lanes, partial(_load_reader, settings.options), threads=None)

    async def start(self) -> None:
        """Start the pool that the server's own options need. Raises ``ModelError`` when it cannot work."""
        if unfit := await self.of(self._options).start():
            raise ModelError(unfit)

    def of(self, options: ParseOptions) -> Pool:
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
