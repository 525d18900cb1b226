"""Pictures that are in memory already, PIL images and numpy arrays, as documents of one page."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.errors import InputError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Picture = Image.Image | NDArray[Any]
_PNG_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA", "I;16"})


def is_picture(source: object) -> TypeIs[Picture]:
    """Whether a source is a picture in memory."""
    return isinstance(source, Image.Image | np.ndarray)


def picture_bytes(picture: Picture) -> bytes:
    """The picture as an image file, without loss, so that it is read just as a file of it would be.

    Args:
        picture: a PIL image, of which the frame at hand counts, with its resolution and orientation; or a numpy
            array (height, width) in grey, (height, width, 3) in RGB or (height, width, 4) in RGBA, uint8 or bool.

    Raises:
        InputError: for an array of any other shape or type.
    """
    image = _from_array(picture) if isinstance(picture, np.ndarray) else picture
    if image.mode not in _PNG_MODES:
        image = image.convert("RGB")
    file = BytesIO()
    known = {name: image.info[name] for name in ("dpi", "transparency") if name in image.info}
    image.save(file, "PNG", compress_level=1, exif=image.getexif(), **known)
    return file.getvalue()


def _from_array(array: NDArray[Any]) -> Image.Image:
    shape_fits = array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (3, 4))
    if not shape_fits or array.size == 0 or array.dtype not in (np.uint8, np.bool_):
        raise InputError(
            "an array has to be (height, width), (height, width, 3) in RGB or (height, width, 4) in RGBA, of uint8;"
            f" this one is {array.shape} of {array.dtype}"
        )
    return Image.fromarray(np.ascontiguousarray(array))
