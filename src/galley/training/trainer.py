"""The trainer: any learner with a mask token, causal or joint, resumable to the step."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import nn

from galley.errors import ModelError
from galley.training.checkpoint import read_checkpoint
from galley.training.learner import Batch, Learner
from galley.training.loss import JointLoss, counts, joint_loss
from galley.training.optimisers import make_optimisers, rate_factor, update
from galley.training.packed_rows import Packer, Recipe
from galley.training.processes import Processes, Stream, reproducible
from galley.training.settings import Settings


@dataclass
class Progress:
    """Where a run stands; stored in its checkpoint."""

    step: int = 0
    slots: int = 0
    seconds: float = 0.0
    history: list[dict[str, float]] = field(default_factory=list)


class Trainer:
    """One run in folder ``out``: ``checkpoint.pt`` (all state), ``log.jsonl`` (progress and validation).

    In several processes each learns from documents of its own, the gradient is that of all their batches
    together, and the first one writes. On one CPU process a run that was interrupted reaches the same weights to
    the bit; several go on with the same weights and with documents none of them has had.
    """

    def __init__(
        self,
        learner: Learner,
        recipe: Recipe,
        settings: Settings,
        documents: Stream,
        out: Path,
        validate: Callable[[], dict[str, float]] | None = None,
        processes: Processes | None = None,
    ):
        self.learner, self.recipe, self.settings, self.out = learner, recipe, settings, out
        self.validate = validate
        self.processes = processes or Processes()
        self.documents = self.processes.share(documents)
        self.packer = Packer(recipe, settings.capacity, settings.rows)
        self.progress = Progress()
        self.stopping = False
        """Set from outside (a signal) to end ``run`` after the step at hand, its state saved."""
        self.objective = self.processes.prepare(learner)
        self.optimisers = make_optimisers(learner.module, settings)
        out.mkdir(parents=True, exist_ok=True)

    # State

    def save(self) -> None:
        """Write ``checkpoint.pt`` in one move, so that an interrupted write loses nothing."""
        processes = self.processes
        carried = processes.gathered(self.packer.carried)
        positions = processes.gathered([self.documents.position])
        too_long = processes.gathered([self.packer.too_long])
        if processes.first:
            state = {
                "model": self.learner.module.state_dict(),
                "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
                "progress": asdict(self.progress),
                "position": max(positions),
                "carried": carried,
                "too_long": sum(too_long),
                "torch_rng": torch.get_rng_state(),
                "settings": asdict(self.settings),
            }
            temporary = self.out / "checkpoint.tmp"
            torch.save(state, temporary)
            temporary.replace(self.out / "checkpoint.pt")
        processes.wait()

    def resume(self) -> bool:
        """Take up the run of ``out``.

        A change of recipe or of the number of processes keeps weights, optimisers and place in the data.

        Returns:
            False when there is no run.

        Raises:
            ModelError: The checkpoint is one of another model.
        """
        path = self.out / "checkpoint.pt"
        if not path.is_file():
            return False
        state = read_checkpoint(path)
        try:
            self.learner.module.load_state_dict(state["model"])
            for optimiser, saved in zip(self.optimisers, state["optimisers"], strict=True):
                optimiser.load_state_dict(saved)
        except (RuntimeError, ValueError) as error:
            raise ModelError(
                f"the run in {self.out} is of a model of another shape; name another folder or delete it"
            ) from error
        number, count = self.processes.number, self.processes.count
        self.progress = Progress(**state["progress"])
        self.documents.position = state["position"]
        self.packer.carried = state["carried"][number::count]
        self.packer.too_long = state["too_long"] if self.processes.first else 0
        torch.set_rng_state(state["torch_rng"])
        return True

    # The loop

    def run(self, report: Callable[[str], None] = print) -> None:
        """Train to ``settings.steps``, saving and validating as time passes."""
        saved = validated = logged = time.monotonic()
        seen: list[tuple[JointLoss, int]] = []
        while self.progress.step < self.settings.steps and not self.stopping:
            seen.append(self.step())
            now = time.monotonic()
            if self.progress.step % self.settings.log_every == 0:
                self.progress.seconds += now - logged
                self._log(seen, now - logged, report)
                seen, logged = [], now
            self.stopping, save, validate = self.processes.any(
                self.stopping,
                now - saved > 60 * self.settings.minutes,
                now - validated > 60 * self.settings.validate_minutes,
            )
            if save:
                self.save()
                saved = time.monotonic()
            if validate:
                self._validate(report)
                validated = logged = time.monotonic()
        self.save()
        if not self.stopping:
            self._validate(report)

    def step(self) -> tuple[JointLoss, int]:
        """One update; returns this process's part of the loss and the slots it used."""
        settings, module, processes = self.settings, self.learner.module, self.processes
        rng = np.random.default_rng([settings.seed, self.progress.step, processes.number])
        rows = [self.packer.make(documents, rng) for documents in self.packer.batch(self.documents, rng)]
        batch = Batch.stack(rows, processes.device)
        module.train()
        with reproducible(processes.device):
            loss = self._loss(batch)
            loss.total.backward()
        nn.utils.clip_grad_norm_(module.parameters(), settings.clip)
        update(self.optimisers, rate_factor(self.progress.step, settings))
        self.progress.step += 1
        used = int((batch.slots.doc >= 0).sum())
        self.progress.slots += used
        return loss, used

    def _loss(self, batch: Batch) -> JointLoss:
        """The mean over all processes' slots once their gradients are averaged."""
        precision, device = self.settings.precision, self.processes.device
        wanted = batch.supervised
        ar_labels, diff_labels = batch.ar_labels[wanted], batch.diff_labels[wanted]
        with torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16"):
            logits = self.objective(batch)
        ar, diff = (
            total / self.processes.count for total in self.processes.sums(counts(ar_labels, diff_labels))
        )
        return joint_loss(logits, ar_labels, diff_labels, self.settings.ar_weight, (ar, diff))

    def _validate(self, report: Callable[[str], None]) -> None:
        if self.validate and self.processes.first:
            self._note({"step": self.progress.step, **self.validate()}, report)
        self.processes.wait()

    def _log(self, seen: list[tuple[JointLoss, int]], seconds: float, report: Callable[[str], None]) -> None:
        losses, count = [loss for loss, _ in seen], self.processes.count
        ar, diff, slots, ar_tokens = self.processes.sums(
            [
                float(np.mean([float(loss.ar) for loss in losses])),
                float(np.mean([float(loss.diff) for loss in losses])),
                sum(used for _, used in seen),
                sum(loss.ar_tokens for loss in losses),
            ]
        )
        values = {
            "step": self.progress.step,
            "ar": ar / count,
            "diff": diff / count,
            "slots_per_second": slots / seconds,
            "ar_tokens_per_second": ar_tokens / seconds,
            "documents": self.documents.position,
            "rate": self.settings.rate * rate_factor(self.progress.step, self.settings),
        }
        if self.processes.first:
            self._note(values, report)

    def _note(self, values: dict[str, Any], report: Callable[[str], None]) -> None:
        rounded = {
            name: round(value, 5) if isinstance(value, float) else value for name, value in values.items()
        }
        with (self.out / "log.jsonl").open("a") as log:
            log.write(json.dumps({"time": time.strftime("%F %T"), **rounded}) + "\n")
        report("  ".join(f"{name} {value}" for name, value in rounded.items()))


@contextmanager
def stopped_by_sigterm(trainer: Trainer) -> Iterator[None]:
    """End the trainer's run at SIGTERM after the step at hand, with its state saved.

    Of use in the main thread alone, where Python lets signals be handled.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        trainer.stopping = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
