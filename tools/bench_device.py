"""What drafting earns on an accelerator: the full-size GLM-OCR architecture, random weights, bfloat16.

Tokens per second of Galley's plain decoding and of Transformers', a forward's cost by width and batch, and the
speed-up of self-speculation and of free drafts at the acceptance the papers report (15 and 25 of 32 drafted
tokens). Rounding in bfloat16 lets texts part where two tokens are nearly as likely, so ids are compared and
counted, not asserted. Has not been run on a GPU yet; ``--small`` tries it on a CPU.

    python tools/bench_device.py [--device cuda] [--tokens 512] [--small]
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import numpy as np
import torch
import transformers as hf
from bench_decode import (
    MASK,
    FixedPrompt,
    build,
    corrupted,
    forward_costs,
    ours,
    seconds,
    small,
    theirs,
    trained,
)

from galley.decoding import Autoregressive, DraftMatching, ForwardCosts, SelfSpeculation
from galley.decoding.matching import agreement
from galley.targets.profiles import profile_for
from galley.targets.prompt import Prompt
from galley.targets.transformers.patches import replace_patch_convolutions
from galley.targets.transformers.selfspec import BlockDiffusionSettings
from galley.targets.transformers.target import TransformersTarget

BLOCK = 32
ACCEPTED = (15, 25)
TEXT = {
    "vocab_size": 59392,
    "hidden_size": 1536,
    "intermediate_size": 4608,
    "num_hidden_layers": 16,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [16, 24, 24]},
}
VISION = {"depth": 24, "hidden_size": 1024, "num_heads": 16, "intermediate_size": 4096}


def rate_of(accepted: float, block: int = BLOCK) -> float:
    """The chance per token with which ``accepted`` of ``block`` drafted tokens are taken on average."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        enough = float(np.power(middle, np.arange(1, block + 1)).sum()) >= accepted
        low, high = (low, middle) if enough else (middle, high)
    return high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--small", action="store_true", help="a small model and few batches")
    options = parser.parse_args()
    hf.utils.logging.set_verbosity_error()
    sizes = small(256, 4) if options.small else (TEXT, VISION)
    model = build(*sizes, options.device, torch.bfloat16)
    replace_patch_convolutions(model)
    processor: Any = FixedPrompt(16, 16)
    inputs = {name: value.to(options.device) for name, value in processor.inputs.items()}
    inputs["pixel_values"] = inputs["pixel_values"].to(torch.bfloat16)
    plain = TransformersTarget(model, processor, profile_for("glm_ocr"))
    drafting = TransformersTarget(
        model, processor, profile_for("glm_ocr"), BlockDiffusionSettings(MASK, BLOCK)
    )
    plain.stop_ids = drafting.stop_ids = frozenset({-1})
    prompt = Prompt(np.zeros((448, 448, 3), np.uint8), "")
    size = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    print(f"{size:.0f}M parameters, bfloat16 on {options.device}, {options.tokens} tokens")
    forward_costs(plain, prompt, (1, 4) if options.small else (1, 18, 64), (1, 8, 16, 33, 64))
    compare(plain, drafting, inputs, prompt, options.tokens)


def compare(
    plain: TransformersTarget,
    drafting: TransformersTarget,
    inputs: dict[str, Any],
    prompt: Prompt,
    tokens: int,
) -> None:
    """Print tokens per second, the ratio to Galley's plain decoding, and how far the ids are its own."""
    costs = ForwardCosts.flat()  # no drafter here asks for them
    ours(plain, prompt, Autoregressive(), [], 8, costs)
    ar, result = ours(plain, prompt, Autoregressive(), [], tokens, costs)
    text = result.ids
    theirs(plain.model, inputs, 8)
    took, ids = theirs(plain.model, inputs, tokens)

    def line(name: str, took: float, ids: list[int], per_forward: float = 1.0) -> None:
        same = agreement(ids, 0, text)
        print(
            f"{name:42}{tokens / took:9.1f} tok/s{ar / took:8.2f} x AR{per_forward:8.2f} tok/forward"
            f"   {same} of {len(text)} ids as AR",
            flush=True,
        )

    print()
    line("Galley AR", ar, text)
    line("Transformers greedy", took, ids)
    for accepted in ACCEPTED:
        rate = rate_of(accepted)
        draft = corrupted(text, rate)
        took, result = ours(plain, prompt, DraftMatching(), draft, tokens, costs)
        line(f"match, drafts right at {rate:.3f}", took, result.ids, result.stats.tpf)
        with trained(drafting, prompt, draft, rate):
            run = partial(ours, drafting, prompt, SelfSpeculation(), [], tokens, costs)
            run()  # captures the graphs of its shapes
            took, result = run()
            line(f"self-speculation, {accepted} of {BLOCK} accepted", took, result.ids, result.stats.tpf)


if __name__ == "__main__":
    print(f"{seconds(main)[0]:.0f} s in all")
