"""Image files as pages: every page of a TIFF, the first frame of an animation.

The frames of an animated GIF, WebP or PNG are one picture that moves, not pages, so only the first is read; a
TIFF's images are pages, except reduced-resolution copies of another one (``NewSubfileType`` bit 0, TIFF 6.0).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from galley.errors import InputError, one_line
from galley.ingest.kind import Kind
from galley.ingest.page import PageImage
from galley.ingest.reader import DEFAULT_DPI, Limits, as_file
from galley.ingest.rgb import to_rgb

DECODE_LIMIT = 178_956_970
"""Most pixels an image is decoded at, half a gigabyte of RGB; Pillow's own guard against bombs."""

_JPEG_END = b"\xff\xd9"
_JPEG_NOISE = b"\xaa" * 64
_NEW_SUBFILE_TYPE = 254
_REDUCED_RESOLUTION = 1
_PLAUSIBLE_DPI = (36.0, 2400.0)
_ANIMATED = (Kind.GIF, Kind.WEBP, Kind.PNG)
_PIL_FORMATS = {Kind.JPEG: ("JPEG", "MPO"), Kind.HEIF: ("HEIF",)}


class ImageReader:
    """Reads one image file. Frames are decoded on ``read``, one at a time."""

    def __init__(self, content: Path | bytes, name: str, kind: Kind, limits: Limits) -> None:
        """Raises ``InputError`` when the file is no readable image or has too many pixels to decode."""
        self._content = content
        self._name = name
        self._kind = kind
        self._limits = limits
        self.metadata: dict[str, str] = {}
        if kind is Kind.HEIF:
            _register_heif()
        with _quiet(), self._open() as image:
            try:
                self._frames = _page_frames(image) if kind is Kind.TIFF else [0]
                more = getattr(image, "n_frames", 1) - 1 if kind in _ANIMATED else 0
            except Exception as error:  # Pillow's readers raise anything on damaged files
                raise self._damaged(error) from error
        left_out = "1 further frame is" if more == 1 else f"{more} further frames are"
        self._notes = [f"an animation: its first frame is read, {left_out} left out"] if more else []
        self.page_count = len(self._frames)

    def read(self, number: int) -> PageImage:
        """Decode a page. Raises ``InputError`` for one that cannot be read."""
        with _quiet():
            try:
                picture, dpi, notes = self._decoded(number)
            except InputError:
                if not self._completed():
                    raise
                picture, dpi, notes = self._decoded(number)
        return PageImage(number, np.array(picture, dtype=np.uint8), dpi, warnings=[*self._notes, *notes])

    def close(self) -> None:
        """Nothing is held open between pages."""

    def _completed(self) -> bool:
        """Give a JPEG the end marker it lacks; False when that is not what is wrong with it."""
        if self._kind is not Kind.JPEG:
            return False
        content = self._content if isinstance(self._content, bytes) else self._content.read_bytes()
        completed = _with_end(content)
        if completed is None:
            return False
        self._content = completed
        self._notes.append("the file lacks its end marker; its picture is complete")
        return True

    def _decoded(self, number: int) -> tuple[Image.Image, float, list[str]]:
        with self._open() as image:
            return self._decode(image, number)

    def _decode(self, image: Image.Image, number: int) -> tuple[Image.Image, float, list[str]]:
        try:
            image.seek(self._frames[number - 1])
        except Exception as error:
            raise InputError(f"page {number} is damaged or cut off: {one_line(error)}") from error
        width, height = image.size
        if width * height > DECODE_LIMIT:
            raise InputError(self._too_large(width, height))
        dpi = _dpi(image)
        small = _fit(width, height, self._limits.max_pixels)
        if small:
            image.draft("RGB", small)  # a JPEG decodes straight to a half, a quarter or an eighth
        try:
            image.load()
        except Exception as error:
            raise InputError(f"page {number} is damaged or cut off: {one_line(error)}") from error
        if not small:
            return to_rgb(ImageOps.exif_transpose(image)), dpi, []
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
        picture = to_rgb(image).resize(small, reducing_gap=2.0)
        picture.getexif()[ExifTags.Base.Orientation] = orientation
        size = f"{small[0]} × {small[1]}"
        note = f"{width} × {height} pixels are more than {self._limits.max_pixels}; scaled to {size}"
        return ImageOps.exif_transpose(picture), dpi * small[0] / width, [note]

    def _too_large(self, width: int, height: int) -> str:
        return f"{self._name} has {width} × {height} pixels, too many to decode safely; scale it down first"

    def _open(self) -> Image.Image:
        formats = _PIL_FORMATS.get(self._kind, (self._kind.value,))
        try:
            Image.init()  # a format named before its plugin is loaded is an error
            image = Image.open(as_file(self._content), formats=formats)
        except Image.DecompressionBombError as error:
            raise InputError(
                f"{self._name} has too many pixels to decode safely; scale it down first"
            ) from error
        except Exception as error:
            raise self._damaged(error) from error
        # Pillow's guard is one for the process, and other packages switch it off.
        if image.width * image.height > 2 * DECODE_LIMIT:
            image.close()
            raise InputError(self._too_large(image.width, image.height))
        return image

    def _damaged(self, error: Exception) -> InputError:
        what = f"{self._name} is a damaged or cut off {self._kind.value} file"
        return InputError(what if isinstance(error, UnidentifiedImageError) else f"{what}: {one_line(error)}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Pillow's warnings: large and damaged images have their own limits and words here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _register_heif() -> None:
    try:
        importlib.import_module("pillow_heif").register_heif_opener()
    except ImportError as error:
        raise InputError("HEIC needs one more package; install it: pip install 'galley-ocr[heic]'") from error


def _page_frames(image: Image.Image) -> list[int]:
    """Indices of the frames that are pages and not thumbnails of one."""
    frames = []
    for index in range(getattr(image, "n_frames", 1)):
        image.seek(index)
        kind = getattr(image, "tag_v2", {}).get(_NEW_SUBFILE_TYPE, 0)
        if not kind & _REDUCED_RESOLUTION:
            frames.append(index)
    return frames or [0]


def _dpi(image: Image.Image) -> float:
    """The file's own resolution, or the default where it names none that a page can have."""
    try:
        dpi = float(image.info["dpi"][0])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return DEFAULT_DPI
    low, high = _PLAUSIBLE_DPI
    return dpi if low <= dpi <= high else DEFAULT_DPI


def _fit(width: int, height: int, max_pixels: int) -> tuple[int, int] | None:
    """The size that keeps the shape within ``max_pixels``, None when it is within already."""
    if width * height <= max_pixels:
        return None
    scale = (max_pixels / (width * height)) ** 0.5
    return max(1, int(width * scale)), max(1, int(height * scale))


def _with_end(content: bytes) -> bytes | None:
    """A JPEG with its end marker (EOI, ITU-T T.81, B.2.1), or None where more than the marker is missing.

    A decoder that meets the end early makes up the rest. So the picture is all there only if it stays the same
    whatever follows ``content``: at once the end, or other data first.
    """
    body = content[:-1] if content.endswith(b"\xff") else content
    whole, other = _jpeg_pixels(body + _JPEG_END), _jpeg_pixels(body + _JPEG_NOISE + _JPEG_END)
    return body + _JPEG_END if whole is not None and whole == other else None


def _jpeg_pixels(content: bytes) -> bytes | None:
    try:
        with Image.open(BytesIO(content), formats=("JPEG", "MPO")) as image:
            return image.tobytes()
    except Exception:  # Pillow's readers raise anything on damaged files
        return None
