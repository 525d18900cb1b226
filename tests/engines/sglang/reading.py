"""Run by ``conftest.py`` in a process of its own: a tiny checkpoint in SGLang and what it writes, as JSON.

python -m tests.engines.sglang.reading stock|free|own FOLDER REPORT

``stock`` is SGLang without Galley, and without overlap, under which its penalties lag by a token. ``free`` is
a checkpoint that does not draft for itself, ``own`` one that does.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from tests.engines.vllm.builders import BLOCK, BUILDERS

from galley.engines.drafts import DRAFTS
from galley.targets.transformers.prompts import dialogue

TOKENS = 24
CACHE = 160
"""Tokens; too few for all prompts' longest outputs: some requests are taken back and read again."""
PROMPTS = [[5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 5, 6], [40, 41, 42, 43, 44, 45, 46], [33, 20, 90, 11]]
LETTERS = "ABCDEFGHIJKLMNOPQRSUVWXYZ"
"""Text of these, which the tokenizer never merges, has the token ids that it was written with."""
SHAPES = ((60, 100), (120, 80))
GREEDY = {"temperature": 0, "max_new_tokens": TOKENS, "ignore_eos": True}


class Biased(transformers.LogitsProcessor):
    """What SGLang calls ``logit_bias``."""

    def __init__(self, bias: dict[str, float], size: int) -> None:
        self.bias = torch.zeros(size)
        for token, value in bias.items():
            self.bias[int(token)] = value

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return scores + self.bias


def main(kind: str, folder: Path, report: Path) -> None:
    import sglang

    BUILDERS["gravity_ocr"](folder)
    if kind != "own":
        (folder / "block_diffusion.json").unlink()
    galley = {"speculative_algorithm": "GALLEY", "speculative_num_draft_tokens": BLOCK + 2}
    engine = sglang.Engine(
        model_path=str(folder),
        device="cpu",
        dtype="float32",
        attention_backend="torch_native",
        mm_attention_backend="sdpa",
        sampling_backend="pytorch",
        context_length=256,
        max_running_requests=3,
        max_total_tokens=CACHE,
        mem_fraction_static=0.1,
        disable_radix_cache=True,
        skip_server_warmup=True,
        log_level="error",
        **({"disable_overlap_schedule": True} if kind == "stock" else galley),
    )
    try:
        report.write_text(json.dumps(_runs(engine, folder)))
    finally:
        engine.shutdown()


def _own_drafts(model: Any, greedy: list[list[int]]) -> list[list[list[int]]]:
    """Pairs of what drafting windows predicted in SGLang, as the spying plugin wrote down, and in Transformers."""
    seen = [json.loads(line) for line in Path(os.environ["GALLEY_SPYING"]).read_text().splitlines()]
    return [
        [predicted, _predicted(model, prompt + committed, window)]
        for prompt, text in zip(PROMPTS, greedy, strict=True)
        for committed, window, predicted in seen
        if committed == text[: len(committed)]
    ]


@torch.inference_mode()
def _predicted(model: Any, past: list[int], window: list[int]) -> list[int]:
    """The arg-max after each slot of ``[x0, M .. M]``, whose first token ends ``past``."""
    row = torch.tensor([past[:-1] + window])
    sees = torch.tril(torch.ones(row.shape[1], row.shape[1], dtype=torch.bool))
    sees[len(past) :, len(past) :] = True
    mask = torch.zeros(sees.shape).masked_fill(~sees, torch.finfo(torch.float32).min)
    positions = torch.arange(row.shape[1]).expand(3, 1, -1)
    logits = model(input_ids=row, attention_mask=mask[None, None], position_ids=positions).logits
    best: list[int] = logits[0, len(past) - 1 :].argmax(-1).tolist()
    return best


def _runs(engine: Any, folder: Path) -> dict[str, Any]:
    words = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    letters = set(words.convert_tokens_to_ids(list(LETTERS)))
    bias = {str(token): -1000.0 for token in range(len(words)) if token not in letters}
    greedy, spelt = _greedy(model, []), _greedy(model, [Biased(bias, model.config.text_config.vocab_size)])
    only_letters = [GREEDY | {"logit_bias": bias} for _ in PROMPTS]
    drafts = [[words.decode(text)] for text in spelt]
    first, second, third = map(words.decode, greedy)
    odd = [[first], second, [7, None, third]]
    alone = _told(engine, [GREEDY] * len(PROMPTS))
    return {
        "greedy": greedy,
        "spelt": spelt,
        "alone": alone,
        "own_drafts": _own_drafts(model, greedy),
        "drafted_oddly": _told(engine, _with([GREEDY] * len(PROMPTS), odd)),
        "letters_alone": _told(engine, only_letters),
        "letters": _told(engine, _with(only_letters, drafts)),
        "letters_noisy": _told(engine, _with(only_letters, [["ZQ", _noisy(text)] for [text] in drafts])),
        "nearly_cold": _told(
            engine, _with([rule | {"temperature": 1e-4, "top_p": 0.9} for rule in only_letters], drafts)
        ),
        "mixed": _told(
            engine,
            _with(
                [
                    only_letters[0],
                    only_letters[1] | {"repetition_penalty": 1.2},
                    only_letters[2] | {"frequency_penalty": 0.7, "min_new_tokens": 4},
                ],
                drafts,
            ),
        ),
        "logprobs": _told(
            engine, _with(only_letters, drafts), return_logprob=True, top_logprobs_num=2, logprob_start_len=-1
        ),
        "regex": _told(engine, _with([GREEDY | {"regex": "[A-J]{12}"}, GREEDY, GREEDY], drafts)),
        "crowded": _told(engine, [GREEDY | {"max_new_tokens": 60}] * len(PROMPTS)),
        "images": _images(engine, folder),
    }


def _greedy(model: Any, processors: list[Biased]) -> list[list[int]]:
    texts = []
    for prompt in PROMPTS:
        out = model.generate(
            input_ids=torch.tensor([prompt]),
            max_new_tokens=TOKENS,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
            logits_processor=transformers.LogitsProcessorList(processors),
        )
        texts.append(out[0, len(prompt) :].tolist())
    return texts


def _with(rules: list[dict[str, Any]], drafts: Sequence[object]) -> list[dict[str, Any]]:
    return [rule | {"custom_params": {DRAFTS: texts}} for rule, texts in zip(rules, drafts, strict=True)]


def _noisy(text: str) -> str:
    """One letter wrong, two left out."""
    return f"{text[:6]}#{text[7:12]}{text[14:]}"


def _told(engine: Any, rules: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:
    prompts = PROMPTS[: len(rules)]
    return [_one(output) for output in engine.generate(input_ids=prompts, sampling_params=rules, **more)]


def _one(output: dict[str, Any]) -> dict[str, Any]:
    told = output["meta_info"]
    return {
        "retracted": told.get("num_retractions"),
        "ids": output["output_ids"],
        "text": output["text"],
        "steps": told.get("spec_verify_ct"),
        "accepted": told.get("spec_num_correct_drafts"),
        "logprobs": [row[:2] for row in told.get("output_token_logprobs", [])],
        "tops": [[pair[:2] for pair in row] for row in told.get("output_top_logprobs", [])],
    }


def _images(engine: Any, folder: Path) -> list[dict[str, Any]]:
    processor = transformers.AutoProcessor.from_pretrained(folder)
    pictures = [
        Image.fromarray(np.random.default_rng(seed).integers(0, 255, (*shape, 3), dtype=np.uint8))
        for seed, shape in enumerate(SHAPES)
    ]
    prompts = [dialogue(processor, "Text Recognition:")] * len(pictures)
    outputs = engine.generate(prompt=prompts, image_data=pictures, sampling_params=GREEDY)
    return [_one(output) for output in outputs]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
