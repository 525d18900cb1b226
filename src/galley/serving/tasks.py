"""What the server asks of its worker processes, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from galley.parsing.options import ParseOptions


@dataclass(frozen=True)
class OpenDocument:
    """Learn how many pages a document has and which of them are asked for."""

    path: Path
    name: str
    options: ParseOptions


@dataclass(frozen=True)
class ReadPage:
    """Read a page and write its JSON, its image and its proof into the job's folder."""

    folder: Path
    path: Path
    name: str
    options: ParseOptions
    number: int
    owner: str


@dataclass(frozen=True)
class FinishDocument:
    """Put the pages in a job's folder together and write every format of the result.

    Attributes:
        head: The document without its pages, as JSON.
    """

    folder: Path
    options: ParseOptions
    head: str


@dataclass(frozen=True)
class ReadRegion:
    """Read one image for a prompt, as a model server does.

    Attributes:
        stream: Send the text as it is written.
    """

    path: Path
    options: ParseOptions
    prompt: str
    owner: str
    stream: bool = False
    max_tokens: int | None = None
    temperature: float = 0.0
    repetition_penalty: float = 1.0


Task = OpenDocument | ReadPage | FinishDocument | ReadRegion


@dataclass
class Counts:
    """What decoding took, added up over sequences.

    Attributes:
        seconds_ar: What the forwards of autoregressive decoding would have cost; None where costs are not
            measured.
        seconds: What the forwards of drafting cost; None where costs are not measured.
    """

    tokens: int = 0
    prefills: int = 0
    forwards: int = 0
    drafts: int = 0
    accepted: list[int] = field(default_factory=list)
    seconds_ar: float | None = None
    seconds: float | None = None

    @property
    def tpf(self) -> float:
        """Tokens per forward, the prefill and its token left out; 0 where nothing was decoded."""
        return (self.tokens - self.prefills) / self.forwards if self.forwards else 0.0

    @property
    def aal(self) -> float:
        """Average accepted length: tokens per verifying forward, its free prediction included."""
        verified = self.forwards - self.drafts
        return (self.tokens - self.prefills - self.drafts) / verified if verified else 0.0

    @property
    def speedup(self) -> float | None:
        """Estimated from measured forward costs: plain decoding's time over drafting's."""
        return self.seconds_ar / self.seconds if self.seconds_ar and self.seconds else None

    def add(self, other: Counts) -> None:
        """Add another page's counts, without its list of accepted lengths."""
        self.tokens += other.tokens
        self.prefills += other.prefills
        self.forwards += other.forwards
        self.drafts += other.drafts
        if other.seconds is not None and other.seconds_ar is not None:
            self.seconds_ar = (self.seconds_ar or 0.0) + other.seconds_ar
            self.seconds = (self.seconds or 0.0) + other.seconds


@dataclass(frozen=True)
class Opened:
    """A document that was opened.

    Attributes:
        pages: The page numbers asked for.
        missing: Messages about those that do not exist.
        head: The document without pages, as JSON.
    """

    pages: list[int]
    missing: list[str]
    head: str


@dataclass(frozen=True)
class PageRead:
    """A page lies in the job's folder.

    Attributes:
        failures: Parts of it that could not be read.
    """

    number: int
    seconds: float
    counts: Counts
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Finished:
    """The result lies in the job's folder."""


@dataclass(frozen=True)
class Delta:
    """More text of a region that is being read."""

    text: str


@dataclass(frozen=True)
class RegionRead:
    """A region's text.

    Attributes:
        finish: ``stop`` or ``length``.
    """

    text: str
    finish: str
    counts: Counts


@dataclass(frozen=True)
class TaskFailed:
    """A task that came to nothing.

    Attributes:
        code: The exit code the error earns on the command line.
    """

    message: str
    code: int = 1


Answer = Opened | PageRead | Finished | RegionRead | TaskFailed
