"""Validation by decoding held-out documents with the real engine.

It gives quality against the reading, and tokens per forward.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np
from rapidfuzz.distance import Levenshtein

from galley.decoding import Decoder, Request, Result
from galley.errors import InputError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.reading import make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import Task
from galley.training.nano.compose import Composed, LineDataset, Mixture, compose
from galley.training.nano.graph import TorchForward
from galley.training.nano.model import Nano
from galley.training.rewards import reward

_LONGEST = 900
"""Characters of a held-out document: long ones take long to decode, and tell little more."""


def held_out(dataset: LineDataset, per_task: int, seed: int) -> list[Composed]:
    """``per_task`` documents of each task that fit a short answer."""
    rng = random.Random(seed)
    dataset.refresh(rng)
    chosen = []
    for mixture in (Mixture(1, 0, 0), Mixture(0, 1, 0), Mixture(0, 0, 1)):
        fitting = (compose(dataset, mixture, rng) for _ in range(100 * per_task))
        short = (document for document in fitting if len(document.target) < _LONGEST)
        found = list(islice(short, per_task))
        if len(found) < per_task:
            raise InputError(
                f"{dataset.folder}: too few held-out documents below {_LONGEST} characters; build more shards"
            )
        chosen += found
    return chosen


def drafted_text(document: Composed) -> str:
    """What the reading alone gives for a text region: its lines joined by spaces."""
    return "\n\n".join(" ".join(line.text for line in group) for group in document.groups)


def validator(
    nano: Nano, config: NanoConfig, vocabulary: Vocabulary, documents: list[Composed], plain: int = 4
) -> Callable[[], dict[str, float]]:
    """Make a function that decodes the documents with self-speculation and says how well and how fast.

    It returns, by name:

    * ``<task>``: edit similarity, 1 − distance / longer length.
    * ``<task>_tpf``: tokens per forward, those of the prompt not counted.
    * ``reward``: the mean reward of all documents.
    * ``reading``: similarity of the reading itself on text.
    * ``exact``: share of the first ``plain`` documents of each task where autoregressive decoding gives the same ids.
    """
    prompts = [NanoPrompt(make_reading(vocabulary, d.groups, d.task), d.task) for d in documents]
    limits = [len(vocabulary.encode(d.target)) + 64 for d in documents]
    by_task = {
        task: found
        for task in Task
        if (found := [i for i, document in enumerate(documents) if document.task is task])
    }

    def decode(target: NanoTarget, drafter: str, chosen: list[int]) -> list[Result]:
        decoder = Decoder(target, drafter, max_batch=1)
        results = decoder.run([Request(prompts[i], max_tokens=limits[i], confidence=False) for i in chosen])
        for result in results:
            if result.error:
                raise result.error
        return results

    def validate() -> dict[str, float]:
        target = NanoTarget(TorchForward(copy.deepcopy(nano).cpu().eval()), config, vocabulary)
        decoded = decode(target, "self-spec", list(range(len(documents))))
        written = [vocabulary.decode(result.ids) for result in decoded]
        found: dict[str, float] = {}
        for task, chosen in by_task.items():
            found[task.value] = _mean(_similarity(written[i], documents[i].target) for i in chosen)
            found[f"{task.value}_tpf"] = _mean(decoded[i].stats.tpf for i in chosen)
        found["reward"] = _mean(
            reward(document.task, text, document.target)
            for document, text in zip(documents, written, strict=True)
        )
        texts = [documents[i] for i in by_task.get(Task.TEXT, [])]
        if texts:
            found["reading"] = _mean(_similarity(drafted_text(one), one.target) for one in texts)
        compared = [i for chosen in by_task.values() for i in chosen[:plain]]
        alone = decode(target, "ar", compared)
        found["exact"] = _mean(one.ids == decoded[i].ids for i, one in zip(compared, alone, strict=True))
        return found

    return validate


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _similarity(text: str, truth: str) -> float:
    return float(Levenshtein.normalized_similarity(text, truth))
