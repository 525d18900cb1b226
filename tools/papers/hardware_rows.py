"""Rows about the machine: batch size, prefill share, roofline, vision tokens."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from documents import crops, load, whole_pages
from measure import Table, Timed, decode, similarity

from galley.decoding import Window

BATCHES = (1, 2, 4, 8, 16, 32, 64)
WIDTHS = (1, 4, 17, 64, 256, 512)
SCALES = (1.0, 0.7, 0.5, 0.35, 0.25)


def batch() -> list[Table]:
    """Sequences decoded together, from 1 to 64."""
    target = load("region-self-spec")
    documents = [d for d in crops(target)[0] if len(d.ids) > 40]
    table = Table(
        "batch: region-self-spec, crops of over 40 tokens, the first 40 of each, as many as the batch holds",
        ["batch", "AR tokens/s", "`self-spec` tokens/s", "x AR", "ids of AR"],
    )
    for size in BATCHES:
        asked = [documents[i % len(documents)].request() for i in range(max(size, 4))]
        for request in asked:
            request.max_tokens = 40
        alone, drafted = (decode(target, asked, name, batch=size) for name in ("ar", "self-spec"))
        tokens = alone.stats.tokens
        speeds = [tokens / alone.decoding, tokens / drafted.decoding]
        table.rows.append([size, *speeds, speeds[1] / speeds[0], drafted.same(alone)])
    return [table]


def roofline() -> list[Table]:
    """What a forward takes by width, against the least that arithmetic and memory allow; and what prefills take."""
    flops, bandwidth = peak_flops(), peak_bandwidth()
    tables = []
    for name in ("region-self-spec", "page-qwen2.5"):
        target = load(name)
        documents, alone = crops(target) if name.startswith("region") else whole_pages(target)
        document = max(documents, key=lambda d: len(d.ids))
        tables.append(_by_width(name, target, document.prompt, flops, bandwidth))
        alone, drafted = (decode(target, [d.request(0.0) for d in documents], way) for way in ("ar", "match"))
        shares = [found.prefill / found.seconds for found in (alone, drafted)]
        tables.append(
            Table(
                f"prefill share: {name}, {len(documents)} texts",
                ["decoded by", "prefill s", "all s", "prefill share", "x AR, decoding", "x AR, all"],
                [
                    ["`ar`", alone.prefill, alone.seconds, shares[0], 1.0, 1.0],
                    [
                        "`match`, perfect drafts",
                        drafted.prefill,
                        drafted.seconds,
                        shares[1],
                        alone.decoding / drafted.decoding,
                        alone.seconds / drafted.seconds,
                    ],
                ],
            )
        )
    return tables


def _by_width(name: str, target: Timed, prompt: Any, flops: float, bandwidth: float) -> Table:
    ((handle, _),) = target.prefill([prompt])
    text = target.model.config.get_text_config()
    weights = sum(
        p.numel() for n, p in target.model.named_parameters() if "visual" not in n and "embed" not in n
    )
    past = handle.slot.length
    table = Table(
        f"roofline: {name}, {weights:,} weights of the language model, {past} tokens cached; this core gives "
        f"{flops / 1e9:.0f} GFLOP/s in a matrix product and reads {bandwidth / 1e9:.1f} GB/s",
        [
            "width",
            "ms measured",
            "MFLOP",
            "MB",
            "ms for arithmetic",
            "ms for memory",
            "share of the time explained",
        ],
    )
    layers, hidden = text.num_hidden_layers, text.hidden_size
    kept = 2 * layers * text.num_key_value_heads * (hidden // text.num_attention_heads)
    for width in WIDTHS:
        window = Window.chain([5] * width)
        seconds = fastest(lambda w=window: target.forward([(handle, w)]))  # type: ignore[misc]
        work = 2 * weights * width + 4 * layers * hidden * width * (past + width)
        moved = 4 * (weights + kept * (past + width))
        least = work / flops, moved / bandwidth
        row = [width, 1e3 * seconds, work / 1e6, moved / 1e6, 1e3 * least[0], 1e3 * least[1]]
        table.rows.append([*row, max(least) / seconds])
    target.release(handle)
    return table


def vision() -> list[Table]:
    """VTC: the same text from fewer vision tokens."""
    target = load("page-qwen2.5")
    table = Table(
        "vision tokens: page-qwen2.5, 24 crops shrunk, perfect drafts, `match`",
        ["scale", "prompt tokens", "similarity to the truth", "prefill s", "decoding s", "x, all", "TPF"],
    )
    first = 0.0
    for scale in SCALES:
        documents, _ = crops(target, scale)
        found = decode(target, [d.request(0.0) for d in documents], "match")
        first = first or found.seconds
        lengths = []
        for document in documents:
            ((handle, _),) = target.prefill([document.prompt])
            lengths.append(handle.slot.length)
            target.release(handle)
        texts = [similarity(target.decode(ids), d.truth) for ids, d in zip(found.ids, documents, strict=True)]
        quality = f"{sum(texts) / len(texts):.4f}"
        row = [scale, sum(lengths), quality, found.prefill, found.decoding, first / found.seconds]
        table.rows.append([*row, found.stats.tpf])
    return [table]


def fastest(call: Callable[[], object], times: int = 7) -> float:
    """CPU seconds of the fastest of some calls, the first left out."""
    call()
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def peak_flops(size: int = 1024) -> float:
    """FLOP/s of a large matrix product in float32."""
    left, right = torch.randn(size, size), torch.randn(size, size)
    return 2 * size**3 / fastest(lambda: left @ right)


def peak_bandwidth(megabytes: int = 256) -> float:
    """Bytes/s read when a tensor larger than the caches is summed."""
    values = torch.ones(megabytes * 2**18)
    return 4 * values.numel() / fastest(values.sum)
