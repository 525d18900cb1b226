"""Qwen2.5-VL and Qwen3-VL: general models that read pages and regions when told how."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import Task

_PROMPTS = {
    Task.TEXT: "Read all text in this image in reading order. Output only the text.",
    Task.TABLE: "Write the table in this image as HTML, with rowspan and colspan. Output only the table.",
    Task.FORMULA: "Write the formula in this image as LaTeX, without delimiters. Output only the LaTeX.",
    Task.PAGE: (
        "Convert this page to Markdown in reading order. Write headings with #, tables as HTML and formulas "
        "as LaTeX between $$. Leave out page headers, page footers and page numbers. Output Markdown only."
    ),
}

QWEN2_5_VL = Profile(
    name="Qwen2.5-VL",
    model_types=frozenset({"qwen2_5_vl"}),
    prompts=_PROMPTS,
    stop=("<|im_end|>", "<|endoftext|>"),
)
QWEN3_VL = Profile(
    name="Qwen3-VL",
    model_types=frozenset({"qwen3_vl"}),
    prompts=_PROMPTS,
    stop=("<|im_end|>", "<|endoftext|>"),
)
