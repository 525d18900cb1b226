"""The strategies on a tiny page model: drafts change what reading costs, never what is read."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from galley.decoding import Autoregressive, Decoder, DraftMatching, DraftPool, Request
from galley.document import BBox, Block, Label, Page
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.page_passes import PagePass, run_page_passes
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.regions import RegionsParser
from galley.parsing.strategies.whole_page import PageParser
from galley.strategy_factory import make_strategy
from galley.targets.prompt import Task

from .conftest import picture

Load = Callable[[str], Any]
NO_PAGE = PageImage(1, np.zeros((1, 1, 3), dtype=np.uint8), 200.0)
IMAGE = picture(140, 100, 77)


class MadeUpDraft:
    """Stands in for the draft parser: a page of text blocks, one below the other."""

    def __init__(self, texts: list[str]) -> None:
        height = IMAGE.shape[0] / max(1, len(texts))
        boxes = [BBox(x0=0, y0=i * height, x1=99, y1=(i + 1) * height) for i in range(len(texts))]
        blocks = [
            Block(label=Label.TEXT, content=t, bbox=b, source="ocr")
            for t, b in zip(texts, boxes, strict=True)
        ]
        self.page = Page(number=1, width=IMAGE.shape[1], height=IMAGE.shape[0], blocks=blocks)

    def run(self, page: Any, more: Sequence[PagePass] = ()) -> PageState:
        drafted = PageState.drafted(self.page.model_copy(deep=True), IMAGE)
        return run_page_passes(drafted, PageTools(ParseOptions()), more)


@pytest.fixture
def page_model(target: Load, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[int]]:
    """A page model and the page it writes; its stop token is chosen so that the page has a fair length."""
    reader = target("qwen3_vl")
    monkeypatch.setattr(reader, "stop_ids", frozenset())
    request = Request(reader.prompt(IMAGE, Task.PAGE), max_tokens=120, loop_guard=None)
    [result] = Decoder(reader, Autoregressive()).run([request])
    stop = next(i for i in range(60, 120) if result.ids[i] not in result.ids[:i])
    monkeypatch.setattr(reader, "stop_ids", frozenset({result.ids[stop]}))
    return reader, result.ids[:stop]


def contents(page: Page, reader: Any) -> list[tuple[Label, str]]:
    return [(block.label, block.content) for block in page.blocks if block.source == reader.name]


@pytest.mark.parametrize("decode", ["match", "auto"])
@pytest.mark.parametrize("overlap", [True, False])
def test_stage_two_writes_what_page_mode_writes(
    page_model: tuple[Any, list[int]], decode: Any, overlap: bool
) -> None:
    reader, ids = page_model
    drafts: Any = MadeUpDraft([reader.decode(ids[20:]), "nothing of the kind", reader.decode(ids[:30])])
    alone = PageParser(ParseOptions(decode="ar"), reader, drafts).parse_page(NO_PAGE)
    both = HierarchicalParser(
        ParseOptions(decode=decode, overlap=overlap, max_tokens=24), reader, drafts
    ).parse_page(NO_PAGE)
    assert contents(both, reader) == contents(alone, reader)
    assert "".join("".join(text.split()) for _, text in contents(alone, reader))
    assert reader.slots.living == []


def test_better_drafts_cost_fewer_forwards(page_model: tuple[Any, list[int]]) -> None:
    reader, ids = page_model
    forwards = []
    for noise in (0.0, 0.1, 0.3, 1.0):
        chance = random.Random(3)
        noisy = [chance.randrange(reader.vocab_size) if chance.random() < noise else token for token in ids]
        pool = DraftPool([noisy[len(ids) // 2 :], noisy[: len(ids) // 2]])
        request = Request(reader.prompt(IMAGE, Task.PAGE), drafts=pool, loop_guard=None)
        [result] = Decoder(reader, DraftMatching()).run([request])
        assert result.ids == ids
        forwards.append(result.stats.verify_forwards + result.stats.plain_forwards)
    assert forwards == sorted(forwards)
    assert 4 * forwards[0] < forwards[-1]


def test_options_to_a_parsed_page(checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """From ``--model`` to blocks, without layout and OCR."""
    options = ParseOptions(
        model=str(checkpoint("gravity_ocr")), device="cpu", decode="self-spec", max_tokens=16
    )
    parser = make_strategy(options)
    assert isinstance(parser, RegionsParser)
    drafts = MadeUpDraft(["One block", "and another"])
    monkeypatch.setattr(parser, "draft", drafts)
    page = parser.parse_page(NO_PAGE)
    assert [block.bbox for block in page.blocks] == [block.bbox for block in drafts.page.blocks]
    for block in page.blocks:
        assert block.source == "GLM-OCR" or {"failed", "draft-kept"} <= set(block.flags)
    assert np.isfinite(parser.decoder.stats.tpf)  # type: ignore[attr-defined]
