"""Validation by decoding held-out documents with the real engine: quality against the reading, and tokens per
forward."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
from rapidfuzz.distance import Levenshtein

from galley.decoding import Decoder, Request
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.reading import make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import Task
from galley.training.nano.compose import Bank, Composed, Mixture, compose
from galley.training.nano.graph import TorchForward
from galley.training.nano.model import Nano


def held_out(bank: Bank, per_task: int, seed: int) -> list[Composed]:
    """``per_task`` documents of each task that fit a short answer."""
    rng = random.Random(seed)
    bank.refresh(rng)
    chosen = []
    for mixture in (Mixture(1, 0, 0), Mixture(0, 1, 0), Mixture(0, 0, 1)):
        fitting = (compose(bank, mixture, rng) for _ in range(100 * per_task))
        short = (document for document in fitting if len(document.target) < 900)
        chosen += [next(short) for _ in range(per_task)]
    return chosen


def drafted_text(document: Composed) -> str:
    """What the reading alone gives for a text region: its lines joined by spaces."""
    return "\n\n".join(" ".join(line.text for line in group) for group in document.groups)


def validator(
    nano: Nano, config: NanoConfig, vocabulary: Vocabulary, documents: list[Composed]
) -> Callable[[], dict[str, float]]:
    """A function that decodes the documents with self-speculation and says how well and how fast.

    ``<task>``: edit similarity, 1 − distance / longer length. ``<task>_tpf``: tokens per forward.
    ``reading``: similarity of the reading itself on text. ``exact``: share of text documents where plain
    decoding gives the same ids.
    """
    prompts = [NanoPrompt(make_reading(vocabulary, d.groups, d.task), d.task) for d in documents]
    limits = [len(vocabulary.encode(d.target)) + 64 for d in documents]

    def decode(target: NanoTarget, proposer: str, chosen: list[int]) -> list[tuple[list[int], float]]:
        decoder = Decoder(target, proposer, max_batch=1)
        results = decoder.run([Request(prompts[i], max_tokens=limits[i], confidence=False) for i in chosen])
        for result in results:
            if result.error:
                raise result.error
        return [(result.ids, result.stats.tpf) for result in results]

    def validate() -> dict[str, float]:
        nano.eval()
        target = NanoTarget(TorchForward(nano), config, vocabulary)
        decoded = decode(target, "block_diffusion", list(range(len(documents))))
        found: dict[str, float] = {}
        for task in Task:
            of_task = [i for i, document in enumerate(documents) if document.task is task]
            if not of_task:
                continue
            similarity = [_similarity(vocabulary.decode(decoded[i][0]), documents[i].target) for i in of_task]
            found[task.value] = float(np.mean(similarity))
            found[f"{task.value}_tpf"] = float(np.mean([decoded[i][1] for i in of_task]))
        texts = [i for i, document in enumerate(documents) if document.task is Task.TEXT]
        found["reading"] = float(
            np.mean([_similarity(drafted_text(documents[i]), documents[i].target) for i in texts])
        )
        plain = decode(target, "none", texts[:4])
        found["exact"] = float(
            np.mean([ids == decoded[i][0] for i, (ids, _) in zip(texts, plain, strict=False)])
        )
        nano.train()
        return found

    return validate


def _similarity(text: str, truth: str) -> float:
    return float(Levenshtein.normalized_similarity(text, truth))
