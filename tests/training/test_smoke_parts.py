"""The parts of ``tools/train_smoke.py``: what it makes is what the data scripts take, and its checks can fail."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
import torch

TOOLS = Path(__file__).parents[2] / "tools"
pytest.importorskip("faker")
pytest.importorskip("pyphen")


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    """Scripts import each other by name."""
    before = list(sys.path)
    sys.path[:0] = [str(TOOLS), str(TOOLS / "data")]
    yield
    sys.path[:] = before


def test_the_invented_corpus_has_texts_and_tables(tmp_path: Path) -> None:
    import train_smoke
    from texts import Texts

    train_smoke.make_corpus(tmp_path)
    for held_out in (False, True):
        texts = Texts(tmp_path, held_out=held_out)
        texts.seed(1)
        kinds = {sample.kind for sample in islice(texts, 200)}
        assert kinds == {"paragraph", "heading", "lines", "table"}


def test_a_folder_of_fonts_is_enough(tmp_path: Path) -> None:
    import train_smoke
    from fonts import FontChooser, find_faces

    faces = find_faces(tmp_path / "fonts.json", train_smoke.FONTS)
    assert {face.family for face in faces} >= {"DejaVu Sans", "DejaVu Serif"}
    assert find_faces(tmp_path / "fonts.json") == faces
    face = FontChooser(faces).draw(random.Random(0), "Seven wizards")
    assert face is not None and face.at(20).getlength("Seven") > 20
    (tmp_path / "none").mkdir()
    with pytest.raises(SystemExit, match="no text fonts"):
        find_faces(tmp_path / "other.json", tmp_path / "none")


def test_a_loss_that_does_not_fall_is_told() -> None:
    import train_smoke

    train_smoke.check_fell([{"ar": 5.0}, {"step": 1}, {"ar": 3.0}, {"ar": 2.9}], "ar")
    with pytest.raises(SystemExit, match="ar loss did not fall"):
        train_smoke.check_fell([{"ar": 5.0}, {"ar": 5.1}], "ar")
    with pytest.raises(SystemExit, match="no diff loss"):
        train_smoke.check_fell([{"ar": 5.0}, {"ar": 4.0}], "diff")


def test_moved_weights() -> None:
    import train_smoke

    before = {"a": torch.zeros(2), "b": torch.ones(2)}
    assert not train_smoke.moved(before, {name: value.clone() for name, value in before.items()})
    assert train_smoke.moved(before, before | {"b": torch.tensor([1.0, 1.1])})


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    import train_smoke

    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(SystemExit, match="holds other things"):
        train_smoke.clear(tmp_path)
    assert (tmp_path / "thesis.tex").exists()
    (tmp_path / "corpus").mkdir()
    train_smoke.clear(tmp_path)
    assert not tmp_path.exists()


def test_a_command_that_fails_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    import train_smoke

    with pytest.raises(SystemExit, match="ended with 3"):
        train_smoke.run("-c", "import sys; sys.exit(3)")
    assert json.loads(train_smoke.run("-c", "print([1])").stdout) == [1]
