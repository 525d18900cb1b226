"""Rows about drafts and their acceptance: tau, n, noise, content and length, peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from documents import Document, crops, load, nano_requests, noisy_ids, whole_pages
from measure import Measured, Table, Timed, decode, similarity

from galley.decoding import (
    Auto,
    DrafterConfig,
    DraftMatching,
    DraftModel,
    MatchLimits,
    Mtp,
    PromptLookup,
    Request,
    SelfSpeculation,
    Threshold,
)

NOISE = (0.0, 0.1, 0.2, 0.5)
TAUS = (1.0, 0.9, 0.75, 0.5, 0.25)
BINS = (0, 32, 96, 160, 10_000)


def tau() -> list[Table]:
    """HSD's acceptance threshold: what is taken of drafts, and what of the text changes."""
    nano, requests = nano_requests()
    name = f"galley-nano, {len(requests)} pieces of the samples read as coarse scans, OCR's text as drafts, `match`"
    tables = [_by_tau(name, nano, requests, decode(nano, requests), "match")]
    target, small = load("region-self-spec"), load("region-small")
    documents, alone = crops(target)
    name = f"region-self-spec, {_size(documents)}, drafts of a smaller model, 8 tokens deep"
    tables.append(_by_tau(name, target, [d.request() for d in documents], alone, DraftModel(small, 8)))
    return tables


def _by_tau(
    name: str, target: Timed, requests: Sequence[Request], alone: Measured, drafter: str | DrafterConfig
) -> Table:
    header = ["tau", "AAL", "TPF", "x AR", "ids of AR", "similarity to AR's text"]
    table = Table(f"tau: {name}", header)
    for value in TAUS:
        asked = requests if value == 1 else [replace(r, acceptance=Threshold(value)) for r in requests]
        found = decode(target, asked, drafter)
        alike = _mean([similarity(target.decode(a), target.decode(b)) for a, b in _pairs(found, alone)])
        table.rows.append([value, *_figures(found, alone), f"{alike:.4f}"])
    return table


def n() -> list[Table]:
    """HSD's n: tokens that must match."""
    target = load("page-qwen2.5")
    documents, alone = whole_pages(target)
    table = Table(
        f"n: page-qwen2.5, {_size(documents)}, the page's text in shuffled pieces of 80 tokens as drafts, 10 % of the "
        "tokens wrong, nothing taken up again (`resume`, `begin` and `weakest` off)",
        ["n", "AAL", "TPF", "x AR", "ids of AR"],
    )
    for value in (1, 2, 3, 4, 6):
        limits = MatchLimits(n=value, weakest=value, resume=False, begin=False)
        found = decode(target, _cut(documents, 0.1), DraftMatching(limits))
        table.rows.append([value, *_figures(found, alone)])
    usual = decode(target, _cut(documents, 0.1), DraftMatching())
    table.rows.append(["3, and all that Galley adds", *_figures(usual, alone)])
    return [table]


def noise() -> list[Table]:
    """How good drafts have to be."""
    tables = []
    for name in ("region-self-spec", "page-qwen2.5"):
        target = load(name)
        documents, alone = crops(target) if name.startswith("region") else whole_pages(target)
        table = Table(
            f"noise: {name}, {_size(documents)}, the model's own text as draft, tokens replaced at a rate",
            [
                "tokens wrong",
                "`match` AAL",
                "TPF",
                "x AR",
                "ids of AR",
                "`auto` AAL",
                "TPF",
                "x AR",
                "ids of AR",
            ],
        )
        for rate in NOISE:
            asked = [d.request(rate) for d in documents]
            cells: list[object] = []
            for drafter in ("match", "auto"):
                cells += _figures(decode(target, asked, drafter), alone)
            table.rows.append([f"{rate:.0%}", *cells])
        tables.append(table)
    return tables


def content() -> list[Table]:
    """Self-speculation by kind of content and by length."""
    target = load("region-self-spec")
    documents, _ = crops(target)
    alone = [decode(target, [d.request()]) for d in documents]
    drafted = [decode(target, [d.request()], "self-spec") for d in documents]
    table = Table(
        f"content and length: region-self-spec, block {target.block_size}, {_size(documents)}, `self-spec`",
        ["output", "documents", "tokens", "accepted of 16", "AAL", "TPF", "x AR", "ids of AR"],
    )
    groups: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        groups.setdefault(document.kind, []).append(place)
    for low, high in pairwise(BINS):
        name = f"{low + 1} to {high} tokens" if high < BINS[-1] else f"over {low} tokens"
        groups[name] = [i for i, d in enumerate(documents) if low < len(d.ids) <= high]
    for name, chosen in groups.items():
        if not chosen:
            continue
        ours, theirs = _joined([drafted[i] for i in chosen]), _joined([alone[i] for i in chosen])
        tokens = theirs.stats.tokens
        table.rows.append([name, len(chosen), tokens, ours.stats.mean_accepted, *_figures(ours, theirs)])
    return [table]


def peers() -> list[Table]:
    """Ways of drafting beside one another, an independent smaller model and prompt lookup among them."""
    target, small = load("region-self-spec"), load("region-small")
    documents, alone = crops(target)
    agree = _mean(
        [float(a == b) for d, e in zip(documents, crops(small)[0], strict=True) for a, b in _zip(d, e)]
    )
    table = Table(
        f"peers: region-self-spec, {_size(documents)}; free drafts with 10 % of their tokens wrong; the smaller model "
        f"has {_parameters(small)} weights against {_parameters(target)} and writes {agree:.0%} of the tokens alike",
        ["drafter", "AAL", "TPF", "x AR", "ids of AR"],
    )
    ways: Mapping[str, str | DrafterConfig] = {
        "`prompt-lookup`": PromptLookup(),
        "smaller model, depth 2": DraftModel(small, 2),
        "smaller model, depth 4": DraftModel(small, 4),
        "smaller model, depth 8": DraftModel(small, 8),
        "`self-spec`": SelfSpeculation(),
        "`match`": DraftMatching(),
        "`match`, a smaller model where none matches": Auto(drafters=(DraftMatching(), DraftModel(small, 4))),
        "`auto`": Auto(drafters=(DraftMatching(), PromptLookup(), SelfSpeculation(), Mtp())),
    }
    for name, drafter in ways.items():
        free = "match" in name or "auto" in name
        small.reset()
        found = decode(target, [d.request(0.1 if free else None) for d in documents], drafter)
        table.rows.append([name, *_figures(found, alone)])
    return [table]


def _cut(documents: Sequence[Document], rate: float) -> list[Request]:
    """Each page with its own text as a pool of pieces of 80 tokens, in another order."""
    requests = []
    for document in documents:
        ids = noisy_ids(document.ids, rate, 0)
        pieces = [ids[i : i + 80] for i in range(0, len(ids), 80)]
        requests.append(replace(document.request(), drafts=pieces[1::2] + pieces[::2]))
    return requests


def _figures(found: Measured, alone: Measured) -> list[object]:
    """AAL, TPF, speed against plain decoding without prefills, and how many texts are the same."""
    return [found.stats.aal, found.stats.tpf, alone.decoding / found.decoding, found.same(alone)]


def _joined(parts: Sequence[Measured]) -> Measured:
    results = [result for part in parts for result in part.results]
    sums = [sum(getattr(part, name) for part in parts) for name in ("seconds", "prefill", "rounds")]
    return Measured(results, sums[0], sums[1], int(sums[2]))


def _pairs(one: Measured, other: Measured) -> Any:
    return zip(one.ids, other.ids, strict=True)


def _zip(one: Document, other: Document) -> Any:
    return zip(one.ids, other.ids, strict=False)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)


def _size(documents: Sequence[Document]) -> str:
    return f"{len(documents)} texts of {sum(len(d.ids) for d in documents)} tokens"


def _parameters(target: Timed) -> str:
    return f"{sum(p.numel() for p in target.model.parameters()):,}"
