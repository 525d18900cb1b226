"""GRPO for ``galley-nano``: sample from the causal path with the decoding core, reward, update."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from galley.decoding import Decoder, Finish, Request, Sampling
from galley.errors import InputError
from galley.targets.nano.reading import Reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.nano.tokens import Vocabulary
from galley.training.grpo import GrpoSettings, advantages, grpo_loss, teaches
from galley.training.learner import Batch
from galley.training.nano.compose import Composed, LineDataset, Mixture, compose
from galley.training.nano.graph import TorchForward
from galley.training.nano.learner import NanoExample, NanoLearner, to_example
from galley.training.nano.model import Nano
from galley.training.packed_rows import Recipe, join, lay_out
from galley.training.rewards import reward
from galley.training.settings import at_least

_PATIENCE = 1000
"""Documents in a row that may be too long."""


class Rollout(NamedTuple):
    """A sampled response.

    Attributes:
        example: Its document as an example.
        logprobs: Log-probabilities of its tokens (end included) by the sampling kernels.
        truncated: Whether it was cut off.
        reward: What it earned.
    """

    example: NanoExample
    logprobs: NDArray[np.float32]
    truncated: bool
    reward: float


@dataclass(frozen=True)
class Plan:
    """How much is sampled and learnt in a step.

    Attributes:
        prompts: Documents in a step.
        rollouts: Responses to each document.
        tokens: The longest response.
        rate: Learning rate of AdamW.
        clip: The largest norm of the gradient.

    Raises:
        UsageError: A value makes no sense.
    """

    prompts: int = 24
    rollouts: int = 28
    tokens: int = 1024
    rate: float = 3e-6
    clip: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (("prompts", 1), ("rollouts", 2), ("tokens", 1), ("rate", 0)):
            at_least(name, getattr(self, name), least)


class Reinforcer:
    """Steps of GRPO; the frozen copy is the model as it was given."""

    def __init__(
        self,
        nano: Nano,
        vocabulary: Vocabulary,
        dataset: LineDataset,
        mixture: Mixture,
        plan: Plan,
        seed: int = 0,
    ):
        self.nano, self.vocabulary, self.dataset, self.mixture, self.plan = (
            nano,
            vocabulary,
            dataset,
            mixture,
            plan,
        )
        self.settings = GrpoSettings()
        self.frozen = copy.deepcopy(nano).eval().requires_grad_(False)
        self.optimiser = torch.optim.AdamW(nano.parameters(), lr=plan.rate, weight_decay=0.0)
        self.recipe = Recipe(
            vocabulary.eos, vocabulary.mask, vocabulary.pad, nano.config.block_size, joint=False
        )
        self.random = random.Random(seed)
        self.steps = 0

    def step(self) -> dict[str, float]:
        """Sample, reward and update once; what happened in numbers."""
        self.nano.eval()
        groups = [self._sample(self._document()) for _ in range(self.plan.prompts)]
        rewards = np.array([[rollout.reward for rollout in group] for group in groups])
        useful = teaches(rewards)
        found = {"reward": float(rewards.mean()), "useful": float(useful.mean())}
        if useful.any():
            kept = [group for group, use in zip(groups, useful, strict=True) if use]
            found |= self._update(kept, advantages(rewards[useful]))
        self.steps += 1
        return found

    def _document(self) -> Composed:
        """The next document whose truth is no longer than a response may be: any other would only be cut off."""
        for _ in range(_PATIENCE):
            document = compose(self.dataset, self.mixture, self.random)
            if len(self.vocabulary.encode(document.target)) < self.plan.tokens:
                return document
        raise InputError(
            f"{_PATIENCE} documents in a row are longer than {self.plan.tokens} tokens; raise --tokens"
        )

    def _sample(self, document: Composed) -> list[Rollout]:
        prompt = to_example(document, self.vocabulary, None)
        target = NanoTarget(TorchForward(self.nano), self.nano.config, self.vocabulary)
        asked = NanoPrompt(_reading(prompt), document.task)
        requests = [
            Request(
                asked,
                max_tokens=self.plan.tokens,
                acceptance=Sampling(seed=self.random.randrange(1 << 30)),
                loop_guard=None,
            )
            for _ in range(self.plan.rollouts)
        ]
        rollouts = []
        for result in Decoder(target, "self-spec", max_batch=8).run(requests):
            if result.error is not None:
                raise result.error
            truncated = result.finish is not Finish.STOP
            written = self.vocabulary.decode(result.ids)
            logprobs = np.array([step.confidence for step in result.trace], np.float32)
            rollouts.append(
                Rollout(
                    prompt.answered(np.array(result.ids, np.int64)),
                    logprobs,
                    truncated,
                    reward(document.task, written, document.target),
                )
            )
        return rollouts

    def _update(self, groups: list[list[Rollout]], gains: NDArray[np.float64]) -> dict[str, float]:
        """One optimiser step over all rollouts, a group per forward so that memory stays bounded."""
        counted = sum(len(r.example.response) + 1 for group in groups for r in group if not r.truncated)
        total = 0.0
        for group, gain in zip(groups, gains, strict=True):
            loss, tokens = self._loss(group, gain)
            share = loss * (tokens / max(counted, 1))
            share.backward()
            total += float(share.detach())
        norm = nn.utils.clip_grad_norm_(self.nano.parameters(), self.plan.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return {"loss": total, "gradient": float(norm)}

    def _loss(self, group: list[Rollout], gain: NDArray[np.float64]) -> tuple[Tensor, int]:
        """Loss of one prompt's rollouts and the number of tokens it is the mean of."""
        rows = [lay_out(rollout.example, self.recipe, np.random.default_rng(0)) for rollout in group]
        length = max(map(len, rows))
        batch = Batch.stack([join([row], length, self.vocabulary.pad) for row in rows])
        wanted = batch.supervised
        labels = batch.ar_labels[wanted]
        current = self._logprobs(self.nano, batch, wanted, labels)
        with torch.no_grad():
            reference = self._logprobs(self.frozen, batch, wanted, labels)
        old = current.detach()
        lengths = [len(rollout.example.response) + 1 for rollout in group]
        sampled = old.clone()
        for start, rollout in zip(np.cumsum([0, *lengths[:-1]]), group, strict=True):
            known = torch.from_numpy(rollout.logprobs)
            sampled[start : start + len(known)] = known
        counted = torch.from_numpy(np.repeat([not rollout.truncated for rollout in group], lengths))
        advantage = torch.from_numpy(np.repeat(gain, lengths)).float()
        loss = grpo_loss(current, old, reference, sampled, advantage, counted, self.settings)
        return loss, int(counted.sum())

    def _logprobs(self, nano: Nano, batch: Batch, wanted: Tensor, labels: Tensor) -> Tensor:
        learner = NanoLearner(nano)
        logits = learner.logits(learner.states(batch)[wanted]).float()
        return torch.log_softmax(logits, -1).gather(-1, labels[:, None])[:, 0]

    def state(self) -> dict[str, Any]:
        """What ``restore`` takes up again: weights, those of the frozen copy, optimiser, step, random state."""
        return {
            "model": self.nano.state_dict(),
            "frozen": self.frozen.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.steps,
            "random": self.random.getstate(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a saved state."""
        self.nano.load_state_dict(state["model"])
        self.frozen.load_state_dict(state["frozen"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.steps = state["step"]
        self.random.setstate(state["random"])


def _reading(example: NanoExample) -> Reading:
    reading = example.payload
    if not isinstance(reading, Reading):
        raise TypeError("the document has no reading")
    return reading
