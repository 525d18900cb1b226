"""Several processes: documents are not repeated, gradients are averaged, and nothing is lost on resuming."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from galley.targets.nano.tokens import Vocabulary
from galley.training.corruption import Schedule
from galley.training.example import Example
from galley.training.nano.compose import LineDataset, Mixture
from galley.training.nano.learner import Documents, NanoLearner
from galley.training.nano.lines import write_shard
from galley.training.packed_rows import Recipe
from galley.training.processes import Share, reproducible
from galley.training.settings import Settings
from galley.training.trainer import Trainer

from .nano_parts import line_units, tiny_nano, tiny_vocabulary

STEPS = 3
RESPONSE = 20


class Numbers:
    """Documents that are their own number."""

    position = 0

    def __iter__(self) -> Numbers:
        return self

    def __next__(self) -> Example:
        self.position += 1
        number = self.position - 1
        return Example(np.array([number]), np.zeros((1, 1), np.int64), 1, np.array([number]))


class Cut:
    """Documents of one length, so that each fills a row of its own whoever packs them."""

    def __init__(self, documents: Documents):
        self._documents = documents
        self.position = 0

    def __iter__(self) -> Cut:
        return self

    def __next__(self) -> Example:
        self._documents.position = self.position
        self.position += 1
        found = next(self._documents)
        return replace(found, response=np.resize(found.response, RESPONSE))


def test_shares_are_all_documents_and_none_twice() -> None:
    shares = [Share(Numbers(), number, 3) for number in range(3)]
    taken = [[int(next(share).response[0]) for _ in range(4)] for share in shares]
    assert sorted(number for share in taken for number in share) == list(range(12))
    assert {share.position for share in shares} == {12}


def test_sums_do_not_depend_on_how_threads_take_turns() -> None:
    """Rows added to few places by two threads come in the same order each time."""
    generator = torch.Generator().manual_seed(0)
    table = torch.randn(600, 384, generator=generator, requires_grad=True)
    places = torch.randint(0, 50, (2000,), generator=generator)
    above = torch.randn(2000, 384, generator=generator)
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with reproducible(torch.device("cpu")):
            gradients = []
            for _ in range(30):
                table.grad = None
                table[places].backward(above)
                assert table.grad is not None
                gradients.append(table.grad)
    finally:
        torch.set_num_threads(threads)
    assert all(torch.equal(gradients[0], gradient) for gradient in gradients)
    assert not torch.are_deterministic_algorithms_enabled()


def trainer(folder: Path, out: Path, rows: int) -> Trainer:
    """One document a row and no random hiding: the same batches for any number of processes."""
    vocabulary: Vocabulary = tiny_vocabulary()
    documents = Cut(Documents(LineDataset(folder, 1, 9), vocabulary, Mixture(1, 0, 0), seed=3, noise=False))
    recipe = Recipe(vocabulary.eos, vocabulary.mask, vocabulary.pad, 8, Schedule.ALL_MASK)
    longest = max(len(next(documents).prompt) for _ in range(40)) + 2 * (RESPONSE + 8)
    documents.position = 0
    settings = Settings(
        steps=STEPS, rows=rows, capacity=longest, rate=1e-3, warmup=1, log_every=1, precision="fp32"
    )
    return Trainer(NanoLearner(tiny_nano(vocabulary)), recipe, settings, documents, out)


def main(folder: str, out: str) -> None:
    """What each of the two processes runs."""
    torch.set_num_threads(1)
    ours = trainer(Path(folder), Path(out), rows=1)
    assert ours.processes.count == 2
    ours.run(lambda _: None)


@pytest.mark.slow
def test_two_processes_learn_as_one_with_twice_the_rows(tmp_path: Path) -> None:
    write_shard(tmp_path / "shard-00001.npz", line_units(6))
    whole = trainer(tmp_path, tmp_path / "one", rows=2)
    whole.run(lambda _: None)
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    words += ["-m", "training.test_processes", str(tmp_path), str(tmp_path / "two")]
    ended = subprocess.run(
        [sys.executable, *words], cwd=Path(__file__).parents[1], capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr[-2000:]

    state = torch.load(tmp_path / "two" / "checkpoint.pt", weights_only=False)
    assert state["progress"]["step"] == STEPS
    start = tiny_nano(tiny_vocabulary()).state_dict()
    for name, value in whole.learner.module.state_dict().items():
        torch.testing.assert_close(state["model"][name], value, atol=2e-4, rtol=1e-3, msg=name)
    assert not torch.equal(state["model"]["embedding.weight"], start["embedding.weight"])
    again = trainer(tmp_path, tmp_path / "two", rows=1)
    assert again.resume() and again.progress.step == STEPS
    # What both had packed or put aside lies before the place to go on from.
    assert again.documents.position >= 2 * STEPS + len(again.packer.carried)


if __name__ == "__main__":
    main(*sys.argv[1:])
