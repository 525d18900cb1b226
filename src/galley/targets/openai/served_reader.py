"""A served model as a reader."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from galley.decoding import Finish, Request, Result, Stats
from galley.errors import ModelError
from galley.targets.openai.address import Address
from galley.targets.openai.background import Background
from galley.targets.openai.chat import Answer, chat_request, read_answer, read_models
from galley.targets.openai.client import Client, RequestFailed, Settings
from galley.targets.openai.replay import replayed
from galley.targets.openai.words import Words
from galley.targets.profiles import GENERAL, Profile, family, profile_named
from galley.targets.prompt import Prompt, Task, text_key

_NAMED = 10


class ServedReader:
    """Reads by asking a server, as many requests at a time as its settings allow; a ``SelfDecoding`` reader.

    Threads may share it. A request that failed for good is a result with ``Finish.ERROR``, so that its draft is kept.

    Raises:
        ModelError: every other request would fail too: no server, a wrong key or a wrong name.
    """

    def __init__(self, client: Client, model: str, profile: Profile, background: Background) -> None:
        self.name, self.table_format = model, profile.tables
        self.profile = profile
        self._client, self._background = client, background
        self._words = Words()

    def prompt(self, image: NDArray[np.uint8], task: Task) -> Prompt:
        """The prompt of a task.

        Args:
            image: (height, width, 3) uint8 RGB.
            task: what to read.

        Raises:
            ModelError: the family was not trained for the task.
        """
        return self.profile.prompt(image, task)

    def encode(self, text: str) -> list[int]:
        """Numbers of a text's words; see ``Words``."""
        return self._words.encode(text)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of words' numbers."""
        return self._words.decode(ids)

    def run(self, requests: Iterable[Request]) -> list[Result]:
        """Ask for all requests and return what came of each, in order. See ``SelfDecoding.run``."""
        asked = list(requests)
        answers = self._background.run(self._ask_all(asked))
        return [
            self._result(ticket, request, answer, seconds)
            for ticket, (request, (answer, seconds)) in enumerate(zip(asked, answers, strict=True))
        ]

    async def _ask_all(self, requests: list[Request]) -> list[tuple[Answer | RequestFailed, float]]:
        tasks = [asyncio.ensure_future(self._ask(request)) for request in requests]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _ask(self, request: Request) -> tuple[Answer | RequestFailed, float]:
        def make() -> bytes:
            return chat_request(self.name, request.prompt, request.max_tokens, self.profile.longest_side)

        start = time.perf_counter()
        answer: Answer | RequestFailed
        try:
            answer = await self._client.post("/chat/completions", make, read_answer)
        except RequestFailed as error:
            if error.fails_all:
                raise
            answer = error
        return answer, time.perf_counter() - start

    def _result(
        self, ticket: int, request: Request, answer: Answer | RequestFailed, seconds: float
    ) -> Result:
        if isinstance(answer, RequestFailed):
            return Result(ticket, [], Finish.ERROR, Stats(), [], error=answer)
        ids = self.encode(answer.text)
        result = replayed(ids, request, self._words.limit, text_key(self))
        finish = Finish.LENGTH if answer.cut and result.finish is Finish.STOP else result.finish
        stats = Stats(tokens=len(ids) if answer.tokens is None else answer.tokens)
        stats.seconds.verify = seconds
        return replace(result, ticket=ticket, finish=finish, stats=stats)


def load_served(model: str, family_name: str | None = None, settings: Settings | None = None) -> ServedReader:
    """The model at ``openai:http://host:port/v1#name``; without a name, the only one the server has.

    The key is the address's own or ``OPENAI_API_KEY``.

    Args:
        model: the address.
        family_name: the family whose prompts it is asked with. None takes the family in the model's name, and
            instructions in plain English where there is none.
        settings: limits of requests.

    Raises:
        ModelError: no server answers, or it wants another key.
    """
    address = Address.of(model)
    background = Background()
    client = Client(address, settings or Settings(), address.key or os.environ.get("OPENAI_API_KEY"))
    names = background.run(_served(client))
    name = address.model or _only(names, address)
    profile = family(family_name) if family_name else profile_named(name) or GENERAL
    return ServedReader(client, name, profile, background)


async def _served(client: Client) -> list[str]:
    """The models the server says it has; not every server says. Raises where none answers, or it wants a key."""
    try:
        return await client.get("/models", read_models)
    except RequestFailed as error:
        if error.fails_all and not error.missing:
            raise
        return []


def _only(names: list[str], address: Address) -> str:
    if len(names) == 1:
        return names[0]
    there = f"it has {', '.join(names[:_NAMED])}" if names else "it does not say which it has"
    raise ModelError(f"which model of {address}? name it after a #: openai:{address}#name ({there})")
