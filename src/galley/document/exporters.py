"""The table of output formats, which the command line, the server, its web page and ``Document`` read.

A new format is a file beside this one that yields its text piece by piece, and one entry of ``EXPORTERS``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath

from galley.document.glmocr import glmocr_pieces
from galley.document.html import html_pieces
from galley.document.json import json_pieces
from galley.document.markdown import markdown_pieces
from galley.document.model import Block, Document, Page
from galley.document.select import DEFAULT_KEEP, read_keep
from galley.document.text import text_pieces
from galley.errors import UsageError

Pieces = Callable[[Document, Iterable[Page], Collection[str]], Iterable[str]]
"""Gives a format's text piece by piece.

Args: the document without its pages; its pages, which can be gone through again and again; the page furniture to
show, names of ``select.KEEPABLE``.
"""


@dataclass(frozen=True)
class ExtraFile:
    """A further file that a format writes beside its main one."""

    suffix: str
    pieces: Pieces


@dataclass(frozen=True)
class Exporter:
    """One output format.

    Attributes:
        name: what ``--format`` and the server's ``format`` call it.
        title: what the web page calls it.
        suffix: how its files end.
        media_type: MIME type of its main file.
        pieces: makes its main file.
        extras: further files that it writes into a folder.
        aliases: other names by which it can be asked for.
        own_folder: its files and a folder ``imgs`` of figures lie in a folder of the document's name; else they lie
            beside each other, figures in a folder ``NAME_images``.
        package: the module it needs, if any, that may not be installed.
        extra: the extra of the distribution that installs it.
        whole: it is made from all pages at once, not page by page.
    """

    name: str
    title: str
    suffix: str
    media_type: str
    pieces: Pieces
    extras: tuple[ExtraFile, ...] = ()
    aliases: tuple[str, ...] = ()
    own_folder: bool = False
    package: str | None = None
    extra: str | None = None
    whole: bool = False

    @property
    def available(self) -> bool:
        """Whether the package it needs is installed."""
        return self.package is None or importlib.util.find_spec(self.package) is not None

    def require(self) -> None:
        """Check that the package the format needs is installed.

        Raises:
            UsageError: It is not; says how to install it.
        """
        if not self.available:
            package = str(self.package).replace("_", "-")
            raise UsageError(
                f"the format {self.name} needs {package}; install it: pip install 'galley-ocr[{self.extra}]'"
            )

    def files(self, place: PurePath) -> list[PurePath]:
        """The files it writes for a document whose output is to lie at ``place``, the main one first."""
        folder = place / place.name if self.own_folder else place
        suffixes = [self.suffix, *(extra.suffix for extra in self.extras)]
        return [folder.with_name(place.name + suffix) for suffix in suffixes]

    def image_folder(self, place: PurePath) -> PurePath:
        """Where figures of such a document go."""
        return place / "imgs" if self.own_folder else place.with_name(f"{place.name}_images")

    def texts(
        self, document: Document, pages: Iterable[Page], keep: Collection[str], place: PurePath | None = None
    ) -> list[Iterable[str]]:
        """For each of ``files`` its text piece by piece, as ``pages`` are gone through.

        Args:
            document: all but its pages.
            pages: can be gone through again and again.
            keep: page furniture to show.
            place: where the output is to lie; figures are then called as seen from its files.
        """
        shown = _ImagesBeside(pages, f"{place.name}/") if self.own_folder and place is not None else pages
        makers = [self.pieces, *(extra.pieces for extra in self.extras)]
        return [make(document, shown, keep) for make in makers]


class _ImagesBeside:
    """Pages whose figures are called without the folder that a file lies in itself."""

    def __init__(self, pages: Iterable[Page], folder: str) -> None:
        self._pages = pages
        self._folder = folder

    def __iter__(self) -> Iterator[Page]:
        for page in self._pages:
            yield page.model_copy(update={"blocks": [self._beside(block) for block in page.blocks]})

    def _beside(self, block: Block) -> Block:
        if not block.image:
            return block
        return block.model_copy(update={"image": block.image.removeprefix(self._folder)})


def _markdown(document: Document, pages: Iterable[Page], keep: Collection[str]) -> Iterable[str]:
    return markdown_pieces(pages, keep)


def _json(document: Document, pages: Iterable[Page], keep: Collection[str]) -> Iterable[str]:
    return chain(json_pieces(document, pages), ["\n"])


def _html(document: Document, pages: Iterable[Page], keep: Collection[str]) -> Iterable[str]:
    return html_pieces(document.source, pages, keep)


def _text(document: Document, pages: Iterable[Page], keep: Collection[str]) -> Iterable[str]:
    return text_pieces(pages, keep)


def _docling(document: Document, pages: Iterable[Page], keep: Collection[str]) -> Iterable[str]:
    from galley.document.docling import docling_pieces  # needs docling-core, which may be missing

    return docling_pieces(document.model_copy(update={"pages": list(pages)}))


def _glmocr(document: Document, pages: Iterable[Page], keep: Collection[str]) -> Iterable[str]:
    return glmocr_pieces(pages)


EXPORTERS: dict[str, Exporter] = {}
"""All formats by name, in the order in which they are listed."""


def register(exporter: Exporter) -> None:
    """Add a format to the table.

    Raises:
        ValueError: For a name that is taken.
    """
    taken = {name for known in EXPORTERS.values() for name in (known.name, *known.aliases)}
    for name in (exporter.name, *exporter.aliases):
        if name in taken:
            raise ValueError(f"there is a format {name!r} already")
    EXPORTERS[exporter.name] = exporter


for _exporter in (
    Exporter("md", "Markdown", ".md", "text/markdown; charset=utf-8", _markdown, aliases=("markdown",)),
    Exporter("json", "JSON with boxes", ".json", "application/json", _json),
    Exporter("html", "HTML", ".html", "text/html; charset=utf-8", _html),
    Exporter("text", "Plain text", ".txt", "text/plain; charset=utf-8", _text),
    Exporter(
        "docling",
        "DoclingDocument",
        ".docling.json",
        "application/json",
        _docling,
        package="docling_core",
        extra="docling",
        whole=True,
    ),
    Exporter(
        "glmocr",
        "GLM-OCR",
        ".json",
        "application/json",
        _glmocr,
        extras=(ExtraFile(".md", _markdown),),
        own_folder=True,
    ),
):
    register(_exporter)


def exporter(name: str) -> Exporter:
    """The format of a name or alias.

    Raises:
        UsageError: With the names there are.
    """
    for known in EXPORTERS.values():
        if name in (known.name, *known.aliases):
            return known
    raise UsageError(f"there is no format {name!r}; there are {', '.join(EXPORTERS)}")


def export(document: Document, name: str, keep: str | Collection[str] = DEFAULT_KEEP) -> str:
    """A document in a format, as its main file holds it.

    Raises:
        UsageError: For a format there is not.
    """
    chosen = exporter(name)
    chosen.require()
    return "".join(chosen.texts(document, document.pages, read_keep(keep))[0])
