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
from galley.languages import AUTO, languages_of

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
    """Settings of one parse; they cannot be changed once made.

    Attributes:
        strategy: how pages are read: ``draft`` without a model, ``regions`` block by block, ``page`` as a whole,
            ``hierarchical`` first the blocks, then the page. ``auto`` is ``hierarchical`` with a model that reads
            pages and ``regions`` with any other.
        model: a checkpoint's folder or hub id, or ``openai:http://host:port/v1#name`` for a model behind an
            OpenAI-compatible server. None is the one that ships with Galley.
        decode: the way of drafting, a name of ``decode_names()``: ``ar`` drafts nothing, ``auto`` with all that the
            model supports.
        tau: 1 keeps exactly what the model would write alone. Less also accepts drafted tokens that the model finds
            nearly as likely (HSD, section 3).
        block_size: masks per block of the model's own drafts; None takes the model's.
        overlap: whether the page stage of ``hierarchical`` starts while blocks are still being read.
        batch: most sequences decoded, or requests to a server open, at a time.
        family: model family with whose prompts a served model is asked; None goes by its name.
        request_seconds: longest time of one request to a served model.
        retries: how often a failed request to a served model is repeated.
        max_tokens: most tokens of a block.
        max_page_tokens: most tokens of a page.
        device: as PyTorch names it; None takes a GPU if there is one.
        dtype: as PyTorch names it; None takes float32 on a CPU and bfloat16 elsewhere.
        trust_remote_code: whether to run code that comes with the checkpoint.
        pages: pages to read, such as ``1-3,7``; None for all.
        dpi: resolution at which PDF pages are rendered, in dots per inch.
        max_pixels: a page image with more pixels is scaled down.
        ocr: ``auto`` uses the PDF's text layer where it can be trusted and reads the image elsewhere; or ``always``,
            ``never``.
        lang: languages of scanned pages, ISO codes separated by commas such as ``ru,en``; ``auto`` finds out.
            Scripts that Galley's own recogniser does not know are read by Tesseract, where its data is installed.
        keep: page furniture and footnotes that Markdown, HTML and text show. JSON always has them.
        merge_tables: whether to join tables that continue over a page break.
        styles: whether to say what a born-digital page sets in bold, italic and the like, and where its links lead.
        images: whether to save figures beside the output.
        password: for encrypted PDFs.
        trace_passes: folder for pictures and text of what each pass did to each page; None writes none.
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
    lang: str = AUTO
    keep: frozenset[Furniture] = frozenset({"footnotes"})
    merge_tables: bool = True
    styles: bool = True
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

    @field_validator("lang", mode="before")
    @classmethod
    def _lang(cls, value: Any) -> Any:
        try:
            return (
                ",".join(one.code for one in languages_of(value)) or AUTO if isinstance(value, str) else value
            )
        except UsageError as error:
            raise ValueError(str(error)) from error

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
    """Options from keywords.

    Raises:
        UsageError: With one line for a value that makes no sense.
    """
    return _validated(values, "")


def load_options(config: Path | None = None, *, also_keep: str = "", **values: Any) -> ParseOptions:
    """Defaults, overlaid by a configuration file, overlaid by the values of a command line.

    Args:
        config: The file, of which the table ``[parse]`` counts; ``galley.toml`` of the current folder, if there is
            one, when None.
        also_keep: Names, separated by commas, that are kept besides; after ``none`` instead.
        values: Options by name; those that are None are left out.
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
