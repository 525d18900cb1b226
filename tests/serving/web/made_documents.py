"""Documents made for the fake server: pages, their images and their proofs. Everything is the same in every run."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from galley.document import BBox, Block, Cell, Label, Page, Table

WIDTH, HEIGHT = 1240, 1754

LEAD = (
    "A town's weather is mostly remembered as stories: the winter when the river froze, the summer when the wells "
    "ran dry. This report puts numbers beside the stories of Larkwater, a town of four thousand people between two "
    "hills, where a volunteer has read the same three instruments every morning since 1998."
)
UNSURE = (
    "The eleven notebooks are kept in the parish room in a tin box. Two of them have water stains, and the ink of "
    "2003 has faded so far that it can be read only in slanting light."
)
MATHS = (
    "The mean of a period is $\\bar{t} = \\frac{1}{n}\\sum_i t_i$, and a notebook costs $4 or $5 at the shop."
)


@dataclass
class MadeDocument:
    """What the fake server reads out of a file. gated: pages come one by one when the test releases them."""

    pages: list[Page]
    failures: list[dict[str, Any]] = field(default_factory=list)
    gated: bool = False
    with_proof: bool = True


def _box(top: float, height: float, left: float = 120, right: float = 1120) -> BBox:
    return BBox(x0=left, y0=top, x1=right, y1=top + height)


def _spanned_table() -> Table:
    heads = [
        Cell(row=0, col=0, text="Years", rowspan=2, header=True),
        Cell(row=0, col=1, text="Means of the period", colspan=2, header=True),
        Cell(row=1, col=1, text="January (°C)", header=True),
        Cell(row=1, col=2, text="Winter rain (mm)", header=True),
    ]
    values = [("1998–2004", "0.4", "168"), ("2005–2011", "0.9", "181"), ("2012–2018", "1.3", "194")]
    body = [Cell(row=r, col=c, text=text) for r, row in enumerate(values, 2) for c, text in enumerate(row)]
    return Table(rows=5, cols=3, cells=heads + body)


def _first_page() -> Page:
    blocks = [
        Block(label=Label.HEADER, bbox=_box(60, 30, 120, 420), content="Larkwater Weather Notes"),
        Block(label=Label.TITLE, bbox=_box(130, 60), content="Twenty-Eight Years of Mornings", level=1),
        Block(label=Label.HEADING, bbox=_box(230, 40, 120, 500), content="1 Introduction", level=2),
        Block(label=Label.TEXT, bbox=_box(290, 190), content=LEAD),
        Block(label=Label.LIST_ITEM, bbox=_box(500, 34), content="Has the coldest month become warmer?"),
        Block(label=Label.LIST_ITEM, bbox=_box(540, 34), content="Does more rain fall in winter?"),
        Block(
            label=Label.TEXT, bbox=_box(610, 130), content=UNSURE, confidence=0.62, flags=["low-confidence"]
        ),
        Block(label=Label.TEXT, bbox=_box(770, 80), content=MATHS),
        Block(
            label=Label.FORMULA,
            bbox=_box(880, 110, 320, 920),
            content="r_k = \\frac{\\sum_{i}(t_i-\\bar t)(t_{i+k}-\\bar t)}{\\sum_i (t_i-\\bar t)^2}",
            extra={"number": "1"},
        ),
        Block(label=Label.CAPTION, bbox=_box(1030, 34), content="Table 1: Means of seven-year periods."),
        Block(label=Label.TABLE, bbox=_box(1080, 250), table=_spanned_table()),
        Block(label=Label.FOOTNOTE, bbox=_box(1600, 34), content="¹ As described by the scale of 1805."),
        Block(label=Label.PAGE_NUMBER, bbox=_box(1680, 30, 590, 650), content="1"),
    ]
    return Page(number=1, width=WIDTH, height=HEIGHT, blocks=blocks)


def _second_page() -> Page:
    blocks = [
        Block(label=Label.HEADING, bbox=_box(130, 40, 120, 500), content="2 Instruments", level=2),
        Block(label=Label.TEXT, bbox=_box(190, 190), content=LEAD),
        Block(label=Label.FIGURE, bbox=_box(420, 480, 220, 1020), content="The white louvred box"),
        Block(label=Label.CAPTION, bbox=_box(920, 34), content="Figure 1: The thermometer in its box."),
        Block(label=Label.CODE, bbox=_box(990, 120), content="for day in notebook:\n    print(day.mean())"),
        Block(label=Label.TEXT, bbox=_box(1150, 190), content=LEAD, continues=True),
    ]
    return Page(number=2, width=WIDTH, height=HEIGHT, blocks=blocks)


def plain_page(number: int) -> Page:
    """A page of a heading and paragraphs, the same but for its number."""
    head = Block(label=Label.HEADING, bbox=_box(130, 40), content=f"Chapter {number}", level=2)
    texts = [
        Block(label=Label.TEXT, bbox=_box(220 + 240 * i, 190), content=f"{number}.{i} {LEAD}")
        for i in range(6)
    ]
    return Page(number=number, width=WIDTH, height=HEIGHT, blocks=[head, *texts])


def report() -> MadeDocument:
    """Two pages with every kind of block, and a third that could not be read."""
    failure = {"page": 3, "message": "page 3 is damaged: its content stream ends too early"}
    return MadeDocument([_first_page(), _second_page()], [failure])


def hostile(attack: str) -> MadeDocument:
    """``attack`` in every place a document can hold text."""
    labels = [
        Label.TITLE,
        Label.TEXT,
        Label.LIST_ITEM,
        Label.CODE,
        Label.FORMULA,
        Label.CAPTION,
        Label.FIGURE,
    ]
    blocks = [
        Block(label=label, bbox=_box(100 + 120 * i, 100), content=attack) for i, label in enumerate(labels)
    ]
    cells = [Cell(row=0, col=0, text=attack, header=True), Cell(row=0, col=1, text=attack)]
    blocks.append(Block(label=Label.TABLE, bbox=_box(1000, 100), table=Table(rows=1, cols=2, cells=cells)))
    markup = f"<table><tr><td>{attack}</td><td onclick='window.hit=1'>kept</td></tr></table>"
    blocks.append(Block(label=Label.TABLE, bbox=_box(1150, 100), content=markup))
    formula = f"\\href{{javascript:window.hit=1}}{{x}} \\includegraphics{{{attack}}}"
    blocks.append(Block(label=Label.FORMULA, bbox=_box(1300, 100), content=formula))
    page = Page(number=1, width=WIDTH, height=HEIGHT, blocks=blocks, warnings=[attack])
    return MadeDocument([page], [{"page": 2, "message": attack}])


def proof(page: Page) -> dict[str, Any]:
    """Words as tokens: a run of a free draft, a run of the model's own, then one alone, over and over."""
    blocks, tokens, last = [], 0, 0
    for index, block in enumerate(page.blocks):
        made = _tokens(block.content)
        tokens += len(made)
        last = max([last, *(token["round"] for token in made)])
        blocks.append({"block": index, "tokens": made, "low_confidence": "low-confidence" in block.flags})
    stats = {"tokens": tokens, "forwards": 40, "tpf": tokens / 40, "aal": 3.5, "speedup": 4.25}
    return {"stats": stats, "blocks": blocks}


def _tokens(content: str) -> list[dict[str, Any]]:
    cycle = ["free"] * 11 + ["own"] * 5 + ["single"]
    words = content.split(" ") if content else []
    return [
        {"text": word if i == 0 else f" {word}", "how": cycle[i % 17], "round": 3 * (i // 17) + _turn(i % 17)}
        for i, word in enumerate(words)
    ]


def _turn(place: int) -> int:
    return 0 if place < 11 else 1 if place < 16 else 2


def no_proof(page: Page) -> dict[str, Any]:
    """As of a page no model has read: each block is one token without a round."""
    stats = {"tokens": 0, "forwards": 0, "tpf": 0, "aal": 0, "speedup": None}
    blocks = [
        {"block": i, "tokens": [{"text": block.content, "how": "free"}], "low_confidence": False}
        for i, block in enumerate(page.blocks)
    ]
    return {"stats": stats, "blocks": blocks}


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)


def image(page: Page) -> bytes:
    """The page drawn as a PNG, with grey bars for text lines."""
    canvas = Image.new("RGB", (page.width, page.height), "white")
    draw = ImageDraw.Draw(canvas)
    for block in page.blocks:
        _draw(draw, block)
    stream = io.BytesIO()
    canvas.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def _draw(draw: ImageDraw.ImageDraw, block: Block) -> None:
    box = block.bbox
    if block.label is Label.FIGURE:
        draw.rectangle((box.x0, box.y0, box.x1, box.y1), fill="#dfe8ee")
        draw.ellipse((box.x0 + 200, box.y0 + 80, box.x1 - 200, box.y1 - 80), fill="#7a98ad")
        return
    size = 44 if block.label is Label.TITLE else 24
    words, x, y = block.content.split(), box.x0, box.y0
    for word in words:
        length = draw.textlength(word + " ", font=_font(size))
        if x + length > box.x1:
            x, y = box.x0, y + 1.4 * size
        draw.text((x, y), word, fill="#222222", font=_font(size))
        x += length
    for cell in block.table.cells if block.table else ():
        place = (box.x0 + 330 * cell.col, box.y0 + 50 * cell.row)
        draw.text((place[0] + 8, place[1] + 8), cell.text, fill="#222222", font=_font(22))
        draw.rectangle(
            (*place, place[0] + 330 * cell.colspan, place[1] + 50 * cell.rowspan), outline="#888888"
        )
