"""What a pass says about itself in its docstring: what it does, what it reads, what it changes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_LIST = r"^{}: (.+(?:\n(?!\w+:).+)*)"


@dataclass(frozen=True)
class Contract:
    """A pass in words.

    Attributes:
        name: Of the pass.
        file: Its own, from the package's folder on.
        summary: What it does, in one line.
        reads: Attributes that it looks at besides those it changes.
        changes: Attributes that it sets.
    """

    name: str
    file: str
    summary: str
    reads: tuple[str, ...]
    changes: tuple[str, ...]


def contract_of(any_pass: Callable[..., Any]) -> Contract:
    """The contract of a page or document pass.

    Raises:
        ValueError: When the docstring has no line that begins with ``Reads:`` or with ``Changes:``.
    """
    text = inspect.getdoc(any_pass) or ""
    summary = " ".join(text.split("\n\n", 1)[0].split())
    name = any_pass.__name__
    return Contract(
        name, file_of(any_pass), summary, _listed(text, "Reads", name), _listed(text, "Changes", name)
    )


def file_of(any_pass: Callable[..., Any]) -> str:
    """The file of a pass, from the package's folder on."""
    return any_pass.__module__.replace(".", "/") + ".py"


def _listed(text: str, head: str, name: str) -> tuple[str, ...]:
    match = re.search(_LIST.format(head), text, re.MULTILINE)
    if match is None:
        raise ValueError(
            f"the docstring of the pass {name} has no line '{head}: …'; name the attributes there"
        )
    return tuple(part.strip() for part in match.group(1).replace("\n", " ").strip().rstrip(".").split(","))
