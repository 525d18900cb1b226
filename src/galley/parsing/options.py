"""What a user can ask of a parse, and the configuration file that overlays the defaults."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, TomlConfigSettingsSource

from galley.decoding.drafters import DRAFTERS, LARGEST_BLOCK
from galley.errors import UsageError
from galley.ingest.ranges import PageRanges
from galley.ingest.reader import DEFAULT_DPI, DEFAULT_MAX_PIXELS

CONFIG_NAME = "galley.toml"
"""The file read from the current folder when none is named."""

DIRECT_DIFFUSION = "diffusion"
"""The way of decoding that takes the model's own block-diffusion text unverified; a diagnostic, not a drafter."""

_KEEP_NONE = "none"
_BOUNDS = (("ge", "at least"), ("gt", "more than"), ("le", "at most"))
_NO_MATTER = frozenset({"password", "request_seconds", "retries", "trace_passes"})
"""Options that results do not depend on."""
Furniture = Literal["headers", "footers", "footnotes", "page-numbers"]


class ParseOptions(BaseModel):
    """Settings of one parse; none of them changes once made.

    dpi: resolution PDF pages are rendered at. max_pixels: a larger page image is scaled down. ocr: ``auto``
    reads the text layer where it can be trusted and the image elsewhere; ``always`` and ``never``. keep: page
    furniture that Markdown, HTML and text show too (JSON always has it). merge_tables: join tables that go on
    over a page break. images: save figures beside the output. pages: like ``1-3,7``; all when None. trace_passes: a
    folder to write what each pass of the pipeline did to each page, as pictures and text.

    strategy: how pages are read: ``draft`` with no model at all, ``regions`` block by block, ``page`` whole,
    ``hierarchical`` first the blocks, then the page; ``auto`` is ``hierarchical`` with a model that reads pages and
    ``regions`` with any other. model: a checkpoint's folder or hub id, ``openai:http://host:port/v1#name`` for one
    behind an OpenAI-compatible server; None is the one that ships with Galley. decode: what drafts, a name of
    ``decode_names()`` (``ar`` nothing, ``auto`` all that the model supports). tau: 1 keeps exactly what the
    model would write alone, less takes more drafted tokens (HSD, 3).
    block_size: masks per block that the model drafts for itself. overlap: a
    hierarchical page starts while its blocks are still read. batch: sequences decoded, or requests to a server
    open, at a time. max_tokens, max_page_tokens: the most tokens of a block and of a page. device, dtype: as
    PyTorch names them; None takes what there is. trust_remote_code: run code that comes with the checkpoint.

    For a served model: family: the model family with whose prompts it is asked; None goes by its name.
    request_seconds: the most one request may take. retries: how often a request that failed is repeated.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: Literal["auto", "draft", "regions", "page", "hierarchical"] = "auto"
    model: str | None = Field(default=None, min_length=1)
    decode: str = "auto"
    tau: float = Field(default=1.0, gt=0, le=1)
    block_size: int | None = Field(default=None, ge=1, le=LARGEST_BLOCK)
    overlap: bool = True
    batch: int = Field(default=16, ge=1)
    family: str | None = None
    request_seconds: float = Field(default=300, gt=0)
    retries: int = Field(default=4, ge=0)
    max_tokens: int = Field(default=4096, ge=1)
    max_page_tokens: int = Field(default=16384, ge=1)
    device: str | None = None
    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    trust_remote_code: bool = False
    pages: str | None = None
    dpi: float = Field(default=DEFAULT_DPI, ge=36, le=1200)
    max_pixels: int = Field(default=DEFAULT_MAX_PIXELS, ge=10_000)
    ocr: Literal["auto", "always", "never"] = "auto"
    keep: frozenset[Furniture] = frozenset({"footnotes"})
    merge_tables: bool = True
    images: bool = False
    trace_passes: Path | None = None
    password: SecretStr | None = None

    @field_validator("pages", mode="before")
    @classmethod
    def _pages(cls, value: Any) -> Any:
        try:
            return value if value is None else str(PageRanges.of(value))
        except UsageError as error:
            raise ValueError(str(error)) from error

    @field_validator("decode")
    @classmethod
    def _decode(cls, value: str) -> str:
        if value not in decode_names():
            raise ValueError(f"there is no way of decoding {value!r}; there are {_list(decode_names())}")
        return value

    @field_validator("keep", mode="before")
    @classmethod
    def _keep(cls, value: Any) -> Any:
        if isinstance(value, str):
            return frozenset(part.strip() for part in value.split(",") if part.strip())
        return value

    @property
    def secret(self) -> str | None:
        """The password in the clear."""
        return self.password.get_secret_value() if self.password else None

    def fingerprint(self) -> str:
        """Equal for options that give equal results; names no password."""
        data = self.model_dump(mode="json", exclude={"keep", *_NO_MATTER}) | {"keep": sorted(self.keep)}
        return hashlib.sha256(repr(sorted(data.items())).encode()).hexdigest()[:16]


def decode_names() -> list[str]:
    """What ``decode`` may be: every way of drafting, and direct diffusion."""
    return [*DRAFTERS, DIRECT_DIFFUSION]


def make_options(**values: Any) -> ParseOptions:
    """Options from keywords. Raises ``UsageError`` with one line for a value that makes no sense."""
    return _validated(values, "")


def load_options(config: Path | None = None, *, also_keep: str = "", **values: Any) -> ParseOptions:
    """Defaults, overlaid by the ``[parse]`` table of a configuration file, overlaid by ``values`` of a command line.

    config: the file; None takes ``galley.toml`` of the current folder if there is one. Values of None are
    left out. also_keep: names, separated by commas, that are kept besides; after ``none`` instead.
    """
    path = config or Path(CONFIG_NAME)
    if config is not None and not config.is_file():
        raise UsageError(f"the configuration file {config} does not exist")
    table = _read_table(path) if path.is_file() else {}
    _validated(table, f" in {path}")  # so that a bad file is named, not the command line
    return _overlaid(_validated(table, ""), also_keep, values, as_typed=True)


def overlay(base: ParseOptions, *, also_keep: str = "", **values: Any) -> ParseOptions:
    """``base`` overlaid by ``values``, those of None left out; ``also_keep`` as for ``load_options``."""
    return _overlaid(base, also_keep, values, as_typed=False)


def _overlaid(base: ParseOptions, also_keep: str, values: dict[str, Any], *, as_typed: bool) -> ParseOptions:
    given = dict(base) | {name: value for name, value in values.items() if value is not None}
    names = {name.strip() for name in also_keep.split(",") if name.strip()}
    if names:
        own = frozenset() if _KEEP_NONE in names else _validated(given, "", as_typed).keep
        given["keep"] = (names - {_KEEP_NONE}) | own
    return _validated(given, "", as_typed)


def _read_table(path: Path) -> dict[str, Any]:
    try:
        data = TomlConfigSettingsSource(BaseSettings, path)()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot read the configuration file {path}: {' '.join(str(error).split())}"
        ) from error
    unknown = sorted(set(data) - {"parse"})
    if unknown:
        raise UsageError(f"{path}: only [parse] is read, not {_list([repr(name) for name in unknown])}")
    table = data.get("parse", {})
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [parse] has to be a table")
    return table


def _validated(values: dict[str, Any], where: str, as_typed: bool = False) -> ParseOptions:
    try:
        return ParseOptions(**values)
    except ValidationError as error:
        raise UsageError(_explain(error, where, as_typed)) from error


def _explain(error: ValidationError, where: str, as_typed: bool) -> str:
    """One line that names the option, as a command line has it where ``as_typed``, and what it may be."""
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "options"
    if first["type"] == "extra_forbidden":
        return f"there is no option {name!r}{where}; there are {_list(ParseOptions.model_fields)}"
    bounds = _bounds(name)
    reason = f"a number of {bounds}" if bounds else first["msg"].removeprefix("Value error, ")
    value = first["input"]
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    given = "" if name == "password" or first["type"] == "value_error" else f", not {shown}"
    called = f"--{name.replace('_', '-')}" if as_typed else name
    return f"{called}{where}: {reason[0].lower()}{reason[1:]}{given}"


def _bounds(name: str) -> str:
    """What numbers an option may have; nothing for what is no number."""
    limits = ParseOptions.model_fields[name].metadata if name in ParseOptions.model_fields else []
    return " and ".join(
        f"{words} {getattr(limit, bound):g}"
        for limit in limits
        for bound, words in _BOUNDS
        if hasattr(limit, bound)
    )


def _list(names: Collection[str]) -> str:
    return ", ".join(names)
