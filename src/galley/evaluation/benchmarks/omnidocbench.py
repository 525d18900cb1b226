"""``galley eval omnidocbench``: the benchmark's table, official result files and a report."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from galley.errors import InputError
from galley.evaluation.cdm import require_renderer
from galley.evaluation.cdm.batch import cdm_batch
from galley.evaluation.omnidocbench.files import write_results
from galley.evaluation.omnidocbench.page_scores import PageScores, Sample, mean_metric
from galley.evaluation.omnidocbench.scorer import Evaluation, evaluate, prediction_file
from galley.evaluation.omnidocbench.summary import Summary
from galley.evaluation.omnidocbench.truth import FORMULA, load
from galley.evaluation.predict import Task
from galley.evaluation.report import Case, Headline, Histogram, Report, Table
from galley.evaluation.settings import Settings

_COLUMNS = (
    ("Text Edit ↓", "text_block", "Edit_dist"),
    ("Formula CDM ↑", "display_formula", "CDM"),
    ("Table TEDS ↑", "table", "TEDS"),
    ("Table TEDS-S ↑", "table", "TEDS_structure_only"),
    ("Reading order Edit ↓", "reading_order", "Edit_dist"),
    ("Formula Edit ↓", "display_formula", "Edit_dist"),
    ("Table Edit ↓", "table", "Edit_dist"),
)
_WORST = 12


def benchmark(settings: Settings) -> Report:
    """Scores with the rules of v1.5, which v1.6 keeps."""
    data = _annotations(settings.data)
    if settings.cdm:
        require_renderer()  # before the hours of prediction, not after
    folder, failed = settings.predictions(lambda target: _tasks(data, target))
    undrawn: list[str] = []
    evaluation = evaluate(
        data,
        folder,
        cdm=(lambda samples: _add_cdm(samples, settings, undrawn)) if settings.cdm else None,
        workers=settings.workers,
        page_seconds=settings.item_seconds,
        leave_out_missing=settings.leave_out_missing,
        say=settings.say,
    )
    write_results(settings.out, folder.resolve().name, evaluation.pages, evaluation.summary)
    return _report(evaluation, data, folder, failed, undrawn, settings)


def _annotations(data: Path) -> Path:
    """The annotation file: ``data`` itself or the only JSON file in it."""
    if data.is_file():
        return data
    found = sorted(data.glob("*.json"))
    if len(found) != 1:
        raise InputError(f"{data} holds {len(found)} JSON files; name the annotation file itself")
    return found[0]


def _tasks(data: Path, target: Path) -> list[Task]:
    tasks = []
    for page in load(data):
        image = _image(data, page.image)
        if image is None:
            raise InputError(
                f"the image {page.image} is neither in {data.parent / 'images'} nor beside {data.name}"
            )
        tasks.append(Task(image, target / f"{page.stem}.md"))
    return tasks


def _image(data: Path, name: str) -> Path | None:
    return next((f for f in (data.parent / "images" / name, data.parent / name) if f.is_file()), None)


def _add_cdm(samples: list[Sample], settings: Settings, undrawn: list[str]) -> list[str]:
    """Adds ``CDM``; predictions TeX cannot draw go to ``undrawn``, failures of truth or TeX are returned."""
    pairs = [(sample.match.predicted, sample.match.true) for sample in samples]
    batch = cdm_batch(pairs, settings.out / "cdm-cache", workers=settings.workers, say=settings.say)
    for sample, f1 in zip(samples, batch.f1, strict=True):
        sample.metric["CDM"] = f1
    undrawn += batch.undrawn
    return batch.problems


def _report(
    evaluation: Evaluation,
    data: Path,
    folder: Path,
    failed: list[str],
    undrawn: list[str],
    settings: Settings,
) -> Report:
    summary = evaluation.summary
    report = Report(f"OmniDocBench: {folder.resolve().name}")
    report.intro.append(f"{len(evaluation.pages)} pages of {data.name}, scored with the rules of v1.5.")
    report.warnings += _warnings(evaluation, undrawn, settings)
    report.failures += _failures(evaluation, failed, settings)
    names = ["Overall ↑"] + [column[0] for column in _COLUMNS]
    row = _row(summary, "ALL")
    report.tables.append(Table("Result", names, [row], "Means over pages; Overall is 0 to 100."))
    report.headline = Headline(names, row, *_score(summary))
    rows = [[label, summary.page_counts[label], *_row(summary, label)] for label in summary.by_attribute]
    report.tables.append(Table("By page attribute", ["attribute", "pages", *names], rows))
    if undrawn:
        report.tables.append(Table("Formulas TeX cannot draw", ["what"], [[problem] for problem in undrawn]))
    pages = evaluation.pages
    report.plots += [
        Histogram(
            "Text, 1 − edit distance", [1 - s.metric["Edit_dist"] for p in pages for s in p.text if s.metric]
        ),
        Histogram("Tables, TEDS", [s.metric["TEDS"] for p in pages for s in p.tables]),
        Histogram("Formulas, CDM", [s.metric["CDM"] for p in pages for s in p.formulas if "CDM" in s.metric]),
    ]
    report.cases += _worst(evaluation, data, folder)
    return report


def _warnings(evaluation: Evaluation, undrawn: list[str], settings: Settings) -> list[str]:
    warnings = []
    if evaluation.missing:
        how = "left out" if settings.leave_out_missing else "scored as empty"
        named = ", ".join(evaluation.missing[:5]) + (" …" if len(evaluation.missing) > 5 else "")
        warnings.append(f"{len(evaluation.missing)} pages have no prediction and are {how}: {named}")
    if undrawn:
        warnings.append(
            f"{len(undrawn)} predicted formulas cannot be drawn and score 0; they are listed below"
        )
    as_text = sum(sample.match.true_category == FORMULA for page in evaluation.pages for sample in page.text)
    if as_text:
        warnings.append(f"{as_text} true formulas were read as text and count there, not as formulas")
    if not settings.cdm:
        warnings.append("CDM was left out, so there is no Overall")
    elif evaluation.summary.value("display_formula", "CDM") is None:
        warnings.append(
            "no formula was matched with one read as a formula, so there is no CDM and no Overall"
        )
    return warnings


def _failures(evaluation: Evaluation, failed: list[str], settings: Settings) -> list[str]:
    counted = () if settings.leave_out_missing else evaluation.missing
    named = [f"not predicted: {problem}" for problem in failed]
    if not failed:  # else the same pages are listed with the reason
        named += [f"no prediction, scored as empty: {image}" for image in counted]
    return named + evaluation.problems


def _row(summary: Summary, label: str) -> list[object]:
    overall = summary.overall(label)
    values: list[object] = [summary.value(element, metric, label) for _, element, metric in _COLUMNS]
    return [None if overall is None else f"{overall:.2f}", *values]


def _score(summary: Summary) -> tuple[str, float | None]:
    """Overall; without CDM the text's share of it."""
    overall, text = summary.overall(), summary.value("text_block", "Edit_dist")
    if overall is not None or text is None:
        return "Overall", overall
    return "100 · (1 − text edit)", 100 * (1 - text)


def _worst(evaluation: Evaluation, data: Path, folder: Path) -> list[Case]:
    """The pages with the lowest mean of text, table and formula scores."""
    truths = {truth.image: truth for truth in evaluation.truths}
    scored = [(score, page) for page in evaluation.pages if (score := _page_score(page)) is not None]
    cases = []
    for score, page in sorted(scored, key=lambda item: item[0])[:_WORST]:
        truth = truths[page.image]
        path = prediction_file(folder, page.image)
        output = path.read_text(encoding="utf-8", errors="replace") if path else ""
        text = "\n\n".join(block.content for block in truth.blocks + truth.tables)
        cases.append(Case(page.image, f"{score:.3f}", text, output, _image(data, page.image)))
    return cases


def _page_score(page: PageScores) -> float | None:
    edits = [1 - s.metric["Edit_dist"] for s in page.text if "Edit_dist" in s.metric]
    parts = [
        fmean(edits) if edits else None,
        mean_metric(page.tables, "TEDS"),
        mean_metric(page.formulas, "CDM"),
    ]
    known = [part for part in parts if part is not None]
    return fmean(known) if known else None
