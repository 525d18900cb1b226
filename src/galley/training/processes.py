"""One run in several processes: who has which documents, what is averaged, and what all decide together.

Without a launcher there is one process, and everything here costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Protocol

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs, InitProcessGroupKwargs
from accelerate.utils import gather_object
from torch import Tensor, nn

from galley.errors import ModelError
from galley.training.example import Example
from galley.training.learner import Batch, Learner

_PATIENCE = timedelta(hours=3)
"""Others wait that long while the first process validates."""


class Stream(Iterator[Example], Protocol):
    """Documents that can be taken up again at ``position``; the one there depends on ``position`` alone."""

    position: int


class Share(Iterator[Example]):
    """Every ``of``-th document of a stream, beginning with number ``number``.

    So no two processes learn from the same one.

    Attributes:
        position: The first document of the next round.
    """

    def __init__(self, documents: Stream, number: int, of: int):
        self._documents, self._number, self._of = documents, number, of
        self.position = documents.position

    def __next__(self) -> Example:
        self._documents.position = self.position + self._number
        self.position += self._of
        return next(self._documents)


class Objective(nn.Module):
    """A learner as one forward: the logits of a batch's supervised slots, (n, vocabulary)."""

    def __init__(self, learner: Learner):
        super().__init__()
        self.module = learner.module
        self._learner = learner

    def forward(self, batch: Batch) -> Tensor:
        """Logits of the slots that have a label."""
        return self._learner.logits(self._learner.states(batch)[batch.supervised])


class Processes:
    """This process among those of a run, as ``accelerate launch`` started them.

    Args:
        device: Asked for; None takes the process's GPU, or the CPU where there is none. One process alone takes
            any device by name.
    """

    def __init__(self, device: str | None = None):
        self._accelerator = Accelerator(
            cpu=device == "cpu" or not torch.cuda.is_available(),
            mixed_precision="no",  # autocast is the trainer's
            kwargs_handlers=[
                InitProcessGroupKwargs(timeout=_PATIENCE),
                # A batch without images leaves the vision encoder's parameters without gradients.
                DistributedDataParallelKwargs(find_unused_parameters=True),
            ],
        )
        self.count, self.number = self._accelerator.num_processes, self._accelerator.process_index
        self.first = self.number == 0
        self.device = self._accelerator.device
        if device is not None and self.count == 1:
            self.device = _named(device)

    def share(self, documents: Stream) -> Share:
        """This process's part of a stream of documents."""
        return Share(documents, self.number, self.count)

    def prepare(self, learner: Learner) -> nn.Module:
        """The learner's forward on this process's device; its gradients are means over the processes."""
        learner.module.to(self.device)
        objective = Objective(learner)
        if self.count == 1:
            return objective
        prepared: nn.Module = self._accelerator.prepare_model(objective, device_placement=False)
        return prepared

    def sums(self, values: Sequence[float]) -> list[float]:
        """Each value summed over the processes."""
        if self.count == 1:
            return list(values)
        own = torch.tensor(values, dtype=torch.float32, device=self.device)
        summed: list[float] = self._accelerator.reduce(own, "sum").tolist()
        return summed

    def any(self, *wishes: bool) -> list[bool]:
        """What one process wishes, all do."""
        return [wish > 0 for wish in self.sums(wishes)]

    def gathered(self, items: list[Any]) -> list[Any]:
        """The items of all processes."""
        found: list[Any] = gather_object(items) if self.count > 1 else items
        return found

    def wait(self) -> None:
        """Wait until all processes are here."""
        self._accelerator.wait_for_everyone()


def _named(device: str) -> torch.device:
    try:
        return torch.device(device)
    except RuntimeError as error:
        raise ModelError(f"there is no device {device!r}; use cpu, cuda or cuda:N") from error


@contextmanager
def reproducible(device: torch.device) -> Iterator[None]:
    """On the CPU the same sums every time: indexed additions by several threads come in any order otherwise.

    On a GPU nothing is promised, and nothing slowed down.
    """
    before = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    if device.type == "cpu":
        torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
