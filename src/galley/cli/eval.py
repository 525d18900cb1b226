"""``galley eval`` and ``galley bench``: benchmarks by name, comparisons on this machine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from galley.cli.outputs import make_folder
from galley.cli.speed import speed_command
from galley.errors import ModelError, UsageError
from galley.evaluation.benchmarks import BENCHMARKS

bench_app = typer.Typer(name="bench", help="Compare systems on this machine.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help=f"The benchmark: {', '.join(BENCHMARKS)}.")]
Data = Annotated[Path, typer.Option("--data", help="Folder or file of the benchmark.", exists=True)]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for predictions, scores and reports.")]
Pred = Annotated[
    list[Path] | None,
    typer.Option("--pred", help="Predictions to score; without any Galley makes them. Repeat to compare."),
]
Strategy = Annotated[
    list[str] | None, typer.Option(help="How Galley reads, as for parse. Repeat to compare.")
]


def eval_command(
    name: Name,
    data: Data,
    out: Out = Path("eval"),
    pred: Pred = None,
    strategy: Strategy = None,
    model: Annotated[str | None, typer.Option(help="The model Galley reads with, as for parse.")] = None,
    family: Annotated[str | None, typer.Option(help="Prompts of a served model, as for parse.")] = None,
    ocr: Annotated[str, typer.Option(help="auto, always, never, as for parse.")] = "auto",
    jobs: Annotated[int, typer.Option(min=1, help="Pages predicted at a time.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that score; all cores unless given.")
    ] = None,
    cdm: Annotated[
        bool, typer.Option("--cdm/--no-cdm", help="Draw formulas with TeX and compare them.")
    ] = True,
    leave_out_missing: Annotated[
        bool, typer.Option(help="Leave out what has no prediction, instead of scoring it as empty.")
    ] = False,
    item_seconds: Annotated[
        float, typer.Option(min=1, help="Most seconds one page or sample may take to score.")
    ] = 120,
) -> None:
    """Predict, score and report a benchmark; exits with 1 when anything failed, after listing it."""
    _require_packages()
    from galley.evaluation.harness import compare, run
    from galley.evaluation.predict import Predictor
    from galley.evaluation.report import to_markdown
    from galley.evaluation.settings import Settings
    from galley.parsing.options import make_options
    from galley.runtime import cores

    def settings(pred: Path | None, strategy: str) -> Settings:
        named = None if strategy == "draft" else model
        options = make_options(strategy=strategy, model=named, family=family, ocr=ocr)
        return Settings(
            data=data,
            out=out,
            predictor=Predictor(options, jobs),
            pred=pred,
            workers=workers or cores(),
            cdm=cdm,
            leave_out_missing=leave_out_missing,
            item_seconds=item_seconds,
            say=lambda line: typer.echo(line, err=True),
        )

    make_folder(out)
    chosen = strategy or ([] if pred else ["auto"])
    runs = {path.resolve().name: settings(path, "auto") for path in pred or ()}
    runs |= {strategy: settings(None, strategy) for strategy in chosen}
    if len(runs) < len(pred or ()) + len(chosen):
        raise UsageError("two runs have the same name; give folders of predictions different names")
    report = run(name, next(iter(runs.values()))) if len(runs) == 1 else compare(name, runs, out)
    typer.echo(to_markdown(report))
    if report.failures:
        typer.echo(f"{len(report.failures)} failures, listed in {out / 'report.md'}", err=True)
        raise typer.Exit(1)


def _require_packages() -> None:
    needed = (
        "apted",
        "bs4",
        "fuzzysearch",
        "jinja2",
        "lxml",
        "matplotlib",
        "pebble",
        "pylatexenc",
        "rapidfuzz",
    )
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise ModelError(f"scoring needs pip install 'galley-ocr[eval]' ({', '.join(missing)} missing)")


@bench_app.callback()
def _bench() -> None:
    """Compare systems on this machine."""


bench_app.command("speed")(speed_command)


@bench_app.command()
def realset(
    data: Data,
    out: Out = Path("bench-realset"),
    systems: Annotated[
        str, typer.Option(help="Comma-separated systems.")
    ] = "galley,galley-pdf,rapidocr,tesseract",
    tasks: Annotated[
        str, typer.Option(help="Comma-separated: page, line, table, formula.")
    ] = "page,line,table,formula",
    every: Annotated[int, typer.Option(min=1, help="Take each N-th sample only.")] = 1,
    only: Annotated[str, typer.Option(help="Only samples whose id or kind contains this.")] = "",
    threads: Annotated[int, typer.Option(min=1, help="Threads of each system.")] = 1,
    limit_seconds: Annotated[float, typer.Option(min=1, help="Most seconds one sample may take.")] = 300,
) -> None:
    """Galley, RapidOCR and Tesseract on real pages with truth: accuracy, pages/s and peak memory."""
    from galley.evaluation.realset import Sample, bench

    wanted = set(tasks.split(","))
    if not wanted <= {"page", "line", "table", "formula"}:
        raise UsageError(f"--tasks {tasks}: there are page, line, table and formula")

    def keep(sample: Sample) -> bool:
        return sample.task in wanted and only in f"{sample.id} {sample.kind}"

    make_folder(out)
    bench(data, out, systems.split(","), keep, every, threads, limit_seconds, typer.echo)
