"""dots.ocr: a page model whose checkpoint brings its own code."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import Task

_READ = "Extract the text content from this image."

PROFILE = Profile(
    name="dots.ocr",
    model_types=frozenset({"dots_ocr"}),
    prompts={Task.TEXT: _READ, Task.TABLE: _READ, Task.FORMULA: _READ, Task.PAGE: _READ},
    stop=("<|endofassistant|>", "<|endoftext|>"),
    batch_prefill=False,
    own_code=True,
)
