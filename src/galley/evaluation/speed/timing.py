"""Timing: warm-up first, then the ways of decoding in turn on each item, medians over repeats.

Taking turns item by item gives every way the same share of the machine's better and worse moments.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import TypeVar

from galley.decoding import Exact, Finish, Result, Stats, Threshold
from galley.document import Document, Page
from galley.errors import GalleyError, one_line
from galley.evaluation.predict import benchmark_markdown
from galley.evaluation.speed.samples import Sample
from galley.evaluation.speed.times import BatchTimes, Decoded, PageTimes, TauTimes, UnitTimes
from galley.evaluation.speed.ways import AR, Bench, Unit
from galley.evaluation.text_metrics import character_similarity
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.targets.prompt import Runner

DRAFT = "draft"
"""The row of pages that no model reads."""

Value = TypeVar("Value")


class Failed(Exception):
    """A measurement that cannot be used; ``str`` says why."""


def images(
    samples: Sequence[Sample], options: ParseOptions, failures: list[str]
) -> Iterator[tuple[Sample, PageImage]]:
    """Samples with their images, one at a time; those that cannot be read are listed."""
    for sample in samples:
        try:
            yield sample, sample.read(options)
        except GalleyError as error:
            failures.append(f"{sample.name}: {error}")


def time_page(bench: Bench, sample: Sample, image: PageImage, repeats: int) -> PageTimes:
    """One page read without the model and each way.

    Raises:
        Failed: A way could not read it.
    """
    taken: dict[str, list[float]] = {}
    texts: dict[str, str] = {}
    for _ in range(repeats):
        for way in (DRAFT, *bench.ways):
            page, seconds = _timed(lambda way=way: _read(bench, way, sample, image))  # type: ignore[misc]
            if page.failures:
                raise Failed(f"{sample.name}, {way}: {page.failures[0]}")
            taken.setdefault(way, []).append(seconds)
            texts[way] = benchmark_markdown(Document(pages=[page]))
    truth = texts[AR] if sample.truth is None else sample.truth
    return PageTimes(
        sample.name,
        {way: median(values) for way, values in taken.items()},
        {way: character_similarity(text, truth) for way, text in texts.items()},
        {way: text == texts[AR] for way, text in texts.items()},
    )


def _read(bench: Bench, way: str, sample: Sample, image: PageImage) -> Page:
    try:
        if way == DRAFT:
            return bench.drafted(image, sample.label)
        return bench.read(way, image, sample.label)
    except GalleyError:
        raise
    except Exception as error:  # one page must not end the run
        raise Failed(f"{sample.name}, {way}: {type(error).__name__}: {one_line(error)}") from error


def time_unit(bench: Bench, unit: Unit, repeats: int) -> UnitTimes:
    """One unit at batch 1, each way.

    Raises:
        Failed: A way could not decode it.
    """
    runs: dict[str, list[tuple[Result, float]]] = {way: [] for way in bench.ways}
    for _ in range(repeats):
        for way in bench.ways:
            runs[way].append(_decode_alone(bench.runners[way], unit, way))
    return UnitTimes(unit.name, unit.kind, {way: _decoded(bench, of) for way, of in runs.items()})


def _decode_alone(runner: Runner, unit: Unit, way: str) -> tuple[Result, float]:
    [result], seconds = _timed(lambda: runner.run([unit.request]))
    if result.finish is Finish.ERROR:
        raise Failed(f"{unit.name}, {way}: {one_line(result.error) if result.error else 'failed'}")
    return result, seconds


def _decoded(bench: Bench, runs: Sequence[tuple[Result, float]]) -> Decoded:
    last = runs[-1][0]
    spent = [result.stats.seconds.total - result.stats.seconds.prefill for result, _ in runs]
    known = all(result.stats.seconds.total > 0 for result, _ in runs)
    return Decoded(
        median(seconds for _, seconds in runs),
        median(spent) if known else None,
        last.stats,
        last.ids,
        bench.reader.decode(last.ids),
        last.finish.value,
    )


def differences(unit: UnitTimes, exact: Sequence[str]) -> list[str]:
    """Exact ways that wrote other ids than AR, and where."""
    found = []
    expected = list(unit.ways[AR].ids)
    for way in exact:
        ids = list(unit.ways[way].ids)
        if ids != expected:
            place = next((i for i, (a, b) in enumerate(zip(ids, expected, strict=False)) if a != b), None)
            where = (
                f"at token {place}" if place is not None else f"in length: {len(ids)}, not {len(expected)}"
            )
            found.append(f"{unit.name}: {way} differs from ar {where}")
    return found


def time_batch(
    bench: Bench, units: Sequence[Unit], alone: Sequence[UnitTimes], batch: int, repeats: int
) -> BatchTimes:
    """All units, ``batch`` at a time, each way that decodes batches.

    Args:
        bench: The model with its ways of decoding.
        units: What it is asked to read.
        alone: The same units at batch 1.
        batch: Units in a batch.
        repeats: Runs of each measurement.
    """
    runners = {way: bench.runner(way, batch) for way in (AR, *bench.exact)}
    for runner in runners.values():
        runner.run([units[0].request])  # warm-up: measures its costs
    taken: dict[str, list[float]] = {way: [] for way in runners}
    results: dict[str, list[Result]] = {}
    for _ in range(repeats):
        for way, runner in runners.items():
            results[way], seconds = _timed(lambda r=runner: r.run([u.request for u in units]))  # type: ignore[misc]
            taken[way].append(seconds)
    for way, of in results.items():
        if failed := next((result for result in of if result.error is not None), None):
            raise Failed(f"batch {batch}, {way}: {one_line(failed.error or Exception())}")
    differing = {
        way: sum(list(r.ids) != list(u.ways[AR].ids) for r, u in zip(of, alone, strict=True))
        for way, of in results.items()
    }
    return BatchTimes(
        batch,
        {way: median(values) for way, values in taken.items()},
        {way: sum(result.stats.tokens for result in of) for way, of in results.items()},
        differing,
    )


def time_taus(
    bench: Bench,
    way: str,
    units: Sequence[Unit],
    alone: Sequence[UnitTimes],
    taus: Sequence[float],
    repeats: int,
) -> list[TauTimes]:
    """All units one by one, accepting drafted tokens down to each ``tau`` (HSD, section 3), in turn with AR."""
    exact_seconds = 0.0
    sums = {tau: _TauSum() for tau in taus}
    for unit, exact in zip(units, alone, strict=True):
        taken: dict[float | str, list[float]] = {}
        last: dict[float, Result] = {}
        for _ in range(repeats):
            taken.setdefault(AR, []).append(_decode_alone(bench.runners[AR], unit, AR)[1])
            for tau in taus:
                request = replace(unit.request, acceptance=Exact() if tau == 1 else Threshold(tau))
                lenient = replace(unit, request=request)
                last[tau], seconds = _decode_alone(bench.runners[way], lenient, f"{way} at tau {tau:g}")
                taken.setdefault(tau, []).append(seconds)
        exact_seconds += median(taken[AR])
        for tau, result in last.items():
            text = bench.reader.decode(result.ids)
            sums[tau].add(median(taken[tau]), result.stats, character_similarity(text, exact.ways[AR].text))
    exact_tokens = sum(unit.ways[AR].stats.tokens for unit in alone)
    return [
        TauTimes(
            tau,
            found.seconds,
            found.stats.tokens,
            found.stats.tpf,
            found.stats.aal,
            fmean(found.likeness),
            exact_seconds,
            exact_tokens,
        )
        for tau, found in sums.items()
    ]


@dataclass
class _TauSum:
    seconds: float = 0.0
    stats: Stats = field(default_factory=Stats)
    likeness: list[float] = field(default_factory=list)

    def add(self, seconds: float, stats: Stats, likeness: float) -> None:
        self.seconds += seconds
        self.stats.add(stats)
        self.likeness.append(likeness)


def _timed(call: Callable[[], Value]) -> tuple[Value, float]:
    start = time.perf_counter()
    value = call()
    return value, time.perf_counter() - start
