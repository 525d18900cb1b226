"""Image files: modes, orientation, resolution, frames."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from galley.document import Failure
from galley.ingest import PageImage, open_source


def saved(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def read(data: bytes, **options: object) -> PageImage:
    with open_source(data, **options) as source:  # type: ignore[arg-type]
        page = source.page(1)
    assert page.image.dtype == np.uint8 and page.image.ndim == 3 and page.image.shape[2] == 3
    return page


def marked(mode: str, ink: object, paper: object) -> Image.Image:
    """40 × 20 paper with an inked left half."""
    image = Image.new(mode, (40, 20), paper)  # type: ignore[arg-type]
    ImageDraw.Draw(image).rectangle((0, 0, 19, 19), fill=ink)  # type: ignore[arg-type]
    return image


def halves(page: PageImage) -> tuple[int, int]:
    return int(page.image[:, :18].mean()), int(page.image[:, 22:].mean())


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        (marked("RGB", "black", "white"), "PNG"),
        (marked("RGB", "black", "white"), "BMP"),
        (marked("RGB", "black", "white"), "WEBP"),
        (marked("RGB", "black", "white"), "GIF"),
        (marked("L", 0, 255), "JPEG"),
        (marked("1", 0, 1), "PNG"),
        (marked("1", 0, 1), "TIFF"),
        (marked("CMYK", (0, 0, 0, 255), (0, 0, 0, 0)), "JPEG"),
        (marked("CMYK", (0, 0, 0, 255), (0, 0, 0, 0)), "TIFF"),
        (marked("LA", (0, 255), (255, 255)), "PNG"),
        (marked("RGBA", (0, 0, 0, 255), (0, 0, 0, 0)), "PNG"),
        (marked("RGBA", (0, 0, 0, 255), (0, 0, 0, 0)), "WEBP"),
        (marked("I;16", 0, 65535), "PNG"),
        (marked("I;16", 0, 65535), "TIFF"),
        (marked("F", 0.0, 1.0), "TIFF"),
        (marked("LAB", (0, 128, 128), (255, 128, 128)), "TIFF"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.mode,
)
def test_every_mode_is_black_on_white(image: Image.Image, kind: str) -> None:
    page = read(saved(image, kind, **({"lossless": True} if kind == "WEBP" else {})))
    dark, light = halves(page)
    assert dark <= 45 and light >= 250


@pytest.mark.parametrize(
    ("ink", "expected"),
    [
        ((255, 255, 255, 255), (255, 0)),
        ((255, 240, 120, 200), (160, 0)),
        ((150, 150, 150, 255), (150, 255)),
        ((0, 0, 0, 255), (0, 255)),
        ((255, 255, 255, 0), (255, 255)),
    ],
    ids=["white", "yellow", "grey", "black", "nothing"],
)
def test_light_ink_on_nothing_is_over_black(ink: tuple[int, ...], expected: tuple[int, int]) -> None:
    found = halves(read(saved(marked("RGBA", ink, (0, 0, 0, 0)))))
    assert np.abs(np.subtract(found, expected)).max() < 5


def test_light_paper_with_dark_ink_and_clear_margins_is_over_white() -> None:
    image = marked("RGBA", (255, 255, 255, 255), (0, 0, 0, 0))
    ImageDraw.Draw(image).rectangle((2, 4, 5, 5), fill="black")
    assert halves(read(saved(image)))[1] == 255


def test_transparent_palette_is_over_white() -> None:
    image = marked("P", 0, 1)
    image.putpalette([0, 0, 0, 90, 90, 90])
    assert halves(read(saved(image, "PNG", transparency=1))) == (0, 255)
    assert halves(read(saved(image, "GIF", transparency=1))) == (0, 255)


def test_twelve_bit_samples() -> None:
    assert halves(read(saved(marked("I;16", 0, 4095), "TIFF"))) == (0, 255)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation(orientation: int) -> None:
    upright = Image.new("L", (60, 40), 255)
    ImageDraw.Draw(upright).rectangle((0, 0, 14, 9), fill=0)  # a mark in the top left corner
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = upright.transpose(undo[orientation]) if orientation in undo else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    for limit in (50_000_000, 1500):
        page = read(saved(stored, "JPEG", exif=exif, quality=95), max_pixels=limit)
        height, width = page.image.shape[:2]
        assert width > height
        assert page.image[: height // 5, : width // 5].mean() < 60
        assert page.image[-height // 5 :].mean() > 200 and page.image[:, -width // 5 :].mean() > 200


def test_resolution() -> None:
    image = marked("RGB", "black", "white")
    assert read(saved(image, dpi=(300, 300))).dpi == pytest.approx(300, abs=0.1)
    assert read(saved(image)).dpi == 200
    assert read(saved(image, dpi=(1, 1))).dpi == 200


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
def test_too_many_pixels_are_scaled_down(kind: str) -> None:
    page = read(saved(Image.new("L", (3000, 2000), 200), kind, dpi=(300, 300)), max_pixels=600_000)
    height, width = page.image.shape[:2]
    assert width * height <= 600_000 and width / height == pytest.approx(1.5, rel=0.01)
    assert page.dpi == pytest.approx(300 * width / 3000, rel=0.01)
    assert len(page.warnings) == 1 and "3000 × 2000 pixels are more than 600000" in page.warnings[0]


def test_tiff_pages_in_any_order() -> None:
    frames = [Image.new(mode, (20 + n, 10), 255) for n, mode in enumerate(("L", "RGB", "1", "L"))]
    with open_source(saved(frames[0], "TIFF", save_all=True, append_images=frames[1:])) as source:
        assert source.page_count == 4
        assert [source.page(n).image.shape[1] for n in (4, 1, 3, 2)] == [23, 20, 22, 21]


def test_tiff_thumbnails_are_no_pages() -> None:
    page, thumbnail = Image.new("L", (200, 100), 255), Image.new("L", (20, 10), 255)
    thumbnail.encoderinfo = {"tiffinfo": {254: 1}}  # type: ignore[attr-defined]
    with open_source(saved(page, "TIFF", save_all=True, append_images=[thumbnail, page])) as source:
        assert [p.image.shape[1] for p in source.pages() if isinstance(p, PageImage)] == [200, 200]


def test_bad_tiff_page_does_not_stop_the_others() -> None:
    frames = [Image.effect_noise((64, 64), 60) for _ in range(3)]
    data = bytearray(
        saved(frames[0], "TIFF", save_all=True, append_images=frames[1:], compression="tiff_lzw")
    )
    start = data.index(bytes(frames[1].tobytes()[:1]), len(data) // 3)
    data[start : start + 400] = b"\xff" * 400
    with open_source(bytes(data)) as source:
        results = list(source.pages())
    assert len(results) == source.page_count == 3
    assert sum(isinstance(result, Failure) for result in results) <= 1


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
@pytest.mark.parametrize(("more", "note"), [(1, "1 further frame is"), (3, "3 further frames are")])
def test_an_animation_is_one_page(kind: str, more: int, note: str) -> None:
    frames = [
        marked("RGB", "black", "white"),
        *(marked("RGB", (250, 80 * i, 0), "black") for i in range(more)),
    ]
    with open_source(saved(frames[0], kind, save_all=True, append_images=frames[1:])) as source:
        assert source.page_count == 1
        page = source.page(1)
    assert halves(page)[0] < 30 < 220 < halves(page)[1]
    assert page.warnings == [f"an animation: its first frame is read, {note} left out"]


def test_heic() -> None:
    heif = pytest.importorskip("pillow_heif")
    file = io.BytesIO()
    heif.from_pillow(marked("RGB", "black", "white").resize((400, 200))).save(file)
    page = read(file.getvalue())
    assert page.image.shape == (200, 400, 3)
