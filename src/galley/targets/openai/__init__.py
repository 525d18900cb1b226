"""Vision–language models behind OpenAI-compatible servers (vLLM, SGLang, Ollama, llama.cpp, …).

The server decodes; Galley asks for each block or page and keeps the draft where no usable answer comes. Importing
this needs httpx2.
"""

from galley.targets.openai.client import Settings
from galley.targets.openai.served_reader import ServedReader, load_served

__all__ = ["ServedReader", "Settings", "load_served"]
