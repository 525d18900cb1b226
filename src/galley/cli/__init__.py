"""The command line. ``main`` is what the ``galley`` command runs."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from galley.cli.exit_codes import INTERRUPTED, PIPE_CLOSED
from galley.errors import GalleyError, OutputError, unexpected


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code; whatever goes wrong is one line on standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGTERM, _terminated)
    if sys.stderr is None:  # closed; print would fall back to standard output
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    try:
        code = _run(words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except GalleyError as error:
        code = _complain(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        code = PIPE_CLOSED
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            _complain(f"cannot write: {error.strerror}", OutputError.exit_code)
            _leave(OutputError.exit_code)
        code = _complain(unexpected(error), GalleyError.exit_code)
        if "--debug" in words:
            traceback.print_exc()
    _leave(code)


def _leave(code: int) -> NoReturn:
    """Exit. Python would complain if it had to flush what nobody reads or no disk holds."""
    gc.freeze()  # nothing is gained by a last search for cycles, which takes seconds with large packages
    if sys.stdout is not None and code in (PIPE_CLOSED, OutputError.exit_code):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _run(words: list[str]) -> int:
    from galley.cli.app import run

    return run(words)


def _complain(message: str, code: int) -> int:
    print(f"galley: {message}".encode(errors="replace").decode(), file=sys.stderr)
    return code


def _terminated(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)  # so that what is half written is tidied away
