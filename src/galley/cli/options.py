"""From a command's parameters to the options of parsing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from galley.parsing.options import ParseOptions


def options_of(given: Mapping[str, Any]) -> ParseOptions:
    """The options of a command line, over those of its configuration file.

    Args:
        given: A command's parameters by name; those that are named as an option of parsing are taken.
    """
    from galley.parsing.options import ParseOptions, load_options

    named = {name: given[name] for name in ParseOptions.model_fields if name in given and name != "keep"}
    named["trust_remote_code"] = named.get("trust_remote_code") or None
    config = Path(given["config"]) if given["config"] is not None else None  # a context has paths as text
    return load_options(config, also_keep=",".join(given["keep"] or []), **named)
