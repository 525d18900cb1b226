"""The promise: in fp32 with exact acceptance, token ids equal ``generate``'s, whatever drafts and however
batched.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from galley.decoding import (
    Auto,
    Autoregressive,
    Decoder,
    DraftMatching,
    Mtp,
    PromptLookup,
    Request,
    SelfSpeculation,
)

from .conftest import TOKENS

Load = Callable[[str], Any]

FAMILIES = (
    "glm_ocr",
    "gravity_ocr",
    "glm_ocr_mtp",
    "qwen2_5_vl",
    "qwen3_vl",
    "hunyuan_ocr",
    "paddleocr_vl",
    "lighton_ocr",
    "deepseek_ocr2",
)
DRAFTERS = ("ar", "perfect", "noisy", "hostile", "self-spec", "mtp", "prompt-lookup", "auto")


def drafts_for(kind: str, texts: Sequence[list[int]], row: int, vocabulary: int) -> list[list[int]]:
    """perfect: the answer among others; noisy: one token in five wrong, some lost; hostile: near misses."""
    noise = random.Random(row)
    answer = texts[row]
    if kind == "perfect":
        return [texts[(row + 1) % len(texts)], answer]
    if kind in ("noisy", "auto"):
        wrong = [noise.randrange(vocabulary) if noise.random() < 0.2 else token for token in answer]
        return [wrong[:10] + wrong[12:], texts[(row + 1) % len(texts)]]
    if kind == "hostile":
        # Every trigram of the answer goes on wrongly, at many places.
        return [
            [*answer[i : i + 3], *[noise.randrange(vocabulary) for _ in range(6)]]
            for i in range(len(answer) - 3)
        ]
    return []


def settings(drafter: str, block: int) -> Any:
    return {
        "ar": Autoregressive(),
        "perfect": DraftMatching(),
        "noisy": DraftMatching(),
        "hostile": DraftMatching(),
        "self-spec": SelfSpeculation(block_size=block),
        "mtp": Mtp(),
        "prompt-lookup": PromptLookup(),
        "auto": Auto(),
    }[drafter]


def able(name: str, drafter: str) -> bool:
    if drafter == "self-spec":
        return name == "gravity_ocr"
    return drafter != "mtp" or name == "glm_ocr_mtp"


def check(name: str, drafter: str, batch: int, block: int, target: Load, prompts: Load, greedy: Load) -> None:
    model, texts = target(name), greedy(name)
    decoder = Decoder(model, settings(drafter, block), max_batch=batch)
    requests = [
        Request(
            prompt,
            drafts=drafts_for(drafter, texts, row, model.vocab_size),
            max_tokens=TOKENS,
            loop_guard=None,
            confidence=drafter == "auto",
        )
        for row, prompt in enumerate(prompts(name))
    ]
    results = decoder.run(requests if batch > 1 else requests[:2])
    for row, result in enumerate(results):
        assert result.error is None
        assert result.ids == texts[row]
    assert model.slots.living == []
    if drafter == "perfect":
        assert all(r.stats.tpf > 2 for r in results if len(r.ids) == TOKENS)


CASES = [
    (name, drafter, batch, block)
    for name in FAMILIES
    for drafter in DRAFTERS
    for batch in (1, 5)
    for block in (4, 32)
    if able(name, drafter) and (block == 4 or drafter == "self-spec")
]
QUICK = [
    case
    for case in CASES
    if case[2] == 5
    and case[0] != "deepseek_ocr2"
    and (case[0] in ("gravity_ocr", "qwen3_vl") or case[1] in ("mtp", "noisy"))
]


def test_the_texts_are_worth_comparing(greedy: Load) -> None:
    for name in sorted({case[0] for case in QUICK}):
        texts = greedy(name)
        assert sum(len(set(text)) >= 9 for text in texts) >= 3, name
        assert len({tuple(text) for text in texts}) == len(texts), name


@pytest.mark.parametrize(("name", "drafter", "batch", "block"), QUICK)
def test_exact(
    name: str, drafter: str, batch: int, block: int, target: Load, prompts: Load, greedy: Load
) -> None:
    check(name, drafter, batch, block, target, prompts, greedy)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "drafter", "batch", "block"), [case for case in CASES if case not in QUICK])
def test_exact_everywhere(
    name: str, drafter: str, batch: int, block: int, target: Load, prompts: Load, greedy: Load
) -> None:
    check(name, drafter, batch, block, target, prompts, greedy)
