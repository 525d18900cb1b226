"""Drafters driven by an engine that verifies chains: drafts change what decoding costs, never what is written."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.decoding.toy_target import STOP, ToyHandle, ToyTarget, plain

from galley.decoding import (
    Autoregressive,
    Decoder,
    DraftMatching,
    DraftPool,
    Request,
    SelfSpeculation,
    Source,
    Window,
)
from galley.decoding.drafters import DrafterConfig
from galley.decoding.tree import MODEL, Draft, PrefixTree
from galley.engines.chain import ChainDrafter, Masks, MatchOrSelfDraft, draft_chains, likeliest_path, start

LONGEST, TOKENS = 9, 120


class ChainEngine:
    """Decodes like an engine with paged attention: one chain a step, and some chains are dropped unverified."""

    def __init__(
        self, target: ToyTarget, config: DrafterConfig, drafts: list[list[list[int]]], lost: float = 0.0
    ):
        self.target = target
        masks = Masks(target.mask_id, target.block_size)
        self.drafters = [ChainDrafter(start(config, masks, DraftPool(pool)), LONGEST) for pool in drafts]
        self.written: list[list[int]] = [target.continuation(p, [], 1) for p in range(len(drafts))]
        self.forwards = 0
        self._lost, self._dice = lost, random.Random(1)

    def run(self) -> list[list[int]]:
        while running := [p for p, text in enumerate(self.written) if not self._over(text)]:
            self._step(running)
        for drafter, text in zip(self.drafters, self.written, strict=True):
            drafter.note(text)
        return [text[: text.index(STOP)] if STOP in text else text for text in self.written]

    def _step(self, running: list[int]) -> None:
        texts = [self.written[p] for p in running]
        max_drafts = [TOKENS - len(text) - 1 for text in texts]
        drafters = [self.drafters[p] for p in running]

        def forward(waiting: Sequence[ChainDrafter], windows: Sequence[Window]) -> list[np.ndarray]:
            rows = [self.drafters.index(drafter) for drafter in waiting]
            handles = [ToyHandle(row, self.written[row][:-1]) for row in rows]
            scores = self.target.forward(list(zip(handles, windows, strict=True)))
            return [one.argmax for one in scores]

        for prompt, chain in zip(running, draft_chains(drafters, texts, max_drafts, forward), strict=True):
            assert len(chain) <= min(LONGEST, max(TOKENS - len(self.written[prompt]) - 1, 0))
            kept = [] if self._dice.random() < self._lost else chain
            self.written[prompt] += self._verified(prompt, kept)
        self.forwards += 1

    def _verified(self, prompt: int, chain: list[int]) -> list[int]:
        truth = self.target.continuation(prompt, self.written[prompt], len(chain) + 1)
        right = next((i for i, token in enumerate(chain) if token != truth[i]), len(chain))
        return truth[: right + 1]

    def _over(self, text: list[int]) -> bool:
        return STOP in text or len(text) >= TOKENS


def texts_of(target: ToyTarget, count: int = 3) -> list[list[int]]:
    return [plain(target, prompt, TOKENS) for prompt in range(count)]


def noisy(text: list[int], seed: int) -> list[int]:
    dice = random.Random(seed)
    return [dice.randrange(1, 38) if dice.random() < 0.15 else token for token in text]


@pytest.fixture
def target() -> ToyTarget:
    return ToyTarget(stop_bias=-6.0)


DRAFTERS: dict[str, DrafterConfig] = {
    "ar": Autoregressive(),
    "match": DraftMatching(),
    "self-spec": SelfSpeculation(),
    "auto": MatchOrSelfDraft(SelfSpeculation()),
}


@pytest.mark.parametrize("name", DRAFTERS)
@pytest.mark.parametrize("lost", [0.0, 0.3])
def test_the_text_is_the_greedy_one(target: ToyTarget, name: str, lost: float) -> None:
    texts = texts_of(target)
    drafts = [[noisy(text, seed), texts[0]] for seed, text in enumerate(texts)]
    engine = ChainEngine(target, DRAFTERS[name], drafts, lost)
    assert engine.run() == texts
    for drafter, text in zip(engine.drafters, engine.written, strict=True):
        assert len(drafter.sources) == len(text)


def test_good_drafts_save_forwards(target: ToyTarget) -> None:
    texts = texts_of(target)
    alone = ChainEngine(target, Autoregressive(), [[] for _ in texts])
    drafted = ChainEngine(target, DraftMatching(), [[text] for text in texts])
    assert alone.run() == drafted.run() == texts
    assert drafted.forwards < alone.forwards / 5
    gave = [source for source in drafted.drafters[0].sources if source == Source("match", 0)]
    assert len(gave) > 0.8 * len(texts[0])


def test_own_drafts_reach_the_papers_ceiling() -> None:
    target = ToyTarget(quality=1.0, stop_bias=-6.0)
    engine = ChainEngine(target, SelfSpeculation(), [[]])
    engine.run()
    full = engine.drafters[0].rounds[:-2]
    assert target.block_size is not None
    assert [(found.drafted, found.accepted) for found in full] == [(target.block_size,) * 2] * len(full)
    per_forward = (target.block_size + 2) / 2
    committed = len(engine.written[0]) - 1
    assert committed / (2 * len(engine.drafters[0].rounds)) == pytest.approx(per_forward, rel=0.1)


def test_own_drafts_are_those_of_the_decoder(target: ToyTarget) -> None:
    """The engine accepts in each round what Galley's decoder does, and counts it alike."""
    engine = ChainEngine(target, SelfSpeculation(), [[]])
    engine.run()
    request = Request(0, max_tokens=TOKENS, loop_guard=None)
    [result] = Decoder(target, SelfSpeculation()).run([request])
    accepted = [found.accepted for found in engine.drafters[0].rounds]
    assert accepted[:-2] == result.stats.accepted[: len(accepted) - 2]
    assert sum(accepted) > 20


def test_a_free_draft_goes_before_the_models_own(target: ToyTarget) -> None:
    text = texts_of(target, 1)[0]
    engine = ChainEngine(target, MatchOrSelfDraft(SelfSpeculation()), [[text[40:80]]])
    assert engine.run() == [text]
    kinds = {source.kind for source in engine.drafters[0].sources}
    assert kinds == {"match", "self-spec", "model"}
    assert {source.kind for source in engine.drafters[0].sources[50:75]} <= {"match", "model"}


def test_a_draft_may_grow_while_it_is_followed(target: ToyTarget) -> None:
    text = texts_of(target, 1)[0]
    pool = DraftPool([[]])
    engine = ChainEngine(target, DraftMatching(), [[]])
    engine.drafters = [ChainDrafter(start(DraftMatching(), Masks(), pool), LONGEST)]
    given = 0
    while not engine._over(engine.written[0]):
        pool.extend(0, text[given : given + 20])
        given += 20
        engine._step([0])
    assert engine.run() == [text]
    assert engine.forwards < len(text) / 2


def test_the_likeliest_path() -> None:
    tree = PrefixTree(7)
    weak, strong = Source("match", 0), Source("match", 1)
    tree.add(Draft(np.array([1, 2, 3]), np.array([0.4, 0.3, 0.2]), weak))
    tree.add(Draft(np.array([1, 5]), np.array([0.5, 0.4]), strong))
    tree.add(Draft(np.array([9]), np.array([0.6]), Source("mtp")))
    assert likeliest_path(tree) == [(1, weak), (5, strong)]
    assert likeliest_path(PrefixTree(7)) == []


def test_what_was_noted_is_not_noted_twice(target: ToyTarget) -> None:
    drafter = ChainDrafter(start(DraftMatching(), Masks(), DraftPool([[1, 2, 3, 4, 5, 6]])), LONGEST)
    drafter.note([1])
    drafter.begin([1], 5)
    assert drafter.chain == [2, 3, 4, 5, 6]
    written: Any = [1, 2, 3, 9]
    drafter.note(written)
    drafter.note(written)
    assert drafter.sources == [MODEL, Source("match", 0), Source("match", 0), MODEL]
    assert [(found.drafted, found.accepted) for found in drafter.rounds] == [(5, 2)]
