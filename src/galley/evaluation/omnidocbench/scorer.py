"""The OmniDocBench run: read, score in parallel, report what was missing or failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from galley.errors import InputError
from galley.evaluation.omnidocbench.page_scores import PageScores, Sample, score_page
from galley.evaluation.omnidocbench.summary import Summary, summarise
from galley.evaluation.omnidocbench.truth import PageTruth, load
from galley.evaluation.parallel import map_limited

Say = Callable[[str], None]


@dataclass
class Evaluation:
    """Everything that a run found.

    Attributes:
        problems: Each page or formula that was not scored in the normal way, and why.
    """

    pages: list[PageScores]
    truths: list[PageTruth]
    summary: Summary
    missing: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Job:
    page: PageTruth
    markdown: str
    simple: bool = False


def evaluate(
    data: Path,
    predictions: Path,
    *,
    cdm: Callable[[list[Sample]], list[str]] | None,
    workers: int,
    page_seconds: float = 120.0,
    leave_out_missing: bool = False,
    say: Say = lambda _: None,
) -> Evaluation:
    """Scores the Markdown files in ``predictions`` against the annotation file ``data``.

    A page without a prediction is scored as empty, unless ``leave_out_missing``, which is what the official
    scorer does. A page over ``page_seconds`` is matched whole block by whole block; if that takes as long
    too, it is scored as empty. ``cdm`` adds the metric ``CDM`` to formula samples and returns problems;
    ``None`` leaves it out.
    """
    truths = load(data)
    found = {truth.image: prediction_file(predictions, truth.image) for truth in truths}
    missing = [image for image, path in found.items() if path is None]
    if len(missing) == len(truths):
        raise InputError(
            f"no prediction for any page of {data.name} in {predictions}; they are <image name>.md"
        )
    if leave_out_missing:
        truths = [truth for truth in truths if found[truth.image]]
    jobs = [_Job(truth, _read(found[truth.image])) for truth in truths]
    pages, problems = _score(jobs, workers, page_seconds, say)
    if cdm is not None:
        problems += cdm([sample for page in pages for sample in page.formulas])
    summary = summarise(pages, {truth.image: truth.attributes for truth in truths})
    return Evaluation(pages, truths, summary, missing, problems)


def prediction_file(folder: Path, image: str) -> Path | None:
    """The page's Markdown under any of the names the official scorer knows; ``None`` when there is none."""
    stem = image.rsplit(".", 1)[0]
    names = (f"{stem}.md", f"{stem.replace('.pdf', '')}.mmd", f"{stem.replace('.pdf', '')}.md", f"{image}.md")
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _read(path: Path | None) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path else ""


def _score(jobs: list[_Job], workers: int, seconds: float, say: Say) -> tuple[list[PageScores], list[str]]:
    def progress(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            say(f"scored {done} of {total} pages")

    problems: list[str] = []
    outcomes = map_limited(_score_job, jobs, workers=workers, seconds=seconds, progress=progress)
    again = [index for index, outcome in enumerate(outcomes) if outcome.value is None]
    simple = [_Job(jobs[index].page, jobs[index].markdown, simple=True) for index in again]
    pages = [outcome.value for outcome in outcomes]
    for index, outcome in zip(
        again, map_limited(_score_job, simple, workers=workers, seconds=seconds), strict=True
    ):
        image, why = jobs[index].page.image, outcomes[index].problem
        if outcome.value is None:
            problems.append(f"{image}: scored as empty: {why}; then {outcome.problem}")
            pages[index] = score_page(jobs[index].page, "")
        else:
            problems.append(f"{image}: matched whole block by whole block: {why}")
            pages[index] = outcome.value
    return [page for page in pages if page is not None], problems


def _score_job(job: _Job) -> PageScores:
    return score_page(job.page, job.markdown, simple=job.simple)
