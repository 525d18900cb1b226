"""Tiny random-weight checkpoints of the real classes, with tokenizer and processor, saved where a test
wants them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

HIDDEN, HEADS, KV_HEADS, HEAD_SIZE, LAYERS = 64, 4, 2, 16, 2
PAD, EOS, MASK, USER = "<|endoftext|>", "<|im_end|>", "<|mask|>", "<|user|>"
IMAGE, OPEN, CLOSE = "<|image|>", "<|image_start|>", "<|image_end|>"
_MARKS = [USER, "<|assistant|>", IMAGE, OPEN, CLOSE, "<|video|>", "<image_row>"]
_CORPUS = ["The quick brown fox jumps. <table><tr><td>1</td></tr></table> $x_i^2$\n# Title\n"] * 50
TEMPLATE = (
    "{% for m in messages %}<|user|>{% for c in m['content'] %}{% if c['type'] == 'image' %}"
    + OPEN
    + IMAGE
    + CLOSE
    + "{% else %}{{ c['text'] }}{% endif %}{% endfor %}{% endfor %}<|assistant|>"
)


def tokenizer(**named: str) -> hf.PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer; ``named`` are special tokens that processors look for as attributes."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=360,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[PAD, EOS, MASK, *_MARKS],
        show_progress=False,
    )
    bpe.train_from_iterator(_CORPUS, trainer)
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        pad_token=PAD,
        eos_token=EOS,
        additional_special_tokens=_MARKS,
        extra_special_tokens=named,
    )


def awaken(model: torch.nn.Module, seed: int) -> None:
    """Weights large enough for outputs that vary: with the usual small ones greedy decoding repeats one
    token.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim >= 2:
                scale = 1.0 if "embed_tokens" in name else 1.6 / parameter[0].numel() ** 0.5
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)
            elif not name.endswith("norm.weight") and "layernorm" not in name:
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.1)


def text_config(words: hf.PreTrainedTokenizerFast, **more: object) -> dict:
    ids = words.convert_tokens_to_ids
    return {
        "vocab_size": len(words),
        "hidden_size": HIDDEN,
        "intermediate_size": 128,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "max_position_embeddings": 4096,
        "pad_token_id": ids(PAD),
        "eos_token_id": ids(EOS),
        "bos_token_id": ids(PAD),
        **more,
    }


def rope(**more: object) -> dict:
    return {"rope_type": "default", "rope_theta": 10000.0, **more}


_VISION = {
    "depth": 2,
    "hidden_size": 32,
    "num_heads": 2,
    "intermediate_size": 64,
    "out_hidden_size": HIDDEN,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
}
_IMAGES = {"patch_size": 14, "merge_size": 2, "temporal_patch_size": 2}
_SIZE = {"shortest_edge": 56 * 56, "longest_edge": 140 * 140}


def save(folder: Path, config: object, cls: type, processor: object, seed: int) -> Path:
    torch.manual_seed(seed)
    model = cls(config)
    awaken(model, seed)
    words = processor.tokenizer
    ids = words.convert_tokens_to_ids
    model.generation_config = hf.GenerationConfig(eos_token_id=ids([EOS, PAD, USER]), pad_token_id=ids(PAD))
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def glm_ocr(
    folder: Path, seed: int = 0, words: hf.PreTrainedTokenizerFast | None = None, **text: object
) -> Path:
    words = words or tokenizer()
    ids = words.convert_tokens_to_ids
    config = hf.GlmOcrConfig(
        text_config=text_config(
            words,
            **{
                "head_dim": HEAD_SIZE,
                "rope_parameters": rope(mrope_section=[2, 3, 3], partial_rotary_factor=1.0),
                **text,
            },
        ),
        vision_config={**_VISION, "patch_size": 14, "image_size": 56},
        image_token_id=ids(IMAGE),
        video_token_id=ids("<|video|>"),
        image_start_token_id=ids(OPEN),
        image_end_token_id=ids(CLOSE),
        tie_word_embeddings=False,
    )
    processor = hf.Glm46VProcessor(
        hf.Glm46VImageProcessor(**_IMAGES, size=_SIZE),
        words,
        hf.Glm46VVideoProcessor(),
        chat_template=TEMPLATE,
    )
    return save(folder, config, hf.GlmOcrForConditionalGeneration, processor, seed)


def gravity_ocr(folder: Path, block: int = 4, **more: Any) -> Path:
    """GLM-OCR that says it drafts for itself."""
    glm_ocr(folder, **more)
    mask = json.loads((folder / "tokenizer.json").read_text())
    mask_id = next(token["id"] for token in mask["added_tokens"] if token["content"] == MASK)
    settings = {"bd_size": block, "mask_id": mask_id, "ar_loss_weight": 1.0, "mask_schedule": "uniform"}
    (folder / "block_diffusion.json").write_text(json.dumps(settings))
    return folder


def glm_ocr_mtp(folder: Path) -> Path:
    """GLM-OCR with a multi-token-prediction head beside its layers, as its checkpoints are laid out."""
    glm_ocr(folder, num_nextn_predict_layers=1)
    tensors = load_file(folder / "model.safetensors")
    generator = torch.Generator().manual_seed(5)
    head, last = f"model.language_model.layers.{LAYERS}.", f"model.language_model.layers.{LAYERS - 1}."
    for key in [key for key in tensors if key.startswith(last)]:
        noise = torch.randn(tensors[key].shape, generator=generator)
        tensors[key.replace(last, head)] = tensors[key] + 0.05 * noise
    for norm in ("enorm", "hnorm", "shared_head.norm"):
        tensors[f"{head}{norm}.weight"] = torch.ones(HIDDEN)
    tensors[head + "eh_proj.weight"] = torch.randn(HIDDEN, 2 * HIDDEN, generator=generator) * 0.1
    tensors[head + "shared_head.head.weight"] = tensors["lm_head.weight"].clone()
    tensors[head + "embed_tokens.weight"] = tensors["model.language_model.embed_tokens.weight"].clone()
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def _qwen(folder: Path, three: bool, seed: int, **other: object) -> Path:
    words = tokenizer(image_token=IMAGE, video_token="<|video|>")
    ids = words.convert_tokens_to_ids
    patch = 16 if three else 14
    more = {"patch_size": patch}
    more |= (
        {"num_position_embeddings": 64, "deepstack_visual_indexes": [0]}
        if three
        else {"window_size": 56, "fullatt_block_indexes": [1]}
    )
    sections = rope(mrope_section=[2, 3, 3])
    text = text_config(words, rope_parameters=sections)
    if three:
        sections["mrope_interleaved"] = True
        text["head_dim"] = HEAD_SIZE
    text |= other
    config_class = hf.Qwen3VLConfig if three else hf.Qwen2_5_VLConfig
    config = config_class(
        text_config=text,
        vision_config={**_VISION, **more},
        image_token_id=ids(IMAGE),
        video_token_id=ids("<|video|>"),
        vision_start_token_id=ids(OPEN),
        vision_end_token_id=ids(CLOSE),
        tie_word_embeddings=False,
    )
    images = hf.Qwen2VLImageProcessor(**{**_IMAGES, "patch_size": patch}, size=_SIZE)
    processor_class = hf.Qwen3VLProcessor if three else hf.Qwen2_5_VLProcessor
    videos = hf.Qwen3VLVideoProcessor() if three else hf.Qwen2VLVideoProcessor()
    processor = processor_class(images, words, videos, chat_template=TEMPLATE)
    cls = hf.Qwen3VLForConditionalGeneration if three else hf.Qwen2_5_VLForConditionalGeneration
    return save(folder, config, cls, processor, seed)


def qwen2_5_vl(folder: Path, seed: int = 1, **text: object) -> Path:
    return _qwen(folder, False, seed, **text)


def qwen3_vl(folder: Path, seed: int = 2, **text: object) -> Path:
    return _qwen(folder, True, seed, **text)


def hunyuan_ocr(folder: Path, seed: int = 3) -> Path:
    words = tokenizer(image_token=IMAGE, image_start_token=OPEN, image_end_token=CLOSE)
    ids = words.convert_tokens_to_ids
    config = hf.HunYuanVLConfig(
        text_config=text_config(
            words,
            head_dim=HEAD_SIZE,
            rope_parameters=rope(mrope_section=[2, 2, 2, 2]),
            tie_word_embeddings=False,
        ),
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_attention_heads": 2,
            "num_hidden_layers": 1,
            "out_hidden_size": HIDDEN,
            "text_hidden_size": HIDDEN,
            "max_image_size": 128,
            "min_image_size": 32,
        },
        image_token_id=ids(IMAGE),
        image_start_token_id=ids(OPEN),
        image_end_token_id=ids(CLOSE),
        tie_word_embeddings=False,
    )
    images = hf.HunYuanVLImageProcessor(size={"shortest_edge": 64 * 64, "longest_edge": 128 * 128})
    processor = hf.HunYuanVLProcessor(images, words, chat_template=TEMPLATE)
    return save(folder, config, hf.HunYuanVLForConditionalGeneration, processor, seed)


def paddleocr_vl(folder: Path, seed: int = 5) -> Path:
    words = tokenizer(image_token=IMAGE)
    ids = words.convert_tokens_to_ids
    config = hf.PaddleOCRVLConfig(
        text_config=text_config(words, head_dim=HEAD_SIZE, rope_parameters=rope(mrope_section=[2, 3, 3])),
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_attention_heads": 2,
            "num_hidden_layers": 1,
            "image_size": 56,
        },
        image_token_id=ids(IMAGE),
        video_token_id=ids("<|video|>"),
        vision_start_token_id=ids(OPEN),
        vision_end_token_id=ids(CLOSE),
        tie_word_embeddings=False,
    )
    images = hf.PaddleOCRVLImageProcessor(size=_SIZE)
    processor = hf.PaddleOCRVLProcessor(images, words, chat_template=TEMPLATE)
    return save(folder, config, hf.PaddleOCRVLForConditionalGeneration, processor, seed)


def lighton_ocr(folder: Path, seed: int = 5) -> Path:
    words = tokenizer(image_token=IMAGE, image_break_token="<image_row>", image_end_token=CLOSE)
    config = hf.LightOnOcrConfig(
        text_config=text_config(words, model_type="qwen3", head_dim=HEAD_SIZE, tie_word_embeddings=False),
        vision_config={
            "model_type": "pixtral",
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 112,
            "patch_size": 14,
        },
        image_token_id=words.convert_tokens_to_ids(IMAGE),
        tie_word_embeddings=False,
    )
    images = hf.PixtralImageProcessor(patch_size=28, size={"longest_edge": 112})
    processor = hf.LightOnOcrProcessor(images, words, patch_size=14, chat_template=TEMPLATE)
    return save(folder, config, hf.LightOnOcrForConditionalGeneration, processor, seed)


def deepseek_ocr2(folder: Path, seed: int = 6) -> Path:
    words = tokenizer(image_token=IMAGE)
    config = hf.DeepseekOcr2Config(
        text_config=text_config(
            words,
            num_key_value_heads=HEADS,
            rope_parameters=rope(),
            mlp_layer_types=["dense", "sparse"],
            n_routed_experts=4,
            num_experts_per_tok=2,
            n_shared_experts=1,
            moe_intermediate_size=32,
            routed_scaling_factor=1.0,
            topk_method="greedy",
            n_group=1,
            topk_group=1,
            norm_topk_prob=False,
            tie_word_embeddings=False,
        ),
        vision_config={
            "sam_config": {
                "hidden_size": 32,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "image_size": 768,
                "output_channels": 16,
                "global_attn_indexes": [0],
                "downsample_channels": [32, 32],
            },
            "encoder_config": {
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "num_key_value_heads": 2,
            },
        },
        image_token_id=words.convert_tokens_to_ids(IMAGE),
        tie_word_embeddings=False,
    )
    images = hf.DeepseekOcr2ImageProcessor(crop_to_patches=False)
    processor = hf.DeepseekOcr2Processor(images, words, chat_template=TEMPLATE)
    return save(folder, config, hf.DeepseekOcr2ForConditionalGeneration, processor, seed)


BUILDERS: dict[str, Callable[[Path], Path]] = {
    "glm_ocr": glm_ocr,
    "gravity_ocr": gravity_ocr,
    "glm_ocr_mtp": glm_ocr_mtp,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl,
    "hunyuan_ocr": hunyuan_ocr,
    "paddleocr_vl": paddleocr_vl,
    "lighton_ocr": lighton_ocr,
    "deepseek_ocr2": deepseek_ocr2,
}
