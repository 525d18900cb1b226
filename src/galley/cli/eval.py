"""``galley eval`` and ``galley bench``: benchmarks by name, comparisons on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

bench_app = typer.Typer(name="bench", help="Compare systems on this machine.", no_args_is_help=True)

Data = Annotated[Path, typer.Option("--data", help="Folder (or file) of the benchmark.", exists=True)]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for predictions, scores and reports.")]


@bench_app.callback()
def _bench() -> None:
    """Compare systems on this machine."""


@bench_app.command()
def realset(
    data: Data,
    out: Out = Path("bench-realset"),
    systems: Annotated[
        str, typer.Option(help="Comma-separated systems.")
    ] = "galley,galley-pdf,rapidocr,tesseract",
    tasks: Annotated[str, typer.Option(help="Comma-separated: page, line, table.")] = "page,line,table",
    every: Annotated[int, typer.Option(min=1, help="Take each N-th sample only.")] = 1,
    only: Annotated[str, typer.Option(help="Only samples whose id or kind contains this.")] = "",
    threads: Annotated[int, typer.Option(min=1, help="Threads of each system.")] = 1,
    limit_seconds: Annotated[float, typer.Option(min=1, help="Most seconds one sample may take.")] = 300,
) -> None:
    """Galley, RapidOCR and Tesseract on real pages with truth: accuracy, pages/s and peak memory."""
    from galley.errors import UsageError
    from galley.evaluation.realset import bench

    wanted = set(tasks.split(","))
    if not wanted <= {"page", "line", "table"}:
        raise UsageError(f"--tasks {tasks}: know page, line and table")
    bench(
        data,
        out,
        systems.split(","),
        lambda s: s.task in wanted and only in s.id + s.kind,
        every,
        threads,
        limit_seconds,
        typer.echo,
    )
