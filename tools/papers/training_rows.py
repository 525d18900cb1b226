"""Rows about training: what a converted checkpoint drafts, and the labels it was trained with."""

from __future__ import annotations

from typing import Any

import torch
from documents import Document, crops, load
from measure import Measured, Table, Timed, decode, similarity
from train import CONVERTED, FOLDER
from transformers import AutoModelForImageTextToText

from galley.decoding import SelfSpeculation, diffuse
from galley.targets.transformers.prompts import model_inputs

BEFORE = f"{CONVERTED}-before"
TAU_D = (0.5, 0.7, 0.9)
TAU_C = (0.3, 0.5, 0.7, 0.9, 0.99)


def labels() -> list[Table]:
    """``tau_d`` and ``tau_c`` on the converted tiny GLM-OCR; with it the one trained on earlier labels, where there is
    one."""
    names = [name for name in (CONVERTED, BEFORE) if (FOLDER / name / "block_diffusion.json").is_file()]
    drafting = Table(
        "tau_d: `self-spec` of region after `galley train convert`, 24 crops, ids beside those of `generate`",
        [
            "checkpoint",
            "tau_d",
            "draft forwards per verification",
            "AAL",
            "AAL / one shot's",
            "TPF",
            "x AR",
            "ids of `generate`",
        ],
    )
    direct = Table(
        "tau_c: direct block diffusion, unverified, of the same checkpoints",
        ["checkpoint", "tau_c", "similarity to the truth", "similarity to AR's text", "TPF"],
    )
    for name in names:
        target = load(name)
        documents, alone = crops(target)
        written = [_generated(name, target, document) for document in documents]
        drafting.rows.append([name, "`ar`", "", 1.0, "", 1.0, 1.0, _equal(alone, written)])
        one_shot = decode(target, [d.request() for d in documents], SelfSpeculation())
        for value in (None, *TAU_D):
            found = decode(target, [d.request() for d in documents], SelfSpeculation(tau_d=value))
            stats = found.stats
            steps = stats.draft_forwards / max(stats.verify_forwards, 1)
            row = [
                name,
                "one shot" if value is None else value,
                steps,
                stats.aal,
                stats.aal / one_shot.stats.aal,
            ]
            row += [stats.tpf, alone.decoding / found.decoding, _equal(found, written)]
            drafting.rows.append(row)
        direct.rows += [[name, *_direct(target, documents, value)] for value in TAU_C]
    return [drafting, direct]


def _direct(target: Timed, documents: list[Document], tau_c: float) -> list[object]:
    truth, plain, tokens, forwards = [], [], 0, 0
    for document in documents:
        found = diffuse(target, document.prompt, max_tokens=2 * len(document.ids) + 64, tau_c=tau_c)
        text = target.decode(found.ids)
        truth.append(similarity(text, document.truth))
        plain.append(similarity(text, target.decode(document.ids)))
        tokens += found.stats.tokens - 1
        forwards += found.stats.draft_forwards
    count = len(documents)
    return [tau_c, f"{sum(truth) / count:.4f}", f"{sum(plain) / count:.4f}", tokens / forwards]


_loaded: dict[str, Any] = {}


@torch.inference_mode()
def _generated(name: str, target: Timed, document: Document) -> list[int]:
    """What Transformers' own greedy ``generate`` of the checkpoint writes."""
    if name not in _loaded:
        _loaded[name] = AutoModelForImageTextToText.from_pretrained(FOLDER / name, dtype=torch.float32).eval()
    inputs = model_inputs(target.processor, [document.prompt], target.profile.longest_side)
    most = max(len(document.ids), 1)
    out = _loaded[name].generate(**inputs, max_new_tokens=most, do_sample=False)
    return [i for i in out[0, inputs["input_ids"].shape[1] :].tolist() if i not in target.stop_ids]


def _equal(found: Measured, written: list[list[int]]) -> str:
    equal = sum(a == b for a, b in zip(found.ids, written, strict=True))
    return f"{equal} of {len(written)}"
