"""PaddleOCR-VL: a region model that writes tables in OTSL."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import TableFormat, Task

PROFILE = Profile(
    name="PaddleOCR-VL",
    model_types=frozenset({"paddleocr_vl"}),
    prompts={Task.TEXT: "OCR:", Task.TABLE: "Table Recognition:", Task.FORMULA: "Formula Recognition:"},
    tables=TableFormat.OTSL,
    stop=("</s>",),
)
