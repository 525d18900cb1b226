"""A way of drafting that is added to the table is known by its name everywhere: decoder, options, command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from PIL import Image
from toy_target import ToyTarget, plain

from galley.cli.app import run
from galley.decoding import (
    DRAFTERS,
    Auto,
    Decoder,
    Drafter,
    DraftPool,
    DraftWindow,
    ForwardCosts,
    Request,
    Source,
)
from galley.decoding.drafters import DecoderContext
from galley.decoding.tree import Draft, PrefixTree, geometric
from galley.errors import UsageError
from galley.parsing.options import make_options

SAMPLE = Path(__file__).parents[2] / "samples" / "letter.jpg"


@dataclass(frozen=True)
class Again:
    """Expects the last ``width`` tokens once more."""

    width: int = 4
    name: ClassVar[str] = "again"
    summary: ClassVar[str] = "the last few tokens once more"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        return None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        return AgainDrafter(self.width)


class AgainDrafter(Drafter):
    started = 0

    def __init__(self, width: int) -> None:
        self._width = width
        type(self).started += 1

    def drafts(self) -> list[Draft]:
        tokens = np.array(self.committed[-self._width :][: max(self.max_draft, 0)], dtype=np.int64)
        return [Draft(tokens, geometric(0.5, len(tokens)), Source(Again.name))] if len(tokens) else []

    def draft(self, batch_draft: Any = None) -> DraftWindow:
        tree = PrefixTree(self.committed[-1])
        for draft in self.drafts():
            tree.add(draft)
        return DraftWindow(tree)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DRAFTERS, Again.name, Again)


@pytest.mark.usefixtures("added")
def test_a_decoder_drafts_with_it_by_name() -> None:
    target = ToyTarget(vocab=6, block_size=None, stop_bias=-100.0)
    for drafter in (Again.name, Auto(drafters=(Again(),))):
        (result,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run(
            [Request(2, max_tokens=300, loop_guard=None)]
        )
        assert result.ids == plain(target, 2, 300)
        assert result.stats.tpf > 1
        assert Again.name in {committed.source.kind for committed in result.trace}


@pytest.mark.usefixtures("added")
def test_the_options_know_it() -> None:
    assert make_options(decode=Again.name).decode == Again.name
    with pytest.raises(UsageError, match=Again.name):
        make_options(decode="never heard of")


@pytest.mark.usefixtures("added")
def test_the_command_line_decodes_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The embedded model reads two lines with it, to the same text as without drafts."""
    with Image.open(SAMPLE) as letter:
        letter.crop((0, letter.height * 4 // 10, letter.width, letter.height // 2)).save(
            tmp_path / "lines.png"
        )
    texts = []
    before = AgainDrafter.started
    for name in ("ar", Again.name):
        assert run(["parse", str(tmp_path / "lines.png"), "--decode", name]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] and len(texts[0].split()) > 5
    assert AgainDrafter.started > before
