"""What the decoding studies share: held-out documents read by several decoders in turn, and tables of the results."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from galley.decoding import Decoder, DrafterConfig, Request, Result, Stats, diffuse
from galley.runtime import set_threads
from galley.targets.nano.load import EMBEDDED, load_nano
from galley.targets.nano.reading import make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.prompt import Task
from galley.training.nano.compose import Composed, LineDataset, Mixture, compose
from galley.training.nano.run import HELD_OUT
from galley.training.nano.validate import drafted_text

MIXTURES = {Task.TEXT: Mixture(1, 0, 0), Task.TABLE: Mixture(0, 1, 0), Task.PAGE: Mixture(0, 0, 1)}
AR, SELF_SPECULATION, AUTO = "AR", "self-speculation", "auto"

Decode = Callable[[Request], Result]


@dataclass
class Tally:
    """What one decoder made of the documents."""

    ids: list[list[int]] = field(default_factory=list)
    stats: list[Stats] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    """edit similarity to the truth"""
    times: list[float] = field(default_factory=list)
    """wall time of each, in seconds, that of a prefill taken off"""

    def of(self, chosen: Sequence[int]) -> Tally:
        """Of some documents alone."""
        parts = (self.ids, self.stats, self.scores, self.times)
        return Tally(*([values[i] for i in chosen] for values in parts))

    @property
    def total(self) -> Stats:
        total = Stats()
        for one in self.stats:
            total.add(one)
        return total

    @property
    def seconds(self) -> float:
        return sum(self.times)

    @property
    def score(self) -> float:
        return float(np.mean(self.scores))

    def same_as(self, other: Tally) -> int:
        """Documents with the same ids."""
        return sum(a == b for a, b in zip(self.ids, other.ids, strict=True))


def arguments(description: str | None, documents: int) -> argparse.Namespace:
    """Options of a decoding study."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path(".build/nano"), help="folder with lines/ (held-out shards)"
    )
    parser.add_argument("--model", type=Path, default=EMBEDDED, help="folder of a galley-nano")
    parser.add_argument("--documents", type=int, default=documents, help="held-out documents of each task")
    parser.add_argument("--longest", type=int, default=1200, help="characters of a document")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def load(options: argparse.Namespace) -> tuple[NanoTarget, list[Composed]]:
    """The model, and as many held-out documents of each task as asked for."""
    set_threads(options.threads)
    return load_nano(options.model), documents(options.data, options.documents, options.longest)


def documents(data: Path, per_task: int, longest: int) -> list[Composed]:
    """``per_task`` held-out documents of each task with at most ``longest`` characters."""
    dataset, found = LineDataset(data / "lines", HELD_OUT, HELD_OUT + 999), []
    dataset.refresh(random.Random(0))
    for task, mixture in MIXTURES.items():
        rng = random.Random(f"study {task.value}")
        drawn = (compose(dataset, mixture, rng) for _ in range(200 * per_task))
        fitting = [one for one in drawn if len(one.target) <= longest]
        found += fitting[:per_task]
    return found


def speculative(target: NanoTarget, drafter: str | DrafterConfig) -> Decode:
    decoder = Decoder(target, drafter, max_batch=1)

    def decode(request: Request) -> Result:
        return decoder.run([request])[0]

    return decode


def direct(target: NanoTarget, tau: float) -> Decode:
    """Direct block diffusion, unverified."""

    def decode(request: Request) -> Result:
        return diffuse(target, request.prompt, max_tokens=request.max_tokens, tau_c=tau)

    return decode


def compare(
    target: NanoTarget, chosen: Sequence[Composed], methods: Mapping[str, Decode]
) -> dict[str, Tally]:
    """Every decoder on every document, all on one before the next, so that they meet the machine in the same
    state; the first document is read once more before, to warm up."""
    tallies = {name: Tally() for name in methods}
    _read(target, chosen[0], methods, {name: Tally() for name in methods})
    for document in chosen:
        _read(target, document, methods, tallies)
    return tallies


def _read(
    target: NanoTarget, document: Composed, methods: Mapping[str, Decode], tallies: Mapping[str, Tally]
) -> None:
    prompt = NanoPrompt(make_reading(target.vocabulary, document.groups, document.task), document.task)
    draft, limit = target.encode(drafted_text(document)), len(target.encode(document.target)) + 64
    for name, decode in methods.items():
        start = time.perf_counter()
        target.release(target.prefill([prompt])[0][0])
        middle = time.perf_counter()
        result = decode(Request(prompt, [draft], max_tokens=limit))
        end = time.perf_counter()
        if result.error is not None:
            raise result.error
        tally = tallies[name]
        tally.times.append(max((end - middle) - (middle - start), 1e-6))
        tally.ids.append(result.ids)
        tally.stats.append(result.stats)
        tally.scores.append(similarity(target.decode(result.ids), document.target))


def similarity(text: str, truth: str) -> float:
    """Edit similarity, white space alike."""
    return float(Levenshtein.normalized_similarity(" ".join(text.split()), " ".join(truth.split())))


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A Markdown table."""
    print(f"\n{title}\n\n| {' | '.join(header)} |\n|{'---|' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)
