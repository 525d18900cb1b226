"""LightOnOCR: reads an image with no words beside it, a page or a part of one, as Markdown."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import Task

PROFILE = Profile(
    name="LightOnOCR",
    model_types=frozenset({"lighton_ocr"}),
    prompts={Task.TEXT: "", Task.TABLE: "", Task.FORMULA: "", Task.PAGE: ""},
    stop=("<|im_end|>",),
    longest_side=1540,
    batch_prefill=False,
)
