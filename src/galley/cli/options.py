"""From a command's parameters to the options of parsing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from galley.parsing.options import ParseOptions


def options_of(given: Mapping[str, Any]) -> ParseOptions:
    """The options of a command line, over those of its configuration file.

    given: a command's parameters by name; those that are named as an option of parsing are taken.
    """
    from galley.parsing.options import ParseOptions, load_options

    named = {name: given[name] for name in ParseOptions.model_fields if name in given and name != "keep"}
    named["trust_remote_code"] = named.get("trust_remote_code") or None
    return load_options(given["config"], also_keep=",".join(given["keep"] or []), **named)
