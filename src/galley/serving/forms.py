"""Options as clients send them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from galley.errors import UsageError
from galley.parsing.options import ParseOptions, overlay
from galley.serving.refusal import Refusal
from galley.strategy_factory import needs_model

_OPTIONS = frozenset(
    (
        "pages",
        "dpi",
        "ocr",
        "lang",
        "images",
        "merge_tables",
        "password",
        "strategy",
        "decode",
        "tau",
        "block_size",
        "styles",
    )
)
"""Options a client may set; the model, its device and the limits are the server's."""
_OTHER = frozenset(("file", "url", "urls", "format", "wait", "keep"))
_FLAGS = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
}


def form_options(form: Mapping[str, Any], base: ParseOptions) -> ParseOptions:
    """The server's options overlaid by those of a form. Refuses unknown names and values that make no sense."""
    for name in form:
        if name not in _OPTIONS | _OTHER:
            known = ", ".join(sorted(_OPTIONS | _OTHER))
            raise Refusal(422, "bad-option", f"there is no option {name!r} for requests; there are {known}")
    given = {name: form[name] for name in _OPTIONS if form.get(name) not in (None, "")}
    try:
        options = overlay(base, also_keep=str(form.get("keep") or ""), **given)
        if options.strategy == "draft":
            options = options.model_copy(update={"model": None})
        needs_model(options)
    except UsageError as error:
        raise Refusal(422, "bad-option", str(error)) from error
    if options.decode == "diffusion":
        raise Refusal(422, "bad-option", "decode: diffusion is for diagnosis on the command line only")
    return options


def read_flag(form: Mapping[str, Any], name: str, default: bool) -> bool:
    """A field that says yes or no."""
    value = form.get(name)
    if value is None:
        return default
    if str(value).lower() not in _FLAGS:
        raise Refusal(422, "bad-option", f"{name}: true or false, not {value!r}")
    return _FLAGS[str(value).lower()]
