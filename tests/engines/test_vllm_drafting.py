"""What of the vLLM plugin needs no vLLM: its drafter and drafting forward on a paged toy model.

The modules of vLLM that they import are stood in for. Where vLLM is installed, ``tests/engines/vllm`` runs the same
code on the real runner.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tests.decoding.toy_target import STOP, ToyTarget, plain

from galley.decoding import Decoder, DraftPool, Request, SelfSpeculation
from galley.engines.chain import ChainDrafter, Masks, start

if "vllm" in packages_distributions():
    pytest.skip("vLLM is installed here; tests/engines/vllm tests the real one", allow_module_level=True)

PAGE, PAGES, BLOCK, TOKENS = 4, 60, 5, 60
PROMPTS = ([7, 8, 9], [5, 6, 7, 8, 9])
PARTS = {
    "vllm": {},
    "vllm.tokenizers": {"cached_tokenizer_from_config": lambda model: model.tokenizer},
    "vllm.forward_context": {},
    "vllm.v1": {},
    "vllm.v1.attention": {},
    "vllm.v1.attention.backend": {"CommonAttentionMetadata": SimpleNamespace},
}


class Tokenizer:
    """Words are numbers."""

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        assert not add_special_tokens
        return [int(word) for word in text.split()]

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = False) -> str:
        return " ".join(str(int(token)) for token in ids)

    def get_vocab(self) -> dict[str, int]:
        return {"<|mask|>": 39}


class PagedModel:
    """The toy on a paged cache, one layer, full attention: a slot sees what its pseudo-request holds, no more.

    context: what ``set_forward_context`` was given.
    """

    def __init__(self, toy: ToyTarget) -> None:
        self.toy, self.context = toy, None
        self.cache = np.full(PAGE * PAGES, -1)

    def embed_input_ids(self, ids: torch.Tensor) -> torch.Tensor:
        return ids[:, None].float()

    def __call__(
        self,
        *,
        positions: torch.Tensor,
        input_ids: torch.Tensor | None,
        inputs_embeds: torch.Tensor | None = None,
    ) -> torch.Tensor:
        if input_ids is None:
            assert inputs_embeds is not None
            input_ids = inputs_embeds[:, 0].long()
        metadata, config, tokens, mapping = self.context
        attention = metadata["layer"]
        assert config == "config" and tokens == len(input_ids) == attention.num_actual_tokens
        assert not attention.causal and mapping["layer"] is attention.slot_mapping
        starts = attention.query_start_loc.tolist()
        assert starts == attention.query_start_loc_cpu.tolist() and len(starts) == attention.num_reqs + 1
        assert attention.seq_lens.tolist() == attention.seq_lens_cpu_upper_bound.tolist()
        assert attention.max_seq_len == int(attention.seq_lens.max())
        assert attention.max_query_len == max(np.diff(starts))
        assert attention.seq_lens.dtype == attention.query_start_loc.dtype == torch.int32
        self.cache[attention.slot_mapping.numpy()] = input_ids.numpy()
        rows = []
        for number in range(attention.num_reqs):
            held = int(attention.seq_lens[number])
            pages = attention.block_table_tensor[number].tolist()
            seen = [int(self.cache[pages[place // PAGE] * PAGE + place % PAGE]) for place in range(held)]
            first = held - (starts[number + 1] - starts[number])
            for place, slot in enumerate(range(starts[number], starts[number + 1]), first):
                rows.append(self._predicted(seen, place))
                assert (positions[..., slot] == place + self.shift(seen)).all()
        return torch.from_numpy(np.stack(rows))

    def compute_logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden

    def shift(self, seen: list[int]) -> int:
        """How far positions of the sequence are from counted ones."""
        return 0

    def _predicted(self, seen: list[int], place: int) -> np.ndarray:
        prompt = next(number for number, ids in enumerate(PROMPTS) if seen[: len(ids)] == ids)
        assert -1 not in seen, "a slot sees what was never written"
        text = seen[len(PROMPTS[prompt]) :]
        known = [token for token in text if token != self.toy.mask_id]
        if seen[place] != self.toy.mask_id:
            assert len(known) == len(text), "the boundary sees masks"
            return self.toy.logits(prompt, known)
        masks = len(text) - len(known)
        assert masks == BLOCK or masks == self.toy.block_size, "a mask does not see its whole block"
        return self.toy._mask_row(prompt, known, place - len(PROMPTS[prompt]) - len(known) + 1)


class Shifted(PagedModel):
    """Positions as of M-RoPE: the second sequence's are 11 behind."""

    def shift(self, seen: list[int]) -> int:
        return -11 if seen[: len(PROMPTS[1])] == PROMPTS[1] else 0


def runner_of(model: PagedModel, extra: Sequence[Any], max_tokens: int | None, mm: bool, mrope: bool) -> Any:
    """A model runner with two sequences whose pages lie about in disorder."""
    pages = np.random.default_rng(0).permutation(PAGES)[: 2 * (PAGES // 2)].reshape(2, -1)
    table = SimpleNamespace(np=pages, gpu=torch.from_numpy(pages))
    group = SimpleNamespace(layer_names=["layer"], build_metadata=lambda attention: attention)
    requests = {
        f"r{row}": SimpleNamespace(
            req_id=f"r{row}",
            num_prompt_tokens=len(prompt),
            mrope_position_delta=-11 if row else None,
            sampling_params=SimpleNamespace(max_tokens=max_tokens, extra_args=extra[row]),
        )
        for row, prompt in enumerate(PROMPTS)
    }
    return SimpleNamespace(
        requests=requests,
        input_batch=SimpleNamespace(
            req_ids=["r0", "r1"], block_table=[SimpleNamespace(block_size=PAGE, block_table=table)]
        ),
        kv_cache_config=SimpleNamespace(kv_cache_groups=[0]),
        attn_groups=[[group]],
        device=torch.device("cpu"),
        supports_mm_inputs=mm,
        uses_mrope=mrope,
        vllm_config="config",
        model=model,
    )


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The plugin's modules, imported over stand-ins that are gone afterwards."""
    here: dict[str, Any] = {}

    @contextmanager
    def set_forward_context(
        metadata: Any, config: Any, *, num_tokens: int, slot_mapping: Any
    ) -> Iterator[None]:
        here["model"].context = (metadata, config, num_tokens, slot_mapping)
        yield
        here["model"].context = None

    for name, content in PARTS.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["vllm.forward_context"].set_forward_context = set_forward_context  # type: ignore[attr-defined]
    names = [f"galley.engines.vllm.{name}" for name in ("drafting_forward", "drafter")]
    forward, drafter = (importlib.import_module(name) for name in names)
    yield SimpleNamespace(forward=forward, drafter=drafter, here=here)
    for name in names:
        sys.modules.pop(name, None)


class Engine:
    """Steps of a runner: ask for chains, verify them, write what was kept into the cache."""

    def __init__(
        self,
        vllm: SimpleNamespace,
        folder: Path,
        toy: ToyTarget,
        extra: Sequence[Any] = (None, None),
        max_tokens: int | None = TOKENS,
        longest: int = BLOCK + 1,
        room: int = 200,
        mrope: bool = False,
        mm: bool = False,
    ) -> None:
        (folder / "config.json").write_text("{}")
        if toy.mask_id is not None:
            settings = {"bd_size": BLOCK, "mask_id": 39, "ar_loss_weight": 1.0}
            (folder / "block_diffusion.json").write_text(json.dumps(settings))
        self.toy, self.max_tokens = toy, max_tokens
        self.model = (Shifted if mrope else PagedModel)(toy)
        vllm.here["model"] = self.model
        self.runner = runner_of(self.model, extra, max_tokens, mm, mrope)
        config = SimpleNamespace(
            speculative_config=SimpleNamespace(num_speculative_tokens=longest),
            model_config=SimpleNamespace(
                max_model_len=room,
                model=str(folder),
                tokenizer=Tokenizer(),
                get_vocab_size=lambda: toy.vocab_size,
            ),
        )
        self.drafter = vllm.drafter.Drafter(config)
        self.drafter.load_model(None)
        self.drafter.attach(self.runner)
        self.written = [toy.continuation(prompt, [], 1) for prompt in range(len(PROMPTS))]
        self.accepted: list[list[int]] = [[], []]

    def step(self, reading: Sequence[int] = ()) -> list[list[int]]:
        """One step; rows in ``reading`` are still at their prompt."""
        lengths = [len(prompt) + len(text) for prompt, text in zip(PROMPTS, self.written, strict=True)]
        ids = np.full((2, 400), -7)
        for row, (prompt, text) in enumerate(zip(PROMPTS, self.written, strict=True)):
            ids[row, : lengths[row]] = [*prompt, *text]
            self._store(row, [*prompt, *text][:-1])
        sampled = [[] if row in reading else [self.written[row][-1]] for row in range(2)]
        chains = self.drafter.propose(sampled, np.array(lengths), ids)
        for row, chain in enumerate(chains):
            if row in reading:
                assert chain == []
                continue
            truth = self.toy.continuation(row, self.written[row], len(chain) + 1)
            right = next((i for i, token in enumerate(chain) if token != truth[i]), len(chain))
            self.written[row] += truth[: right + 1]
            self.accepted[row].append(right)
        return chains

    def _store(self, row: int, tokens: list[int]) -> None:
        pages = self.runner.input_batch.block_table[0].block_table.np[row]
        for place, token in enumerate(tokens):
            self.model.cache[pages[place // PAGE] * PAGE + place % PAGE] = token

    def run(self) -> list[list[int]]:
        while min(len(text) for text in self.written) < TOKENS:
            self.step()
        return [text[:TOKENS] for text in self.written]


def toy_of(quality: float = 0.9, masks: bool = True) -> ToyTarget:
    return ToyTarget(block_size=BLOCK if masks else None, quality=quality, stop_bias=-100.0)


@pytest.mark.parametrize(("mrope", "mm"), [(False, False), (True, True)])
def test_own_drafts_are_those_of_the_decoder(vllm: Any, tmp_path: Path, mrope: bool, mm: bool) -> None:
    toy = toy_of()
    engine = Engine(vllm, tmp_path, toy, max_tokens=None, mrope=mrope, mm=mm)
    assert engine.run() == [plain(toy, prompt, TOKENS) for prompt in range(2)]
    for prompt, accepted in enumerate(engine.accepted):
        request = Request(prompt, max_tokens=4 * TOKENS, loop_guard=None)
        [result] = Decoder(toy, SelfSpeculation()).run([request])
        # A chain leads with the boundary's own prediction, which the decoder commits at once.
        own = [right - 1 for right in accepted]
        assert own == result.stats.accepted[: len(own)] and sum(own) > TOKENS / 2


def test_windows_of_different_widths_share_a_forward(vllm: Any, tmp_path: Path) -> None:
    """One sequence's block is shorter, because less of it may still be written."""
    toy = toy_of(quality=1.0)
    engine = Engine(vllm, tmp_path, toy, max_tokens=8)
    engine.written[0] = toy.continuation(0, [], 4)
    toy.block_size = 3  # masks of the narrower window, for the check of what they see
    chains = engine.step()
    assert chains[0] == toy.continuation(0, toy.continuation(0, [], 4), 3)
    assert chains[1] == toy.continuation(1, toy.continuation(1, [], 1), 6)


def test_rows_still_reading_their_prompt_get_nothing(vllm: Any, tmp_path: Path) -> None:
    engine = Engine(vllm, tmp_path, toy_of(quality=1.0))
    first, second = engine.step(reading=[0])
    assert first == [] and len(second) == BLOCK + 1
    first, second = engine.step(reading=[1])
    assert second == [] and len(first) == BLOCK + 1


def test_free_drafts_of_a_request_are_matched(vllm: Any, tmp_path: Path) -> None:
    toy = toy_of(masks=False)
    texts = [plain(toy, prompt, TOKENS) for prompt in range(2)]
    given = [{"galley_drafts": [" ".join(map(str, text))]} for text in texts]
    engine = Engine(vllm, tmp_path, toy, extra=given, longest=9)
    assert engine.step() == [text[1:10] for text in texts]
    assert engine.run() == texts
    assert len(engine.accepted[0]) == -(-(TOKENS - 1) // 10)


def test_a_callers_own_drafter_is_used_and_others_are_kept_while_their_request_lives(
    vllm: Any, tmp_path: Path
) -> None:
    toy = toy_of(masks=False)
    text = plain(toy, 0, TOKENS)
    brought = ChainDrafter(start_matching([text]), 4)
    engine = Engine(vllm, tmp_path, toy, extra=[{vllm.drafter.SEQUENCE: brought}, {}], longest=9)
    assert engine.step() == [text[1:5], []]
    followed = dict(engine.drafter._following)
    assert set(followed) == {"r1"}
    engine.step()
    assert engine.drafter._following == followed
    del engine.runner.requests["r1"]
    engine.step(reading=[1])
    assert engine.drafter._following == {}


def start_matching(drafts: list[list[int]]) -> Any:
    from galley.decoding import DraftMatching

    return start(DraftMatching(), Masks(), DraftPool(drafts))


@pytest.mark.parametrize("masks", [True, False])
@pytest.mark.parametrize(("max_tokens", "room", "left"), [(4, 200, 2), (None, 9, 4), (40, 9, 4), (1, 200, 0)])
def test_chains_leave_room_for_the_models_own_token(
    vllm: Any, tmp_path: Path, masks: bool, max_tokens: int | None, room: int, left: int
) -> None:
    """The first sequence has three tokens of prompt and one of text."""
    toy = toy_of(quality=1.0, masks=masks)
    text = plain(toy, 0, TOKENS)
    engine = Engine(
        vllm,
        tmp_path,
        toy,
        extra=[{"galley_drafts": [" ".join(map(str, text))]}, None],
        max_tokens=max_tokens,
        room=room,
    )
    [chain, _] = engine.step(reading=[1])
    assert chain == text[1 : 1 + left]
    assert STOP not in chain


def test_a_model_with_several_kinds_of_cache_is_refused(vllm: Any, tmp_path: Path) -> None:
    engine = Engine(vllm, tmp_path, toy_of())
    engine.runner.kv_cache_config.kv_cache_groups = [0, 1]
    with pytest.raises(ValueError, match="one kind of cache"):
        engine.drafter.attach(engine.runner)
