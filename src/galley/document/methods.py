"""Where the model's methods find the exporters, which are made of the model and stand above it.

``galley.document`` binds them when it is imported, which is before anything in it can be used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_functions: dict[str, Callable[..., Any]] = {}


def bind(**functions: Callable[..., Any]) -> None:
    """Make functions known by the names of the methods that call them."""
    _functions.update(functions)


def call(method: str, *arguments: Any) -> Any:
    """What the function bound to a method gives."""
    return _functions[method](*arguments)
