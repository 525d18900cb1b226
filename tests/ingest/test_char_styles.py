"""Styles and links of a text layer's characters: fonts, ways of drawing, lines, annotations."""

from __future__ import annotations

import pytest
from pdf_maker import PdfPage, make_pdf, text_at

from galley.document import Style
from galley.document.spans import CharStyle
from galley.drafters.line import TextLine
from galley.drafters.text_layer import text_layer_lines
from galley.ingest import TextLayer, open_source

MARKS = {Style.HIGHLIGHT: "Highlight", Style.UNDERLINE: "Underline", Style.STRIKE: "StrikeOut"}


def layer_of(content: str, extra: str = "", **fonts: str) -> TextLayer:
    with open_source(make_pdf(PdfPage(content, extra), fonts=fonts)) as source:
        return source.page(1).text


def styled(layer: TextLayer) -> dict[str, CharStyle]:
    """The style of each word whose characters are all alike; words without any are left out."""
    return {word.text: word.styles[0] for word in layer.words if word.styles and len(set(word.styles)) == 1}


def styles_by_word(layer: TextLayer) -> dict[str, set[Style]]:
    return {text: set(style.styles) for text, style in styled(layer).items()}


def font(name: str, flags: int = 32) -> str:
    return (
        f"<</Type/Font/Subtype/TrueType/BaseFont/{name}/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 122/Widths["
        + "".join(f"{450 + code % 9 * 20} " for code in range(91))
        + f"]/FontDescriptor<</Type/FontDescriptor/FontName/{name}/Flags {flags}/FontBBox[0 -200 1000 900]"
        "/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80>>>>"
    )


@pytest.mark.parametrize(
    ("name", "styles"),
    [
        ("ABCDEF+MinionPro-BdIt", {Style.BOLD, Style.ITALIC}),
        ("NimbusRomNo9L-Medi", {Style.BOLD}),
        ("NimbusRomNo9L-MediItal", {Style.BOLD, Style.ITALIC}),
        ("LinLibertineTB", {Style.BOLD}),
        ("LinLibertineTI", {Style.ITALIC}),
        ("LMRomanCaps10-Regular", {Style.SMALL_CAPS}),
        ("SFCC1095", {Style.SMALL_CAPS}),
        ("CMCSC10", {Style.SMALL_CAPS}),
        ("CMTI10", {Style.ITALIC}),
        ("CMTT10", {Style.MONOSPACE}),
        ("DejaVuSansMono-Bold", {Style.BOLD, Style.MONOSPACE}),
        ("Garamond-Medium", set()),
        ("Italica-Regular", {Style.ITALIC}),
        ("Medici-Book", set()),
    ],
)
def test_a_font_s_name_tells_its_style(name: str, styles: set[Style]) -> None:
    layer = layer_of(text_at(72, 700, "plain") + text_at(72, 600, "other", "F9"), F9=font(name))
    assert styles_by_word(layer).get("other", set()) == styles
    assert "plain" not in styles_by_word(layer)


def test_letters_that_are_stroked_too_are_bold() -> None:
    content = "0.4 w 0 g 0 G\n" + text_at(72, 700, "thick", mode=2) + text_at(172, 700, "thin")
    outlined = "0.4 w 0 g 1 0 0 RG\n" + text_at(72, 600, "outlined", mode=2)
    assert styles_by_word(layer_of(content + outlined)) == {"thick": {Style.BOLD}}


def test_text_drawn_twice_beside_itself_is_bold_and_its_shadow_is_not() -> None:
    twice = text_at(72, 700, "doubled") + text_at(72.3, 700, "doubled")
    shadow = text_at(72, 600, "shadowed") + text_at(74.5, 597.5, "shadowed")
    same = text_at(72, 500, "repeated") + text_at(72, 500, "repeated")
    assert styles_by_word(layer_of(twice + shadow + same)) == {"doubled": {Style.BOLD}}


def test_letters_made_to_lean_are_italic() -> None:
    content = "BT /F1 12 Tf 1 0 0.3 1 72 700 Tm (leaning) Tj 1 0 0 1 172 700 Tm (upright) Tj ET\n"
    assert styles_by_word(layer_of(content)) == {"leaning": {Style.ITALIC}}


def box_of(layer: TextLayer, word: str) -> tuple[float, float]:
    """Left and right edge of a word in points."""
    box = next(one.bbox for one in layer.words if one.text == word)
    return box.x0 * 72 / 200, box.x1 * 72 / 200


def with_rule(
    height: float, first: str = "struck", last: str = "words", stretch: float = 0.0
) -> dict[str, set[Style]]:
    """The styles of a line of text with a rule from one word to another, so many points above the baseline."""
    line = text_at(72, 700, "some struck words remain here")
    plain = layer_of(line)
    left, right = box_of(plain, first)[0], box_of(plain, last)[1] + stretch
    return styles_by_word(layer_of(f"{line} {left} {700 + height} {right - left} 0.6 re f\n"))


def test_lines_under_and_through_words() -> None:
    assert with_rule(-1.6) == {"struck": {Style.UNDERLINE}, "words": {Style.UNDERLINE}}
    assert with_rule(3.0) == {"struck": {Style.STRIKE}, "words": {Style.STRIKE}}


@pytest.mark.parametrize("height", [-8.0, 9.5])
def test_lines_further_away_are_no_style(height: float) -> None:
    assert with_rule(height) == {}


@pytest.mark.parametrize("height", [-1.6, 3.0])
def test_a_rule_that_ends_elsewhere_than_words_do_is_a_rule(height: float) -> None:
    assert with_rule(height, last="here", stretch=120) == {}


def test_a_line_that_leaves_out_descenders_is_under_the_whole_word() -> None:
    plain = layer_of(text_at(72, 700, "gravy"))
    boxes = plain.words[0].char_boxes
    assert boxes is not None
    left, right = boxes[1, 0] * 72 / 200, boxes[3, 2] * 72 / 200
    layer = layer_of(text_at(72, 700, "gravy") + f"{left} 698.6 {right - left} 0.6 re f\n")
    assert styles_by_word(layer) == {"gravy": {Style.UNDERLINE}}


@pytest.mark.parametrize("style", list(MARKS))
def test_annotations_mark_the_words_they_lie_on(style: Style) -> None:
    content = text_at(72, 700, "first second third")
    left, right = box_of(layer_of(content), "second")
    quad = f"{left} 710 {right} 710 {left} 697 {right} 697"
    annotation = f"<</Type/Annot/Subtype/{MARKS[style]}/Rect[{left} 697 {right} 710]/QuadPoints[{quad}]>>"
    assert styles_by_word(layer_of(content, f"/Annots[{annotation}]")) == {"second": {style}}


def link(area: tuple[float, float], target: str) -> str:
    rectangle = f"{area[0]} 697 {area[1]} 710"
    return f"<</Type/Annot/Subtype/Link/Rect[{rectangle}]{target}>>"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://example.org/a?b=1", "https://example.org/a?b=1"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("javascript:alert\\(1\\)", None),
        ("file:///etc/passwd", None),
        ("JavaScript:alert\\(1\\)", None),
    ],
)
def test_links_lead_to_addresses_that_run_nothing(address: str, kept: str | None) -> None:
    content = text_at(72, 700, "first second third")
    area = box_of(layer_of(content), "second")
    layer = layer_of(content, f"/Annots[{link(area, f'/A<</S/URI/URI({address})>>')}]")
    found = {text: style.link for text, style in styled(layer).items()}
    assert found == ({"second": kept} if kept else {})


def test_the_line_under_a_link_is_that_of_the_link() -> None:
    content = text_at(72, 700, "first second third")
    left, right = box_of(layer_of(content), "second")
    content += f"{left} 698.6 {right - left} 0.6 re f\n"
    layer = layer_of(content, f"/Annots[{link((left, right), '/A<</S/URI/URI(https://example.org)>>')}]")
    assert styled(layer) == {"second": CharStyle(frozenset(), "https://example.org")}


def line_of(content: str) -> TextLine:
    [line] = text_layer_lines(layer_of(content))
    return line


def indices(line: TextLine) -> list[tuple[str, Style]]:
    """Characters of a line that are raised or lowered, or small capitals."""
    return [
        (char, style)
        for word in line.words
        for char, own in zip(word.text, word.styles or (), strict=False)
        for style in own.styles
    ]


def test_raised_and_lowered_letters() -> None:
    content = (
        "BT /F1 12 Tf 1 0 0 1 72 700 Tm (the 19) Tj 5 Ts /F1 7 Tf (th) Tj 0 Ts /F1 12 Tf ( of May, CO) Tj"
        " -2 Ts /F1 8 Tf (2) Tj 0 Ts /F1 12 Tf ( and more words) Tj ET\n"
    )
    line = line_of(content)
    assert line.text == "the 19th of May, CO2 and more words"
    assert indices(line) == [("t", Style.SUPERSCRIPT), ("h", Style.SUPERSCRIPT), ("2", Style.SUBSCRIPT)]


def test_capitals_in_smaller_type_on_the_baseline_are_small_capitals() -> None:
    content = (
        "BT /F1 12 Tf 1 0 0 1 72 700 Tm (by order of the ) Tj (C) Tj /F1 9 Tf (OUNCIL) Tj /F1 12 Tf"
        " ( of the town) Tj ET\n"
    )
    assert indices(line_of(content)) == [(char, Style.SMALL_CAPS) for char in "COUNCIL"]
