"""``galley bench speed``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from galley.cli.outputs import make_folder
from galley.errors import ModelError, UsageError

Number = TypeVar("Number", int, float)


def speed_command(
    data: Annotated[
        Path, typer.Option(help="Folder of images or PDFs, or an OmniDocBench annotation file.", exists=True)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report.")] = Path("bench-speed"),
    model: Annotated[
        str | None, typer.Option(help="A checkpoint, as for parse; the embedded model unless given.")
    ] = None,
    strategy: Annotated[str | None, typer.Option(help="regions, page, hierarchical, as for parse.")] = None,
    decode: Annotated[
        str | None,
        typer.Option(help="Comma-separated ways to compare with ar; all that the model can unless given."),
    ] = None,
    crops: Annotated[
        bool, typer.Option("--crops", help="Images are blocks, in folders named text, table, formula.")
    ] = False,
    ocr: Annotated[str, typer.Option(help="auto, always, never, as for parse.")] = "auto",
    pages: Annotated[int, typer.Option(min=1, help="Most pages (or crops), evenly spread.")] = 20,
    units: Annotated[int, typer.Option(min=1, help="Most blocks or pages decoded by themselves.")] = 64,
    repeats: Annotated[int, typer.Option(min=1, help="Measurements of which the median counts.")] = 3,
    batches: Annotated[str, typer.Option(help="Comma-separated batch sizes; empty: no sweep.")] = "1,4,16",
    taus: Annotated[
        str, typer.Option(help="Comma-separated acceptance thresholds; empty: no sweep.")
    ] = "1,0.9,0.75,0.5,0.25",
    block_size: Annotated[int | None, typer.Option(min=1, help="Masks per block of self-spec.")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most tokens of a block.")] = 4096,
    max_page_tokens: Annotated[int, typer.Option(min=1, help="Most tokens of a page.")] = 16384,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, as for parse.")] = None,
    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16, float16.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; all cores unless given.")] = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with the model.")
    ] = False,
) -> None:
    """What each way of decoding earns on this machine, as ratios to autoregressive decoding in the same run.

    Pages one at a time; blocks at batch 1 and in batches; by output length and content; acceptance thresholds. Exits
    with 1 when something failed, or when an exact way wrote other ids than ar.
    """
    _require_packages()
    from galley.evaluation.report import to_markdown
    from galley.evaluation.speed import Settings, bench
    from galley.parsing.options import make_options

    options = make_options(
        model=model,
        strategy=strategy or "auto",
        ocr=ocr,
        block_size=block_size,
        max_tokens=max_tokens,
        max_page_tokens=max_page_tokens,
        device=device,
        dtype=dtype,
        trust_remote_code=trust_remote_code,
    )
    _use_threads(threads, torch=model is not None)
    settings = Settings(
        data=data,
        options=options,
        out=out,
        ways=None if decode is None else [way.strip() for way in decode.split(",") if way.strip()],
        crops=crops,
        pages=pages,
        units=units,
        repeats=repeats,
        batches=_numbers("--batches", batches, int, 1, 4096),
        taus=_numbers("--taus", taus, float, 0.001, 1),
        say=lambda line: typer.echo(line, err=True),
    )
    make_folder(out)
    report, differences = bench(settings)
    typer.echo(to_markdown(report))
    if report.failures or differences:
        typer.echo(
            f"{len(report.failures)} failures, {differences} differences from ar, listed in {out / 'report.md'}",
            err=True,
        )
        raise typer.Exit(1)


def _numbers(
    option: str, text: str, kind: Callable[[str], Number], low: Number, high: Number
) -> list[Number]:
    try:
        found = [kind(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise UsageError(f"{option} {text}: numbers separated by commas are needed") from error
    if not all(low <= number <= high for number in found):
        raise UsageError(f"{option} {text}: numbers from {low} to {high} are needed")
    return found


def _use_threads(count: int | None, torch: bool) -> None:
    from galley.runtime import set_threads

    if count is None:
        return
    set_threads(count)
    if torch and find_spec("torch") is not None:
        import torch as framework

        framework.set_num_threads(count)


def _require_packages() -> None:
    missing = [
        name for name in ("bs4", "jinja2", "lxml", "matplotlib", "rapidfuzz") if find_spec(name) is None
    ]
    if missing:
        raise ModelError(f"the report needs pip install 'galley-ocr[eval]' ({', '.join(missing)} missing)")
