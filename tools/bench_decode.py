"""What drafting earns on this machine: a random-weight model of GLM-OCR's class, one run, ratios within the run.

Two tables: seconds of a forward against window width and batch, and tokens per second of each way of decoding when
drafts are right at given rates. Random weights write nonsense at full cost, which is all a speed needs; drafts are
the model's own text with tokens replaced, so the acceptance rate is set, not assumed.

    python tools/bench_decode.py [--tokens 192] [--width 768] [--layers 12] [--threads N]
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
import transformers as hf

from galley.decoding import Auto, BlockDiffusion, Decoder, Match, Plain, PromptLookup, Request, Window
from galley.targets.profiles import profile_for
from galley.targets.prompt import Prompt
from galley.targets.transformers.patches import replace_patch_convolutions
from galley.targets.transformers.selfspec import SelfSpeculation
from galley.targets.transformers.target import TransformersTarget

VOCABULARY, IMAGE, MASK, STOP = 16384, 3, 4, 5
PATCH, MERGE = 14, 2
RATES = (0.0, 0.5, 0.8, 0.9, 1.0)


class Words:
    """A tokenizer's few duties here: nothing is read or written as text."""

    padding_side = "right"
    eos_token_id = STOP

    def get_vocab(self) -> dict[str, int]:
        return {"<|mask|>": MASK}

    def decode(self, ids: Iterable[int], **options: Any) -> str:
        return " ".join(map(str, ids))


class FixedPrompt:
    """Stands in for a processor: the same image and words for every prompt."""

    chat_template = "none"

    def __init__(self, rows: int, columns: int) -> None:
        self.tokenizer = Words()
        generator = torch.Generator().manual_seed(0)
        patches = rows * columns * MERGE**2
        count = rows * columns
        ids = torch.tensor([[10, 11, *[IMAGE] * count, 12, 13, 14, 15]])
        self.inputs = {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "mm_token_type_ids": (ids == IMAGE).int(),
            "pixel_values": torch.randn(patches, 3 * 2 * PATCH**2, generator=generator),
            "image_grid_thw": torch.tensor([[1, rows * MERGE, columns * MERGE]]),
        }

    def apply_chat_template(self, *arguments: Any, **options: Any) -> str:
        return ""

    def __call__(self, text: list[str], **options: Any) -> dict[str, torch.Tensor]:
        together = {}
        for name, value in self.inputs.items():
            together[name] = torch.cat([value] * len(text))
        return together


def build(width: int, layers: int) -> Any:
    """GLM-OCR's classes at a size this machine turns over; weights scaled so that outputs vary."""
    text = {
        "vocab_size": VOCABULARY,
        "hidden_size": width,
        "intermediate_size": 3 * width,
        "num_hidden_layers": layers,
        "num_attention_heads": width // 64,
        "num_key_value_heads": width // 128,
        "head_dim": 64,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [8, 12, 12]},
        "pad_token_id": 0,
        "eos_token_id": STOP,
    }
    vision = {
        "depth": 4,
        "hidden_size": 256,
        "num_heads": 4,
        "intermediate_size": 512,
        "out_hidden_size": width,
        "patch_size": PATCH,
        "spatial_merge_size": MERGE,
    }
    ids = {"image_token_id": IMAGE, "video_token_id": 6, "image_start_token_id": 7, "image_end_token_id": 8}
    config = hf.GlmOcrConfig(text_config=text, vision_config=vision, tie_word_embeddings=False, **ids)
    torch.manual_seed(0)
    model = hf.GlmOcrForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim >= 2:
                parameter.normal_(std=1.0 if "embed_tokens" in name else parameter[0].numel() ** -0.5)
    model.generation_config = hf.GenerationConfig(eos_token_id=None, pad_token_id=0)
    return model


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def forward_costs(target: TransformersTarget, prompt: Prompt) -> None:
    """Print milliseconds of a forward by window width (rows) and batch (columns)."""
    batches, widths = (1, 4, 8), (1, 2, 4, 8, 16, 33, 64, 128)
    handles = [handle for handle, _ in target.prefill([prompt] * max(batches))]
    print(f"\nmilliseconds per forward after a prompt of {handles[0].slot.length} tokens")
    print("width " + "".join(f"   batch {batch:<3}" for batch in batches))
    for width in widths:
        items = [(handle, Window.chain(np.arange(20, 20 + width))) for handle in handles]
        row = []
        for batch in batches:
            runs = [seconds(lambda chosen=items[:batch]: target.forward(chosen))[0] for _ in range(4)]  # type: ignore[misc]
            row.append(1000 * min(runs[1:]))
        print(f"{width:5} " + "".join(f"{value:12.1f}" for value in row))
    for handle in handles:
        target.release(handle)


def corrupted(text: list[int], rate: float) -> list[int]:
    """The text with each token right at ``rate``."""
    chance = random.Random(round(100 * rate))
    return [token if chance.random() < rate else chance.randrange(20, VOCABULARY) for token in text]


def ours(
    target: TransformersTarget, prompt: Prompt, settings: Any, draft: list[int], tokens: int
) -> tuple[float, Any]:
    """Seconds after the prefill, and the result."""
    decoder = Decoder(target, settings)
    request = Request(
        prompt, drafts=[draft] if draft else [], max_tokens=tokens, loop_guard=None, confidence=False
    )
    total, [result] = seconds(lambda: decoder.run([request]))
    if result.error:
        raise result.error
    return total - result.stats.seconds.prefill, result


def theirs(model: Any, inputs: dict[str, Any], tokens: int, **options: Any) -> tuple[float, list[int]]:
    """Seconds of ``generate`` after the prefill (the time of one token's ``generate`` taken off), and its ids."""

    def run(count: int) -> Any:
        model.model.rope_deltas = None
        return model.generate(**inputs, max_new_tokens=count, do_sample=False, **options)

    first, _ = seconds(lambda: run(1))
    total, ids = seconds(lambda: run(tokens))
    return total - first, ids[0, inputs["input_ids"].shape[1] :].tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tokens", type=int, default=192)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    hf.utils.logging.set_verbosity_error()
    model = build(options.width, options.layers)
    plain_convolutions = seconds(lambda: model.model.visual.patch_embed(torch.randn(1024, 3 * 2 * PATCH**2)))[
        0
    ]
    processor = FixedPrompt(16, 16)
    replace_patch_convolutions(model)
    products = seconds(lambda: model.model.visual.patch_embed(torch.randn(1024, 3 * 2 * PATCH**2)))[0]
    target = TransformersTarget(
        model, processor, profile_for("glm_ocr"), SelfSpeculation(MASK, options.block)
    )
    target.stop_ids = frozenset({-1})
    prompt = Prompt(np.zeros((448, 448, 3), np.uint8), "")
    size = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    print(f"{size:.0f}M parameters, float32, {torch.get_num_threads()} threads, {options.tokens} tokens")
    print(
        f"patch embedding of 1024 patches: convolution {1e3 * plain_convolutions:.1f} ms, "
        f"product {1e3 * products:.1f} ms"
    )
    forward_costs(target, prompt)
    compare(target, model, processor, prompt, options.tokens, options.block)


def compare(
    target: TransformersTarget, model: Any, processor: FixedPrompt, prompt: Prompt, tokens: int, block: int
) -> None:
    """Print tokens per second and speed-ups; every text must equal Transformers' greedy one."""
    theirs(model, processor.inputs, 8)
    generate, text = theirs(model, processor.inputs, tokens)
    lookup, same = theirs(model, processor.inputs, tokens, prompt_lookup_num_tokens=10)
    assert same == text, "prompt lookup of Transformers is not lossless here"
    ar, result = ours(target, prompt, Plain(), [], tokens)
    assert result.ids == text, "plain decoding differs from generate"
    print(f"\n{'':34}{'tok/s':>8}{'x Galley AR':>13}{'x greedy':>10}{'x lookup':>10}{'tok/fwd':>9}")

    def line(name: str, took: float, per_forward: float | None) -> None:
        shown = f"{per_forward:9.2f}" if per_forward is not None else " " * 9
        print(
            f"{name:34}{tokens / took:8.1f}{ar / took:13.2f}{generate / took:10.2f}{lookup / took:10.2f}{shown}"
        )

    line("Transformers greedy", generate, None)
    line("Transformers prompt lookup", lookup, None)
    line("Galley AR", ar, 1.0)
    took, result = ours(target, prompt, PromptLookup(), [], tokens)
    assert result.ids == text
    line("Galley prompt lookup", took, result.stats.tpf)
    for rate in RATES:
        draft = corrupted(text, rate)
        for name, settings in (("match", Match()), ("auto", Auto())):
            took, result = ours(target, prompt, settings, draft, tokens)
            assert result.ids == text
            line(f"{name}, drafts right at {rate:.0%}", took, result.stats.tpf)
    took, result = ours(target, prompt, BlockDiffusion(block), [], tokens)
    assert result.ids == text
    line("self-speculation, untrained (floor)", took, result.stats.tpf)
    for rate in RATES[1:]:
        took, result = self_speculation(target, prompt, text, rate, tokens)
        assert result.ids == text
        line(f"self-speculation, drafts right at {rate:.0%}", took, result.stats.tpf)


def self_speculation(
    target: TransformersTarget, prompt: Prompt, text: list[int], rate: float, tokens: int
) -> tuple[float, Any]:
    """As if the model had been trained: masks cost what they cost, their predictions are replaced by a draft that is
    right at ``rate``.
    """
    draft = corrupted(text, rate)
    forward = target.forward
    done = {"tokens": 0}

    def trained(items: Any, need: Any = None) -> Any:
        found = forward(items, need) if need is not None else forward(items)
        for (handle, window), scores in zip(items, found, strict=True):
            masks = np.flatnonzero(window.tokens == MASK)
            at = handle.slot.length - done["tokens"] + 1
            ahead = draft[at + 1 : at + 1 + len(masks)]
            scores.argmax[masks[: len(ahead)]] = ahead
        return found

    handle, _ = target.prefill([prompt])[0]
    done["tokens"] = handle.slot.length
    target.release(handle)
    target.forward = trained  # type: ignore[method-assign]
    try:
        return ours(target, prompt, BlockDiffusion(target.block_size), [], tokens)
    finally:
        target.forward = forward  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
