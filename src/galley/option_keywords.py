"""``ParseOptions`` as keywords, so that editors complete them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal, TypedDict, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

Furniture = Literal["headers", "footers", "footnotes", "page-numbers"]


class OptionKeywords(TypedDict, total=False):
    """The fields of ``ParseOptions``, which says what each means; each may be left out."""

    strategy: Literal["auto", "draft", "regions", "page", "hierarchical"]
    model: str | None
    decode: str
    tau: float
    block_size: int | None
    overlap: bool
    batch: int
    family: str | None
    request_seconds: float
    retries: int
    max_tokens: int
    max_page_tokens: int
    device: str | None
    dtype: Literal["float32", "bfloat16", "float16"] | None
    trust_remote_code: bool
    pages: str | int | Iterable[int] | None
    dpi: float
    max_pixels: int
    ocr: Literal["auto", "always", "never"]
    lang: str
    keep: str | Collection[Furniture]
    merge_tables: bool
    styles: bool
    images: bool
    password: str | None
    trace_passes: str | os.PathLike[str] | None


def with_option_keywords(function: Function) -> Function:
    """Spell the keywords out in the signature, for editors and notebooks that inspect the running function.

    Args:
        function: ends in ``**overrides: Unpack[OptionKeywords]``.
    """
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=..., annotation=kind)
        for name, kind in OptionKeywords.__annotations__.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return function
