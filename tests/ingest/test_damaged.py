"""Files that Pillow stumbles over in ways of its own fail as documents, with one line."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest
from PIL import Image

from galley.errors import InputError
from galley.ingest import open_source


def _tiff() -> bytes:
    image = Image.fromarray(np.random.default_rng(0).integers(0, 255, (300, 200, 3), dtype=np.uint8))
    buffer = io.BytesIO()
    image.save(buffer, "TIFF", save_all=True, append_images=[image])
    return buffer.getvalue()


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_tiff_cut_in_the_middle(share: float) -> None:
    content = _tiff()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with (
            pytest.raises(InputError, match="damaged or cut off"),
            open_source(content[: int(share * len(content))]),
        ):
            pass


def test_three_bytes_of_a_jpeg() -> None:
    with pytest.raises(InputError, match="damaged or cut off"), open_source(b"\xff\xd8\xff"):
        pass


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_without_its_end_marker_is_read(progressive: bool) -> None:
    image = Image.fromarray(np.random.default_rng(1).integers(0, 255, (90, 120, 3), dtype=np.uint8))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", progressive=progressive)
    content = buffer.getvalue()
    with open_source(content) as source:
        whole = source.page(1)
    assert whole.warnings == []
    for missing in (1, 2):
        with open_source(content[:-missing]) as source:
            page = source.page(1)
        assert np.array_equal(page.image, whole.image)
        assert page.warnings == ["the file lacks its end marker; its picture is complete"]
    for left in (len(content) - 40, len(content) // 2):
        with open_source(content[:left]) as source, pytest.raises(InputError, match="damaged or cut off"):
            source.page(1)
