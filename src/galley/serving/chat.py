"""OpenAI's chat completions: what a request asks for, and the shapes of answers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from galley.parsing.options import ParseOptions
from galley.serving.refusal import Refusal
from galley.serving.tasks import ReadRegion, RegionRead


class _Body(BaseModel):
    """The fields that matter here; others, such as ``top_p``, are taken and left alone."""

    model_config = ConfigDict(extra="ignore")

    messages: list[dict[str, Any]] = Field(min_length=1)
    stream: bool = False
    stream_options: dict[str, Any] | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    repetition_penalty: float | None = Field(default=None, gt=0)
    n: int | None = Field(default=None, ge=1, le=1)


@dataclass(frozen=True)
class Chat:
    """A request: the image of its last message with one, as a URL, and the words beside it."""

    image: str | None
    prompt: str
    stream: bool
    usage: bool
    max_tokens: int | None
    temperature: float
    repetition_penalty: float

    def task(self, path: Path, options: ParseOptions, client: str, name: str) -> ReadRegion:
        """The task to read the image at ``path``.

        Args:
            path: The image's file.
            options: How to read it.
            client: Who shares a turn.
            name: This request's own.
        """
        return ReadRegion(
            path=path,
            options=options,
            prompt=self.prompt,
            owner=f"{client}/{name}",
            stream=self.stream,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            repetition_penalty=self.repetition_penalty,
        )


def read_chat(data: dict[str, Any]) -> Chat:
    """What a request's body asks for; refused with 400 where it makes no sense."""
    try:
        body = _Body.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Refusal(400, "bad-request", f"{place}: {first['msg']}") from error
    images, words = _contents(body.messages[-1].get("content"))
    if len(images) > 1:
        raise Refusal(400, "bad-request", "one image at a time")
    return Chat(
        image=images[0] if images else None,
        prompt="\n".join(words),
        stream=body.stream,
        usage=bool((body.stream_options or {}).get("include_usage")),
        max_tokens=body.max_completion_tokens or body.max_tokens,
        temperature=body.temperature or 0.0,
        repetition_penalty=body.repetition_penalty or 1.0,
    )


def _contents(content: Any) -> tuple[list[str], list[str]]:
    """Image URLs and texts of a message."""
    if isinstance(content, str):
        return [], [content]
    images: list[str] = []
    words: list[str] = []
    for part in content if isinstance(content, list) else []:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            words.append(str(part.get("text") or ""))
        elif kind == "image_url":
            url = part.get("image_url")
            images.append(str(url.get("url") if isinstance(url, dict) else url))
        else:
            raise Refusal(400, "bad-request", "a message's content has parts of type text and image_url")
    return images, words


class Completion:
    """The answer to one request, whole or in chunks."""

    def __init__(self, model: str) -> None:
        self._head = {"id": f"chatcmpl-{uuid4().hex[:29]}", "created": int(time.time()), "model": model}

    def whole(self, read: RegionRead) -> dict[str, Any]:
        """The answer in one piece."""
        message = {"role": "assistant", "content": read.text}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": read.finish}
        return {**self._head, "object": "chat.completion", "choices": [choice], "usage": _usage(read)}

    def chunk(self, delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
        """A piece of the answer."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._head, "object": "chat.completion.chunk", "choices": [choice]}

    def usage(self, read: RegionRead) -> dict[str, Any]:
        """The last chunk, when usage is asked for."""
        return {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": _usage(read)}


def _usage(read: RegionRead) -> dict[str, int]:
    """Tokens the model wrote; what it was given is not counted."""
    return {"prompt_tokens": 0, "completion_tokens": read.counts.tokens, "total_tokens": read.counts.tokens}
