"""The promise where it is not trivial: checkpoints whose own drafts are accepted several tokens deep.

In fp32 with exact acceptance the ids are those that ``generate`` writes with the same weights, whatever drafts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from galley.decoding import (
    Auto,
    Autoregressive,
    Decoder,
    DraftMatching,
    Finish,
    ForwardCosts,
    Mtp,
    PromptLookup,
    Request,
    Result,
    SelfSpeculation,
    Stats,
    Threshold,
)
from galley.targets.transformers import load_target

from .conftest import TOKENS
from .test_exactness import drafts_for
from .trained import BLOCK, CROPS, TRAINED

Load = Callable[[str], Any]

SETTINGS: dict[str, Any] = {
    "ar": Autoregressive(),
    "match": DraftMatching(),
    "one shot": SelfSpeculation(),
    "tau_d": SelfSpeculation(tau_d=0.5),
    "tau_d of a narrow block": SelfSpeculation(block_size=BLOCK // 2, tau_d=0.5),
    "narrow block": SelfSpeculation(block_size=BLOCK // 2 - 1),
    "wide block": SelfSpeculation(block_size=2 * BLOCK),
    "prompt-lookup": PromptLookup(),
    "mtp": Mtp(depth=5),
    "auto": Auto(),
    "auto with mtp": Auto(drafters=(DraftMatching(), PromptLookup(), Mtp(depth=5))),
}
"""Ways of drafting; only GLM-OCR has a multi-token-prediction head."""
DEEP = ("one shot", "wide block", "tau_d", "mtp", "auto")
"""Ways whose drafts are accepted three tokens deep and more."""
CASES = [
    (name, drafter, batch)
    for name in TRAINED
    for drafter in SETTINGS
    for batch in (1, 5)
    if "mtp" not in drafter or name == "trained_glm_ocr"
]


def write(
    model: Any, prompts: list[Any], texts: list[list[int]], drafter: str, batch: int, **more: Any
) -> list[Result]:
    """Decode all prompts; ``match`` has noisy free drafts of every text.

    Costs are given, not measured, so that what ``auto`` drafts does not depend on what else runs on the machine.
    """
    requests = [
        Request(
            prompt,
            drafts=drafts_for("noisy", texts, row, model.vocab_size) if drafter == "match" else [],
            max_tokens=TOKENS,
            loop_guard=None,
            **more,
        )
        for row, prompt in enumerate(prompts)
    ]
    return Decoder(model, SETTINGS[drafter], max_batch=batch, costs=ForwardCosts.flat()).run(requests)


def counted(results: list[Result]) -> Stats:
    total = Stats()
    for result in results:
        total.add(result.stats)
    return total


@pytest.mark.parametrize("name", TRAINED)
def test_the_checkpoints_know_their_crops(name: str, target: Load, greedy: Load) -> None:
    model, texts = target(name), greedy(name)
    assert [model.decode(text) for text in texts[: len(CROPS)]] == [text for _, text in CROPS]


@pytest.mark.parametrize(("name", "drafter", "batch"), CASES)
def test_ids_are_those_of_generate(
    name: str, drafter: str, batch: int, target: Load, prompts: Load, greedy: Load
) -> None:
    model, texts = target(name), greedy(name)
    results = write(model, prompts(name), texts, drafter, batch)
    assert [result.error for result in results] == [None] * len(results)
    assert [result.ids for result in results] == texts
    assert all(result.finish is Finish.STOP for result in results[: len(CROPS)])
    assert model.slots.living == []
    known = counted(results[: len(CROPS)])
    if drafter == "ar":
        assert known.tpf == 1 and not known.accepted
    if drafter in DEEP:
        assert known.mean_accepted >= 3 and known.tpf > 1.5
        assert min(counted(results).accepted) < 3, "no draft was rejected"


@pytest.mark.parametrize("name", TRAINED)
def test_drafting_in_one_shot_writes_three_tokens_a_forward(
    name: str, target: Load, prompts: Load, greedy: Load
) -> None:
    known = counted(write(target(name), prompts(name)[: len(CROPS)], greedy(name), "one shot", 1))
    assert known.tpf >= 3


@pytest.mark.parametrize("name", TRAINED)
def test_text_at_a_lower_tau_does_not_depend_on_the_batch(
    name: str, target: Load, prompts: Load, greedy: Load
) -> None:
    model, texts = target(name), greedy(name)
    alone, together = (
        [
            result.ids
            for result in write(model, prompts(name), texts, "match", batch, acceptance=Threshold(1e-3))
        ]
        for batch in (1, 5)
    )
    assert together == alone
    assert alone != texts, "tau let no wrong draft pass"


@pytest.mark.parametrize("name", TRAINED)
def test_half_precision_writes_nearly_the_same(
    name: str,
    checkpoint: Load,
    prompts: Load,
    greedy: Load,
    record_property: Callable[[str, object], None],
) -> None:
    """In bfloat16 a slot's logits depend on the width of its window, so that equality is not promised."""
    half = load_target(checkpoint(name), device="cpu", dtype="bfloat16")
    plain, drafted = (
        [result.ids for result in write(half, prompts(name), [], drafter, 1)]
        for drafter in ("ar", "one shot")
    )
    for what, other in (("bf16_greedy", plain), ("fp32_greedy", greedy(name))):
        pairs = zip(drafted, other, strict=True)
        same = sum(sum(a == b for a, b in zip(ours, theirs, strict=False)) for ours, theirs in pairs)
        share = same / sum(map(len, other))
        record_property(what, share)
        assert share > 0.8
    assert [half.decode(ids) for ids in drafted[: len(CROPS)]] == [text for _, text in CROPS]
