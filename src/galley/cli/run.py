"""A whole ``galley parse``: inputs found, a writer chosen, the batch run, the report shown."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from galley.api import make_parser
from galley.cli.batch import Batch
from galley.cli.inputs import STDIN, Input, find_inputs
from galley.cli.ledger import Ledger
from galley.cli.outputs import OutputFolder
from galley.cli.progress import Progress
from galley.cli.report import Report
from galley.cli.worker import ParserFactory, Pool
from galley.cli.writers import FolderWriter, StdoutWriter, Writer
from galley.document import Failure
from galley.errors import OutputError, UsageError
from galley.ingest.source import read_stdin
from galley.parsing.options import ParseOptions


@dataclass(frozen=True)
class Request:
    """What one command asks for. jobs: cores to use, 0 is all; None is all, shared out by the amount of work.
    output None: standard output. engine: ``local`` or ``ray``, whose cluster is at ``address`` or else started.
    """

    paths: Sequence[str]
    options: ParseOptions
    formats: list[str]
    output: Path | None = None
    jobs: int | None = None
    resume: bool = False
    quiet: bool = False
    debug: bool = False
    engine: str = "local"
    address: str | None = None


def run_parse(request: Request, factory: ParserFactory = make_parser) -> int:
    """Carry out a request; returns the exit code. Raises ``GalleyError`` for what ends the whole run."""
    pool = _pool(request, factory)
    ledger = Ledger(request.output) if request.output else None
    report = Report(request.quiet, request.debug)
    inputs, errors = find_inputs(request.paths, ledger.image_folders() if ledger else ())
    for error in errors:
        report.failure(str(error), Failure(message=str(error)), error.exit_code)
    with ExitStack() as stack:
        writer = _writer(request, inputs, ledger, stack)
        inputs = [_spooled(given, stack) if str(given.path) == STDIN else given for given in inputs]
        stack.callback(report.show)
        progress = stack.enter_context(Progress(len(inputs), request.quiet))
        Batch(inputs, request.options, writer, report, progress, request.jobs, factory, pool).run()
    return report.exit_code


def _pool(request: Request, factory: ParserFactory) -> Pool | None:
    """Workers elsewhere; None: the batch's own."""
    if request.engine == "ray":
        from galley.engines.ray import ray_pool

        return ray_pool(request.options, factory, request.jobs, request.address)
    if request.engine != "local":
        raise UsageError(f"there is no engine {request.engine!r}; there are local and ray")
    if request.address is not None:
        raise UsageError("--address is of a Ray cluster; add --engine ray")
    return None


def _writer(request: Request, inputs: Sequence[Input], ledger: Ledger | None, stack: ExitStack) -> Writer:
    if request.output is not None and ledger is not None:
        folder = stack.enter_context(OutputFolder(request.output))
        return FolderWriter(folder, ledger, request.formats, request.options, request.resume)
    if len(inputs) > 1:
        raise UsageError(f"{len(inputs)} documents do not fit on standard output; name a folder: -o DIR")
    if len(request.formats) > 1:
        raise UsageError(
            f"{len(request.formats)} formats do not fit on standard output; name a folder: -o DIR"
        )
    if request.options.images:
        raise UsageError("--images needs a folder to save figures into: -o DIR")
    if request.resume:
        raise UsageError("--resume needs the folder of the earlier run: -o DIR")
    if sys.stdout is None:
        raise OutputError("standard output is closed; name a folder: -o DIR")
    return StdoutWriter(request.formats[0], request.options)


def _spooled(given: Input, stack: ExitStack) -> Input:
    """Standard input as a file, which workers can read again and again."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="galley-"))
    path = Path(folder) / "stdin"
    path.write_bytes(read_stdin())
    return replace(given, path=path)
