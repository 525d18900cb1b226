"""``galley bench speed``: the whole protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from galley.errors import InputError, ModelError
from galley.evaluation.atomic_files import write_atomically
from galley.evaluation.report import Report, write
from galley.evaluation.speed.reporting import make_report
from galley.evaluation.speed.samples import Sample, find_samples, spread
from galley.evaluation.speed.setting import setting_of
from galley.evaluation.speed.times import Times, UnitTimes
from galley.evaluation.speed.timing import (
    Failed,
    differences,
    images,
    time_batch,
    time_page,
    time_taus,
    time_unit,
)
from galley.evaluation.speed.ways import Bench, Unit
from galley.parsing.options import ParseOptions


@dataclass(frozen=True)
class Settings:
    """What to measure.

    Attributes:
        data: See ``find_samples``.
        ways: Ways of decoding; all that the model can do when None.
        crops: The images are crops of blocks, not pages.
        pages: The most pages to read.
        units: The most blocks or pages to decode.
        repeats: Runs of each measurement; medians are reported.
        batches: Batch sizes of that sweep; empty leaves it out.
        taus: Acceptance thresholds of that sweep; empty leaves it out.
        say: Takes one line of progress at a time.
    """

    data: Path
    options: ParseOptions
    out: Path
    ways: Sequence[str] | None = None
    crops: bool = False
    pages: int = 20
    units: int = 64
    repeats: int = 3
    batches: Sequence[int] = (1, 4, 16)
    taus: Sequence[float] = (1.0, 0.9, 0.75, 0.5, 0.25)
    say: Callable[[str], None] = field(default=lambda _: None)


def bench(settings: Settings) -> tuple[Report, int]:
    """Measure, and write ``results.json``, ``report.md`` and ``report.html``.

    Returns:
        The report, and how many exact decodings differ from autoregressive decoding. What could not be measured
        besides is in the report's failures.

    Raises:
        GalleyError: Nothing can be measured.
    """
    samples = find_samples(settings.data, settings.options, settings.crops, settings.pages)
    subject = Bench(settings.options, settings.ways)
    times = Times(_setting(subject, settings), subject.ways, notes=list(subject.left_out))
    times.has_truth = any(sample.truth is not None for sample in samples)
    units = spread(_read_pages(subject, samples, times, settings), settings.units)
    if not units:
        reason = f": {times.failures[0]}" if times.failures else ""
        raise InputError(f"the model was asked nothing in any of the {len(samples)} samples{reason}")
    units, alone = _decode_units(subject, units, times, settings)
    if units:
        _sweep_batches(subject, units, alone, times, settings)
        _sweep_taus(subject, units, alone, times, settings)
    report = make_report(times)
    write(report, settings.out)
    write_atomically(settings.out / "results.json", json.dumps(asdict(times), indent=1, default=str) + "\n")
    return report, len(times.differences)


def _setting(subject: Bench, settings: Settings) -> dict[str, Any]:
    return {
        **setting_of(subject.reader),
        "strategy": type(subject.parser).__name__.removesuffix("Parser").lower(),
        "data": settings.data.name,
        "samples": "crops" if settings.crops else "pages",
        "repeats": settings.repeats,
        "max_tokens": settings.options.max_tokens,
        "max_page_tokens": settings.options.max_page_tokens,
    }


def _read_pages(subject: Bench, samples: Sequence[Sample], times: Times, settings: Settings) -> list[Unit]:
    """Times every page and returns what the model was asked in them. The first page is read once for warm-up."""
    units: list[Unit] = []
    warm = False
    for sample, image in images(samples, subject.options, times.failures):
        try:
            if not warm:
                time_page(subject, sample, image, 1)
                warm = True
            times.pages.append(time_page(subject, sample, image, settings.repeats))
            units += subject.units(sample.name, image, sample.label)
        except Failed as failed:
            times.failures.append(str(failed))
        settings.say(f"{len(times.pages)} of {len(samples)} {'crops' if settings.crops else 'pages'} read")
    return units


def _decode_units(
    subject: Bench, units: Sequence[Unit], times: Times, settings: Settings
) -> tuple[list[Unit], list[UnitTimes]]:
    """Times every unit at batch 1; returns those that every way could decode."""
    done = []
    for number, unit in enumerate(units, 1):
        try:
            if number == 1:
                time_unit(subject, unit, 1)
            measured = time_unit(subject, unit, settings.repeats)
        except Failed as failed:
            times.failures.append(str(failed))
            continue
        done.append(unit)
        times.units.append(measured)
        times.differences += differences(measured, subject.exact)
        if number % 10 == 0 or number == len(units):
            settings.say(f"{number} of {len(units)} units decoded at batch 1")
    return done, times.units


def _sweep_batches(
    subject: Bench, units: Sequence[Unit], alone: Sequence[UnitTimes], times: Times, settings: Settings
) -> None:
    for batch in settings.batches:
        try:
            measured = time_batch(subject, units, alone, batch, settings.repeats)
        except (Failed, ModelError) as error:
            times.failures.append(str(error))
            continue
        times.batches.append(measured)
        times.differences += [
            f"batch {batch}: {way} differs from ar at batch 1 in {count} of {len(units)} units"
            for way, count in measured.differing.items()
            if count
        ]
        settings.say(f"batch {batch} done")


def _sweep_taus(
    subject: Bench, units: Sequence[Unit], alone: Sequence[UnitTimes], times: Times, settings: Settings
) -> None:
    """With the last exact way: ``auto`` where it is measured, which takes every draft there is."""
    if not subject.exact or not settings.taus:
        return
    times.tau_way = subject.exact[-1]
    try:
        times.taus += time_taus(subject, times.tau_way, units, alone, settings.taus, settings.repeats)
    except Failed as failed:
        times.failures.append(str(failed))
    settings.say("acceptance thresholds done")
