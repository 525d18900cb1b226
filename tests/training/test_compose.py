"""The line data set and what is composed from it."""

from __future__ import annotations

import html
import random
import re
from pathlib import Path

import numpy as np
import pytest

from galley.targets.prompt import Task
from galley.training.nano.compose import LineDataset, Mixture, compose, running_text
from galley.training.nano.learner import Documents
from galley.training.nano.lines import PrintedLine, read_shard, write_shard
from galley.training.nano.tables import compose_table, printed_table

from .nano_parts import line_units, tiny_vocabulary


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines")
    for number in range(1, 4):
        write_shard(path / f"shard-{number:05d}.npz", line_units(6, number))
    return path


@pytest.fixture
def dataset(folder: Path) -> LineDataset:
    dataset = LineDataset(folder, 1, 100)
    dataset.refresh(random.Random(0))
    return dataset


def test_shards_give_back_what_was_stored(tmp_path: Path) -> None:
    units = line_units(2)
    write_shard(tmp_path / "shard-00001.npz", units)
    again = read_shard(tmp_path / "shard-00001.npz")
    assert [unit.kind for unit in again] == [unit.kind for unit in units]
    for unit, copy in zip(units, again, strict=True):
        for line, stored in zip(unit.lines, copy.lines, strict=True):
            assert stored[:5] == line[:5]
            assert (stored.char_frames == line.char_frames).all()
            assert stored.features.shape == line.features.shape
            step = np.asarray(stored.scale, dtype=np.float32)
            error = np.abs(stored.features.astype(np.float32) - line.features.astype(np.float32))
            # Half a quantisation step, and what float16 rounds, except for the few values that were clipped.
            assert (error <= 0.51 * step + 0.01).mean() > 0.99


def test_broken_words_are_joined_and_lines_spaced() -> None:
    def line(text: str, tail: str) -> PrintedLine:
        return PrintedLine(
            text, tail, (0, 0, 1, 1), None, text, np.zeros(0, np.int64), 1.0, np.zeros((1, 120))
        )

    lines = [
        line("an exam-", "-"),
        line("ple of well-", ""),
        line("known", " "),
        line("words", "\n"),
        line("end", ""),
    ]
    assert running_text(lines) == "an example of well-known words\nend"
    assert running_text(lines[:1]) == "an exam-"


@pytest.mark.parametrize("seed", range(40))
def test_composed_documents_hold_all_their_lines(dataset: LineDataset, seed: int) -> None:
    truth = {
        line.read: line.text for units in dataset.by_kind.values() for unit in units for line in unit.lines
    }
    for mixture in (Mixture(1, 0, 0), Mixture(0, 1, 0), Mixture(0, 0, 1)):
        document = compose(dataset, mixture, random.Random(seed))
        words = " ".join(re.sub(r"<[^>]*>|#", " ", document.target).split())
        for group in document.groups:
            for line in group:
                assert " ".join(truth[line.text].split()) in words


def cells_of(markup: str) -> list[list[tuple[int, int, str]]]:
    """(row span, column span, text) of each cell of each row."""
    rows = []
    for row in re.findall(r"<tr>(.*?)</tr>", markup):
        cells = re.findall(r'<td(?: colspan="(\d+)")?(?: rowspan="(\d+)")?>(.*?)</td>', row)
        rows.append([(int(r or 1), int(c or 1), html.unescape(text)) for c, r, text in cells])
    return rows


@pytest.mark.parametrize("seed", range(60))
def test_composed_tables_are_full_grids(dataset: LineDataset, seed: int) -> None:
    rng = random.Random(seed)
    units = [dataset.draw("table", rng) for _ in range(3)]
    for groups, markup in (compose_table(units, rng), printed_table(units[0], rng)):
        rows = cells_of(markup)
        covered: set[tuple[int, int]] = set()
        for r, row in enumerate(rows):
            c = 0
            for rowspan, colspan, _ in row:
                while (r, c) in covered:
                    c += 1
                area = {(r + i, c + j) for i in range(rowspan) for j in range(colspan)}
                assert not area & covered
                covered |= area
                c += colspan
        width = max(c for _, c in covered) + 1
        assert covered == {(r, c) for r in range(len(rows)) for c in range(width)}
        assert any(groups)


def test_documents_depend_on_seed_and_position_alone(folder: Path) -> None:
    vocabulary = tiny_vocabulary()

    def stream(position: int) -> Documents:
        documents = Documents(LineDataset(folder, 1, 100), vocabulary, Mixture(), seed=5)
        documents.position = position
        return documents

    whole = stream(0)
    expected = [next(whole) for _ in range(12)]
    resumed = stream(7)
    for document in expected[7:]:
        again = next(resumed)
        assert (again.prompt == document.prompt).all() and (again.response == document.response).all()
        assert (again.payload.features == document.payload.features).all()


def test_a_prompt_and_its_response_share_positions(folder: Path) -> None:
    vocabulary = tiny_vocabulary()
    documents = Documents(LineDataset(folder, 1, 100), vocabulary, Mixture(), seed=5, noise=False)
    for document in (next(documents) for _ in range(5)):
        assert document.prompt_positions[0].tolist() == [*range(1, len(document.prompt)), 0]
        assert document.first_position == 1
        assert document.prompt[-1] in vocabulary.tasks.values()


def test_new_shards_are_found_and_memory_is_bounded(tmp_path: Path) -> None:
    dataset = LineDataset(tmp_path, 1, 100, limit=3)
    for number in (1, 2, 200):
        write_shard(tmp_path / f"shard-{number:05d}.npz", line_units(1, number))
    assert dataset.refresh(random.Random(0)) == 2
    for number in (3, 4, 5):
        write_shard(tmp_path / f"shard-{number:05d}.npz", line_units(1, number))
    assert dataset.refresh(random.Random(0)) == 3
    assert len(dataset.by_kind["paragraph"]) == 3


def test_tasks_are_mixed_as_asked(dataset: LineDataset) -> None:
    rng = random.Random(0)
    drawn = [compose(dataset, Mixture(0.5, 0.3, 0.2), rng).task for _ in range(400)]
    assert abs(drawn.count(Task.TEXT) / 400 - 0.5) < 0.1
    assert abs(drawn.count(Task.TABLE) / 400 - 0.3) < 0.1
