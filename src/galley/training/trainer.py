"""The trainer: any learner with a mask token, causal or joint, resumable to the step."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from galley.training.example import IGNORE, Example
from galley.training.learner import Batch, Learner
from galley.training.loss import JointLoss, joint_loss
from galley.training.rows import Packer, Recipe


@dataclass(frozen=True)
class Settings:
    """How to train.

    steps: the step to stop at. rows, capacity: a batch. rate: peak learning rate (of AdamW; matrices of
    hidden layers, trained by Muon, take ``matrix_rate``). warmup: steps of linear rise. decay: last steps
    over which rates fall to zero; 0 keeps them, so that a run can go on. ar_weight: w of the joint loss.
    minutes: time between checkpoints. precision: ``bf16`` (autocast, master weights fp32) or ``fp32``.
    """

    steps: int
    rows: int = 4
    capacity: int = 1024
    rate: float = 1e-3
    matrix_rate: float = 0.01
    warmup: int = 100
    decay: int = 0
    weight_decay: float = 0.01
    clip: float = 1.0
    ar_weight: float = 1.0
    minutes: float = 10.0
    validate_minutes: float = 40.0
    log_every: int = 10
    seed: int = 1
    precision: str = "bf16"


class Stream(Iterator[Example], Protocol):
    """Documents that can be taken up again at ``position``."""

    position: int


@dataclass
class Progress:
    """Where a run stands; stored in its checkpoint."""

    step: int = 0
    slots: int = 0
    seconds: float = 0.0
    history: list[dict[str, float]] = field(default_factory=list)


class Trainer:
    """One run in folder ``out``: ``checkpoint.pt`` (all state), ``log.jsonl`` (progress and validation)."""

    def __init__(
        self,
        learner: Learner,
        recipe: Recipe,
        settings: Settings,
        documents: Stream,
        out: Path,
        validate: Callable[[], dict[str, float]] | None = None,
    ):
        self.learner, self.recipe, self.settings, self.documents, self.out = (
            learner,
            recipe,
            settings,
            documents,
            out,
        )
        self.validate = validate
        self.packer = Packer(recipe, settings.capacity, settings.rows)
        self.progress = Progress()
        self.stopping = False
        """Set from outside (a signal) to end ``run`` after the step at hand, its state saved."""
        self.optimisers = make_optimisers(learner.module, settings)
        out.mkdir(parents=True, exist_ok=True)

    # State

    def save(self) -> None:
        """Write ``checkpoint.pt`` in one move, so that an interrupted write loses nothing."""
        state = {
            "model": self.learner.module.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            "progress": asdict(self.progress),
            "position": self.documents.position,
            "carried": self.packer.carried,
            "too_long": self.packer.too_long,
            "torch_rng": torch.get_rng_state(),
            "settings": asdict(self.settings),
        }
        temporary = self.out / "checkpoint.tmp"
        torch.save(state, temporary)
        temporary.replace(self.out / "checkpoint.pt")

    def resume(self) -> bool:
        """Take up the run of ``out``; False when there is none. A change of recipe keeps weights, optimisers
        and place."""
        path = self.out / "checkpoint.pt"
        if not path.is_file():
            return False
        state = torch.load(path, weights_only=False)
        self.learner.module.load_state_dict(state["model"])
        for optimiser, saved in zip(self.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        self.progress = Progress(**state["progress"])
        self.documents.position = state["position"]
        self.packer.carried = state["carried"]
        self.packer.too_long = state["too_long"]
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
                report(self._log(seen, now - logged))
                seen, logged = [], now
            if now - saved > 60 * self.settings.minutes:
                self.save()
                saved = time.monotonic()
            if self.validate and now - validated > 60 * self.settings.validate_minutes:
                report(self._note({"step": self.progress.step, **self.validate()}))
                validated = logged = time.monotonic()
        self.save()
        if self.validate and not self.stopping:
            report(self._note({"step": self.progress.step, **self.validate()}))

    def step(self) -> tuple[JointLoss, int]:
        """One update; returns its loss and the slots it used."""
        settings, module = self.settings, self.learner.module
        rng = np.random.default_rng([settings.seed, self.progress.step])
        rows = [self.packer.make(documents, rng) for documents in self.packer.batch(self.documents)]
        device = next(module.parameters()).device
        batch = Batch.stack(rows, device)
        module.train()
        with torch.autocast(device.type, torch.bfloat16, enabled=settings.precision == "bf16"):
            wanted = batch.labels != IGNORE
            logits = self.learner.logits(self.learner.states(batch)[wanted])
        loss = joint_loss(logits, batch.labels[wanted], batch.slots.role[wanted], settings.ar_weight)
        loss.total.backward()
        nn.utils.clip_grad_norm_(module.parameters(), settings.clip)
        factor = rate_factor(self.progress.step, settings)
        for optimiser in self.optimisers:
            for group in optimiser.param_groups:
                group["lr"] = group["peak"] * factor
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        self.progress.step += 1
        used = int((batch.slots.doc >= 0).sum())
        self.progress.slots += used
        return loss, used

    def _log(self, seen: list[tuple[JointLoss, int]], seconds: float) -> str:
        losses = [loss for loss, _ in seen]
        return self._note(
            {
                "step": self.progress.step,
                "ar": float(np.mean([float(loss.ar) for loss in losses])),
                "diff": float(np.mean([float(loss.diff) for loss in losses])),
                "slots_per_second": sum(used for _, used in seen) / seconds,
                "ar_tokens_per_second": sum(loss.ar_tokens for loss in losses) / seconds,
                "documents": self.documents.position,
                "rate": self.settings.rate * rate_factor(self.progress.step, self.settings),
            }
        )

    def _note(self, values: dict[str, Any]) -> str:
        rounded = {
            name: round(value, 5) if isinstance(value, float) else value for name, value in values.items()
        }
        with (self.out / "log.jsonl").open("a") as log:
            log.write(json.dumps({"time": time.strftime("%F %T"), **rounded}) + "\n")
        return "  ".join(f"{name} {value}" for name, value in rounded.items())


def rate_factor(step: int, settings: Settings) -> float:
    """Linear rise, constant, and a linear fall to zero over the last ``decay`` steps."""
    rise = min(1.0, (step + 1) / max(settings.warmup, 1))
    left = settings.steps - step
    fall = min(1.0, left / settings.decay) if settings.decay else 1.0
    return rise * fall


def make_optimisers(module: nn.Module, settings: Settings) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of hidden layers, AdamW for everything else."""
    embeddings = {id(layer.weight) for layer in module.modules() if isinstance(layer, nn.Embedding)}
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, parameter in module.named_parameters():
        hidden = parameter.ndim == 2 and id(parameter) not in embeddings and "blocks." in name
        (matrices if hidden else others).append(parameter)
    adamw = torch.optim.AdamW(
        [{"params": others, "peak": settings.rate}],
        lr=settings.rate,
        betas=(0.9, 0.95),
        weight_decay=settings.weight_decay,
    )
    if not matrices:
        return [adamw]
    muon = torch.optim.Muon(
        [{"params": matrices, "peak": settings.matrix_rate}],
        lr=settings.matrix_rate,
        weight_decay=settings.weight_decay,
        momentum=0.95,
    )
    return [adamw, muon]
