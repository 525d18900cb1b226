"""Tiny checkpoints of the real classes, with one tokenizer: GLM-OCR (regions), Qwen2.5-VL and Qwen3-VL (pages)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

PAD, EOS, USER = "<|endoftext|>", "<|im_end|>", "<|user|>"
IMAGE, OPEN, CLOSE, VIDEO = "<|image|>", "<|image_start|>", "<|image_end|>", "<|video|>"
_MARKS = [USER, "<|assistant|>", IMAGE, OPEN, CLOSE, VIDEO]
_TEMPLATE = (
    "{% for m in messages %}<|user|>{% for c in m['content'] %}{% if c['type'] == 'image' %}"
    + OPEN
    + IMAGE
    + CLOSE
    + "{% else %}{{ c['text'] }}{% endif %}{% endfor %}{% endfor %}<|assistant|>"
)
_PIXELS = {"shortest_edge": 28 * 28, "longest_edge": 448 * 1024}
_VOCABULARY = 1000


@dataclass(frozen=True)
class Shape:
    """Of a language model: width of its states and number of layers; heads are 32 wide, two share keys and values."""

    width: int = 96
    layers: int = 3

    def text(self, words: hf.PreTrainedTokenizerFast) -> dict[str, Any]:
        ids = words.convert_tokens_to_ids
        return {
            "vocab_size": len(words),
            "hidden_size": self.width,
            "intermediate_size": 3 * self.width,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.width // 32,
            "num_key_value_heads": self.width // 64,
            "max_position_embeddings": 8192,
            "pad_token_id": ids(PAD),
            "eos_token_id": ids(EOS),
            "bos_token_id": ids(PAD),
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 6, 6]},
        }

    def vision(self) -> dict[str, Any]:
        return {
            "depth": 2,
            "hidden_size": 64,
            "num_heads": 2,
            "intermediate_size": 128,
            "out_hidden_size": self.width,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
        }


def make_tokenizer(texts: Sequence[str]) -> hf.PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer of ``texts``, without a mask token."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[PAD, EOS, *_MARKS],
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        pad_token=PAD,
        eos_token=EOS,
        additional_special_tokens=_MARKS,
        extra_special_tokens={"image_token": IMAGE, "video_token": VIDEO},
    )


def glm_ocr(folder: Path, words: hf.PreTrainedTokenizerFast, shape: Shape, seed: int) -> Path:
    """A GLM-OCR: reads regions only."""
    ids = words.convert_tokens_to_ids
    text = shape.text(words) | {"head_dim": 32}
    text["rope_parameters"] |= {"partial_rotary_factor": 1.0}
    config = hf.GlmOcrConfig(
        text_config=text,
        vision_config={**shape.vision(), "patch_size": 14, "image_size": 56},
        image_token_id=ids(IMAGE),
        video_token_id=ids(VIDEO),
        image_start_token_id=ids(OPEN),
        image_end_token_id=ids(CLOSE),
        tie_word_embeddings=False,
    )
    images = hf.Glm46VImageProcessor(patch_size=14, merge_size=2, temporal_patch_size=2, size=_PIXELS)
    processor = hf.Glm46VProcessor(images, words, hf.Glm46VVideoProcessor(), chat_template=_TEMPLATE)
    return _save(folder, config, hf.GlmOcrForConditionalGeneration, processor, seed)


def qwen2_5_vl(folder: Path, words: hf.PreTrainedTokenizerFast, shape: Shape, seed: int) -> Path:
    """A Qwen2.5-VL: reads pages and regions."""
    vision = {**shape.vision(), "patch_size": 14, "window_size": 56, "fullatt_block_indexes": [1]}
    config = hf.Qwen2_5_VLConfig(text_config=shape.text(words), vision_config=vision, **_qwen_ids(words))
    images = hf.Qwen2VLImageProcessor(patch_size=14, merge_size=2, temporal_patch_size=2, size=_PIXELS)
    videos = hf.Qwen2VLVideoProcessor()
    processor = hf.Qwen2_5_VLProcessor(images, words, videos, chat_template=_TEMPLATE)
    return _save(folder, config, hf.Qwen2_5_VLForConditionalGeneration, processor, seed)


def qwen3_vl(folder: Path, words: hf.PreTrainedTokenizerFast, shape: Shape, seed: int) -> Path:
    """A Qwen3-VL: reads pages and regions."""
    text = shape.text(words) | {"head_dim": 32}
    text["rope_parameters"] |= {"mrope_interleaved": True}
    vision = {"patch_size": 16, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]}
    config = hf.Qwen3VLConfig(
        text_config=text, vision_config={**shape.vision(), **vision}, **_qwen_ids(words)
    )
    images = hf.Qwen2VLImageProcessor(patch_size=16, merge_size=2, temporal_patch_size=2, size=_PIXELS)
    processor = hf.Qwen3VLProcessor(images, words, hf.Qwen3VLVideoProcessor(), chat_template=_TEMPLATE)
    return _save(folder, config, hf.Qwen3VLForConditionalGeneration, processor, seed)


BUILDERS: dict[str, Callable[[Path, hf.PreTrainedTokenizerFast, Shape, int], Path]] = {
    "glm_ocr": glm_ocr,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl,
}


def _qwen_ids(words: hf.PreTrainedTokenizerFast) -> dict[str, Any]:
    ids = words.convert_tokens_to_ids
    return {
        "image_token_id": ids(IMAGE),
        "video_token_id": ids(VIDEO),
        "vision_start_token_id": ids(OPEN),
        "vision_end_token_id": ids(CLOSE),
        "tie_word_embeddings": False,
    }


def _save(folder: Path, config: Any, cls: Any, processor: Any, seed: int) -> Path:
    torch.manual_seed(seed)
    model = cls(config)
    ids = processor.tokenizer.convert_tokens_to_ids
    model.generation_config = hf.GenerationConfig(eos_token_id=ids([EOS, PAD, USER]), pad_token_id=ids(PAD))
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
