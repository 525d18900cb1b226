"""A tiny checkpoint that brings its own code, in the shape of dots.ocr's: a text model with a vision tower
on top.
"""

from __future__ import annotations

import json
from pathlib import Path

CONFIGURATION = """
from transformers import Qwen2Config


class DotsOCRConfig(Qwen2Config):
    model_type = "dots_ocr"

    def __init__(self, image_token_id=0, patch=588, **kwargs):
        self.image_token_id, self.patch = image_token_id, patch
        super().__init__(**kwargs)
"""

MODELING = """
import torch
from transformers import Qwen2ForCausalLM

from .configuration_dots import DotsOCRConfig


class DotsOCRForCausalLM(Qwen2ForCausalLM):
    config_class = DotsOCRConfig

    def __init__(self, config):
        super().__init__(config)
        self.vision_tower = torch.nn.Linear(4 * 2 * config.patch, config.hidden_size)
        self.post_init()

    def forward(self, input_ids, pixel_values=None, image_grid_thw=None, inputs_embeds=None,
                attention_mask=None, position_ids=None, past_key_values=None, use_cache=None,
                logits_to_keep=0, **others):
        assert not others, others
        inputs_embeds = self.get_input_embeddings()(input_ids)
        if pixel_values is not None:
            image = self.vision_tower(pixel_values.reshape(-1, self.vision_tower.in_features))
            places = input_ids[..., None] == self.config.image_token_id
            inputs_embeds = inputs_embeds.masked_scatter(places, image)
        return super().forward(
            inputs_embeds=inputs_embeds, attention_mask=attention_mask, position_ids=position_ids,
            past_key_values=past_key_values, use_cache=use_cache, logits_to_keep=logits_to_keep)
"""


def dots_ocr(folder: Path) -> Path:
    import torch
    import transformers as hf

    from .checkpoints import CLOSE, EOS, IMAGE, OPEN, PAD, TEMPLATE, awaken, text_config, tokenizer

    words = tokenizer(image_token=IMAGE, video_token="<|video|>")
    ids = words.convert_tokens_to_ids
    base = hf.Qwen2ForCausalLM(hf.Qwen2Config(**text_config(words), tie_word_embeddings=False))
    base.add_module("vision_tower", torch.nn.Linear(4 * 2 * 588, base.config.hidden_size))
    awaken(base, 7)
    base.generation_config = hf.GenerationConfig(eos_token_id=ids([EOS, PAD]), pad_token_id=ids(PAD))
    base.save_pretrained(folder)
    images = hf.Qwen2VLImageProcessor(
        patch_size=14, merge_size=2, size={"shortest_edge": 3136, "longest_edge": 19600}
    )
    videos = hf.Qwen2VLVideoProcessor()
    hf.Qwen2_5_VLProcessor(images, words, videos, chat_template=TEMPLATE).save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "dots_ocr",
        "architectures": ["DotsOCRForCausalLM"],
        "image_token_id": ids(IMAGE),
        "vision_start_token_id": ids(OPEN),
        "vision_end_token_id": ids(CLOSE),
        "auto_map": {
            "AutoConfig": "configuration_dots.DotsOCRConfig",
            "AutoModelForCausalLM": "modeling_dots.DotsOCRForCausalLM",
        },
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "configuration_dots.py").write_text(CONFIGURATION)
    (folder / "modeling_dots.py").write_text(MODELING)
    return folder
