"""An event loop in a thread of its own, for callers that may or may not run one themselves."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

Value = TypeVar("Value")


class Background:
    """Runs coroutines for any thread; an interrupt of the waiting thread cancels its coroutine.

    The thread does not delay the end of the program.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="galley-requests", daemon=True).start()
        weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)

    def run(self, coroutine: Coroutine[Any, Any, Value]) -> Value:
        """The coroutine's value, or what it raises."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()
