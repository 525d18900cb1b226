"""The embedded model: training, torch and exported forwards agree, and drafts never change its output."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from galley.decoding import Decoder, Request, ScoreDetail, Window
from galley.errors import ModelError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import DECODER, EMBEDDED, load_embedded, load_nano
from galley.targets.nano.reading import make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import Task
from galley.training.corruption import Schedule
from galley.training.learner import Batch
from galley.training.nano.compose import Composed
from galley.training.nano.export import export
from galley.training.nano.graph import TorchForward
from galley.training.nano.learner import NanoLearner, to_example
from galley.training.nano.model import Nano
from galley.training.nano.onnx_decoder import decoder_graph
from galley.training.nano.onnx_encoder import encoder_graph
from galley.training.packed_rows import Recipe, join, lay_out

from .nano_parts import WORDS, save_vocabulary, seen_line, tiny_nano, tiny_vocabulary

DRAFTERS = ["ar", "self-spec", "match", "auto"]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return tiny_vocabulary()


@pytest.fixture(scope="module")
def nano(vocabulary: Vocabulary) -> Nano:
    return tiny_nano(vocabulary)


@pytest.fixture(scope="module")
def target(nano: Nano, vocabulary: Vocabulary) -> NanoTarget:
    return NanoTarget(TorchForward(nano), nano.config, vocabulary)


@pytest.fixture(scope="module")
def exported(nano: Nano, vocabulary: Vocabulary, tmp_path_factory: pytest.TempPathFactory) -> NanoTarget:
    pytest.importorskip("onnx")
    folder = tmp_path_factory.mktemp("nano")
    export(nano, save_vocabulary(vocabulary, folder / "source.json"), folder)
    return load_nano(folder)


def prompt(vocabulary: Vocabulary, lines: list[str], task: Task = Task.TEXT) -> NanoPrompt:
    groups = [[seen_line(text, 20.0 * i, seed=i) for i, text in enumerate(lines)]]
    return NanoPrompt(make_reading(vocabulary, groups, task), task)


@pytest.mark.parametrize("schedule", [Schedule.ALL_MASK, Schedule.UNIFORM])
def test_decoding_sees_what_training_saw(
    target: NanoTarget, nano: Nano, vocabulary: Vocabulary, schedule: Schedule
) -> None:
    """Logits of every supervised slot of a packed row equal those of prefill, verify and draft windows."""
    line = seen_line("the quick brown fox", seed=1)
    example = to_example(Composed(Task.TEXT, [[line]], "the quack brown fox jumps"), vocabulary, None)
    block = 8
    recipe = Recipe(vocabulary.eos, vocabulary.mask, vocabulary.pad, block, schedule)
    row = lay_out(example, recipe, np.random.default_rng(0))
    other = lay_out(example, recipe, np.random.default_rng(1))
    batch = Batch.stack([join([other, row], len(row) + len(other) + 3, vocabulary.pad)])
    with torch.no_grad():
        logits = nano.logits(NanoLearner(nano).states(batch))[0, len(other) : len(other) + len(row)]
    trained = torch.log_softmax(logits, -1).numpy()

    ((handle, first),) = target.prefill([NanoPrompt(example.payload, Task.TEXT)], ScoreDetail.FULL)
    assert first.logprobs is not None
    np.testing.assert_allclose(trained[len(example.prompt) - 1], first.logprobs[0], atol=2e-5)
    response = np.append(example.response, [vocabulary.eos] * block)
    (verified,) = target.forward([(handle, Window.chain(response))], ScoreDetail.FULL)
    assert verified.logprobs is not None
    start = len(example.prompt)
    np.testing.assert_allclose(trained[start : start + len(response)], verified.logprobs, atol=2e-5)
    # A block's masks after the clean tokens of all earlier blocks.
    corrupted = row.ids[start + len(response) :]
    for at in range(0, len(response), block):
        ids = corrupted[: len(response)][at : at + block]
        window = Window(ids, np.arange(len(ids)), np.ones((len(ids), len(ids)), bool), np.full(len(ids), -1))
        (drafted,) = target.forward([(handle, window)], ScoreDetail.FULL)
        assert drafted.logprobs is not None
        slots = start + len(response) + at + np.arange(len(ids))
        np.testing.assert_allclose(trained[slots], drafted.logprobs, atol=2e-5)
        chunk = response[at : at + block]
        target.forward([(handle, Window.chain(chunk))])
        target.commit(handle, np.arange(len(chunk)))


@pytest.mark.parametrize("drafter", DRAFTERS)
@pytest.mark.parametrize("lines", [[], ["fox"], ["the quick brown fox jumps over", "a lazy dog while seven"]])
def test_drafts_never_change_the_output(
    target: NanoTarget, vocabulary: Vocabulary, drafter: str, lines: list[str]
) -> None:
    asked = prompt(vocabulary, lines)
    drafts = [vocabulary.encode(" ".join(lines))]
    plain, drafted = (
        Decoder(target, name).run([Request(asked, drafts, max_tokens=60, loop_guard=None)])[0]
        for name in ("ar", drafter)
    )
    assert plain.error is None and drafted.error is None
    assert drafted.ids == plain.ids
    assert len(set(plain.ids)) > 5


@pytest.mark.parametrize("drafter", DRAFTERS[1:])
def test_drafts_never_change_what_the_exported_model_writes(
    exported: NanoTarget, vocabulary: Vocabulary, drafter: str
) -> None:
    lines = ["seven wizards mix potions", "in jars while the quick", "brown fox jumps"]
    for task, used in ((Task.TEXT, lines), (Task.TABLE, lines), (Task.PAGE, []), (Task.TEXT, lines * 7)):
        request = Request(prompt(vocabulary, used, task), max_tokens=150, loop_guard=None)
        drafted, plain = (Decoder(exported, name).run([request])[0] for name in (drafter, "ar"))
        assert drafted.error is None and plain.error is None
        assert drafted.ids == plain.ids


def test_exported_logits_are_close_to_torch(
    target: NanoTarget, exported: NanoTarget, vocabulary: Vocabulary
) -> None:
    """Weights of seven bits and activations of eight cost a few percent of a row's spread."""
    asked = prompt(vocabulary, ["the quick brown", "fox"])
    found = []
    for model in (target, exported):
        ((handle, first),) = model.prefill([asked], ScoreDetail.FULL)
        (scores,) = model.forward([(handle, Window.drafting(5, vocabulary.mask, 8))], ScoreDetail.FULL)
        found.append((first.logprobs, scores.logprobs))
    for ours, reference in zip(*found, strict=True):
        spread = reference.std(axis=1, keepdims=True)
        assert np.sqrt(np.mean(((ours - reference) / spread) ** 2)) < 0.15


@st.composite
def cuts(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Windows that write a text: its next tokens, wrong siblings before each of them, masks after the last."""
    number = st.integers
    return draw(st.lists(st.tuples(number(1, 40), number(0, 2), number(0, 33)), min_size=1, max_size=8))


@settings(max_examples=15, deadline=None)
@given(windows=cuts(), seed=st.integers(0, 3))
def test_a_slot_has_the_same_bits_in_every_window(
    exported: NanoTarget, windows: list[tuple[int, int, int]], seed: int
) -> None:
    assert_same_bits(exported, windows, seed)


@pytest.mark.skipif(not (EMBEDDED / DECODER).is_file(), reason="this copy has no embedded model")
@settings(max_examples=10, deadline=None)
@given(windows=cuts(), seed=st.integers(0, 3))
def test_a_slot_of_the_shipped_model_has_the_same_bits_in_every_window(
    windows: list[tuple[int, int, int]], seed: int
) -> None:
    assert_same_bits(shipped(), windows, seed)


@lru_cache
def shipped() -> NanoTarget:
    return load_embedded()


def assert_same_bits(model: NanoTarget, windows: list[tuple[int, int, int]], seed: int) -> None:
    """Logits of a text's tokens, whatever windows they came in, are those of one token at a time."""
    rng = np.random.default_rng(seed)
    lines = [" ".join(rng.choice(WORDS, 6)) for _ in range(3)]
    text = model.encode(" ".join(lines)) + rng.integers(20, model.vocab_size, 40).tolist()
    asked = prompt(model.vocabulary, lines)
    ((plain, _),) = model.prefill([asked])
    ((cut, _),) = model.prefill([asked])
    for width, siblings, masks in windows:
        tokens, parents, path = [], [], []
        for token in text[:width]:
            above = path[-1] if path else -1
            wrong = rng.integers(0, model.vocab_size, siblings).tolist()
            tokens += [*wrong, token]
            parents += [above] * (len(wrong) + 1)
            path.append(len(tokens) - 1)
        text = text[width:]
        if not path:
            break
        window = Window.tree(tokens, parents).with_blocks([(path[-1], [model.vocabulary.mask] * masks)])
        (scores,) = model.forward([(cut, window)], ScoreDetail.FULL)
        model.commit(cut, np.array(path))
        assert scores.logprobs is not None
        for slot in path:
            (alone,) = model.forward([(plain, Window.chain([tokens[slot]]))], ScoreDetail.FULL)
            model.commit(plain, np.array([0]))
            assert alone.logprobs is not None
            np.testing.assert_array_equal(scores.logprobs[slot], alone.logprobs[0])


def test_exported_weights_have_seven_bits(nano: Nano) -> None:
    """Pairs of eight-bit products overflow the sixteen bits that AVX2 adds them in."""
    import onnx

    small = [
        onnx.numpy_helper.to_array(one)
        for model in (decoder_graph(nano), encoder_graph(nano))
        for one in model.graph.initializer
        if one.data_type == onnx.TensorProto.INT8
    ]
    assert len(small) > 10
    assert max(int(np.abs(weight.astype(int)).max()) for weight in small) == 63


def test_what_is_not_exported_is_named(vocabulary: Vocabulary) -> None:
    nano = tiny_nano(vocabulary)
    with torch.no_grad():
        nano.decoder()[0].attention.norm_q.weight.fill_(40.0)
    with pytest.raises(ValueError, match="attention scores"):
        decoder_graph(nano)


def test_a_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"decoder\.onnx"):
        load_nano(tmp_path)


def test_model_and_tokenizer_must_fit(vocabulary: Vocabulary, nano: Nano) -> None:
    with pytest.raises(ModelError, match="tokens"):
        NanoTarget(TorchForward(nano), NanoConfig(vocab_size=77), vocabulary)
