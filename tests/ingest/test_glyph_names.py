"""Glyphs without Unicode: what their fonts say of them, and codes of fonts that say nothing."""

from __future__ import annotations

import io

import pytest
from pdf_maker import PdfPage, make_pdf

import galley
from galley.ingest import open_source
from galley.ingest.glyph_names import character
from galley.ingest.type3_codes import text_of_code

FIRST_XOBJECT = 7
"""Number that the maker gives the first XObject of a page with one more font."""


def true_type(names: list[str], cmap: dict[int, str]) -> bytes:
    """A font of boxes, each glyph wider than the one before."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names])
    builder.setupCharacterMap(cmap)
    glyphs = {}
    for name in [".notdef", *names]:
        pen = TTGlyphPen(None)
        pen.moveTo((50, 0))
        pen.lineTo((50, 700))
        pen.lineTo((350, 700))
        pen.closePath()
        glyphs[name] = pen.glyph()
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics({n: (400 + 50 * i, 50) for i, n in enumerate([".notdef", *names])})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Boxes", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    file = io.BytesIO()
    builder.save(file)
    return file.getvalue()


def text_of(names: list[str], cmap: dict[int, str]) -> str:
    """What is read of all glyphs of a font that a page shows by their numbers, with no map to Unicode."""
    program = true_type(names, cmap)
    widths = " ".join(str(400 + 50 * i) for i in range(len(names) + 1))
    descriptor = (
        "<</Type/FontDescriptor/FontName/Boxes/Flags 4/FontBBox[0 0 800 700]/Ascent 800/Descent -200/CapHeight 700"
        f"/ItalicAngle 0/StemV 80/FontFile2 {FIRST_XOBJECT} 0 R>>"
    )
    font = (
        "<</Type/Font/Subtype/Type0/BaseFont/Boxes/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype"
        "/CIDFontType2/BaseFont/Boxes/CIDSystemInfo<</Registry(Own)/Ordering(Own)/Supplement 0>>"
        f"/CIDToGIDMap/Identity/W[0[{widths}]]/FontDescriptor {descriptor}>>]>>"
    )
    codes = "".join(f"{i + 1:04x}" for i in range(len(names)))
    page = PdfPage(f"BT /F9 20 Tf 72 700 Td <{codes}> Tj ET", xobjects={"Program": ("<<>>", program)})
    with open_source(make_pdf(page, fonts={"F9": font})) as source:
        return "".join(word.text for word in source.page(1).text.words)


def test_glyphs_are_known_by_name() -> None:
    assert text_of(["plusminus", "Omega", "uni20AC", "epsilon1"], {0x20: "plusminus"}) == "±Ω€ϵ"


def test_glyphs_are_known_by_the_characters_of_their_font() -> None:
    assert text_of(["glyph1", "glyph2"], {0x416: "glyph1", 0xDF: "glyph2"}) == "Жß"


def test_a_name_that_tells_nothing_is_no_character() -> None:
    assert text_of(["g17"], {0x20: "g17"}) in ("\ufffd", "")
    assert [character(name) for name in ("g17", "f_f_i", "A.small", "T_h")] == ["", "\ufb03", "A", "Th"]


def test_codes_of_tex_encodings() -> None:
    assert [text_of_code(code, [0xE9]) for code in (0xE9, 0xB3, 0x1C, 0x41, 0xFF)] == [
        "é",
        "ş",
        "\ufb01",
        "A",
        "ß",
    ]
    assert [text_of_code(code, [0x0C]) for code in (0x0C, 0x19, 0x5C, 0x41, 0x99)] == [
        "\ufb01",
        "ß",
        "“",
        "A",
        "\ufffd",
    ]


def drawn(text: str, shift: int) -> str:
    """What is read of a page in a font without a name, whose codes are ``shift`` off the letters they draw."""
    letters = sorted(set(text) - {" "})
    code = {letter: ord(letter) + shift for letter in letters}
    procs = {
        f"P{n}": ("<<>>", f"600 0 d0 BT /F3 1000 Tf <{ord(c):02x}> Tj ET".encode())
        for n, c in enumerate(letters)
    }
    differences = " ".join(f"{code[c]}/x{code[c]}" for c in letters)
    refs = "".join(f"/x{code[c]} {FIRST_XOBJECT + n} 0 R" for n, c in enumerate(letters))
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 -300 700 900]/FontMatrix[.001 0 0 .001 0 0]"
        f"/Encoding<</Type/Encoding/Differences[{differences}]>>/CharProcs<<{refs}>>/Resources<</Font<</F3 5 0 R>>>>"
        f"/FirstChar 0/LastChar 255/Widths[{'600 ' * 256}]>>"
    )
    lines = text.split("\n")
    shows = []
    for n, line in enumerate(lines):
        x = 60.0
        for word in line.split():
            codes = "".join(f"{code[c]:02x}" for c in word)
            shows.append(f"BT /F9 14 Tf 1 0 0 1 {x} {700 - 24 * n} Tm <{codes}> Tj ET")
            x += 8.4 * (len(word) + 1)
    page = PdfPage("\n".join(shows), xobjects=procs)
    return galley.parse(make_pdf(page, fonts={"F9": font})).to_text()


FRENCH = "La mairie a décidé de fermer\nle marché après la fête où les\nélèves ont chanté ça et là"


def test_letters_of_a_font_without_a_name_are_read_by_their_codes() -> None:
    text = drawn(FRENCH.replace("\n", "\n"), 0)
    assert "décidé de fermer le marché après la fête où les élèves" in " ".join(text.split())


def test_codes_that_are_no_letters_are_read_from_their_pictures() -> None:
    text = drawn("The harbour was closed\nfor most of the winter", 1)
    assert "harbour was closed" in text and "ibscpvs" not in text


@pytest.mark.parametrize("name", ["", ".notdef", "cid123", "glyph00147"])
def test_numbers_of_glyphs_are_no_names(name: str) -> None:
    assert character(name) == ""


def test_a_glyph_that_nothing_names_is_read_from_its_picture_or_reported() -> None:
    """A symbol of a font with private codes among plain words: its picture is a letter, or a shape that is none."""

    def parsed(drawing: str) -> galley.Document:
        cmap = (
            "/CIDInit/ProcSet findresource begin 12 dict begin begincmap /CMapName/X def /CMapType 2 def "
            "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <E123> endbfchar endcmap end end"
        )
        font = (
            "<</Type/Font/Subtype/Type3/FontBBox[0 -300 700 900]/FontMatrix[.001 0 0 .001 0 0]/Name/Own"
            f"/Encoding<</Type/Encoding/Differences[65/sign]>>/CharProcs<</sign {FIRST_XOBJECT} 0 R>>"
            f"/Resources<</Font<</F1 3 0 R>>>>/FirstChar 65/LastChar 65/Widths[700]/ToUnicode {FIRST_XOBJECT + 1} 0 R>>"
        )
        words = "BT /F1 16 Tf 72 700 Td (The plan of the house has a room marked) Tj ET"
        content = f"{words} BT /F9 16 Tf 372 700 Td <41> Tj ET"
        page = PdfPage(content, xobjects={"P": ("<<>>", drawing.encode()), "C": ("<<>>", cmap.encode())})
        return galley.parse(make_pdf(page, fonts={"F9": font}))

    letter = parsed("700 0 d0 BT /F1 1000 Tf (R) Tj ET")
    assert letter.to_text().strip() == "The plan of the house has a room marked R"
    assert not letter.pages[0].warnings
    shape = parsed("700 0 d0 50 300 600 60 re f 50 100 600 20 re f 200 0 20 700 re f")
    text = shape.to_text().strip()
    assert text.startswith("The plan of the house has a room marked")
    assert ("\ufffd" in text) == bool(shape.pages[0].warnings)


def test_a_ligature_without_a_character_is_spelled_out() -> None:
    assert text_of(["T_h", "plusminus"], {0x20: "plusminus"}) == "Th±"
