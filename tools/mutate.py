"""Plant small faults in the code that promises exactness and see whether the fast tests notice: ``make mutate``.

Each mutant changes one operator, number, bound, condition, call or statement of one file. It lives in a forked
process only, whose import of that module is replaced, so the working tree is never touched and libraries are imported
once. That is why this is no ready-made tool: mutmut 3 leaves out decorated functions, thus every one under
``torch.inference_mode``, and cosmic-ray starts a new process, thus imports torch, for each mutant.

Results are kept in ``.build/mutate``; a run that was interrupted goes on, and a change of a file tries it anew.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from mutant_tests import ROOT, STORE, Verdict, run_tests
from mutants import Mutant, mutants_of

KNOWN = Path(__file__).with_name("mutants_equivalent.json")
GOAL = 0.9


TESTS = {
    "decoding/accept.py decoding/penalty.py": "decoding: counting acceptance exact",
    "decoding/guard.py": "decoding: guard engine",
    "decoding/budget.py": "decoding: budget auto engine tokens_per_forward",
    "decoding/matching.py decoding/pool.py": "decoding: matching switches tokens_per_forward engine exact",
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
    "targets/transformers/target.py": "targets: stops chunks forward exactness trained",
    "targets/transformers": "targets: scores stops chunks buckets batch slots forward fixed_shapes mtp trained",
    "training/packed_rows.py training/corruption.py": "training: label_reference rows packing",
    "training/masks.py training/loss.py": "training: label_reference masks loss",
    "engines/chain.py": "engines: chain",
    "engines/vllm/drafter.py engines/vllm/drafting_forward.py": "engines: vllm_drafting",
    "engines/sglang/window_rows.py": "engines: sglang_rows",
}
"""Fast tests by files or folder of ``src/galley``; the first entry that fits counts, likely killers come first."""


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
