"""``--model FOLDER`` of an exported galley-nano reads as the one that ships does."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from galley.api import parse
from galley.errors import ModelError, UsageError
from galley.parsing.options import make_options
from galley.parsing.strategies.embedded import EmbeddedParser
from galley.strategy_factory import make_strategy, needs_model
from galley.targets.nano.load import DECODER, TOKENIZER
from galley.training.nano.export import export

from .nano_parts import save_vocabulary, tiny_nano, tiny_vocabulary


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    vocabulary = tiny_vocabulary()
    tokenizer = save_vocabulary(vocabulary, folder / "tiny.json")
    export(tiny_nano(vocabulary), tokenizer, folder / "out")
    return folder / "out"


def test_it_reads_the_same_text_whatever_drafts(model: Path, tmp_path: Path) -> None:
    image = Image.new("RGB", (900, 200), "white")
    draw = ImageDraw.Draw(image)
    draw.text((40, 60), "The quick brown fox jumps over a lazy dog.", fill="black", font_size=30)
    image.save(tmp_path / "picture.png")
    texts = set()
    for decode in ("ar", "self-spec"):
        options = make_options(model=str(model), decode=decode, max_tokens=40)
        parser = make_strategy(options)
        assert isinstance(parser, EmbeddedParser)
        document = parse(tmp_path / "picture.png", options=options, parser=parser)
        assert document.pages[0].work is not None and document.pages[0].work.tokens > 0
        texts.add(document.to_text())
    assert len(texts) == 1 and "quick brown fox" in texts.pop()


def test_it_is_no_checkpoint_for_transformers(model: Path) -> None:
    assert not needs_model(make_options(model=str(model)))
    assert not needs_model(make_options(model=str(model), strategy="regions"))
    with pytest.raises(UsageError, match="reads regions"):
        needs_model(make_options(model=str(model), strategy="page"))
    with pytest.raises(UsageError, match="uses no model"):
        needs_model(make_options(model=str(model), strategy="draft"))


def test_a_folder_with_a_part_missing_is_named(model: Path, tmp_path: Path) -> None:
    (tmp_path / DECODER).write_bytes((model / DECODER).read_bytes())
    with pytest.raises(ModelError, match=r"has no .*not an exported galley-nano"):
        make_strategy(make_options(model=str(tmp_path), strategy="regions"))
    assert not (tmp_path / TOKENIZER).exists()
