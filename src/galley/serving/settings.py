"""What a server is told at its start: how it reads, what it allows, where it keeps things."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from galley.parsing.options import ParseOptions
from galley.reading import ParserFactory

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one client, or all of them together, may ask for.

    Attributes:
        max_bytes: Size of one document.
        max_pages: Pages asked for in one document.
        queue: Documents waiting or being read, and as many region requests.
        page_seconds: Time after which a page fails.
        job_seconds: Time after which a job's remaining pages fail.
        upload_seconds: Time after which an upload is given up.
        wait_seconds: How long a request waits for its result before it is answered with a job.
        wait_pages: Documents with more pages are answered with a job at once.
        keep_seconds: How long finished jobs stay.
        kept: How many finished jobs stay.
    """

    max_bytes: int = 100 * MEGABYTE
    max_pages: int = 2000
    queue: int = 64
    page_seconds: float = 180.0
    job_seconds: float = 4 * 3600.0
    upload_seconds: float = 300.0
    wait_seconds: float = 60.0
    wait_pages: int = 20
    keep_seconds: float = 3600.0
    kept: int = 1000


@dataclass(frozen=True)
class Settings:
    """How the server works.

    Attributes:
        options: Defaults of every request. Model, device and max_pixels cannot be changed by a request.
        limits: What the server refuses.
        workers: Processes that read drafts.
        lanes: Pages that a model reads at the same time.
        state_dir: Where jobs survive a restart; a temporary folder when None.
        grace: Seconds that accepted jobs get to finish when the server stops.
        factory: Makes other parsers in the draft workers.
    """

    options: ParseOptions = field(default_factory=ParseOptions)
    limits: Limits = field(default_factory=Limits)
    workers: int = 2
    lanes: int = 4
    state_dir: Path | None = None
    grace: float = 30.0
    api_key: str | None = None
    allow_urls: bool = False
    factory: ParserFactory | None = None
