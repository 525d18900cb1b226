"""Decodes with several drafters in turn and says what each took.

Seconds are those of this process's CPU time in the target's own calls, so that other programs do not disturb them;
run with one thread. Ratios are within one run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from galley.decoding import Decoder, DrafterConfig, Request, Result, Stats
from galley.targets.prompt import text_key

Cells = Sequence[object]


class Timed:
    """A target that adds up the CPU seconds of its calls. marked: whether it was trained on marked pages."""

    clock = staticmethod(time.process_time)

    def __init__(self, target: Any, marked: bool = False) -> None:
        self.inner, self.marked = target, marked
        self.reset()

    def reset(self) -> None:
        self.prefill_seconds = self.forward_seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        return self._timed(found) if name in ("mtp", "hidden") else found

    def prefill(self, *arguments: Any) -> Any:
        start = time.process_time()
        answer = self.inner.prefill(*arguments)
        self.prefill_seconds += time.process_time() - start
        return answer

    def forward(self, *arguments: Any) -> Any:
        return self._timed(self.inner.forward)(*arguments)

    def commit(self, *arguments: Any) -> None:
        self._timed(self.inner.commit)(*arguments)

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            start = time.process_time()
            answer = call(*arguments)
            self.forward_seconds += time.process_time() - start
            return answer

        return timed


@dataclass
class Measured:
    """What one way of decoding made of the requests.

    seconds: CPU time of the whole run. prefill: of it, reading prompts.
    """

    results: list[Result]
    seconds: float
    prefill: float
    rounds: int

    @property
    def decoding(self) -> float:
        """Seconds without the prefills: forwards, and finding drafts."""
        return max(self.seconds - self.prefill, 1e-9)

    @property
    def stats(self) -> Stats:
        total = Stats()
        for result in self.results:
            total.add(result.stats)
        return total

    @property
    def ids(self) -> list[list[int]]:
        return [result.ids for result in self.results]

    def same(self, other: Measured) -> str:
        """Texts with the ids of ``other``, as "n of m"."""
        equal = sum(a == b for a, b in zip(self.ids, other.ids, strict=True))
        return f"{equal} of {len(self.ids)}"


def decode(
    target: Any, requests: Sequence[Request], drafter: str | DrafterConfig = "ar", batch: int = 1
) -> Measured:
    """Decode the requests; what fails ends the row."""
    timed = target if isinstance(target, Timed) else Timed(target)
    timed.reset()
    decoder = Decoder(timed, drafter, max_batch=batch, key=text_key(timed))
    start = time.process_time()
    results = decoder.run(requests)
    seconds = time.process_time() - start
    for result in results:
        if result.error is not None:
            raise result.error
    return Measured(results, seconds, timed.prefill_seconds, decoder.forwards)


def similarity(text: str, truth: str) -> float:
    """Edit similarity, white space alike."""
    return float(Levenshtein.normalized_similarity(" ".join(text.split()), " ".join(truth.split())))


@dataclass
class Table:
    """A row of the papers' tables, as measured here."""

    title: str
    header: Sequence[str]
    rows: list[Cells] = field(default_factory=list)

    def markdown(self) -> str:
        lines = [self.title, "", f"| {' | '.join(self.header)} |", f"|{'---|' * len(self.header)}"]
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in self.rows]
        return "\n".join(lines)

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {"title": self.title, "header": list(self.header), "rows": [list(row) for row in self.rows]}
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
