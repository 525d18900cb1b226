"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from galley import __version__
from galley.cli.eval import bench_app, eval_command
from galley.cli.exit_codes import INTERRUPTED
from galley.cli.parse import parse_command
from galley.cli.serve import serve_command
from galley.cli.train import train_app

app = typer.Typer(
    name="galley",
    help="Parse documents into Markdown, HTML, JSON or text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("parse")(parse_command)
app.command("serve")(serve_command)
app.command("eval")(eval_command)
app.add_typer(bench_app)
app.add_typer(train_app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"galley {__version__}")
        raise typer.Exit()


@app.callback()
def _galley(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Parse documents into Markdown, HTML, JSON or text, offline."""


# Newer versions of Typer carry a copy of Click, older ones use Click itself.
_ClickError = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")


def run(words: list[str]) -> int:
    """Run a command line; returns its exit code."""
    try:
        code = app(words, standalone_mode=False) or 0
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except Exception as error:
        if not isinstance(error, _ClickError):
            raise
        error.show()  # type: ignore[attr-defined]
        return int(error.exit_code)  # type: ignore[attr-defined]
    if code == INTERRUPTED:  # how newer versions of Typer say it; older ones raise Abort
        raise KeyboardInterrupt
    return int(code)
