"""Reading whole pages, alone and after their blocks."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from galley.document import BBox, Label
from galley.errors import ModelError, UsageError
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.regions import RegionsParser
from galley.parsing.strategies.whole_page import PageParser
from galley.strategy_factory import make_strategy, needs_model
from galley.targets.prompt import Prompt, Task

from .scripted import FixedDraft, ScriptedReader, block

NO_PAGE = PageImage(1, np.zeros((1, 1, 3), dtype=np.uint8), 200.0)
MARKDOWN = (
    "# A heading\n\nThe first paragraph stands here.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "$$\nE = mc^2\n$$\n\nThe last paragraph has words nobody drafted."
)
BLOCKS: Any = [
    block(Label.HEADER, "Journal", 0, 8),
    block(Label.TEXT, "The first paragraph stands here.", 100),
    block(Label.HEADING, "A heading", 20),
    block(Label.FIGURE, "", 130, image="f.jpg"),
    block(Label.TEXT, "The last paragraph", 200),
]


def answer(prompt: Prompt) -> str:
    return MARKDOWN if prompt.text == "page" else "The first paragraph stands here."


def test_a_page_becomes_blocks_in_the_models_order_with_the_drafts_boxes() -> None:
    draft: Any = FixedDraft(BLOCKS)
    # "auto" may find a draft not worth its measured cost; which draft gave a token is fixed with "match"
    page = PageParser(ParseOptions(decode="match"), ScriptedReader(answer), draft).parse_page(NO_PAGE)
    labels = [b.label for b in page.blocks]
    assert [label for label in labels if label not in (Label.HEADER, Label.FIGURE)] == [
        Label.HEADING,
        Label.TEXT,
        Label.TABLE,
        Label.FORMULA,
        Label.TEXT,
    ]
    found = {b.content: b for b in page.blocks}
    assert found["A heading"].bbox == BLOCKS[2].bbox and found["A heading"].level == 1
    assert found["The first paragraph stands here."].bbox == BLOCKS[1].bbox
    assert found["E = mc^2"].bbox == BBox(x0=0, y0=0, x1=200, y1=300)
    assert labels[0] is Label.HEADER and Label.FIGURE in labels
    assert next(b for b in page.blocks if b.label is Label.FIGURE).image == "f.jpg"
    assert all(b.source == "scripted" for b in page.blocks if b.label in (Label.TEXT, Label.TABLE))


@pytest.mark.parametrize("overlap", [True, False])
@pytest.mark.parametrize("decode", ["auto", "match", "ar"])
def test_hierarchical_reads_what_page_mode_reads(overlap: bool, decode: Any) -> None:
    def made(cls: Any, **options: Any) -> Any:
        reader = ScriptedReader(answer)
        parser = cls(ParseOptions(decode=decode, **options), reader, FixedDraft(BLOCKS))
        page = parser.parse_page(NO_PAGE)
        assert reader.alive == 0
        return page, reader

    page, _ = made(PageParser)
    both, reader = made(HierarchicalParser, overlap=overlap)
    assert [(b.label, b.content) for b in both.blocks if b.source == "scripted"] == [
        (b.label, b.content) for b in page.blocks if b.source == "scripted"
    ]
    assert sum(reader.prefills) == 4


def test_a_looping_page_falls_back_to_its_blocks() -> None:
    def loops(prompt: Prompt) -> str:
        return "round and round it goes " * 200 if prompt.text == "page" else "Read well."

    for cls, source in ((PageParser, "ocr"), (HierarchicalParser, "scripted")):
        draft: Any = FixedDraft(BLOCKS)
        parser: Any = cls(ParseOptions(), ScriptedReader(loops), draft)
        page = parser.parse_page(NO_PAGE)
        assert len(page.blocks) == len(BLOCKS)
        texts = [b for b in page.blocks if b.label is Label.TEXT]
        assert all(b.source == source for b in texts)
        assert all(("draft-kept" in b.flags) == (source == "ocr") for b in texts)
        assert "ran into a loop on page 1" in page.warnings[0]


def test_a_failing_page_falls_back_too() -> None:
    def fails(prompt: Prompt) -> str:
        raise RuntimeError("no memory left")

    draft: Any = FixedDraft(BLOCKS)
    page = PageParser(ParseOptions(), ScriptedReader(fails), draft).parse_page(NO_PAGE)
    assert [b.content for b in page.blocks] == [b.content for b in BLOCKS]
    assert "did not finish (no memory left)" in page.failures[0]


def test_the_strategy_follows_from_the_model() -> None:
    regions_only = ScriptedReader(answer, tasks=(Task.TEXT, Task.TABLE, Task.FORMULA))
    assert isinstance(make_strategy(ParseOptions(), reader=regions_only), RegionsParser)
    assert isinstance(make_strategy(ParseOptions(), reader=ScriptedReader(answer)), HierarchicalParser)
    assert isinstance(make_strategy(ParseOptions(strategy="page"), reader=ScriptedReader(answer)), PageParser)
    with pytest.raises(ModelError, match="cannot read a page"):
        make_strategy(ParseOptions(strategy="page"), reader=regions_only)


def test_options_that_contradict_each_other() -> None:
    assert not needs_model(ParseOptions())
    assert not needs_model(ParseOptions(strategy="regions"))
    with pytest.raises(UsageError, match="embedded model reads regions"):
        needs_model(ParseOptions(strategy="page"))
    with pytest.raises(UsageError, match="uses no model"):
        needs_model(ParseOptions(strategy="draft", model="x/y"))


def test_no_model_framework_is_imported_before_a_model_is_asked_for() -> None:
    code = (
        "import sys; from galley.parsing.options import ParseOptions; "
        "from galley.strategy_factory import make_strategy; make_strategy(ParseOptions()); "
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
