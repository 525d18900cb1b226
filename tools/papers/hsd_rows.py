"""Rows about HSD: both stages against the page alone, and what each piece of the matching earns."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from documents import drafted_texts, load
from measure import Table, Timed
from pages import PrintedPage, Region
from train import printed

from galley.decoding import (
    Autoregressive,
    Decoder,
    DrafterConfig,
    DraftMatching,
    MatchLimits,
    Request,
    Result,
    Stats,
)
from galley.document import BBox, Block, Label, Page
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.whole_page import PageParser
from galley.targets.prompt import Task, text_key

MODELS = ("page-qwen2.5", "page-qwen3")
NOISE = (0.0, 0.1, 0.2, 0.4)
PAPER = MatchLimits(
    grown=3, depth=512, chain=512, places=512, weakest=3, resume=False, begin=False, by_key=False
)
_LABELS = {Task.TABLE: Label.TABLE, Task.FORMULA: Label.FORMULA, Task.TEXT: Label.TEXT}


@dataclass
class Read:
    """What reading the pages took: results of regions and of pages, CPU seconds, batched forwards."""

    regions: list[Result]
    pages: list[Result]
    seconds: float
    prefill: float
    forwards: int

    @property
    def page_stats(self) -> Stats:
        return _sum(self.pages)

    @property
    def region_stats(self) -> Stats:
        return _sum(self.regions)


class _Draft:
    """Stands in for the pipeline drafter: a page's regions in their places, with the texts it is given."""

    def __init__(self, page: PrintedPage, texts: Sequence[str]) -> None:
        width, height = page.image.size
        blocks = [_block(region, text, width) for region, text in zip(page.regions, texts, strict=True)]
        self._page = Page(number=1, width=width, height=height, blocks=blocks)
        self._image = np.asarray(page.image)

    def parse_with_image(self, page: Any) -> tuple[Page, Any]:
        return self._page.model_copy(deep=True), self._image


def _block(region: Region, text: str, width: int) -> Block:
    label = Label.HEADING if region.heading else _LABELS[region.task]
    bbox = BBox(x0=0, y0=region.top, x1=width, y1=region.bottom)
    return Block(label=label, content=text, bbox=bbox, source="drafter")


class _Runner:
    """Decodes as a parser's runner does, with a drafter of choice, and keeps results apart."""

    def __init__(self, target: Timed, drafter: DrafterConfig, keys: bool) -> None:
        key = text_key(target) if keys else chr
        self.decoder = Decoder(target, drafter, max_batch=16, key=key)
        self.pages: list[Result] = []
        self.regions: list[Result] = []

    def run(self, requests: Iterable[Request]) -> list[Result]:
        asked = list(requests)
        results = self.decoder.run(asked)
        for request, result in zip(asked, results, strict=True):
            if result.error is not None:
                raise result.error
            (self.pages if request.prompt.task is Task.PAGE else self.regions).append(result)
        return results


def read(
    target: Timed, drafts: Sequence[Sequence[str]], strategy: Any, drafter: DrafterConfig, **options: Any
) -> Read:
    """Read all pages with a strategy's parser; drafts: per page and region."""
    runner = _Runner(target, drafter, keys=True)
    target.reset()
    start = time.process_time()
    for page, texts in zip(printed(target.marked), drafts, strict=True):
        parser = strategy(ParseOptions(decode="match", **options), target, _Draft(page, texts))
        parser.decoder = runner
        parser.parse_page(None)
    seconds = time.process_time() - start
    return Read(runner.regions, runner.pages, seconds, target.prefill_seconds, runner.decoder.forwards)


def hsd() -> list[Table]:
    """Both stages, one after the other and overlapped, against page matching alone and against plain decoding."""
    tables = []
    for name in MODELS:
        target = load(name)
        alone = read(target, drafted_texts(printed(), 0), PageParser, Autoregressive())
        lengths = ", ".join(str(len(result.ids)) for result in alone.pages)
        table = Table(
            f"HSD: {name}, pages of {lengths} tokens, 12 regions each; words of the drafter wrong at a rate; seconds "
            f"of everything, prefills too; pages decoded plainly: {alone.seconds:.1f} s, {alone.forwards} forwards",
            [
                "drafts wrong",
                "strategy",
                "forwards",
                "page AAL",
                "region AAL",
                "prefill s",
                "s",
                "x AR",
                "x page alone",
                "ids",
            ],
        )
        for rate in NOISE:
            drafts = drafted_texts(printed(), rate)
            single = read(target, drafts, PageParser, DraftMatching())
            ways = {
                "page alone": single,
                "stages in turn": read(target, drafts, HierarchicalParser, DraftMatching(), overlap=False),
                "stages overlapped": read(target, drafts, HierarchicalParser, DraftMatching(), overlap=True),
            }
            for way, found in ways.items():
                same = sum(a.ids == b.ids for a, b in zip(found.pages, alone.pages, strict=True))
                row = [f"{rate:.0%}", way, found.forwards, found.page_stats.aal]
                row += [found.region_stats.aal if found.regions else "", found.prefill, found.seconds]
                row += [alone.seconds / found.seconds, single.seconds / found.seconds]
                table.rows.append([*row, f"{same} of {len(alone.pages)}"])
        tables.append(table)
    return tables


def ablation() -> list[Table]:
    """What each piece of the matching earns on a page with its regions read."""
    usual = MatchLimits()
    limits = {
        "as Galley does it": usual,
        "the paper alone (n = 3, whole continuations)": PAPER,
        "no window growth": replace(usual, grown=0),
        "no text keys": replace(usual, by_key=False),
        "no taking up behind a mismatch": replace(usual, resume=False),
        "no beginnings expected": replace(usual, begin=False),
        "no match of fewer than n": replace(usual, weakest=3),
        "n = 1": replace(usual, n=1),
        "n = 2": replace(usual, n=2),
        "n = 5": replace(usual, n=5, weakest=1),
        "depth 5": replace(usual, depth=5),
        "depth 50": replace(usual, depth=50),
        "chain 32": replace(usual, chain=32),
        "chain 128": replace(usual, chain=128),
        "places 2": replace(usual, places=2),
    }
    settings = {name: DraftMatching(one) for name, one in limits.items()}
    settings |= {"nodes 16": DraftMatching(nodes=16), "nodes 64": DraftMatching(nodes=64)}
    tables = []
    for name in MODELS[:1]:
        target = load(name)
        drafts = drafted_texts(printed(), 0.1)
        alone = read(target, drafts, PageParser, Autoregressive())
        table = Table(
            f"HSD's pieces: {name}, words of the drafter wrong at 10 %, page alone and both stages in turn",
            ["matching", "page alone: AAL", "forwards", "s", "both stages: page AAL", "forwards", "s", "ids"],
        )
        for setting, drafter in settings.items():
            single = read(target, drafts, PageParser, drafter)
            both = read(target, drafts, HierarchicalParser, drafter, overlap=False)
            same = sum(
                a.ids == c.ids and b.ids == c.ids
                for a, b, c in zip(single.pages, both.pages, alone.pages, strict=True)
            )
            row = [setting, single.page_stats.aal, single.forwards, single.seconds]
            row += [both.page_stats.aal, both.forwards, both.seconds, f"{same} of {len(alone.pages)}"]
            table.rows.append(row)
        tables.append(table)
    return tables


def _sum(results: Sequence[Result]) -> Stats:
    total = Stats()
    for result in results:
        total.add(result.stats)
    return total
