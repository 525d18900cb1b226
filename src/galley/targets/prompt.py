"""What a reading model is asked: an image and a task."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from galley.decoding import Request, Result, Target, TokenKey


class Task(str, Enum):
    """What to read in an image."""

    TEXT = "text"
    TABLE = "table"
    FORMULA = "formula"
    PAGE = "page"


class TableFormat(str, Enum):
    """How a model writes tables."""

    HTML = "html"
    OTSL = "otsl"


@dataclass(frozen=True, eq=False)
class Prompt:
    """A request to a model.

    Attributes:
        image: (height, width, 3) uint8 RGB.
        text: the words that go with it; may be empty.
        task: what they ask for, where that is known.
    """

    image: NDArray[np.uint8]
    text: str
    task: Task | None = None


class TextReader(Protocol):
    """Reads images as text: knows how each task is asked for, and has token ids of its own.

    Attributes:
        name: what its blocks name as their source.
        table_format: the markup of its tables. Formulas are LaTeX and pages Markdown.
    """

    name: str
    table_format: TableFormat

    def prompt(self, image: NDArray[np.uint8], task: Task) -> Prompt:
        """The prompt of a task.

        Args:
            image: (height, width, 3) uint8 RGB.
            task: what to read.

        Raises:
            ModelError: the model was not made for the task.
        """
        ...

    def encode(self, text: str) -> list[int]:
        """Token ids of a draft, without special tokens."""
        ...

    def decode(self, ids: list[int]) -> str:
        """Text of response ids, stop tokens left out."""
        ...


class Reader(Target, TextReader, Protocol):
    """A target that reads images: Galley drives its decoding."""


@runtime_checkable
class SelfDecoding(TextReader, Protocol):
    """A reader that decodes by itself, such as a model behind somebody else's server."""

    def run(self, requests: Iterable[Request]) -> list[Result]:
        """Decode all requests and return their results in order; failures are results too."""
        ...


class Runner(Protocol):
    """Decodes requests."""

    def run(self, requests: Iterable[Request]) -> list[Result]:
        """Decode all requests and return their results in order."""
        ...


@runtime_checkable
class DraftingEngine(SelfDecoding, Protocol):
    """A reader in an engine that decodes by itself but verifies Galley's drafts."""

    def decoder(self, decode: str, block_size: int | None) -> Runner:
        """A decoder that drafts as ``ParseOptions.decode`` says.

        Args:
            decode: name of the way of drafting.
            block_size: masks per block of the model's own drafts; None for the model's.

        Raises:
            ModelError: the engine cannot draft this way.
        """
        ...


AnyReader = Reader | SelfDecoding


def key_of(decode: Callable[[list[int]], str]) -> TokenKey:
    """Compare tokens by their letters and digits alone, since drafter and model differ in punctuation and width.

    Args:
        decode: gives the text of token ids.
    """

    def key(token: int) -> str:
        return "".join(sign for sign in unicodedata.normalize("NFKC", decode([token])) if sign.isalnum())

    return key


class Speller(Protocol):
    """Knows the text of token ids."""

    def decode(self, ids: list[int]) -> str:
        """Text of token ids."""
        ...


def text_key(reader: Speller) -> TokenKey:
    """``key_of`` a reader's tokens."""
    return key_of(reader.decode)
