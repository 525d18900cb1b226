"""GRPO on a tiny model: sampling and training kernels agree, and the reward can be raised."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import torch

from galley.training.nano.compose import LineDataset, Mixture, compose
from galley.training.nano.lines import write_shard
from galley.training.nano.reinforce import Plan, Reinforcer

from .nano_parts import line_units, tiny_nano, tiny_vocabulary


def reinforcer(tmp_path: Path, **plan: float) -> Reinforcer:
    write_shard(tmp_path / "shard-00001.npz", line_units(4))
    dataset = LineDataset(tmp_path, 1, 9)
    dataset.refresh(random.Random(0))
    vocabulary = tiny_vocabulary()
    return Reinforcer(tiny_nano(vocabulary), vocabulary, dataset, Mixture(1, 0, 0), Plan(**plan))  # type: ignore[arg-type]


def test_sampled_and_trained_log_probabilities_agree(tmp_path: Path) -> None:
    ours = reinforcer(tmp_path, prompts=1, rollouts=3, tokens=40)
    group = ours._sample(compose(ours.dataset, ours.mixture, random.Random(1)))
    assert len({tuple(rollout.example.response) for rollout in group}) == 3
    for rollout in group:
        gain = np.ones(1)
        loss, tokens = ours._loss([rollout._replace(truncated=False)], gain)
        assert tokens == len(rollout.example.response) + 1
        # Ratio 1, correction 1, no divergence yet: exactly minus the advantage.
        torch.testing.assert_close(loss.detach(), torch.tensor(-1.0), atol=1e-4, rtol=0)


def test_a_step_changes_the_model_but_not_the_frozen_copy(tmp_path: Path) -> None:
    ours = reinforcer(tmp_path, prompts=2, rollouts=4, tokens=30, rate=1e-3)
    # Random text never stops by itself in time; count it all the same.
    sample = ours._sample
    ours._sample = lambda document: [rollout._replace(truncated=False) for rollout in sample(document)]  # type: ignore[method-assign]
    before = {name: value.clone() for name, value in ours.nano.state_dict().items()}
    found = ours.step()
    assert 0 <= found["reward"] < 0.5 and found["useful"] > 0 and np.isfinite(found["loss"])
    after = ours.nano.state_dict()
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert all(torch.equal(before[name], value) for name, value in ours.frozen.state_dict().items())
