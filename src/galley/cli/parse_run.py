"""A whole ``galley parse``: inputs found, a writer chosen, the batch run, the report shown."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from galley.api import make_parser
from galley.cli.batch import Batch
from galley.cli.cloud import CloudFolder, CloudLedger
from galley.cli.inputs import STDIN, Input, find_inputs
from galley.cli.ledger import Ledger
from galley.cli.outputs import OutputFolder
from galley.cli.progress import Progress
from galley.cli.report import Report
from galley.cli.writers import FolderWriter, StdoutWriter, Writer
from galley.document import Failure
from galley.document.exporters import exporter
from galley.draft_files import check_drafts_have_a_use, match_drafts
from galley.errors import OutputError, UsageError
from galley.ingest.source import read_stdin
from galley.ingest.stores import is_remote, local_path
from galley.parsing.options import ParseOptions
from galley.reading import ParserFactory
from galley.workers.batch_pool import BatchPool


@dataclass(frozen=True)
class Request:
    """What one command asks for.

    Attributes:
        output: A folder or the URL of one, None is standard output.
        jobs: Cores to use, 0 is all; None is all, shared out by the amount of work.
        draft_from: Files or folders with what other tools read.
        engine: ``local`` or ``ray``, whose cluster is at ``address`` or else started.
    """

    paths: Sequence[str]
    options: ParseOptions
    formats: list[str]
    output: str | Path | None = None
    jobs: int | None = None
    resume: bool = False
    quiet: bool = False
    debug: bool = False
    draft_from: Sequence[str] = ()
    engine: str = "local"
    address: str | None = None


def run_parse(request: Request, factory: ParserFactory = make_parser) -> int:
    """Carry out a request; returns the exit code.

    Raises:
        GalleyError: For what ends the whole run.
    """
    pool = _pool(request, factory)
    ledger = _ledger(request.output) if request.output else None
    report = Report(request.quiet, request.debug)
    inputs, errors = (
        find_inputs(request.paths, *ledger.to_skip(), ledger.taken) if ledger else find_inputs(request.paths)
    )
    for error in errors:
        report.failure(str(error), Failure(message=str(error)), error.exit_code)
    with ExitStack() as stack:
        writer = _writer(request, inputs, ledger, stack)
        spool = _Spool(stack)
        inputs = [spool.placed(given) for given in _with_drafts(request, inputs, report)]
        stack.callback(report.show)
        progress = stack.enter_context(Progress(len(inputs), request.quiet))
        Batch(inputs, request.options, writer, report, progress, request.jobs, factory, pool).run()
    return report.exit_code


def _with_drafts(request: Request, inputs: Sequence[Input], report: Report) -> list[Input]:
    """The inputs with their draft files.

    Raises:
        UsageError: For files that are of no use.
        InputError: For files that are of no use.
    """
    if not request.draft_from:
        return list(inputs)
    check_drafts_have_a_use(request.options)
    matched, without = match_drafts(
        [Path(path) for path in request.draft_from], [given.file_name for given in inputs]
    )
    for name in without:
        report.note(name, None, "there is no draft of this name; it was read without")
    return [replace(given, drafts=drafts) for given, drafts in zip(inputs, matched, strict=True)]


def _ledger(output: str | Path) -> Ledger:
    place = local_path(str(output))
    return CloudLedger(place) if is_remote(place) else Ledger(Path(place))


def _folder(output: str | Path) -> OutputFolder | CloudFolder:
    place = local_path(str(output))
    return CloudFolder(place) if is_remote(place) else OutputFolder(Path(place))


def _pool(request: Request, factory: ParserFactory) -> BatchPool[Any] | None:
    """Workers elsewhere; None: the batch's own."""
    if request.engine == "ray" and request.options.trace_passes is not None:
        raise UsageError(
            "--trace-passes writes on this machine, Ray's workers elsewhere; leave out --engine ray"
        )
    if request.engine == "ray":
        from galley.workers.ray import ray_pool

        return ray_pool(request.options, factory, request.jobs, request.address)
    if request.engine != "local":
        raise UsageError(f"there is no engine {request.engine!r}; there are local and ray")
    if request.address is not None:
        raise UsageError("--address is of a Ray cluster; add --engine ray")
    return None


def _writer(request: Request, inputs: Sequence[Input], ledger: Ledger | None, stack: ExitStack) -> Writer:
    formats = [exporter(name) for name in request.formats]
    if request.output is not None and ledger is not None:
        folder = _folder(request.output)
        stack.push(folder)
        stack.callback(ledger.close)
        return FolderWriter(folder, ledger, formats, request.options, request.resume)
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
    return StdoutWriter(formats[0], request.options)


class _Spool:
    """A folder for what is no file yet: standard input, and documents of a store while they are read."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._folder: Path | None = None
        self._count = 0

    def placed(self, given: Input) -> Input:
        """The input with a path that is or, once fetched, will be a file."""
        if str(given.path) != STDIN and given.remote is None:
            return given
        if self._folder is None:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="galley-")))
        self._count += 1
        path = self._folder / str(self._count)
        if given.remote is None:
            path.write_bytes(read_stdin())
        return replace(given, path=path)
