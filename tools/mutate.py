"""Plant small faults in the code that promises exactness and see whether the fast tests notice: ``make mutate``.

Each mutant changes one operator, number, bound, condition, call or statement of one file. It lives in a forked
process only, whose import of that module is replaced, so the working tree is never touched and libraries are imported
once. That is why this is no ready-made tool: mutmut 3 leaves out decorated functions, thus every one under
``torch.inference_mode``, and cosmic-ray starts a new process, thus imports torch, for each mutant.

Results are kept in ``.build/mutate``; a run that was interrupted goes on, and a change of a file tries it anew.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import re
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from mutants import Mutant, mutants_of, planted

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / ".build" / "mutate"
KNOWN = Path(__file__).with_name("mutants_equivalent.json")
GOAL = 0.9
_MEMORY = 5 << 30


TESTS = {
    "decoding/accept.py decoding/penalty.py": "decoding: counting acceptance exact",
    "decoding/guard.py": "decoding: guard engine",
    "decoding/budget.py": "decoding: budget auto engine tokens_per_forward",
    "decoding/matching.py decoding/pool.py": "decoding: matching tokens_per_forward engine exact",
    "decoding/diffusion.py": "decoding: diffusion",
    "decoding/stats.py": "decoding: counting tokens_per_forward",
    "decoding/tree.py decoding/window.py": "decoding: tree tokens_per_forward engine matching exact",
    "decoding/drafters": "decoding: multi_step match_drafters auto tokens_per_forward engine exact",
    "decoding": "decoding: engine counting tokens_per_forward exact acceptance",
    "targets/transformers/selfspec.py": "targets: selfspec",
    "targets/transformers/patches.py": "targets: patches",
    "targets/transformers/loading.py": "targets: loading own_code",
    "targets/transformers/mtp.py targets/transformers/mtp_head.py": "targets: mtp trained",
    "targets/transformers/fixed_shapes.py": "targets: buckets fixed_shapes",
    "targets/transformers": "targets: scores stops chunks buckets batch slots forward fixed_shapes mtp trained",
    "training/rows.py training/corruption.py": "training: label_reference rows packing",
    "training/masks.py training/loss.py": "training: label_reference masks loss",
    "engines/chain.py": "engines: chain",
    "engines/vllm/drafter.py engines/vllm/drafting_forward.py": "engines: vllm_drafting",
    "engines/sglang/rows.py": "engines: sglang_rows",
}
"""Fast tests by files or folder of ``src/galley``; the first entry that fits counts, likely killers come first."""


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


def tests_of(path: Path) -> tuple[str, ...]:
    """The tests of a source file."""
    inside = path.relative_to(ROOT / "src" / "galley").as_posix()
    fitting = (
        tests
        for parts, tests in TESTS.items()
        for part in parts.split()
        if f"{inside}/".startswith(f"{part}/")
    )
    folder, names = next(fitting).split(": ")
    return tuple(f"tests/{folder}/test_{name}.py" for name in names.split())


def sources() -> list[Path]:
    """The files that are mutated."""
    parts = [ROOT / "src" / "galley" / part for parts in TESTS for part in parts.split()]
    found = {path for part in parts for path in ([part] if part.is_file() else part.rglob("*.py"))}
    return sorted(path for path in found if path.name != "__init__.py")


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


class Store:
    """Verdicts by mutant, on disk."""

    def __init__(self) -> None:
        STORE.mkdir(parents=True, exist_ok=True)
        self._file = STORE / "results.jsonl"
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        self.verdicts = {line["id"]: Verdict(**line["verdict"]) for line in map(json.loads, lines)}

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        self.verdicts[mutant.id] = verdict
        with self._file.open("a") as file:
            file.write(json.dumps({"id": mutant.id, "verdict": vars(verdict)}) + "\n")


def judged() -> dict[tuple[str | int, ...], str]:
    """Mutants found to be no faults, with the reason."""
    return {tuple(row[:5]): row[5] for row in json.loads(KNOWN.read_text(encoding="utf-8"))}


def report(mutants: Sequence[Mutant], store: Store) -> float:
    """Write the table of survivors and say how many were killed; returns the share of those that are faults."""
    equivalent = judged()
    tried = [mutant for mutant in mutants if mutant.id in store.verdicts]
    survivors = [mutant for mutant in tried if store.verdicts[mutant.id].outcome == "survived"]
    open_ = [mutant for mutant in survivors if mutant.key not in equivalent]
    faults = len(tried) - len(survivors) + len(open_)
    share = 1 - len(open_) / faults if faults else 1.0
    lines = ["| file | line | was | is | judged |", "|---|---|---|---|---|"]
    for mutant in survivors:
        cells = [f"`{text.splitlines()[0]}`".replace("|", "\\|") for text in (mutant.was, mutant.now)]
        place = mutant.path.relative_to(ROOT / "src" / "galley")
        lines.append(
            f"| {place} | {mutant.line} | {cells[0]} | {cells[1]} | {equivalent.get(mutant.key, 'open')} |"
        )
    (STORE / "survivors.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(
        f"{len(tried)} mutants tried, {len(tried) - len(survivors)} killed, {len(survivors) - len(open_)} of the "
        f"others no faults: {share:.1%} of the faults were found; survivors in {STORE / 'survivors.md'}"
    )
    return share


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sample", type=int, help="how many mutants to try, drawn at random; all where not given"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    options = parser.parse_args()
    paths = [path for path in sources() if options.only in str(path)]
    mutants = [mutant for path in paths for mutant in mutants_of(path)]
    if options.sample and options.sample < len(mutants):
        chosen = set(random.Random(options.seed).sample(range(len(mutants)), options.sample))
        mutants = [mutant for index, mutant in enumerate(mutants) if index in chosen]
    store, usual = Store(), {}
    for number, mutant in enumerate(mutants, 1):
        verdict = store.verdicts.get(mutant.id)
        if verdict and not (options.again and verdict.outcome == "survived" and mutant.key not in judged()):
            continue
        tests = tests_of(mutant.path)
        if tests not in usual:
            sound = run_tests(tests, None, 600)
            if sound.outcome != "survived":
                print(
                    f"the tests of {mutant.path} fail without any mutant: {sound.by}; see {STORE / 'tests.log'}"
                )
                return 2
            usual[tests] = sound.seconds
        verdict = run_tests(tests, mutant, int(1.5 * usual[tests] + 5))
        store.add(mutant, verdict)
        place = f"{mutant.path.name}:{mutant.line}"
        what = " -> ".join(text.splitlines()[0] for text in (mutant.was, mutant.now))
        print(
            f"{number}/{len(mutants)} {verdict.outcome:8} {verdict.seconds:5.1f} s {place} {what} {verdict.by}",
            flush=True,
        )
    return int(report(mutants, store) < GOAL)


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    sys.path.insert(0, str(ROOT / "src"))
    sys.path.insert(0, str(ROOT))
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(STORE / "bytecode")
    # Libraries are imported once, not for each mutant; Transformers imports a model's module where it is named.
    for library in ("torch", "hypothesis", "pytest", "scipy.stats", "transformers"):
        __import__(library)
    for name in ("GlmOcr", "Qwen2_5_VL", "Qwen3VL", "HunYuanVL", "PaddleOCRVL", "LightOnOcr", "DeepseekOcr2"):
        getattr(sys.modules["transformers"], f"{name}ForConditionalGeneration")
    sys.exit(main())
