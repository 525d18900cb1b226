"""Run tests in a forked process in which one module is a mutant."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import resource
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from mutants import Mutant, planted

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / ".build" / "mutate"
_MEMORY = 5 << 30


@dataclass(frozen=True)
class Verdict:
    """``killed``, ``survived`` or ``timeout`` (which counts as killed), the test that failed, seconds of the CPU."""

    outcome: str
    by: str
    seconds: float


class _Import(importlib.abc.MetaPathFinder):
    """Gives one module other code than its file holds."""

    def __init__(self, module: str, path: Path, code: CodeType) -> None:
        self._module, self._path, self._code = module, path, code

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._module:
            return None
        loader = importlib.machinery.SourceFileLoader(name, str(self._path))
        loader.get_code = lambda fullname: self._code  # type: ignore[method-assign]
        return importlib.util.spec_from_file_location(name, self._path, loader=loader)


def run_tests(tests: Sequence[str], mutant: Mutant | None, cpu_seconds: int) -> Verdict:
    """Run tests in a fork, with a mutant in place of its module, for at most so many seconds of the CPU."""
    log = STORE / "tests.log"
    child = os.fork()
    if child == 0:
        os._exit(_child(tests, mutant, cpu_seconds, log))
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    if os.WIFSIGNALED(status):
        return Verdict("timeout", f"signal {os.WTERMSIG(status)}", seconds)
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return Verdict("survived", "", seconds)
    first = re.search(r"^(?:FAILED|ERROR) (\S+)", log.read_text(errors="replace"), re.MULTILINE)
    return Verdict("killed", first.group(1) if first else f"exit code {code}", seconds)


def _child(tests: Sequence[str], mutant: Mutant | None, cpu_seconds: int, log: Path) -> int:
    import hypothesis
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    # For what waits for ever; on a busy machine a second of the CPU may take long.
    signal.alarm(30 * cpu_seconds)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile("mutate", phases=phases, derandomize=True, database=None)
    hypothesis.settings.load_profile("mutate")
    if mutant is not None:
        module = ".".join(mutant.path.relative_to(ROOT / "src").with_suffix("").parts)
        sys.meta_path.insert(0, _Import(module, mutant.path, planted(mutant)))
    options = [
        "-xq",
        "-rfE",
        "-mnot slow",
        "-pno:cacheprovider",
        "-Wignore",
        "--disable-plugin-autoload",
        "--assert=plain",
    ]
    try:
        if any(test.startswith("tests/targets") for test in tests):
            options.append(f"--checkpoints={STORE / 'checkpoints'}")
        return int(pytest.main([*options, *tests]))
    except BaseException:
        return 9
