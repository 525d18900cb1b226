"""A document on its way through the server."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from galley.document import Failure
from galley.parsing.options import ParseOptions
from galley.serving.folder import JobFolder
from galley.serving.tasks import Counts


class State(str, Enum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to the job."""
        return self not in (State.QUEUED, State.RUNNING)


@dataclass(eq=False)
class Job:
    """One document: what is asked for, how far it is, what went wrong.

    Attributes:
        pages: Numbers asked for, None until the document has been opened.
        head: The document without its pages, as JSON.
        read: Numbers of the pages that lie in the folder, in the order they came.
        started, ended: Seconds of the clock.
        reading: Seconds it was read, those before a restart included.
    """

    id: str
    name: str
    folder: JobFolder
    options: ParseOptions
    created: float = field(default_factory=time.time)
    state: State = State.QUEUED
    pages: list[int] | None = None
    head: str = ""
    read: list[int] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    """of the document or of pages that could not be read"""
    parts: list[Failure] = field(default_factory=list)
    """of parts of pages that were read otherwise"""
    counts: Counts = field(default_factory=Counts)
    started: float | None = None
    ended: float | None = None
    reading: float = 0.0
    status: int = 422
    """HTTP status that a failed job earns who waited for it"""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def pages_failed(self) -> int:
        """Pages asked for that could not be read."""
        return len({failure.page for failure in self.failures if failure.page is not None})

    @property
    def left(self) -> list[int]:
        """Pages that are still to be read."""
        gone = set(self.read) | {failure.page for failure in self.failures}
        return [number for number in self.pages or [] if number not in gone]

    def view(self) -> dict[str, Any]:
        """The job as clients see it."""
        seconds = self.reading + (
            time.time() - self.started if self.started and not self.state.ended else 0.0
        )
        speedup = self.counts.speedup
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state.value,
            "pages_done": len(self.read) + self.pages_failed,
            "pages_total": len(self.pages or []),
            "failures": [{"page": one.page, "message": one.message} for one in [*self.failures, *self.parts]],
            "stats": {
                "pages_per_second": round(len(self.read) / seconds, 3) if seconds > 0 else 0.0,
                "tokens": self.counts.tokens,
                "forwards": self.counts.forwards,
                "tpf": round(self.counts.tpf, 3),
                "speedup": speedup and round(speedup, 3),
            },
        }

    def end(self, state: State) -> None:
        """End the job."""
        self.state, self.ended = state, time.time()
        if self.started:
            self.reading += self.ended - self.started

    def notify(self) -> None:
        """Tell those who wait for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def next_change(self) -> Coroutine[Any, Any, Any]:
        """Waits for the next change after this call."""
        return self._changed.wait()

    def save(self) -> None:
        """Write the job's state, from which ``load`` makes it again. No password is written."""
        data = {
            "id": self.id,
            "name": self.name,
            "options": self.options.model_dump(mode="json", exclude={"password"}),
            "secret": self.options.password is not None,
            "created": self.created,
            "state": self.state.value,
            "pages": self.pages,
            "head": self.head,
            "read": self.read,
            "failures": [failure.model_dump() for failure in self.failures],
            "parts": [failure.model_dump() for failure in self.parts],
            "ended": self.ended,
            "reading": self.reading,
            "counts": self.counts.__dict__,
            "status": self.status,
        }
        self.folder.write(self.folder.state, json.dumps(data))


def new_id() -> str:
    """An id nobody can guess: whoever knows it may see the job."""
    return secrets.token_urlsafe(16)


def load(folder: JobFolder) -> Job:
    """The job that ``save`` wrote; raises ``ValueError`` where there is none. A password is not known any more."""
    try:
        data = json.loads(folder.state.read_bytes())
        job = Job(
            id=data["id"],
            name=data["name"],
            folder=folder,
            options=ParseOptions.model_validate(data["options"]),
            created=data["created"],
            state=State(data["state"]),
            pages=data["pages"],
            head=data["head"],
            read=data["read"],
            failures=[Failure.model_validate(failure) for failure in data["failures"]],
            parts=[Failure.model_validate(failure) for failure in data["parts"]],
            counts=Counts(**data["counts"]),
            ended=data["ended"],
            reading=data["reading"],
            status=data["status"],
        )
    except (OSError, KeyError, TypeError) as error:
        raise ValueError(f"no job lies in {folder.path}: {error}") from error
    if not job.state.ended and data["secret"]:
        message = "the server was restarted and does not keep passwords; send the document again"
        job.failures.append(Failure(message=message))
        job.end(State.FAILED)
    return job
