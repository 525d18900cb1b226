"""Model families: one short profile each."""

from galley.errors import ModelError
from galley.targets.profiles import (
    deepseek_ocr2,
    dots_ocr,
    glm_ocr,
    hunyuan_ocr,
    lighton_ocr,
    paddleocr_vl,
    qwen_vl,
)
from galley.targets.profiles.profile import Profile

PROFILES: tuple[Profile, ...] = (
    glm_ocr.PROFILE,
    qwen_vl.QWEN2_5_VL,
    qwen_vl.QWEN3_VL,
    hunyuan_ocr.PROFILE,
    paddleocr_vl.PROFILE,
    lighton_ocr.PROFILE,
    deepseek_ocr2.PROFILE,
    dots_ocr.PROFILE,
)


def profile_for(model_type: str) -> Profile:
    """The profile of a ``config.json``'s ``model_type``; raises ``ModelError`` naming the known families."""
    for profile in PROFILES:
        if model_type in profile.model_types:
            return profile
    known = ", ".join(profile.name for profile in PROFILES)
    raise ModelError(f"Galley cannot read with a model of type {model_type!r}; it knows {known}")


__all__ = ["PROFILES", "Profile", "profile_for"]
