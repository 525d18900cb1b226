"""GLM-OCR and checkpoints trained from it (GravityOCR): region models."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import Task

PROFILE = Profile(
    name="GLM-OCR",
    model_types=frozenset({"glm_ocr"}),
    prompts={
        Task.TEXT: "Text Recognition:",
        Task.TABLE: "Table Recognition:",
        Task.FORMULA: "Formula Recognition:",
    },
    stop=("<|endoftext|>", "<|user|>"),
    also=("GravityOCR",),
    mtp_tensors="model.language_model.layers.{layers}.",
)
