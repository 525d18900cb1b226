"""Run by ``test_stock.py``: what ``generate`` of the untouched model writes for an image and a text, as JSON.

python -m tests.engines.vllm.served FOLDER IMAGE TEXT TOKENS
"""

from __future__ import annotations

import json
import sys

import numpy as np
import torch
import transformers
from PIL import Image

from galley.targets.prompt import Prompt
from galley.targets.transformers.prompts import model_inputs


def main(folder: str, image: str, text: str, tokens: int) -> None:
    processor = transformers.AutoProcessor.from_pretrained(folder)
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    model.generation_config.eos_token_id = None
    prompt = Prompt(np.asarray(Image.open(image).convert("RGB")), text)
    inputs = model_inputs(processor, [prompt], None)
    out = model.generate(**inputs, max_new_tokens=tokens, do_sample=False, pad_token_id=0)
    print(json.dumps(out[0, inputs["input_ids"].shape[1] :].tolist()))


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))
