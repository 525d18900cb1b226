"""Prompts as inputs of a Transformers model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from galley.targets.fitting import fitted
from galley.targets.prompt import Prompt


def model_inputs(processor: Any, prompts: Sequence[Prompt], longest_side: int | None) -> dict[str, Any]:
    """The processor's output for a batch of prompts.

    A processor without a chat template gets the image token, a line break and the words.

    Args:
        processor: the checkpoint's.
        prompts: what is asked.
        longest_side: pixels to which larger images are shrunk; None for no limit.

    Returns:
        Right-padded tensors on the CPU.
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
