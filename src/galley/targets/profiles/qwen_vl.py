"""Qwen2.5-VL and Qwen3-VL: general models that read pages and regions when told how."""

from galley.targets.profiles.general import PROMPTS
from galley.targets.profiles.profile import Profile

QWEN2_5_VL = Profile(
    name="Qwen2.5-VL",
    model_types=frozenset({"qwen2_5_vl"}),
    prompts=PROMPTS,
    stop=("<|im_end|>", "<|endoftext|>"),
)
QWEN3_VL = Profile(
    name="Qwen3-VL",
    model_types=frozenset({"qwen3_vl"}),
    prompts=PROMPTS,
    stop=("<|im_end|>", "<|endoftext|>"),
)
