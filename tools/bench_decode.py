"""What drafting earns on this machine: a random-weight model of GLM-OCR's class, ratios within one run.

Two tables: a forward's time against window width and batch, and tokens per second of each way of decoding
when drafts are right at given rates. Random weights write nonsense at full cost, which is all a speed needs;
drafts are the model's own text with tokens replaced, so the acceptance rate is set, not assumed. With one
thread the clock counts this process's CPU time, so that other programs do not disturb it; with more, wall
time.

    python tools/bench_decode.py [--tokens 96] [--width 768] [--layers 12] [--threads 1]
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
import transformers as hf

from galley.decoding import (
    Auto,
    Autoregressive,
    Decoder,
    DraftMatching,
    ForwardCosts,
    PromptLookup,
    Request,
    ScoreDetail,
    SelfSpeculation,
    Window,
)
from galley.targets.profiles import profile_for
from galley.targets.prompt import Prompt
from galley.targets.transformers.patches import replace_patch_convolutions
from galley.targets.transformers.selfspec import BlockDiffusionSettings
from galley.targets.transformers.target import TransformersTarget

VOCABULARY, IMAGE, MASK, STOP = 16384, 3, 4, 5
PATCH, MERGE = 14, 2
RATES = (0.0, 0.5, 0.8, 0.9, 1.0)
OWN_RATES = RATES[2:]
NOISE = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


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


def small(width: int, layers: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Text and vision settings of GLM-OCR's classes at a size that a CPU turns over."""
    text = {
        "vocab_size": VOCABULARY,
        "hidden_size": width,
        "intermediate_size": 3 * width,
        "num_hidden_layers": layers,
        "num_attention_heads": width // 64,
        "num_key_value_heads": width // 128,
        "head_dim": 64,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [8, 12, 12]},
    }
    vision = {"depth": 4, "hidden_size": 256, "num_heads": 4, "intermediate_size": 512}
    return text, vision


def build(
    text: dict[str, Any], vision: dict[str, Any], device: str = "cpu", dtype: torch.dtype = torch.float32
) -> Any:
    """A model of GLM-OCR's classes; random weights scaled so that outputs vary."""
    text = {**text, "pad_token_id": 0, "eos_token_id": STOP}
    eyes = {"out_hidden_size": text["hidden_size"], "patch_size": PATCH, "spatial_merge_size": MERGE}
    ids = {"image_token_id": IMAGE, "video_token_id": 6, "image_start_token_id": 7, "image_end_token_id": 8}
    config = hf.GlmOcrConfig(
        text_config=text, vision_config={**vision, **eyes}, tie_word_embeddings=False, **ids
    )
    torch.manual_seed(0)
    with torch.device(device):
        model = hf.GlmOcrForConditionalGeneration(config).eval().to(dtype)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim >= 2:
                parameter.normal_(std=_deviation(name, parameter))
    model.generation_config = hf.GenerationConfig(eos_token_id=None, pad_token_id=0)
    return model


def _deviation(name: str, parameter: torch.Tensor) -> float:
    """Sharp attention and strong layers: with less, greedy text falls into short cycles that drafts fit
    too well.
    """
    if "embed_tokens" in name:
        return 1.0
    strength = 4.8 if "q_proj" in name or "k_proj" in name else 1.0 if "lm_head" in name else 1.6
    return strength * parameter[0].numel() ** -0.5


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    on_gpu = torch.cuda.is_initialized()
    alone = torch.get_num_threads() == 1 and not on_gpu
    clock = time.process_time if alone else time.perf_counter
    start = clock()
    result = call()
    if on_gpu:
        torch.cuda.synchronize()
    return clock() - start, result


def forward_costs(
    target: TransformersTarget, prompt: Prompt, batches: Sequence[int], widths: Sequence[int]
) -> None:
    """Print milliseconds of a forward by window width (rows) and batch (columns)."""
    handles = [handle for handle, _ in target.prefill([prompt] * max(batches))]
    print(f"\nmilliseconds per forward after a prompt of {handles[0].slot.length} tokens")
    print("width " + "".join(f"   batch {batch:<3}" for batch in batches))
    for width in widths:
        items = [(handle, Window.chain(np.arange(20, 20 + width))) for handle in handles]
        row = []
        for batch in batches:
            call = partial(target.forward, items[:batch])
            runs = [seconds(call)[0] for _ in range(4)]
            row.append(1000 * min(runs[1:]))
        print(f"{width:5} " + "".join(f"{value:12.1f}" for value in row))
    for handle in handles:
        target.release(handle)


def corrupted(text: list[int], rate: float) -> list[int]:
    """The text with each token right at ``rate``."""
    chance = random.Random(round(100 * rate))
    return [token if chance.random() < rate else chance.randrange(20, VOCABULARY) for token in text]


def ours(
    target: TransformersTarget,
    prompt: Prompt,
    settings: Any,
    draft: list[int],
    tokens: int,
    costs: ForwardCosts,
) -> tuple[float, Any]:
    """Seconds after the prefill (the time of one token taken off), and the result."""

    def run(count: int) -> Any:
        request = Request(
            prompt, drafts=[draft] if draft else [], max_tokens=count, loop_guard=None, confidence=False
        )
        [result] = Decoder(target, settings, costs=costs).run([request])
        if result.error:
            raise result.error
        return result

    first, _ = seconds(lambda: run(1))
    total, result = seconds(lambda: run(tokens))
    return total - first, result


def theirs(model: Any, inputs: dict[str, Any], tokens: int, **options: Any) -> tuple[float, list[int]]:
    """Seconds of ``generate`` after the prefill (the time of one token's ``generate`` taken off), and its
    ids.
    """

    def run(count: int) -> Any:
        model.model.rope_deltas = None
        return model.generate(**inputs, max_new_tokens=count, do_sample=False, **options)

    first, _ = seconds(lambda: run(1))
    total, ids = seconds(lambda: run(tokens))
    return total - first, ids[0, inputs["input_ids"].shape[1] :].tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    hf.utils.logging.set_verbosity_error()
    model = build(*small(options.width, options.layers))
    pixels = torch.randn(1024, 3 * 2 * PATCH**2)
    embed = model.model.visual.patch_embed
    convolution = min(seconds(lambda: embed(pixels))[0] for _ in range(3))
    processor = FixedPrompt(16, 16)
    replace_patch_convolutions(model)
    product = min(seconds(lambda: embed(pixels))[0] for _ in range(3))
    target = TransformersTarget(model, processor, profile_for("glm_ocr"))
    drafting = TransformersTarget(
        model, processor, profile_for("glm_ocr"), BlockDiffusionSettings(MASK, options.block)
    )
    target.stop_ids = drafting.stop_ids = frozenset({-1})
    prompt = Prompt(np.zeros((448, 448, 3), np.uint8), "")
    size = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    print(f"{size:.0f}M parameters, float32, {torch.get_num_threads()} threads, {options.tokens} tokens")
    print(f"1024 patches embedded: convolution {1e3 * convolution:.1f} ms, product {1e3 * product:.1f} ms")
    forward_costs(target, prompt, (1, 4, 8), (1, 2, 4, 8, 16, 33, 64, 128))
    compare(target, drafting, processor, prompt, options.tokens)


def compare(
    target: TransformersTarget,
    drafting: TransformersTarget,
    processor: FixedPrompt,
    prompt: Prompt,
    tokens: int,
) -> None:
    """Print tokens per second and speed-ups; every text must equal Transformers' greedy one."""
    [(handle, _)] = target.prefill([prompt])
    costs = ForwardCosts.measure(target, handle, 20, budget=5)
    target.release(handle)
    decode = partial(ours, target, prompt, tokens=tokens, costs=costs)
    decode_own = partial(ours, drafting, prompt, tokens=tokens, costs=costs)
    model = target.model
    theirs(model, processor.inputs, 8)
    generate, text = theirs(model, processor.inputs, tokens)
    lookup, same = theirs(model, processor.inputs, tokens, prompt_lookup_num_tokens=10)
    print(f"\n{len(set(text))} different tokens among {len(text)}")
    assert same == text, "prompt lookup of Transformers is not lossless here"
    ar, result = decode(Autoregressive(), [])
    assert result.ids == text, "plain decoding differs from generate"
    print(f"\n{'':36}{'tok/s':>8}{'x Galley AR':>13}{'x greedy':>10}{'x lookup':>10}{'tok/fwd':>9}")

    def line(name: str, took: float, result: Any = None) -> None:
        assert result is None or result.ids == text, f"{name} differs from generate"
        per_forward = f"{result.stats.tpf:9.2f}" if result else ""
        ratios = f"{ar / took:13.2f}{generate / took:10.2f}{lookup / took:10.2f}"
        print(f"{name:36}{tokens / took:8.1f}{ratios}{per_forward}", flush=True)

    line("Transformers greedy", generate)
    line("Transformers prompt lookup", lookup)
    line("Galley AR", ar, result)
    line("Galley prompt lookup", *decode(PromptLookup(), []))
    for rate in RATES:
        line(f"match, drafts right at {rate:.0%}", *decode(DraftMatching(), corrupted(text, rate)))
    for rate in RATES:
        line(f"auto, drafts right at {rate:.0%}", *decode(Auto(), corrupted(text, rate)))
    for rate in OWN_RATES:
        with trained(drafting, prompt, corrupted(text, rate), rate):
            line(f"self-speculation, right at {rate:.0%}", *decode_own(SelfSpeculation(), []))
    for rate in OWN_RATES:
        with trained(drafting, prompt, corrupted(text, rate), rate):
            line(f"auto, own drafts right at {rate:.0%}", *decode_own(Auto(), []))
    for rate in OWN_RATES:
        with trained(drafting, prompt, corrupted(text, rate), rate):
            line(f"auto, both right at {rate:.0%}", *decode_own(Auto(), corrupted(text, rate)))
    print("\nHSD verifying a page's drafts: forwards for the page as drafts get worse")
    for noise in NOISE:
        _, result = decode(DraftMatching(), corrupted(text, 1 - noise))
        assert result.ids == text, f"drafts with noise {noise} change the text"
        forwards = result.stats.verify_forwards + result.stats.plain_forwards
        print(f"noise {noise:4.0%} {forwards:4} forwards {'#' * (60 * forwards // tokens)}", flush=True)


@contextmanager
def trained(target: TransformersTarget, prompt: Prompt, draft: list[int], rate: float) -> Iterator[None]:
    """As if the model drafted for itself: masks cost what they cost, but predict what ``draft`` says, and are
    as sure of it as they are right. An untrained model's masks predict nothing of use.
    """
    forward = target.forward
    [(handle, _)] = target.prefill([prompt])
    start = handle.slot.length
    target.release(handle)

    def with_drafts(items: Any, detail: Any = ScoreDetail.ARGMAX) -> Any:
        found = forward(items, detail)
        for (sequence, window), scores in zip(items, found, strict=True):
            masks = np.flatnonzero(window.tokens == MASK)
            # A slot at depth d predicts token d + 1 after the boundary, which is text[length - start].
            ahead = sequence.slot.length - start + window.depths[masks] + 1
            known = ahead < len(draft)
            scores.argmax[masks[known]] = np.asarray(draft)[ahead[known]]
            if scores.confidence is not None:
                scores.confidence[masks] = np.log(max(rate, 0.01))
        return found

    target.forward = with_drafts  # type: ignore[method-assign]
    try:
        yield
    finally:
        target.forward = forward  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
