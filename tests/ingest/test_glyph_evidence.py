"""What single glyphs say: word spaces, accents, boxes of odd fonts, text that nobody can see, watermarks."""

from __future__ import annotations

import pytest
from pdf_maker import PdfPage, make_pdf, paragraph, text_at

from galley.ingest import LayerQuality, TextLayer, open_source

TALL = (
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FontDescriptor"
    "<</Type/FontDescriptor/FontName/Helvetica/Flags 32/FontBBox[-3000 -3000 3000 3000]/ItalicAngle 0"
    "/Ascent 3100/Descent -2400/CapHeight 700/StemV 80>>>>"
)


def layer(content: str, **fonts: str) -> TextLayer:
    with open_source(make_pdf(PdfPage(content), fonts=fonts)) as source:
        return source.page(1).text


def words(found: TextLayer) -> list[str]:
    return [word.text for word in found.words]


def shown(*operators: str, size: float = 10, y: float = 700) -> str:
    """One text object of several operators."""
    return f"BT /F1 {size} Tf 72 {y} Td {' '.join(operators)} ET\n"


def test_character_spacing_that_parts_words_is_a_space() -> None:
    # 0.21 type sizes after the article, made by Tc alone: the file holds no space.
    content = shown(
        "0 Tc (was) Tj 2.1 Tc ( ) Tj (a) Tj 0 Tc (model of the bore of) Tj 2.1 Tc ( a) Tj 0 Tc (flute) Tj"
    )
    assert words(layer(content)) == ["was", "a", "model", "of", "the", "bore", "of", "a", "flute"]


def test_letter_spaced_words_stay_whole() -> None:
    found = words(layer(shown("2.4 Tc (CHAPTER) Tj 0 Tc [-700 (next)] TJ")))
    assert found == ["CHAPTER", "next"]


def test_kerned_letters_stay_together() -> None:
    assert words(layer(shown("[(A) 80 (V) 120 (A) 70 (TAR) -20 (S)] TJ"))) == ["AVATARS"]


def test_single_figures_of_columns_stay_apart() -> None:
    found = words(layer(shown("[(1) -1500 (2) -1500 (3) -1500 (4) -1500 (5) -1500 (6) -1500 (7)] TJ")))
    assert found == list("1234567")


def test_leader_dots_stay_one_run() -> None:
    assert words(layer(shown("2.5 Tc (........) Tj"))) == ["........"]


@pytest.mark.parametrize(
    ("accent", "letter", "joined"),
    [("\\264", "a", "á"), ("`", "e", "è"), ("\\250", "u", "ü"), ("\\270", "c", "ç")],
)
def test_an_accent_drawn_over_a_letter_is_part_of_it(accent: str, letter: str, joined: str) -> None:
    # The accent is a third of an em wide; the letter begins where the accent did.
    width = {"\\264": 333, "`": 333, "\\250": 333, "\\270": 333}[accent]
    found = words(layer(shown(f"[(n) ({accent}) {width + 100} ({letter}) 20 (r)] TJ")))
    assert found == [f"n{joined}r"]


def test_an_accent_beside_a_letter_is_a_sign() -> None:
    assert words(layer(shown("(x \\264 a) Tj"))) == ["x", "´", "a"]


def test_boxes_come_from_the_type_size_whatever_the_font_claims() -> None:
    content = text_at(72, 700, "First line", font="F9", size=12) + text_at(
        72, 684, "Second line", font="F9", size=12
    )
    first, _, second, _ = layer(content, F9=TALL).words
    assert first.bbox.height == pytest.approx(second.bbox.height)
    assert first.bbox.height < 1.3 * first.size
    assert first.bbox.y1 < second.bbox.y1 and first.bbox.center[1] < second.bbox.y0


def test_text_in_the_colour_of_its_ground_is_not_text() -> None:
    bar = "0 0 1 rg 60 490 300 20 re f\n"
    hidden = bar + text_at(72, 496, "never shown")
    plain = "0 g\n" + paragraph()
    assert "never" not in words(layer(hidden + plain))
    white = "0 0 1 rg 60 490 300 20 re f 1 g\n" + text_at(72, 496, "white on blue") + plain
    assert words(layer(white))[:3] == ["white", "on", "blue"]


def test_text_of_a_point_is_not_text_and_makes_no_scan_of_the_page() -> None:
    content = text_at(72, 700, "A line that people read") + "".join(
        text_at(72, 600 - 2 * i, "an order to a reading machine", size=1) for i in range(20)
    )
    found = layer(content)
    assert words(found) == ["A", "line", "that", "people", "read"]
    assert found.quality is LayerQuality.GOOD


def slanted(x: float, y: float, text: str, size: float = 14, gray: float = 0.8) -> str:
    return f"BT {gray} g /F1 {size} Tf 0.766 0.643 -0.643 0.766 {x} {y} Tm ({text}) Tj ET 0 g\n"


def test_a_tiled_watermark_is_told_apart_once() -> None:
    tiles = "".join(slanted(60 + 150 * (i % 4), 100 + 120 * (i // 4), "COPY no 7") for i in range(16))
    found = layer(tiles + paragraph())
    assert [word.text for word in found.watermarks] == ["COPY no 7"]
    assert "COPY" not in words(found) and len(found.words) > 5


def test_a_slanted_label_in_the_colour_of_the_text_is_text() -> None:
    found = layer(slanted(100, 300, "North", size=10, gray=0) + paragraph())
    assert "North" in words(found) and not found.watermarks
