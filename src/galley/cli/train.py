"""``galley train``: teach a vision–language checkpoint to draft for itself, or train the embedded model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from galley.errors import ModelError, UsageError

train_app = typer.Typer(name="train", help="Train models that draft for themselves.", no_args_is_help=True)

_SCHEDULES = ("uniform", "cosine", "all-mask", "mixed")


@train_app.callback()
def _train() -> None:
    """Train models that draft for themselves."""


@contextmanager
def _packages() -> Iterator[None]:
    """Says which packages are missing, where some are."""
    try:
        yield
    except ImportError as error:
        raise ModelError(
            f"training needs pip install 'galley-ocr[train]' ({error.name} is missing)"
        ) from error


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
    """Teach a checkpoint to draft for itself.

    Adds a mask token, trains causal and drafting losses together and writes a checkpoint in GravityOCR's layout,
    which --model loads. On many GPUs: accelerate launch -m galley train convert …
    """
    if schedule not in _SCHEDULES:
        raise UsageError(f"--schedule {schedule}: know {', '.join(_SCHEDULES)}")
    with _packages():
        from galley.training.convert import convert as run
        from galley.training.corruption import Schedule
        from galley.training.settings import Settings
    settings = Settings(
        steps=steps, rows=rows, capacity=capacity, rate=rate, matrix_rate=10 * rate, ar_weight=ar_weight
    )
    run(model, data, out, settings, block_size, Schedule(schedule), device)
    typer.echo(str(out))


Data = Annotated[
    Path, typer.Option(help="Folder with tokenizer.json and lines/, as tools/data makes it.", exists=True)
]


@train_app.command()
def nano(
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the run; one that is there is resumed.")
    ],
    steps: Annotated[int, typer.Option(min=1, help="Step to stop at, earlier runs included.")],
    start: Annotated[
        Path | None,
        typer.Option("--from", help="Folder of an exported model to begin a new run with.", exists=True),
    ] = None,
    mode: Annotated[str, typer.Option(help="joint, or causal without drafting.")] = "joint",
    rows: Annotated[int, typer.Option(min=1, help="Packed rows per step.")] = 4,
    capacity: Annotated[int, typer.Option(min=64, help="Tokens per row, all streams counted.")] = 1024,
    rate: Annotated[float, typer.Option(min=0, help="Peak learning rate.")] = 1e-3,
    decay: Annotated[int, typer.Option(min=0, help="Last steps over which rates fall to zero.")] = 0,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads.")] = 2,
    validate: Annotated[int, typer.Option(min=0, help="Held-out documents per task to decode.")] = 8,
) -> None:
    """Train galley-nano, the embedded model, on a data set of lines.

    Causal first, then joint, in the same folder. python -m galley.training.nano.run has more options,
    python -m galley.training.nano.export writes a folder that --model loads.
    """
    if mode not in ("joint", "causal"):
        raise UsageError(f"--mode {mode}: know joint, causal")
    _has_lines(data)
    with _packages():
        from galley.training.nano.run import main as run
    words = {"data": data, "out": out, "steps": steps, "mode": mode, "rows": rows, "capacity": capacity}
    words |= {"rate": rate, "matrix-rate": 10 * rate, "decay": decay, "threads": threads}
    words |= {"validate": validate} | ({"from": start} if start else {})
    run(_words(words))


@train_app.command()
def grpo(
    data: Data,
    run: Annotated[
        Path, typer.Option("--run", help="Folder of the training run to start from.", exists=True)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the polished run.")],
    steps: Annotated[int, typer.Option(min=1, help="Update to stop at.")],
    prompts: Annotated[int, typer.Option(min=1, help="Documents per update.")] = 24,
    rollouts: Annotated[int, typer.Option(min=2, help="Sampled responses per document.")] = 28,
    tokens: Annotated[int, typer.Option(min=1, help="Longest response.")] = 1024,
    rate: Annotated[float, typer.Option(min=0, help="Learning rate.")] = 3e-6,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads.")] = 2,
    validate: Annotated[
        int, typer.Option(min=0, help="Held-out documents per task to decode before and after.")
    ] = 0,
) -> None:
    """Polish a trained galley-nano by its rewards (GRPO on the causal path); a run that is there is resumed."""
    _has_lines(data)
    if not (run / "checkpoint.pt").is_file():
        raise UsageError(f"{run} is no training run: it has no checkpoint.pt")
    with _packages():
        from galley.training.nano.reinforce_run import main as polish
    words = {"data": data, "run": run, "out": out, "steps": steps, "prompts": prompts, "rollouts": rollouts}
    polish(_words(words | {"tokens": tokens, "rate": rate, "threads": threads, "validate": validate}))


def _has_lines(data: Path) -> None:
    if not (data / "tokenizer.json").is_file() or not any((data / "lines").glob("shard-*.npz")):
        raise UsageError(
            f"{data} has no tokenizer.json and lines/ of shards; docs/training.md says how to make them"
        )


def _words(options: dict[str, object]) -> list[str]:
    return [word for name, value in options.items() for word in (f"--{name}", str(value))]
