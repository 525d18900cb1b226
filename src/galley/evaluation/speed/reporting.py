"""A run as a report: tables, plots, and what makes the figures mean less than they seem to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from galley.evaluation.plots import Bars, Lines, Plot
from galley.evaluation.report import Point, Report, Scatter, Table
from galley.evaluation.speed.times import (
    PageTimes,
    Times,
    UnitTimes,
    decode_rate,
    full_rate,
    kind_bins,
    length_bins,
    over,
    together,
)
from galley.evaluation.speed.timing import DRAFT
from galley.evaluation.speed.ways import AR

_ACCEPTED = ((0, 0), (1, 1), (2, 3), (4, 7), (8, 15), (16, 31), (32, 10**9))
_FEW = 10


def make_report(times: Times) -> Report:
    """The report of a run that measured something."""
    report = Report(f"Speed: {times.setting['model']}")
    report.intro += [
        " · ".join(f"{name} {value}" for name, value in times.setting.items()),
        "Ratios are to autoregressive decoding (ar) in this run. Medians over repeats after a warm-up; ways take "
        "turns on each item.",
    ]
    report.intro += times.notes
    report.warnings += _warnings(times)
    report.failures += times.failures
    report.tables += _tables(times)
    report.plots += _plots(times)
    return report


def _warnings(times: Times) -> list[str]:
    found = []
    if times.differences:
        found.append(f"{len(times.differences)} exact decodings differ from ar; they are listed below")
    if len(times.units) < _FEW:
        found.append(f"only {len(times.units)} units were decoded, too few to conclude from")
    cut = sum(unit.ways[AR].finish != "stop" for unit in times.units)
    if cut:
        found.append(f"{cut} of {len(times.units)} units did not end by themselves in ar decoding")
    return found


def _tables(times: Times) -> list[Table]:
    tables = [_pages(times)] if times.pages else []
    if times.units:
        tables += [
            _units("Units at batch 1", "units", {"all": times.units}, times.ways),
            _units("By content type", "type", kind_bins(times.units), times.ways),
            _units("By output length", "ar tokens", length_bins(times.units, AR), times.ways),
            _accepted(times),
        ]
    tables += [_batches(times)] if times.batches else []
    tables += [_taus(times)] if times.taus else []
    if times.differences:
        tables.append(Table("Differences from ar", ["what"], [[line] for line in times.differences]))
    return tables


def _pages(times: Times) -> Table:
    rows = []
    for way in (DRAFT, *times.ways):
        rate = _pages_per_second(times.pages, way)
        same = sum(page.same[way] for page in times.pages)
        rows.append(
            [
                way,
                rate,
                over(rate, _pages_per_second(times.pages, AR)),
                fmean(page.quality[way] for page in times.pages),
                f"{same} of {len(times.pages)}",
            ]
        )
    likeness = "likeness to truth" if times.has_truth else "likeness to ar"
    note = "Pages one at a time, drafting included; likeness is edit similarity of normalised text, 0 to 1."
    if times.has_truth:
        note += " Pages without a truth are compared with ar."
    return Table("Pages", ["way", "pages/s", "× ar", likeness, "text as ar's"], rows, note)


def _units(title: str, bin_name: str, bins: Mapping[str, Sequence[UnitTimes]], ways: Sequence[str]) -> Table:
    head = [bin_name, "way", "units", "tokens", "decode tok/s", "× ar", "end-to-end tok/s", "× ar"]
    head += ["tokens/forward", "AAL", "accepted/verify", "ids as ar's"]
    rows = []
    for name, units in bins.items():
        for way in ways:
            stats = together(units, way)
            decode, full = decode_rate(units, way), full_rate(units, way)
            same = sum(list(unit.ways[way].ids) == list(unit.ways[AR].ids) for unit in units)
            rows.append(
                [
                    name,
                    way,
                    len(units),
                    stats.tokens,
                    decode,
                    over(decode, decode_rate(units, AR)),
                    full,
                    over(full, full_rate(units, AR)),
                    stats.tpf,
                    stats.aal,
                    stats.mean_accepted,
                    f"{same} of {len(units)}",
                ]
            )
    note = (
        "Tokens per forward leave the prefill and its token out; AAL is tokens per verifying forward. "
        "End to end includes the prefill."
        if bin_name == "units"
        else ""
    )
    return Table(title, head, rows, note)


def _accepted(times: Times) -> Table:
    names = [_range(low, high) for low, high in _ACCEPTED]
    rows: list[list[object]] = []
    for way in times.ways:
        lengths = together(times.units, way).accepted
        if lengths:
            rows.append([way, len(lengths), *_shares(lengths)])
    return Table(
        "Accepted lengths",
        ["way", "verifications", *names],
        rows,
        "Share of verifications that accepted so many drafted tokens.",
    )


def _batches(times: Times) -> Table:
    rows = []
    for measured in times.batches:
        rates = {way: measured.tokens[way] / measured.seconds[way] for way in measured.seconds}
        for way, rate in rates.items():
            rows.append([measured.batch, way, rate, rate / rates[AR], measured.differing[way]])
    head = ["batch", "way", "tok/s", "× ar", "units differing from ar at batch 1"]
    return Table("Batches", head, rows, "All units, so many at a time, prefills included.")


def _taus(times: Times) -> Table:
    rows = [[t.tau, t.tokens / t.seconds, t.ratio, t.tpf, t.aal, t.likeness] for t in times.taus]
    head = ["tau", "end-to-end tok/s", "× ar", "tokens/forward", "AAL", "likeness to ar"]
    return Table(f"Acceptance threshold ({times.tau_way})", head, rows, "tau 1 is exact.")


def _plots(times: Times) -> list[Plot]:
    plots: list[Plot] = []
    if times.pages:
        named = "likeness to truth" if times.has_truth else "likeness to ar"
        points = [
            Point(way, rate, fmean(page.quality[way] for page in times.pages))
            for way in (DRAFT, *times.ways)
            if (rate := _pages_per_second(times.pages, way))
        ]
        plots.append(Scatter("Quality against pages/s", "pages/s", named, points))
    if times.units:
        kinds, lengths = kind_bins(times.units), length_bins(times.units, AR)
        tpf = {way: [together(units, way).tpf for units in kinds.values()] for way in times.ways}
        plots.append(Bars("Tokens per forward by type", "", "tokens/forward", list(kinds), tpf))
        others = [way for way in times.ways if way != AR]
        ups = {
            way: [over(decode_rate(u, way), decode_rate(u, AR)) for u in lengths.values()] for way in others
        }
        plots.append(Bars("Decode speed-up by output length", "ar tokens", "× ar", list(lengths), ups))
        shares = {way: _shares(together(times.units, way).accepted) for way in others}
        names = [_range(low, high) for low, high in _ACCEPTED]
        plots.append(Bars("Accepted drafted tokens", "tokens", "share of verifications", names, shares))
    if times.batches:
        series = {
            way: [
                (b.batch, b.tokens[way] / b.seconds[way] * b.seconds[AR] / b.tokens[AR])
                for b in times.batches
            ]
            for way in times.batches[0].seconds
        }
        plots.append(Lines("Speed-up by batch", "batch", "× ar at the same batch", series))
    if times.taus:
        speed = [(t.tau, t.ratio or 0.0) for t in times.taus]
        alike = [(t.tau, t.likeness) for t in times.taus]
        sweep = {"× ar, end to end": speed, "likeness to ar": alike}
        plots.append(Lines(f"Acceptance threshold ({times.tau_way})", "tau", "", sweep))
    return plots


def _pages_per_second(pages: Sequence[PageTimes], way: str) -> float | None:
    seconds = sum(page.seconds[way] for page in pages)
    return len(pages) / seconds if seconds > 0 else None


def _shares(lengths: Sequence[int]) -> list[float | None]:
    if not lengths:
        return [None] * len(_ACCEPTED)
    return [sum(low <= length <= high for length in lengths) / len(lengths) for low, high in _ACCEPTED]


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}+" if high == 10**9 else f"{low}–{high}"
