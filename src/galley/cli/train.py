"""``galley train``: teach a vision–language checkpoint to draft for itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from galley.errors import ModelError, UsageError

train_app = typer.Typer(name="train", help="Train models that draft for themselves.", no_args_is_help=True)

_SCHEDULES = ("uniform", "cosine", "all-mask")


@train_app.callback()
def _train() -> None:
    """Train models that draft for themselves."""


@train_app.command()
def convert(
    model: Annotated[str, typer.Option(help="Folder or hub id of a supported checkpoint.")],
    data: Annotated[Path, typer.Option(help='JSON lines: {"image": …, "task": …, "text": …}.', exists=True)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the new checkpoint.")],
    steps: Annotated[int, typer.Option(min=1, help="Step to stop at; an earlier run is resumed.")] = 40_000,
    block_size: Annotated[int, typer.Option(min=1, help="Masks per drafting block.")] = 32,
    schedule: Annotated[str, typer.Option(help=f"One of {', '.join(_SCHEDULES)}.")] = "uniform",
    rows: Annotated[int, typer.Option(min=1, help="Packed rows per step.")] = 4,
    capacity: Annotated[int, typer.Option(min=64, help="Tokens per row, all streams counted.")] = 8192,
    rate: Annotated[float, typer.Option(min=0, help="Peak learning rate.")] = 1e-5,
    ar_weight: Annotated[float, typer.Option(min=0, help="Weight of the causal loss.")] = 1.0,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, …")] = None,
) -> None:
    """Add a mask token, train causal and drafting losses together, write a GravityOCR-style checkpoint."""
    if schedule not in _SCHEDULES:
        raise UsageError(f"--schedule {schedule}: know {', '.join(_SCHEDULES)}")
    try:
        from galley.training.convert import convert as run
        from galley.training.corruption import Schedule
        from galley.training.trainer import Settings
    except ImportError as error:
        raise ModelError(f"training needs pip install 'galley[train]' ({error.name} is missing)") from error
    settings = Settings(
        steps=steps, rows=rows, capacity=capacity, rate=rate, matrix_rate=10 * rate, ar_weight=ar_weight
    )
    run(model, data, out, settings, block_size, Schedule(schedule), device)
    typer.echo(str(out))
