"""Make the two documents in ``samples/``: a born-digital report and a scanned-looking letter.

    python tools/make_samples.py [FOLDER]

Their text was written for this project. The same run always gives the same files.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
from PIL import Image, ImageFilter
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=12, leading=16, alignment=TA_JUSTIFY, spaceAfter=8
)
TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=20, leading=24, spaceAfter=4)
AUTHOR = ParagraphStyle("author", parent=BODY, fontName="Times-Italic", alignment=0)
HEADING = ParagraphStyle(
    "heading", fontName="Helvetica-Bold", fontSize=14, leading=18, spaceBefore=8, spaceAfter=5
)
CAPTION = ParagraphStyle("caption", parent=BODY, fontSize=9, leading=11, alignment=0)
LETTER = ParagraphStyle("letter", fontName="Times-Roman", fontSize=12, leading=16, spaceAfter=10)

WIDTH, HEIGHT = A4
MARGIN = 20 * mm
GUTTER = 8 * mm
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2

INTRODUCTION = """A town's weather is mostly remembered as stories: the winter when the river froze,
the summer when the wells ran dry. This report puts numbers beside the stories of Larkwater, a town
of four thousand people between two hills, where a volunteer has read the same three instruments
every morning since 1998."""

INSTRUMENTS = """The thermometer hangs in a white louvred box, 1.5 m above grass. The rain gauge is
a plain copper cylinder, emptied at seven o'clock. Wind is not measured but judged by the movement
of trees, on a scale from 0 to 12. None of this is modern, and that is the point: nothing was
replaced, so the years can be compared."""

HANDLING = """Readings were copied from paper into a table twice, by two people who did not see each
other's work. The two tables differed in 41 of 9,131 days. Each difference was looked up in the
notebooks; most were a 1 read as a 7. Days without a reading stay empty, since an estimate would
look exactly like a measurement later on."""

RESULTS = """Winters became milder and wetter. The mean of the coldest month rose by about one
degree over the first twenty years, while its rain grew by a fifth. Summers changed less in their
mean than in their spread: both the driest and the wettest July of the record fall into its last six
years."""

DISCUSSION = """One station says little about a region. Its neighbours, however, agree in sign: all
four stations within 40 km show milder winters. What the notebook adds is detail that automatic
stations do not keep, such as the first cuckoo, the height of the snow at the church door, and the
day on which the ice left the mill pond."""

SNOW = """Snow is written down as the number of mornings on which the grass in front of the box was covered.
It is the roughest of the readings, since it depends on the hour at which the volunteer got up, and
yet it is the one that people in the town ask about. In the first ten winters there were 23 such
mornings on average, in the last ten there were 11."""

FROST = """The last frost of spring decides what can be planted. It moved from the second week of May to the
end of April, but not evenly: in 2011, 2017 and 2021 it came as late as it ever did. Gardeners who
trusted the trend lost their beans three times."""

NOTEBOOKS = """The eleven notebooks are kept in the parish room in a tin box. Two of them have water
stains, and the ink of 2003 has faded so far that it can be read only in slanting light. All pages were
photographed
in the spring of 2025; the pictures lie beside the table, so that every number can be traced back to
the hand that wrote it."""

OUTLOOK = """The readings go on. A second volunteer has learned the routine, and a copy of every
page now leaves the town each month by post. We hope that in another twenty-five years somebody will
write the second report."""

FOOTNOTE = "<super>1</super> Trees, smoke and flags, as described by the seaman's scale of 1805."

QUESTIONS = [
    "Has the coldest month become warmer?",
    "Does more rain fall in winter than before?",
    "Are dry summers more frequent?",
]

YEARS = [
    ["Years", "January mean (°C)", "Winter rain (mm)", "Dry days in July"],
    ["1998–2004", "0.4", "168", "14"],
    ["2005–2011", "0.9", "181", "15"],
    ["2012–2018", "1.3", "194", "13"],
    ["2019–2025", "1.6", "203", "17"],
]


def make_report(path: Path) -> None:
    """Two pages: title, two columns, list, table, footnote, running header and page numbers."""
    document = BaseDocTemplate(
        str(path),
        pagesize=A4,
        title="Twenty-Eight Years of Mornings",
        author="M. Alder, J. Penn",
        invariant=1,
    )
    top = HEIGHT - MARGIN - 26 * mm
    head = Frame(MARGIN, top, WIDTH - 2 * MARGIN, 24 * mm, 0, 0, 0, 0)
    first = [_column(index, MARGIN + 12 * mm, top - 4 * mm) for index in range(2)]
    later = [_column(index, MARGIN, HEIGHT - MARGIN) for index in range(2)]
    document.addPageTemplates(
        [
            PageTemplate("first", [head, *first], onPage=_first_page),
            PageTemplate("later", later, onPage=_furniture),
        ]
    )
    document.build(_report())


def _column(index: int, bottom: float, top: float) -> Frame:
    return Frame(MARGIN + index * (COLUMN + GUTTER), bottom, COLUMN, top - bottom, 0, 0, 0, 0)


def _report() -> list[Flowable]:
    items = [ListItem(Paragraph(text, BODY)) for text in QUESTIONS]
    return [
        NextPageTemplate("later"),
        Paragraph("Twenty-Eight Years of Mornings", TITLE),
        Paragraph("What one volunteer's notebook says about the weather of Larkwater", AUTHOR),
        FrameBreak(),
        Paragraph("1 Introduction", HEADING),
        Paragraph(INTRODUCTION, BODY),
        Paragraph("Three questions are asked of the notebook:", BODY),
        ListFlowable(items, bulletType="1", bulletFormat="%s.", bulletFontName="Times-Roman", leftIndent=18),
        Spacer(0, 4),
        Paragraph("2 Instruments", HEADING),
        Paragraph(INSTRUMENTS.replace("0 to 12.", "0 to 12.<super>1</super>"), BODY),
        Paragraph("3 From paper to table", HEADING),
        Paragraph(HANDLING, BODY),
        Paragraph("4 Results", HEADING),
        Paragraph(RESULTS, BODY),
        Paragraph("Table 1: Means of seven-year periods.", CAPTION),
        _table(YEARS, [22 * mm, 20 * mm, 19 * mm, 19 * mm], 9, ruled=False),
        Spacer(0, 8),
        Paragraph(
            "The table gives means, which hide the single years; the notebook itself has them all.", BODY
        ),
        Paragraph("5 Snow and frost", HEADING),
        Paragraph(SNOW, BODY),
        Paragraph(FROST, BODY),
        Paragraph("6 The notebooks", HEADING),
        Paragraph(NOTEBOOKS, BODY),
        Paragraph("7 Discussion", HEADING),
        Paragraph(DISCUSSION, BODY),
        FrameBreak(),
        Paragraph("8 Outlook", HEADING),
        Paragraph(OUTLOOK, BODY),
    ]


def _first_page(canvas: Canvas, document: BaseDocTemplate) -> None:
    _furniture(canvas, document)
    canvas.setLineWidth(0.5)
    canvas.line(MARGIN, MARGIN + 9 * mm, MARGIN + 40 * mm, MARGIN + 9 * mm)
    note = Paragraph(FOOTNOTE, ParagraphStyle("note", parent=BODY, fontSize=8, leading=10))
    note.wrapOn(canvas, WIDTH - 2 * MARGIN, 20 * mm)
    note.drawOn(canvas, MARGIN, MARGIN + 2 * mm)


def _furniture(canvas: Canvas, document: BaseDocTemplate) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(MARGIN, HEIGHT - 12 * mm, "Larkwater Weather Notes")
    canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 12 * mm, "Spring 2026")
    canvas.drawCentredString(WIDTH / 2, 10 * mm, str(canvas.getPageNumber()))


def _table(rows: list[list[str]], widths: list[float], size: float, ruled: bool) -> Table:
    cell = ParagraphStyle("cell", fontName="Times-Roman", fontSize=size, leading=size * 1.2)
    head = ParagraphStyle("head", parent=cell, fontName="Times-Bold")
    texts = [[Paragraph(text, cell if at else head) for text in row] for at, row in enumerate(rows)]
    lines = (
        [("GRID", (0, 0), (-1, -1), 0.8, colors.black)]
        if ruled
        else [
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black),
            ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, colors.black),
        ]
    )
    return Table(
        texts, widths, style=TableStyle([*lines, ("VALIGN", (0, 0), (-1, -1), "TOP")]), hAlign="LEFT"
    )


ORDER = [
    ["Item", "Quantity", "Unit price", "Amount"],
    ["Oak shelf, 90 cm", "4", "38.50", "154.00"],
    ["Brass hook", "12", "2.75", "33.00"],
    ["Linseed oil, 1 litre", "2", "9.20", "18.40"],
    ["Total", "", "", "205.40"],
]

LETTER_TEXT = [
    "Hollis &amp; Daughter, Joiners<br/>14 Mill Lane<br/>Larkwater",
    "9 March 2026",
    "Dear Ms Penn,",
    "Thank you for your order of 2 March. We have the oak in the workshop and can deliver all of it on"
    " Friday the 20th, before noon. The hooks are the heavy kind you asked for; the lighter ones are no"
    " longer made.",
    "The order as we understand it:",
    None,
    "Please tell us by the 16th if anything in the list is wrong. Payment is due within thirty days of"
    " delivery.",
    "Yours sincerely,",
    "Ruth Hollis",
]


def make_letter(path: Path) -> None:
    """A letter with a table, as a tired office scanner would give it."""
    page = io.BytesIO()
    document = BaseDocTemplate(page, pagesize=A4, invariant=1)
    document.addPageTemplates(
        PageTemplate(frames=[Frame(28 * mm, 25 * mm, WIDTH - 56 * mm, HEIGHT - 55 * mm)])
    )
    table = _table(ORDER, [62 * mm, 26 * mm, 30 * mm, 30 * mm], 12, ruled=True)
    flow: list[Flowable] = []
    for text in LETTER_TEXT:
        flow += [table, Spacer(0, 14)] if text is None else [Paragraph(text, LETTER), Spacer(0, 4)]
    document.build(flow)
    with pdfium.PdfDocument(page.getvalue()) as opened:
        clean = opened[0].render(scale=150 / 72, grayscale=True).to_pil().convert("L")
    degraded(clean).save(path, quality=70, dpi=(150, 150), optimize=True)


def degraded(clean: Image.Image) -> Image.Image:
    """Slightly turned, softened, unevenly lit, with grainy paper."""
    random = np.random.default_rng(7)
    turned = clean.rotate(0.7, Image.Resampling.BICUBIC, fillcolor=255).filter(ImageFilter.GaussianBlur(0.6))
    ink = np.asarray(turned, dtype=np.float32)
    height, width = ink.shape
    light = 236 - 22 * np.linspace(0, 1, width)[None, :] - 8 * np.linspace(0, 1, height)[:, None]
    grain = random.normal(0, 4, ink.shape)
    specks = random.random(ink.shape) > 0.9996
    page = (40 + (light - 40) * ink / 255 + grain) - 90 * specks
    return Image.fromarray(np.clip(page, 0, 255).astype(np.uint8))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "samples"
    folder.mkdir(parents=True, exist_ok=True)
    make_report(folder / "report.pdf")
    make_letter(folder / "letter.jpg")


if __name__ == "__main__":
    main()
