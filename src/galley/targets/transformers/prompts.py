"""Prompts → what a Transformers model takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.targets.prompt import Prompt

_SMALLEST_SIDE = 28
_LARGEST_RATIO = 100
"""Image processors refuse slivers (a ratio of 200, or less than one patch); paper is added to such crops."""


def fitted(image: NDArray[np.uint8], longest_side: int | None) -> Image.Image:
    """The image as any processor takes it: shrunk to ``longest_side`` pixels, slivers padded with white."""
    picture = Image.fromarray(image).convert("RGB")
    if longest_side is not None:
        picture.thumbnail((longest_side, longest_side), Image.Resampling.LANCZOS)
    least = max(_SMALLEST_SIDE, -(-max(picture.size) // _LARGEST_RATIO))
    size = max(picture.width, least), max(picture.height, least)
    if size == picture.size:
        return picture
    canvas = Image.new("RGB", size, "white")
    canvas.paste(picture, ((size[0] - picture.width) // 2, (size[1] - picture.height) // 2))
    return canvas


def model_inputs(processor: Any, prompts: Sequence[Prompt], longest_side: int | None) -> dict[str, Any]:
    """The processor's output for a batch of prompts, right-padded, as tensors on the CPU.

    A processor without a chat template gets the image token, a line break and the words.
    """
    texts = [dialogue(processor, prompt.text) for prompt in prompts]
    images = [fitted(prompt.image, longest_side) for prompt in prompts]
    batch = processor(text=texts, images=images, padding=True, return_tensors="pt")
    return dict(batch)


def dialogue(processor: Any, words: str) -> str:
    """The prompt in the checkpoint's chat format, its image as one token."""
    if not processor.chat_template:
        return f"{processor.image_token}\n{words}"
    content: list[dict[str, str]] = [{"type": "image"}]
    if words:
        content.append({"type": "text", "text": words})
    message = {"role": "user", "content": content}
    return str(processor.apply_chat_template([message], add_generation_prompt=True, tokenize=False))
