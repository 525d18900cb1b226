"""Chromium as a table printer: one long page of tables, one screenshot, boxes of every cell and word."""

from __future__ import annotations

import html
import json
import random
import re
import subprocess
import tempfile
from pathlib import Path

from PIL import Image
from tools.tables.style import Look

from galley.document import BBox, Cell, Table
from galley.drafters.line import TextLine, Word

SCALE = 2
"""Device pixels per CSS pixel: 12 px type comes out as on a 192 dpi scan."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=3000",
)

MEASURE = """
<script>
function box(node, start, end) {
  const range = document.createRange();
  range.setStart(node, start); range.setEnd(node, end);
  return range.getBoundingClientRect();
}
// A word that breaks at a hyphen is one part on each line.
function parts(node, start, word) {
  const found = [];
  for (let i = 0; i < word.length; i++) {
    const b = box(node, start + i, start + i + 1), last = found[found.length - 1];
    if (last && b.top - last[2] < b.height / 2) { last[0] += word[i]; last[3] = Math.max(last[3], b.right); }
    else found.push([word[i], b.left, b.top, b.right, b.bottom]);
  }
  return found;
}
const out = [];
for (const table of document.querySelectorAll('table')) {
  const cells = [];
  for (const cell of table.querySelectorAll('td,th')) {
    const words = [];
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode;
      for (const m of node.data.matchAll(/\\S+/g)) {
        words.push(...parts(node, m.index, m[0]));
      }
    }
    const b = cell.getBoundingClientRect();
    cells.push({box: [b.left, b.top, b.right, b.bottom], words});
  }
  const b = table.getBoundingClientRect();
  out.push({box: [b.left, b.top, b.right, b.bottom], cells});
}
const pre = document.createElement('pre'); pre.id = 'boxes'; pre.textContent = JSON.stringify(out);
document.body.appendChild(pre); pre.style.display = 'none';
</script>
"""


def render(
    tables: list[tuple[Table, Look]], rng: random.Random
) -> list[tuple[Image.Image, Table, list[TextLine]]]:
    """Each table's crop, the table with cell boxes in crop pixels, and its text lines with word boxes."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(_page(tables), encoding="utf-8")
        dom = _chromium(folder, "--dump-dom", "--window-size=1000,800", page.as_uri())
        found = re.search(r'<pre id="boxes"[^>]*>(.*?)</pre>', dom, re.S)
        boxes = json.loads(html.unescape(found.group(1))) if found else []
        height = int(max(table["box"][3] for table in boxes)) + 20
        shot = Path(folder) / "page.png"
        _chromium(
            folder, f"--screenshot={shot}", f"--force-device-scale-factor={SCALE}",
            f"--window-size=1000,{height}", page.as_uri(),
        )  # fmt: skip
        image = Image.open(shot).convert("RGB")
    pairs = zip(tables, boxes, strict=True)
    return [_crop(image, table, measured, rng) for (table, _), measured in pairs if _fits(measured, image)]


def _chromium(folder: str, *args: str) -> str:
    command = ["chromium", *FLAGS, f"--user-data-dir={folder}/profile", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def _fits(measured: dict, image: Image.Image) -> bool:
    x0, y0, x1, y1 = (v * SCALE for v in measured["box"])
    return x1 < image.width and y1 < image.height and x1 - x0 > 20 and y1 - y0 > 20


def _page(tables: list[tuple[Table, Look]]) -> str:
    css, body = [], []
    for i, (table, look) in enumerate(tables):
        css.append(look.css.replace("#ID", f"#t{i}"))
        body.append(f'<div style="max-width:{look.width}px;margin:30px 20px">{_markup(table, f"t{i}")}</div>')
    return (
        f"<!doctype html><meta charset=utf-8><style>body{{margin:0;background:#fff}}{''.join(css)}</style>"
        f"{''.join(body)}{MEASURE}"
    )


def _markup(table: Table, name: str) -> str:
    heads = sum(
        1 for r in range(table.rows) if any(c.header and c.row <= r < c.row + c.rowspan for c in table.cells)
    )
    parts = []
    for r in range(table.rows):
        cells = sorted((cell for cell in table.cells if cell.row == r), key=lambda cell: cell.col)
        parts.append("<tr>" + "".join(_cell(cell, heads) for cell in cells) + "</tr>")
    head, body = "".join(parts[:heads]), "".join(parts[heads:])
    return f'<table id="{name}"><thead>{head}</thead><tbody>{body}</tbody></table>'


def _cell(cell: Cell, heads: int) -> str:
    marks = [
        "num" if re.fullmatch(r"[-−+$€£]?[\d.,\s]+%?", cell.text) else "",
        "head" if cell.header else "",
        "over" if cell.header and cell.colspan > 1 else "",
        "lasthead" if heads and cell.row + cell.rowspan == heads else "",
        "inner" if cell.col else "",
    ]
    name = " ".join(filter(None, marks))
    spans = f'rowspan="{cell.rowspan}" colspan="{cell.colspan}"'
    return f'<td class="{name}" {spans}>{html.escape(cell.text)}</td>'


def _crop(
    image: Image.Image, table: Table, measured: dict, rng: random.Random
) -> tuple[Image.Image, Table, list[TextLine]]:
    x0, y0, x1, y1 = (v * SCALE for v in measured["box"])
    pad = [rng.randint(2, 14) for _ in range(4)]
    left, top = int(max(0, x0 - pad[0])), int(max(0, y0 - pad[1]))
    right, bottom = int(min(image.width, x1 + pad[2])), int(min(image.height, y1 + pad[3]))
    shift = (left, top)
    ordered = sorted(table.cells, key=lambda cell: (cell.row, cell.col))
    cells, lines = [], []
    for cell, got in zip(ordered, measured["cells"], strict=True):
        cells.append(cell.model_copy(update={"bbox": _box(got["box"], shift)}))
        lines += _text_lines([Word(w[0], _box(w[1:], shift)) for w in got["words"]])
    return image.crop((left, top, right, bottom)), table.model_copy(update={"cells": cells}), lines


def _box(box: list[float], shift: tuple[int, int]) -> BBox:
    dx, dy = shift
    return BBox(
        x0=box[0] * SCALE - dx, y0=box[1] * SCALE - dy, x1=box[2] * SCALE - dx, y1=box[3] * SCALE - dy
    )


def _text_lines(words: list[Word]) -> list[TextLine]:
    lines: list[list[Word]] = []
    for word in words:
        if lines and abs(lines[-1][-1].bbox.y0 - word.bbox.y0) < word.bbox.height / 2:
            lines[-1].append(word)
        else:
            lines.append([word])
    made = []
    for line in lines:
        box = line[0].bbox
        for word in line[1:]:
            box = box.union(word.bbox)
        made.append(
            TextLine(" ".join(w.text for w in line), box, source="pdf-text", words=line, size=box.height)
        )
    return made
