"""What a worker is told, what it says, and what a kind of workers has to offer to a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from galley.errors import GalleyError


@dataclass(frozen=True)
class Order:
    """A task with the number that all output about it carries.

    ``task`` None: stop working for ``owner`` as soon as may be.
    """

    number: int
    task: Any
    owner: str = ""


@dataclass(frozen=True)
class Ready:
    """The worker has its models and takes orders."""


@dataclass(frozen=True)
class CannotStart:
    """The worker cannot work, and no other could."""

    error: GalleyError


@dataclass(frozen=True)
class Output:
    """Something a task gave.

    Attributes:
        last: The task is over with it.
    """

    number: int
    content: Any
    last: bool = False


@dataclass(frozen=True)
class Aborted:
    """A task ended with an error that no other task would escape."""

    number: int
    error: GalleyError


Message = Ready | CannotStart | Output | Aborted


class WorkerDied(Exception):
    """A worker is gone.

    Args:
        cause: Why, in a few words.
    """

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class Handler(Protocol):
    """What a worker does with its tasks. With several lanes it is called from as many threads."""

    def do(self, task: Any, send: Callable[[object], None]) -> object:
        """Carry out a task; ``send`` passes on what it gives on the way, the return value ends it.

        Raises:
            GalleyError: what no other task would escape.
        """
        ...

    def cancel(self, owner: str) -> None:
        """Stop working for this owner as soon as may be."""
        ...


class Worker(Protocol):
    """One worker. Its first message is ``Ready`` or ``CannotStart``."""

    def send(self, order: Order) -> None:
        """Give it a task.

        Raises:
            InputError: The task's document is gone.
        """
        ...

    def receive(self) -> Message:
        """The next thing it says; waits for it.

        Raises:
            WorkerDied: It is gone.
        """
        ...

    def kill(self) -> None:
        """End it at once, in the middle of its work; ``receive`` raises ``WorkerDied`` from then on."""
        ...

    def close(self) -> None:
        """Wait until a worker that was killed or died is gone, and let go of what is held for it."""
        ...


AnyWorker = TypeVar("AnyWorker", bound=Worker)


class Backend(AbstractContextManager[Any], Protocol[AnyWorker]):
    """A kind of workers and where they run; used in a ``with`` statement.

    A page is begun more than once before it is given up, since a worker may also die for reasons that are not the
    page's.
    """

    @property
    def count(self) -> int:
        """Number of workers at a time."""
        ...

    @property
    def tries(self) -> int:
        """How often a page is begun before it is given up."""
        ...

    def start(self) -> AnyWorker:
        """A new worker, which may still have to get ready."""
        ...

    def wait(self, workers: Sequence[AnyWorker]) -> list[AnyWorker]:
        """Those of ``workers`` that have something to say, or are gone; waits for the first."""
        ...

    def page_lost(self, cause: str) -> str:
        """What is said of a page that is given up."""
        ...

    def all_die(self, count: int, cause: str) -> str:
        """What is said when ``count`` workers in a row have died."""
        ...
