"""Teach a vision–language checkpoint to draft for itself, and write it in GravityOCR's layout.

The only new parameter is the row of a mask token. Everything else is joint training on what the model reads
(GravityOCR, section 3.1): crops with their texts, tables and formulas.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from galley.errors import InputError, ModelError
from galley.targets.prompt import Prompt, Task
from galley.targets.transformers.loading import load_target
from galley.targets.transformers.prompts import model_inputs
from galley.targets.transformers.selfspec import FILE, MASK_TOKEN
from galley.targets.transformers.target import TransformersTarget
from galley.training.corruption import Schedule
from galley.training.example import Example
from galley.training.learner import Batch
from galley.training.masks import dense_mask
from galley.training.packed_rows import Recipe
from galley.training.processes import Processes
from galley.training.settings import Settings
from galley.training.trainer import Trainer, stopped_by_sigterm

_PER_TOKEN = frozenset({"input_ids", "attention_mask", "mm_token_type_ids", "position_ids", "token_type_ids"})


class TransformersLearner:
    """Any model that a ``TransformersTarget`` drives. Prompts stay causal, as the checkpoint was trained."""

    bidirectional_prompt = False

    def __init__(self, target: TransformersTarget):
        self.target = target
        self._takes = frozenset(inspect.signature(target.model.model.forward).parameters)

    @property
    def module(self) -> nn.Module:
        """The model's parameters."""
        module: nn.Module = self.target.model
        return module

    def states(self, batch: Batch) -> Tensor:
        """Final hidden states (rows, L, width)."""
        mask = dense_mask(batch.slots, self.bidirectional_prompt)[:, None]
        bias = torch.zeros(mask.shape, dtype=self.target.dtype, device=mask.device)
        payloads: list[dict[str, Tensor]] = [dict(payload) for _, _, payload in batch.payloads]  # type: ignore[call-overload]
        images = {
            name: torch.cat([payload[name] for payload in payloads]).to(batch.ids.device)
            for name in (payloads[0] if payloads else {})
            if name in self._takes
        }
        positions = batch.positions if len(batch.positions) > 1 else batch.positions[0]
        found = self.target.model.model(
            input_ids=batch.ids,
            attention_mask=bias.masked_fill(~mask, torch.finfo(bias.dtype).min),
            position_ids=positions,
            use_cache=False,
            **images,
        )
        states: Tensor = found.last_hidden_state
        return states

    def logits(self, states: Tensor) -> Tensor:
        """Logits (n, vocabulary) of chosen states (n, width)."""
        logits: Tensor = self.target.model.get_output_embeddings()(states)
        return logits

    def example(self, image: np.ndarray, task: Task, response: str) -> Example:
        """A crop with its truth as ids, positions and pixels."""
        asked: Prompt = self.target.prompt(image, task)
        inputs = model_inputs(self.target.processor, [asked], self.target.profile.longest_side)
        positions, after = _positions(self.target.model.model, inputs)
        return Example(
            prompt=inputs["input_ids"][0].numpy(),
            prompt_positions=positions,
            first_position=after,
            response=np.array(self.target.encode(response), dtype=np.int64),
            payload={name: value for name, value in inputs.items() if name not in _PER_TOKEN},
        )


def _positions(model: Any, inputs: dict[str, Any]) -> tuple[np.ndarray, int]:
    """Rotary positions (axes, P) of a prompt and the position of the first response token."""
    length = inputs["input_ids"].shape[1]
    if not hasattr(model, "get_rope_index"):
        return np.arange(length)[None], length
    takes = inspect.signature(model.get_rope_index).parameters
    found, _ = model.get_rope_index(**{name: value for name, value in inputs.items() if name in takes})
    positions = found[:, 0].numpy()
    return positions, int(positions.max()) + 1


@dataclass(frozen=True)
class Crop:
    """A line of the data file: an image, what was asked and the truth."""

    image: Path
    task: Task
    text: str


def read_crops(path: Path) -> list[Crop]:
    """Read the list of crops from a JSON-lines file.

    Args:
        path: Lines of ``{"image": path, "task": "text|table|formula|page", "text": truth}``; image paths are
            relative to this file.

    Raises:
        InputError: A line is wrong; says which.
    """
    crops = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the data cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            crops.append(Crop(path.parent / row["image"], Task(row["task"]), str(row["text"])))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f'{path}, line {number}: each line is {{"image": …, "task": …, "text": …}} ({error})'
            ) from error
        if not crops[-1].image.is_file():
            raise InputError(f"{path}, line {number}: there is no image {crops[-1].image}")
    if not crops:
        raise InputError(f"{path} holds no crops")
    return crops


class Crops:
    """Crops in a seeded order, again and again, as documents of a learner."""

    def __init__(self, learner: TransformersLearner, crops: list[Crop], seed: int):
        self._learner, self._crops, self._seed = learner, crops, seed
        self.position = 0

    def __iter__(self) -> Crops:
        return self

    def __next__(self) -> Example:
        epoch, place = divmod(self.position, len(self._crops))
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._crops))
        crop = self._crops[order[place]]
        self.position += 1
        try:
            image = np.asarray(Image.open(crop.image).convert("RGB"))
        except OSError as error:
            raise InputError(f"{crop.image} cannot be read: {error}") from error
        return self._learner.example(image, crop.task, crop.text)


def add_mask_token(target: TransformersTarget) -> int:
    """The id of the mask token; where the checkpoint has none, it is added with the mean embedding."""
    tokenizer, model = target.tokenizer, target.model
    if MASK_TOKEN not in tokenizer.get_vocab():
        tokenizer.add_special_tokens(
            {"additional_special_tokens": [MASK_TOKEN]}, replace_extra_special_tokens=False
        )
    mask = int(tokenizer.convert_tokens_to_ids(MASK_TOKEN))
    rows = model.get_input_embeddings().weight.shape[0]
    if mask >= rows:
        model.resize_token_embeddings(mask + 1, mean_resizing=False)
        for weight in {id(w): w for w in (m.weight for m in _embeddings(model))}.values():
            with torch.no_grad():
                weight[rows:] = weight[:rows].mean(0)
    return mask


def _embeddings(model: Any) -> list[Any]:
    return [model.get_input_embeddings(), model.get_output_embeddings()]


def convert(
    model: str | Path,
    data: Path,
    out: Path,
    settings: Settings,
    block_size: int = 32,
    schedule: Schedule = Schedule.UNIFORM,
    device: str | None = None,
) -> Path:
    """Train ``model`` on the crops of ``data`` and write it to ``out``.

    An interrupted run of ``out`` is resumed. Weights are trained in float32 (autocast as ``settings.precision``
    says) and written in the type in which the model was stored.

    Returns:
        ``out``.

    Raises:
        ModelError: The model cannot be loaded or trained.
        InputError: The crops cannot be used.
        KeyboardInterrupt: SIGTERM stopped the run. Its state is saved; no model is written.
    """
    if settings.ar_weight <= 0:
        raise ModelError(
            "the weight of the causal loss must be above 0, or the model could not verify its drafts"
        )
    crops = read_crops(data)
    processes = Processes(device)
    target = load_target(model, device=str(processes.device), dtype="float32")
    mask = add_mask_token(target)
    learner = TransformersLearner(target)
    eos = _end(target)
    recipe = Recipe(eos, mask, eos, block_size, schedule)
    documents = Crops(learner, crops, settings.seed)
    trainer = Trainer(learner, recipe, settings, documents, out / "run", processes=processes)
    trainer.resume()
    with stopped_by_sigterm(trainer):
        trainer.run()
    if trainer.stopping:
        raise KeyboardInterrupt
    if processes.first:
        save(target, out, mask, block_size, settings.ar_weight, schedule)
    processes.wait()
    return out


def _end(target: TransformersTarget) -> int:
    """The token that responses are taught to end with: the first the checkpoint names."""
    named = target.model.generation_config.eos_token_id
    if isinstance(named, list) and named:
        return int(named[0])
    return int(named) if isinstance(named, int) else min(target.stop_ids)


def save(
    target: TransformersTarget, out: Path, mask: int, block_size: int, ar_weight: float, schedule: Schedule
) -> None:
    """Write a checkpoint that drafts for itself: Transformers files and ``block_diffusion.json``."""
    out.mkdir(parents=True, exist_ok=True)
    target.model.save_pretrained(out)
    target.processor.save_pretrained(out)
    facts = {
        "bd_size": block_size,
        "mask_id": mask,
        "ar_loss_weight": ar_weight,
        "mask_schedule": schedule.value,
    }
    (out / FILE).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
