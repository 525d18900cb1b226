"""HSD's two stages: what drafts in which, and what the page may match."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from galley.decoding import DraftPool, Finish, ForwardCosts, Request, Result, Scores, Window
from galley.document import Label
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.whole_page import PageParser
from galley.targets.prompt import Prompt

from .scripted import STOP, FixedDraft, ScriptedReader, Written, block

NO_PAGE = PageImage(1, np.zeros((1, 1, 3), dtype=np.uint8), 200.0)
FIRST = "The first paragraph stands here, with words enough to match."
SECOND = "Another one follows it and ends the page."
PAGE = f"{FIRST}\n\n{SECOND}"


class SelfDraftingReader(ScriptedReader):
    """Masks draft what the script has there."""

    mask_id: Any = STOP - 1
    block_size: Any = 8

    def _scores(self, written: Written, paths: list[list[int]], parents: Any, window: Window) -> Scores:
        scores = super()._scores(written, paths, parents, window)
        script = [*map(ord, written.answer), STOP]
        for slot in range(1, len(window) if paths != [[]] else 0):
            if parents[slot] < 0:
                place = len(written.committed) + int(window.depths[slot]) + 1
                scores.argmax[slot] = script[min(place, len(script) - 1)]
        return scores


class MtpReader(ScriptedReader):
    """Has a head that drafts what the script has."""

    def mtp(self, items: Any, depth: int) -> list[Any]:
        return [
            np.array([*map(ord, w.answer), *[STOP] * (depth + 1)])[len(w.committed) + 1 :][:depth]
            for w, _ in items
        ]


class Kept:
    """A runner that keeps requests and results."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner
        self.requests: list[Request] = []
        self.results: list[Result] = []

    def run(self, requests: Iterable[Request]) -> list[Result]:
        asked = list(requests)
        self.requests += asked
        results = self._runner.run(asked)
        self.results += results
        return results

    def whole(self) -> tuple[Request, Result]:
        """The page's."""
        return next(
            (q, r) for q, r in zip(self.requests, self.results, strict=True) if q.prompt.text == "page"
        )

    def regions(self) -> list[Result]:
        return [r for q, r in zip(self.requests, self.results, strict=True) if q.prompt.text != "page"]


@pytest.fixture(autouse=True)
def flat_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forwards of the scripted reader cost the same, so that ``auto`` does not depend on the clock."""
    monkeypatch.setattr(ForwardCosts, "measure", lambda *a, **k: ForwardCosts.flat())


def read(reader: ScriptedReader, cls: Any = HierarchicalParser, **options: Any) -> tuple[Any, Kept]:
    drafts: Any = FixedDraft(
        [block(Label.TEXT, "A poor draft", 10), block(Label.TEXT, "A worse one", 60, height=40)]
    )
    parser = cls(ParseOptions(**options), reader, drafts)
    parser.decoder = kept = Kept(parser.decoder)
    page = parser.parse_page(NO_PAGE)
    assert reader.alive == 0
    return page, kept


def answer(prompt: Prompt) -> str:
    if prompt.text == "page":
        return PAGE
    return FIRST if prompt.image.shape[0] < 40 else SECOND


def kinds(result: Result) -> set[str]:
    return {committed.source.kind for committed in result.trace}


@pytest.mark.parametrize("overlap", [True, False])
@pytest.mark.parametrize(
    ("decode", "made"),
    [("self-spec", SelfDraftingReader), ("mtp", MtpReader), ("prompt-lookup", ScriptedReader)],
)
def test_the_page_matches_its_regions_whatever_else_drafts(decode: str, made: Any, overlap: bool) -> None:
    page, kept = read(made(answer), decode=decode, overlap=overlap)
    assert [b.content for b in page.blocks] == [FIRST, SECOND]
    assert "match" not in {kind for result in kept.regions() for kind in kinds(result)}
    if decode != "prompt-lookup":
        assert all(decode in kinds(result) for result in kept.regions())
    assert "match" in kinds(kept.whole()[1])


def test_self_drafts_help_the_page_where_no_region_does() -> None:
    def page_only(prompt: Prompt) -> str:
        return PAGE if prompt.text == "page" else ""

    _, kept = read(SelfDraftingReader(page_only), decode="self-spec", overlap=False)
    assert "self-spec" in kinds(kept.whole()[1])


def test_asked_to_draft_nothing_the_page_drafts_nothing() -> None:
    _, kept = read(ScriptedReader(answer), decode="ar")
    assert kinds(kept.whole()[1]) == {"model"}


def test_the_page_strategy_drafts_as_it_is_told() -> None:
    _, kept = read(SelfDraftingReader(answer), PageParser, decode="self-spec")
    assert kinds(kept.whole()[1]) <= {"model", "self-spec"}


def loops_in_regions(prompt: Prompt) -> str:
    return PAGE if prompt.text == "page" else "spam and eggs, " * 200


@pytest.mark.parametrize("overlap", [True, False])
def test_a_looping_region_withdraws_what_it_wrote(overlap: bool) -> None:
    _, kept = read(ScriptedReader(loops_in_regions), decode="match", overlap=overlap)
    request, whole = kept.whole()
    pool = request.drafts
    assert isinstance(pool, DraftPool)
    assert [result.finish for result in kept.regions()] == [Finish.LOOP] * 2
    assert ["".join(map(chr, pool[i])) for i in range(2)] == ["A poor draft", "A worse one"]
    assert pool.find([ord(c) for c in "spam"], 3, 8) == []
    assert "".join(map(chr, whole.ids)) == PAGE


@pytest.mark.parametrize("overlap", [True, False])
def test_a_region_that_fails_offers_its_draft(overlap: bool) -> None:
    def fails(prompt: Prompt) -> str:
        if prompt.text != "page":
            raise RuntimeError("no memory left")
        return "A poor draft and A worse one"

    _, kept = read(ScriptedReader(fails), decode="match", overlap=overlap)
    assert [result.finish for result in kept.regions()] == [Finish.ERROR] * 2
    request, whole = kept.whole()
    assert "".join(map(chr, request.drafts[0])) == "A poor draft"
    assert {c.source.draft for c in whole.trace if c.source.kind == "match"} == {0, 1}
