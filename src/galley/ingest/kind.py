"""What a file is, told by its first bytes and never by its name."""

from __future__ import annotations

from enum import Enum

HEAD_BYTES = 1024
"""Bytes ``kind_of`` wants to see; a PDF's header may stand anywhere in the first 1,024."""


class Kind(str, Enum):
    """A document type Galley reads."""

    PDF = "PDF"
    PNG = "PNG"
    JPEG = "JPEG"
    WEBP = "WEBP"
    BMP = "BMP"
    TIFF = "TIFF"
    GIF = "GIF"
    HEIF = "HEIF"


SUFFIXES = frozenset(
    (".pdf", ".png", ".jpg", ".jpeg", ".jpe", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".heic", ".heif")
)
"""Names that a folder is searched for. What a file really is, ``kind_of`` says."""

_PREFIXES = (
    (b"\x89PNG\r\n\x1a\n", Kind.PNG),
    (b"\xff\xd8\xff", Kind.JPEG),
    (b"BM", Kind.BMP),
    (b"II*\x00", Kind.TIFF),
    (b"MM\x00*", Kind.TIFF),
    (b"II+\x00", Kind.TIFF),
    (b"MM\x00+", Kind.TIFF),
    (b"GIF87a", Kind.GIF),
    (b"GIF89a", Kind.GIF),
)
_HEIF_BRANDS = frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"))

_FOREIGN_FORMATS = (
    (b"PK\x03\x04", "a ZIP or Office file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"%!PS", "PostScript"),
    (b"AT&TFORM", "DjVu"),
    (b"{\\rtf", "RTF"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
)


def kind_of(head: bytes) -> Kind | None:
    """The type of a file that begins with ``head``, None when it is none that Galley reads."""
    for prefix, kind in _PREFIXES:
        if head.startswith(prefix):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Kind.WEBP
    if head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS:
        return Kind.HEIF
    return Kind.PDF if b"%PDF-" in head[:HEAD_BYTES] else None


def foreign_format(head: bytes) -> str:
    """What a file that Galley does not read looks like, for an error message."""
    for prefix, name in _FOREIGN_FORMATS:
        if head.startswith(prefix):
            return name
    lowered = head.lstrip().lower()
    if lowered.startswith((b"<!doctype html", b"<html")):
        return "HTML"
    if lowered.startswith((b"<svg", b"<?xml")):
        return "XML or SVG"
    printable = sum(byte >= 32 or byte in b"\t\n\r\f" for byte in head)
    return "plain text" if head and printable == len(head) else "unknown data"
