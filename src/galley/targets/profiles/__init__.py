"""Model families: one short profile each."""

from galley.errors import ModelError, UsageError
from galley.targets.profiles import (
    deepseek_ocr2,
    dots_ocr,
    glm_ocr,
    hunyuan_ocr,
    lighton_ocr,
    paddleocr_vl,
    qwen_vl,
)
from galley.targets.profiles.general import PROFILE as GENERAL
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
    """The profile of a ``config.json``'s ``model_type``.

    Raises:
        ModelError: no family has it; the message names the known ones.
    """
    for profile in PROFILES:
        if model_type in profile.model_types:
            return profile
    known = ", ".join(profile.name for profile in PROFILES)
    raise ModelError(f"Galley cannot read with a model of type {model_type!r}; it knows {known}")


def profile_named(name: str) -> Profile | None:
    """The profile of a family's or a checkpoint's name, whatever its punctuation (``qwen2.5vl:7b``).

    Returns:
        None for a name that contains no family's.
    """
    letters = _letters(name)
    return next(
        (profile for profile in PROFILES if any(_letters(n) in letters for n in _names(profile))), None
    )


def family(name: str) -> Profile:
    """The profile of a family as users name it; ``general`` stands for instructions in plain English.

    Raises:
        UsageError: there is no such family; the message names those there are.
    """
    if _letters(name) == _letters(GENERAL.name):
        return GENERAL
    if profile := profile_named(name):
        return profile
    known = ", ".join(profile.name for profile in (*PROFILES, GENERAL))
    raise UsageError(f"there is no family {name!r}; there are {known}")


def _names(profile: Profile) -> tuple[str, ...]:
    return (profile.name, *profile.also)


def _letters(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


__all__ = ["GENERAL", "PROFILES", "Profile", "family", "profile_for", "profile_named"]
