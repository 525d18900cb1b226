"""CSS for a table in one of the ways tables are drawn."""

from __future__ import annotations

import random
from dataclasses import dataclass

STYLES = ("grid", "rows", "booktabs", "none", "zebra", "dark-head", "columns", "dotted")

FONTS = (
    "Liberation Serif", "Liberation Sans", "TeX Gyre Pagella", "EB Garamond", "Carlito", "Noto Sans", "Lato",
    "Open Sans", "DejaVu Sans", "Caladea", "Roboto Slab", "Cantarell", "Courier Prime", "Linux Libertine O",
)  # fmt: skip


@dataclass
class Look:
    """How one table is drawn: the style's name, its CSS (``#ID`` is the table), and its width in CSS
    pixels."""

    style: str
    css: str
    width: int


def random_look(rng: random.Random, style: str | None = None) -> Look:
    style = style or rng.choice(STYLES)
    size = rng.uniform(9, 14)
    pad_x, pad_y = size * rng.uniform(0.35, 1.4), size * rng.choice((0.0, rng.uniform(0.02, 0.6)))
    color = rng.choice(("#000", "#000", "#444", "#888", "#1f4e79", "#b0b0b0"))
    line = f"{rng.choice((1, 1, 1, 2))}px solid {color}"
    leading, font = rng.uniform(1.1, 1.45), rng.choice(FONTS)
    # Close-set tables, as journals print them, start their cells at the top.
    middle = rng.choice(("top", "top", "middle") if pad_y < 0.05 * size else ("top", "middle"))
    align = rng.choice(("left", "left", "center"))
    head, weight = rng.choice(("middle", "bottom")), rng.choice(("bold", "normal"))
    css = [
        f"#ID{{border-collapse:collapse;background:#fff;font:{size:.1f}px/{leading:.2f} '{font}'}}",
        f"#ID td,#ID th{{padding:{pad_y:.1f}px {pad_x:.1f}px;vertical-align:{middle};text-align:{align}}}",
        f"#ID .num{{text-align:{rng.choice(('right', 'center', 'left', 'right'))}}}",
        f"#ID .head{{font-weight:{weight};vertical-align:{head}}}",
        "#ID .over{text-align:center}",
        *_rules(style, line, color, rng),
    ]
    return Look(style, "\n".join(css), int(rng.choice((320, 420, 560, 720, 900))))


def _rules(style: str, line: str, color: str, rng: random.Random) -> list[str]:
    head_line = "#ID .lasthead{border-bottom:%s}"
    if style == "grid":
        return [f"#ID td,#ID th{{border:{line}}}"]
    if style == "dotted":
        kind, width = rng.choice(("dotted", "dashed", "double")), rng.choice((1, 3))
        return [f"#ID td,#ID th{{border:{width}px {kind} {color}}}"]
    if style == "rows":
        return [f"#ID td,#ID th{{border-top:{line};border-bottom:{line}}}"]
    if style == "columns":
        frame = f"#ID{{border:{line}}}" if rng.random() < 0.6 else ""
        return [
            frame,
            f"#ID td+td,#ID th+th,#ID td+th,#ID th+td,#ID .inner{{border-left:{line}}}",
            head_line % line,
        ]
    if style == "booktabs":
        cmid = f"#ID .over{{border-bottom:1px solid {color}}}" if rng.random() < 0.7 else ""
        return [
            f"#ID{{border-top:2px solid {color};border-bottom:2px solid {color}}}",
            head_line % line,
            cmid,
        ]
    if style == "zebra":
        shade = rng.choice(("#f2f2f2", "#e8eef7", "#dddddd", "#fff3dc"))
        return [
            f"#ID tbody tr:nth-child(even){{background:{shade}}}",
            head_line % line if rng.random() < 0.5 else "",
        ]
    if style == "dark-head":
        dark = rng.choice(("#1f4e79", "#333", "#2e7d32", "#4472c4"))
        inner = rng.choice(("1px solid #fff", line, "none"))
        return [f"#ID .head{{background:{dark};color:#fff}}", f"#ID td,#ID th{{border:{inner}}}"]
    return []
