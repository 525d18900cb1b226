"""Hugging Face vision–language models as targets. Importing this needs torch and transformers."""

from galley.targets.transformers.loading import load_target
from galley.targets.transformers.target import TransformersTarget

__all__ = ["TransformersTarget", "load_target"]
