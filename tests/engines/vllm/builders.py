"""Tiny checkpoints that vLLM runs on a CPU.

python -m tests.engines.vllm.builders FAMILY FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tests.targets import checkpoints

BLOCK = 7
_ROPE = {"mrope_section": [4, 6, 6]}  # the smallest head that vLLM's CPU kernels take has 32 numbers
_VIDEO = {"begin": "<|begin_of_video|>", "end": "<|end_of_video|>"}

BUILDERS: dict[str, Callable[[Path], Path]] = {
    "gravity_ocr": lambda folder: checkpoints.gravity_ocr(
        folder,
        block=BLOCK,
        words=checkpoints.tokenizer(**_VIDEO),
        head_dim=32,
        intermediate_size=3 * checkpoints.HIDDEN,  # as in GLM-OCR, whose vision vLLM sizes by it
        rope_parameters=checkpoints.rope(**_ROPE, partial_rotary_factor=1.0),
    ),
    "qwen3_vl": lambda folder: checkpoints.qwen3_vl(
        folder, head_dim=32, rope_parameters=checkpoints.rope(**_ROPE, mrope_interleaved=True)
    ),
    "qwen2_5_vl": lambda folder: checkpoints.qwen2_5_vl(
        folder, num_attention_heads=2, num_key_value_heads=1, rope_parameters=checkpoints.rope(**_ROPE)
    ),
}


if __name__ == "__main__":
    BUILDERS[sys.argv[1]](Path(sys.argv[2]))
