"""How documents become jobs, whichever way they came."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from anyio import to_thread

from galley.parsing.options import ParseOptions
from galley.serving.jobs import Job
from galley.serving.refusal import Refusal
from galley.serving.scheduler import Scheduler
from galley.serving.settings import Settings
from galley.serving.uploads import from_data_url, shown_name
from galley.serving.urls import fetch

Saver = Callable[[Path], Awaitable[str | None]]
"""Puts a document at a path and returns what its sender calls it."""


async def take(scheduler: Scheduler, save: Saver, options: ParseOptions) -> Job:
    """A job for the document that ``save`` puts into the job's folder."""
    folder = scheduler.new_folder()
    try:
        name = await save(folder.document)
        return scheduler.submit(folder, shown_name(name), options)
    except BaseException:
        folder.remove()
        raise


def saver_of(place: str, settings: Settings) -> Saver:
    """Saves from a data URL, base64, or a web address where those are allowed."""
    if place.lower().startswith(("http://", "https://")):
        if not settings.allow_urls:
            message = "this server fetches no web addresses; send the document, or start it with --allow-urls"
            raise Refusal(422, "no-urls", message)
        return partial(_fetch, place, settings)
    if place.lower().startswith("file:"):
        raise Refusal(
            422, "no-files", "this server reads no files of its own; send the document as a data URL"
        )
    return partial(_decode, place, settings)


async def _fetch(place: str, settings: Settings, path: Path) -> str:
    return await to_thread.run_sync(fetch, place, path, settings.limits)


async def _decode(place: str, settings: Settings, path: Path) -> None:
    data = await to_thread.run_sync(from_data_url, place, settings.limits)
    await to_thread.run_sync(path.write_bytes, data)
