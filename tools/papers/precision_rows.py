"""A row about arithmetic: how often drafted and plain decoding agree in bfloat16, beside float32."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from documents import Document, crops, load, whole_pages
from measure import Measured, Table, decode
from train import CONVERTED, FOLDER

from galley.decoding import DrafterConfig, DraftMatching, SelfSpeculation

DTYPES = ("float32", "bfloat16")
NOISE = 0.1
REGION: Mapping[str, DrafterConfig] = {
    "`self-spec`": SelfSpeculation(),
    "`self-spec`, tau_d 0.5": SelfSpeculation(tau_d=0.5),
    "`match`": DraftMatching(),
}
PAGE: Mapping[str, DrafterConfig] = {"`match`": DraftMatching()}
CHECKPOINTS = {CONVERTED: REGION, "page-qwen2.5": PAGE, "page-qwen3": PAGE}


def bf16() -> list[Table]:
    """Drafted against plain decoding of the same weights in the same arithmetic, float32 and bfloat16."""
    table = Table(
        f"bf16: drafted decoding beside plain decoding of the same weights in the same arithmetic; `match` has the "
        f"plain text with {NOISE:.0%} of its tokens wrong",
        [
            "checkpoint",
            "arithmetic",
            "decoded by",
            "TPF",
            "ids of plain",
            "tokens alike",
            "ids of float32's plain",
        ],
    )
    for name, ways in CHECKPOINTS.items():
        if (FOLDER / name / "config.json").is_file():
            table.rows += _of_checkpoint(name, ways)
    return [table]


def _of_checkpoint(name: str, ways: Mapping[str, DrafterConfig]) -> list[list[object]]:
    rows: list[list[object]] = []
    exact: Measured | None = None
    for dtype in DTYPES:
        target = load(name, dtype)
        documents, plain = crops(target) if ways is REGION else whole_pages(target)
        exact = exact or plain
        found = {"`ar`, one by one": plain, "`ar`, in batches of 8": _plain_in_batches(target, documents)}
        for way, drafter in ways.items():
            noise = NOISE if isinstance(drafter, DraftMatching) else None
            found[way] = decode(target, [d.request(noise) for d in documents], drafter)
        for way, one in found.items():
            alike = f"{_alike(one.ids, plain.ids):.2%}"
            rows.append([name, dtype, way, one.stats.tpf, one.same(plain), alike, one.same(exact)])
    return rows


def _plain_in_batches(target: object, documents: Sequence[Document]) -> Measured:
    return decode(target, [d.request() for d in documents], batch=8)


def _alike(ours: Sequence[Sequence[int]], theirs: Sequence[Sequence[int]]) -> float:
    """The share of tokens before the first that differs, of all texts together."""
    same = sum(
        len(list(takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))))
        for a, b in zip(ours, theirs, strict=True)
    )
    return same / sum(map(len, theirs))
