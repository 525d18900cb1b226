"""Chat requests and their answers, as JSON."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import dataclass
from typing import Any

from galley.targets.fitting import fitted
from galley.targets.prompt import Prompt

_FENCED = re.compile(r"```(?:markdown|md|html|latex|tex)[ \t]*\n(.*?)\n?```", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_SHOWN = 200


class Unusable(ValueError):
    """An answer without a usable text; ``str`` is a clause that says why."""


@dataclass(frozen=True)
class Answer:
    """What a model wrote.

    Attributes:
        text: the text.
        cut: whether the server stopped it at the length limit.
        tokens: their number, as the server counts them.
    """

    text: str
    cut: bool = False
    tokens: int | None = None


def chat_request(model: str, prompt: Prompt, max_tokens: int, longest_side: int | None) -> bytes:
    """The body of a chat request: the image as PNG, which loses nothing, and the words if there are any.

    Args:
        model: name of the model.
        prompt: what is asked.
        max_tokens: most tokens of the answer.
        longest_side: pixels to which a larger image is shrunk; None for no limit.
    """
    data = io.BytesIO()
    fitted(prompt.image, longest_side).save(data, "PNG", compress_level=1)
    url = "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()
    content: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": url}}]
    if prompt.text:
        content.append({"type": "text", "text": prompt.text})
    body = {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        "max_tokens": max_tokens,
        "temperature": 0,
    }
    return json.dumps(body).encode()


def read_answer(body: bytes) -> Answer:
    """The answer in a server's response.

    Raises:
        Unusable: the response holds none.
    """
    data = _object(body)
    if data.get("error"):
        raise Unusable(f"sent an error: {complaint(body)}")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Unusable("sent an answer without choices")
    message, finish = choices[0].get("message"), choices[0].get("finish_reason")
    if not isinstance(message, dict):
        raise Unusable("sent a choice without a message")
    if finish == "content_filter" or message.get("refusal"):
        raise Unusable("withheld the answer")
    usage = data.get("usage")
    tokens = usage.get("completion_tokens") if isinstance(usage, dict) else None
    text = _text(message.get("content"))
    return Answer(unwrapped(text), finish == "length", tokens if isinstance(tokens, int) else None)


def read_models(body: bytes) -> list[str]:
    """The names in a server's list of models; empty where it is no such list."""
    try:
        models = _object(body).get("data")
    except Unusable:
        return []
    if not isinstance(models, list):
        return []
    return [m["id"] for m in models if isinstance(m, dict) and isinstance(m.get("id"), str)]


def complaint(body: bytes) -> str:
    """What the body of an error says, in one short line."""
    try:
        data: Any = _object(body)
    except Unusable as error:
        text = body[:_SHOWN].decode("utf-8", "replace")
        readable = text.strip() and text.isprintable() and "<" not in text
        return _short(text) if readable else str(error).removeprefix("sent ")
    for name in ("error", "message", "detail"):
        if isinstance(data, dict) and data.get(name):
            data = data[name]
    return _short(data if isinstance(data, str) else json.dumps(data))


def unwrapped(text: str) -> str:
    """The text without thoughts before it and without a fence around all of it, which some models add."""
    text = _THOUGHT.sub("", text, count=1) if text.lstrip().startswith("<think>") else text
    fenced = _FENCED.fullmatch(text.strip())
    return fenced[1] if fenced and "```" not in fenced[1] else text


def _text(content: Any) -> str:
    """A message's content, whether text or parts; lone surrogates, which no file can hold, are replaced."""
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if content is None:
        content = ""
    if not isinstance(content, str):
        raise Unusable("sent a message that is no text")
    return content.encode("utf-8", "replace").decode()


def _object(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        kind = "a web page" if body.lstrip()[:1] == b"<" else "what is no JSON" if body.strip() else "nothing"
        raise Unusable(f"sent {kind}") from error
    if not isinstance(data, dict):
        raise Unusable("sent JSON that is no answer")
    return data


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
