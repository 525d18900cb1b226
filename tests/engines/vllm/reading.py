"""Run by ``conftest.py`` in a process of its own: a tiny checkpoint in vLLM and what it writes, as JSON.

python -m tests.engines.vllm.reading FAMILY FOLDER REPORT
"""

from __future__ import annotations

import json
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tests.engines.vllm.builders import BUILDERS
from tests.targets.test_strategies import IMAGE, MadeUpDraft

from galley.decoding import DraftPool, Request, Result, Sampling, Window
from galley.engines.chain import ChainDrafter, Masks
from galley.engines.drafts import DRAFTS
from galley.engines.vllm.decoder import VllmDecoder
from galley.engines.vllm.engine import EngineSettings
from galley.engines.vllm.vllm_reader import VllmReader, load_vllm
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.regions import RegionsParser
from galley.parsing.strategies.whole_page import PageParser
from galley.targets.prompt import Prompt, Task
from galley.targets.transformers.prompts import model_inputs

NO_PAGE = PageImage(1, np.zeros((1, 1, 3), dtype=np.uint8), 200.0)
TOKENS = 40
SHAPES = ((60, 100), (120, 80), (40, 140))


def main(family: str, folder: Path, report: Path) -> None:
    BUILDERS[family](folder)
    reader = load_vllm(folder, EngineSettings(batch=4, tokens=512, cache_bytes=2**26))
    images = [
        np.random.default_rng(seed).integers(0, 255, (*shape, 3), dtype=np.uint8)
        for seed, shape in enumerate(SHAPES)
    ]
    prompts = [reader.prompt(image, Task.TEXT) for image in images]
    greedy = _greedy(folder, reader, prompts)
    found: dict[str, Any] = {"greedy": greedy, "mask": reader.mask_id, "text": reader.decode(greedy[0])}
    requests = partial(_requests, prompts)
    runs = {
        "ar": ("ar", requests([[] for _ in prompts])),
        "perfect": ("match", requests([[greedy[0], text] for text in greedy])),
        "noisy": ("auto", requests([[_noisy(text)] for text in greedy])),
        "none": ("auto", requests([[] for _ in prompts])),
    }
    if reader.mask_id is not None:
        runs["own"] = ("self-spec", requests([[] for _ in prompts]))
        runs["small_block"] = ("self-spec", requests([[] for _ in prompts]))
    for name, (decode, asked) in runs.items():
        decoder = reader.decoder(decode, 3 if name == "small_block" else None)
        found[name] = [_told(result) for result in decoder.run(asked)]
    found["growing"] = _growing(reader, prompts[0], greedy[0])
    found["cancelled"] = _cancelled(reader, prompts[0])
    found["sampled"] = _told(_sampled(reader, prompts[0], greedy[0]))
    found["too_long"] = repr(_too_long(reader).error)
    found["texts_over_http"] = _draft_texts(reader, prompts[0], greedy[0])
    if reader.mask_id is not None:
        found["own_drafts"] = _own_drafts(reader, folder, prompts[0])
    if family == "qwen3_vl":
        found["pages"] = _pages(reader)
    report.write_text(json.dumps(found))


def _greedy(folder: Path, reader: VllmReader, prompts: list[Prompt]) -> list[list[int]]:
    """What ``generate`` of the untouched model writes for each prompt alone, without the stop token."""
    processor = transformers.AutoProcessor.from_pretrained(folder)
    model = _untouched(folder)
    texts = []
    for prompt in prompts:
        inputs = model_inputs(processor, [prompt], None)
        out = model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False)
        ids = out[0, inputs["input_ids"].shape[1] :].tolist()
        texts.append([token for token in ids if token not in reader.stop_ids])
    return texts


def _requests(prompts: list[Prompt], drafts: list[list[list[int]]]) -> list[Request]:
    return [
        Request(prompt, drafts=pool, max_tokens=TOKENS, loop_guard=None)
        for prompt, pool in zip(prompts, drafts, strict=True)
    ]


def _noisy(text: list[int]) -> list[int]:
    dice = random.Random(len(text))
    wrong = [dice.randrange(300) if dice.random() < 0.2 else token for token in text]
    return wrong[:10] + wrong[12:]


def _told(result: Result) -> dict[str, Any]:
    stats = result.stats
    return {
        "ids": result.ids,
        "finish": result.finish.value,
        "error": repr(result.error),
        "accepted": stats.accepted,
        "forwards": [stats.draft_forwards, stats.verify_forwards, stats.plain_forwards],
        "sources": [entry.source.kind for entry in result.trace],
        "confidences": [entry.confidence for entry in result.trace],
    }


def _growing(reader: VllmReader, prompt: Prompt, text: list[int]) -> dict[str, Any]:
    """A draft that another sequence is still writing."""
    pool, given = DraftPool([[]]), iter(text)

    def extend(tokens: list[int]) -> None:
        pool.extend(0, [token for token, _ in zip(given, range(4 * len(tokens)), strict=False)])

    request = Request(prompt, drafts=pool, max_tokens=TOKENS, loop_guard=None, on_commit=extend)
    return _told(reader.decoder("match").run([request])[0])


def _cancelled(reader: VllmReader, prompt: Prompt) -> dict[str, Any]:
    decoder = reader.decoder("ar")
    assert isinstance(decoder, VllmDecoder)
    ticket = decoder.add(Request(prompt, max_tokens=TOKENS, loop_guard=None))
    results = [result for _ in range(4) for result in decoder.step()]
    decoder.cancel(ticket)
    while decoder.busy:
        results += decoder.step()
    return _told(results[0])


def _sampled(reader: VllmReader, prompt: Prompt, draft: list[int]) -> Result:
    rule = Sampling(temperature=0.7, seed=1)
    request = Request(prompt, [draft], max_tokens=12, acceptance=rule, loop_guard=None)
    return reader.decoder("match").run([request])[0]


def _too_long(reader: VllmReader) -> Result:
    prompt = Prompt(np.zeros((28, 28, 3), dtype=np.uint8), "word " * 600)
    return reader.run([Request(prompt, max_tokens=4)])[0]


def _draft_texts(reader: VllmReader, prompt: Prompt, ids: list[int]) -> list[int]:
    """A request as ``vllm serve`` makes it of ``vllm_xargs``: texts, no object of ours. What it writes."""
    from vllm import SamplingParams

    engine: Any = reader._engine._engine
    drafts = {DRAFTS: ["nothing of the kind", reader.decode(ids)]}
    params = SamplingParams(temperature=0, max_tokens=len(ids), ignore_eos=True, extra_args=drafts)
    engine.add_request("plain", reader._enter(prompt), params)
    while engine.has_unfinished_requests():
        outputs = engine.step()
    return list(outputs[0].outputs[0].token_ids)


def _pages(reader: VllmReader) -> dict[str, list[str]]:
    """Blocks of a page as the strategies read them. The model's text is given an end that it reaches."""
    request = Request(reader.prompt(IMAGE, Task.PAGE), max_tokens=60, loop_guard=None)
    ids = reader.decoder("ar").run([request])[0].ids
    stop = next(i for i in range(30, 60) if ids[i] not in ids[:i])
    masks = Masks(reader.mask_id, reader.block_size)
    ending = frozenset({ids[stop]})
    other = VllmReader(reader._engine, reader._processor, reader._profile, ending, masks, 32)
    draft: Any = MadeUpDraft([other.decode(ids[10:stop]), "nothing of the kind", other.decode(ids[:15])])
    found = {}
    for name, parser, decode in (
        ("alone", PageParser, "ar"),
        ("drafted", PageParser, "match"),
        ("hierarchical", HierarchicalParser, "auto"),
        ("regions", RegionsParser, "auto"),
    ):
        options = ParseOptions(decode=decode, max_tokens=24)  # type: ignore[arg-type]
        page = parser(options, other, draft).parse_page(NO_PAGE)
        read_by_model = [block for block in page.blocks if block.source == other.name]
        found[name] = [block.content for block in read_by_model] or page.warnings
    return found


def _own_drafts(reader: VllmReader, folder: Path, prompt: Prompt) -> list[list[list[int]]]:
    """Pairs of what drafting windows predicted in vLLM and in Transformers."""
    seen: list[tuple[list[int], Window, list[int]]] = []
    take = ChainDrafter.take

    def spy(self: ChainDrafter, predicted: Any) -> None:
        assert self.window is not None
        seen.append((list(self._committed), self.window, predicted.tolist()))
        take(self, predicted)

    ChainDrafter.take = spy  # type: ignore[method-assign]
    reader.decoder("self-spec").run([Request(prompt, max_tokens=TOKENS, loop_guard=None)])
    ChainDrafter.take = take  # type: ignore[method-assign]
    model = _untouched(folder)
    inputs = model_inputs(transformers.AutoProcessor.from_pretrained(folder), [prompt], None)
    return [
        [predicted, _predicted(model, inputs, committed, window)]
        for committed, window, predicted in seen[::4]
    ]


@torch.inference_mode()
def _predicted(model: Any, inputs: Any, committed: list[int], window: Window) -> list[int]:
    """The arg-max after each slot of a window behind the prompt and all committed tokens but the last."""
    cache = model(**inputs, use_cache=True).past_key_values
    past, before, width = inputs["input_ids"].shape[1], len(committed) - 1, len(window)
    sees = np.tri(before + width, past + before + width, past, dtype=bool)
    sees[before:, past + before :] = window.sees
    mask = torch.zeros(sees.shape).masked_fill(~torch.from_numpy(sees), torch.finfo(torch.float32).min)
    places = past + np.concatenate([np.arange(before), before + window.depths])
    positions = torch.from_numpy(places) + int(model.model.rope_deltas)
    ids = torch.tensor([committed[:-1] + window.tokens.tolist()])
    logits = model(
        input_ids=ids,
        attention_mask=mask[None, None],
        position_ids=positions.expand(3, 1, -1),
        past_key_values=cache,
    ).logits
    best: list[int] = logits[0, before:].argmax(-1).tolist()
    return best


def _untouched(folder: Path) -> Any:
    return transformers.AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
