"""Tables of contents: lists with their pages."""

from __future__ import annotations

import numpy as np
import pytest

from galley.document import BBox, Label, Page
from galley.drafters.line import TextLine
from galley.ingest.page import LayerQuality, TextLayer, TextWord
from galley.parsing.document.nest_list_items import nest_list_items
from galley.parsing.lines.join_contents_entries import joined_contents
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState, Zone
from galley.parsing.zones.part_contents import part_contents

ENTRIES = (("1 Birds of the coast", 3), ("1.1 Waders", 5), ("1.2 Gulls", 19), ("2 Birds of the hills", 40))


def line(text: str, x: float, y: float, x1: float | None = None) -> TextLine:
    left = x if x1 is None else x1 - 10 * len(text)
    return TextLine(text, BBox(x0=left, y0=y, x1=left + 10 * len(text), y1=y + 20), size=20)


def printed(leader: str, *, title: str = "Plates", whole: bool = False) -> list[TextLine]:
    """A page of entries; ``whole``: words, leader and page come as one piece."""
    lines = [line(title, 100, 0)]
    for n, (words, page) in enumerate(ENTRIES):
        y = 40.0 + 30 * n
        if whole:
            lines.append(line(f"{words}{leader}{page}", 100, y))
        else:
            lines += [
                line(words, 100, y),
                *([line(leader, 400, y)] if leader else []),
                line(str(page), 0, y, 900),
            ]
    return lines


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("leader", ["........", ". . . . . . .", "……", "______"])
def test_entries_with_leaders_are_lines(leader: str, whole: bool) -> None:
    found = joined_contents(printed(leader, whole=whole))
    between = leader if whole else f" {leader} "
    assert [one.text for one in found] == ["Plates", *(f"{words}{between}{page}" for words, page in ENTRIES)]
    assert [one.entry for one in found] == [False, True, True, True, True]


@pytest.mark.parametrize(
    "title", ["Contents", "Inhaltsverzeichnis", "Table des matières", "Spis treści", "目次"]
)
def test_entries_without_leaders_need_a_title(title: str) -> None:
    found = joined_contents(printed("", title=title))
    assert [one.text for one in found][1:] == [f"{words} {page}" for words, page in ENTRIES]
    assert not any(one.entry for one in joined_contents(printed("", title="Prices")))


def test_dots_before_other_things_are_no_contents() -> None:
    prices = [
        line(f"{dish} ........ {price}", 100, 30 * n)
        for n, (dish, price) in enumerate((("Soup", "4.50"),) * 4)
    ]
    falling = [line(f"Sample {n} ..... {page}", 100, 30 * n) for n, page in enumerate((90, 41, 12, 5))]
    assert not any(one.entry for one in joined_contents([*prices]))
    assert not any(one.entry for one in joined_contents([*falling]))


def test_entries_are_list_items_nested_by_their_numbers() -> None:
    state = PageState(1, np.full((400, 1000, 3), 255, np.uint8))
    lines = joined_contents(printed(" …… ", whole=True))
    state.zones = [Zone(Label.TABLE, BBox(x0=0, y0=0, x1=900, y1=300), lines)]
    part_contents(state, None)  # type: ignore[arg-type]
    assert [zone.label for zone in state.zones] == [Label.TEXT] + 4 * [Label.LIST_ITEM]

    from page_states import blocks_of

    page = Page(number=1, width=1000, height=400, blocks=blocks_of(state.zones, 20.0))
    (page,) = nest_list_items([page], None)  # type: ignore[arg-type]
    assert page.to_markdown().split("\n")[2:] == [
        "- 1 Birds of the coast …… 3",
        "    - 1.1 Waders …… 5",
        "    - 1.2 Gulls …… 19",
        "- 2 Birds of the hills …… 40",
        "",
    ]


def test_columns_of_a_vertical_page_are_read_from_the_right() -> None:
    """Passes run on a page whose lines stand upright; its boxes come out as they went in."""
    from page_states import passes, tools

    from galley.parsing.page_passes import run_page_passes

    words = []
    for n, text in enumerate(("昔々ある所にお爺さんと", "お婆さんが住んでいた。")):
        x, y = 500.0 - 40 * n, 100.0
        tops = y + 24 * np.arange(len(text), dtype=np.float32)
        boxes = np.stack([0 * tops + x, tops, 0 * tops + x + 24, tops + 24], axis=1)
        box = BBox(x0=x, y0=y, x1=x + 24, y1=y + 24 * len(text))
        words.append(TextWord(text, box, size=24, char_boxes=boxes))
    words.reverse()
    page = PageState(
        1,
        np.full((800, 600, 3), 255, np.uint8),
        text_layer=TextLayer(words, LayerQuality.GOOD, vertical=True),
    )
    page.uses_text_layer = True
    used = tools()
    used.options = ParseOptions(ocr="never")
    names = ("lay_columns_level", "stand_columns_up")
    run_page_passes(page, used, [each for each in passes(*names) if each.__name__ != "read_lone_formula"])
    assert [block.content for block in page.blocks] == ["昔々ある所にお爺さんとお婆さんが住んでいた。"]
    box = page.blocks[0].bbox
    assert (box.x0, box.y0, box.x1, box.y1) == pytest.approx((460, 100, 524, 364))
    assert page.image.shape == (800, 600, 3) and page.turned == 0
