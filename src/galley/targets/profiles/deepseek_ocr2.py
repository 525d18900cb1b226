"""DeepSeek-OCR-2: a page model; regions are read with its free-form prompt."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import Task

PROFILE = Profile(
    name="DeepSeek-OCR-2",
    model_types=frozenset({"deepseek_ocr2"}),
    prompts={
        Task.TEXT: "Free OCR.",
        Task.TABLE: "Free OCR.",
        Task.FORMULA: "Free OCR.",
        Task.PAGE: "Convert the document to markdown.",
    },
    batch_prefill=False,
)
