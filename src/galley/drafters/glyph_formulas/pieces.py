"""Signs that are drawn in several pieces: tall brackets, horizontal braces, arrows, struck-out relations."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import Atom, around, without
from galley.drafters.glyph_formulas.signs import sign

_ARROWS = {
    ("−", "→"): "⟶",
    ("−", "−"): "−",
    ("←", "−"): "⟵",
    ("=", "⇒"): "⟹",
    ("⇐", "="): "⟸",
    ("←", "→"): "⟷",
    ("⇐", "⇒"): "⟺",
    ("\ue037", "→"): "↦",
    ("\ue037", "⟶"): "⟼",
    ("\ue037", "−"): "\ue037",
    ("\ue02c", "→"): "↪",
    ("←", "\ue02d"): "↩",
    ("|", "="): "⊧",
    ("∫", "∫"): "∬",
    ("∬", "∫"): "∭",
    ("⟶", "→"): "⟶",
    ("=", "="): "=",
}
"""Pairs of signs that overlap, and what they are together."""
_STRUCK = {
    "=": "≠",
    "∈": "∉",
    "≡": "≢",
    "⊂": "⊄",
    "⊆": "⊈",
    "∼": "≁",
    "≃": "≄",
    "≅": "≇",
    "≈": "≉",
    "∃": "∄",
    "<": "≮",
    ">": "≯",
    "≤": "≰",
    "≥": "≱",
    "∣": "∤",
    "|": "∤",
    "∥": "∦",
}


def join_pieces(items: Sequence[Atom]) -> list[Atom]:
    """The atoms with every sign that is made of several pieces as one."""
    return _accented_letters(_stacked_relations(_struck(_overlapping(_columns(list(items))))))


def _columns(items: list[Atom]) -> list[Atom]:
    """Pieces on top of each other as one sign; bars that continue each other too."""
    pieces = [item for item in items if (item.part and item.char not in "⏞⏟") or _is_bar(item)]
    found: list[list[Atom]] = []
    for piece in sorted(pieces, key=lambda item: item.box.y0):
        column = next((column for column in found if _continues(column[-1], piece)), None)
        if column is not None:
            column.append(piece)
        else:
            found.append([piece])
    for column in found:
        if len(column) > 1 or column[0].part:
            items = [*without(items, *column), _joined(column)]
    return items


def _is_bar(item: Atom) -> bool:
    return item.char in ("|", "‖", "∣", "∥") and item.centred


def _continues(upper: Atom, lower: Atom) -> bool:
    beside = (
        abs(upper.left - lower.left) < 0.25 * upper.size
        and upper.box.overlap_x(lower.box) > -0.02 * upper.size
    )
    alike = upper.char == lower.char or "extension" in (upper.part, lower.part)
    return beside and alike and lower.box.y0 < upper.box.y1 + 0.12 * upper.size


def _joined(column: Sequence[Atom]) -> Atom:
    char = next((item.char for item in column if item.part != "extension"), column[0].char)
    box = around(column)
    meant = sign(char)
    top = min(column, key=lambda item: item.box.y0)
    return replace(
        top, latex=meant.latex, kind=meant.kind, box=box, char=char, part="", middle=box.y, doubts=0, left=top.left,
        right=max(item.right for item in column),
    )  # fmt: skip


def _overlapping(items: list[Atom]) -> list[Atom]:
    """Arrows and the like, whose parts overlap on one baseline."""
    signs = [item for item in items if any(item.char in pair for pair in _ARROWS)]
    signs.sort(key=lambda item: (round(item.base, 1), item.left))
    run: list[Atom] = []
    for item in signs:
        last = run[-1] if run else None
        both = _ARROWS.get((last.char, item.char)) if last is not None else None
        if last is not None and both and _overlap(last, item):
            merged = _merged(last, item, both)
            items = [*without(items, last, item), merged]
            run[-1] = merged
        else:
            run.append(item)
    return items


def _overlap(first: Atom, second: Atom) -> bool:
    level = abs(first.base - second.base) < 0.02 * first.size
    reach = -0.01 if first.kind == "integral" else 0.02
    apart = second.box.x0 - first.box.x1
    return (
        level
        and (second.left < first.right - reach * first.size or first.char == "\ue037")
        and apart < 0.1 * first.size
    )


def _merged(first: Atom, second: Atom, char: str) -> Atom:
    meant = sign(char)
    kind = meant.kind if meant.kind != "unknown" else first.kind
    latex = meant.latex
    box = first.box.union(second.box)
    return replace(
        second, latex=latex, kind=kind, box=box, left=first.left, right=second.right, char=char, doubts=0
    )


def _struck(items: list[Atom]) -> list[Atom]:
    """A slash over a relation."""
    for slash in [i for i in items if i.char in ("\u0338", "/")]:
        for other in items:
            if other.char not in _STRUCK or abs(other.base - slash.base) > 0.1 * slash.size:
                continue
            if slash.box.overlap_x(other.box) > 0.6 * min(slash.box.width, other.box.width):
                meant = sign(_STRUCK[other.char])
                merged = replace(
                    other, latex=meant.latex, char=_STRUCK[other.char], box=other.box.union(slash.box)
                )
                merged = replace(
                    merged, left=min(slash.left, other.left), right=max(slash.right, other.right)
                )
                items = [*without(items, slash, other), merged]
                break
    return items


def _stacked_relations(items: list[Atom]) -> list[Atom]:
    """A tilde over an equals sign."""
    for upper in [i for i in items if i.char == "∼"]:
        for lower in items:
            close = -0.2 * upper.size < lower.box.y0 - upper.box.y1 < 0.2 * upper.size
            if lower.char == "=" and close and abs(lower.box.x - upper.box.x) < 0.06 * upper.size:
                meant = sign("≅")
                box = lower.box.union(upper.box)
                merged = replace(lower, latex=meant.latex, char="≅", box=box, middle=box.y)
                items = [*without(items, upper, lower), merged]
                break
    return items


def _accented_letters(items: list[Atom]) -> list[Atom]:
    """Accents within words of an upright face joined with their letters; a bar through ``h`` is Planck's constant."""
    for mark in [i for i in items if i.kind == "accent"]:
        for letter in items:
            over = abs(letter.base - mark.base) < 0.4 * mark.size and letter.box.overlap_x(mark.box) > 0
            if letter.kind != "letter" or not over or letter.size != mark.size:
                continue
            if letter.latex == "h" and mark.char == "¯" and mark.box.overlap_y(letter.box) > 0:
                joined = replace(letter, latex="\\hbar", char="ℏ", style="", kind="ord")
            elif letter.style != "math" and _touches_letter(letter, items):
                char = unicodedata.normalize("NFC", letter.char + _COMBINING.get(mark.latex, ""))
                if len(char) != 1 or char == letter.char or abs(letter.box.x - mark.box.x) > 0.15 * mark.size:
                    continue
                joined = replace(letter, latex=char, char=char, box=letter.box.union(mark.box))
            else:
                continue
            items = [*without(items, mark, letter), joined]
            break
    return items


_COMBINING = {
    "\\hat": "\u0302",
    "\\tilde": "\u0303",
    "\\acute": "\u0301",
    "\\grave": "\u0300",
    "\\ddot": "\u0308",
}
_COMBINING |= {
    "\\check": "\u030c",
    "\\breve": "\u0306",
    "\\dot": "\u0307",
    "\\mathring": "\u030a",
    "\\bar": "\u0304",
}


def _touches_letter(letter: Atom, items: Sequence[Atom]) -> bool:
    return any(
        other.kind == "letter"
        and other.style == letter.style
        and other.base == letter.base
        and min(abs(other.left - letter.right), abs(letter.left - other.right)) < 0.05 * letter.size
        for other in without(items, letter)
    )


def brace_spans(items: Sequence[Atom]) -> list[tuple[Box, bool, list[Atom]]]:
    """Horizontal braces: box, whether it lies over what it embraces, and its glyphs."""
    tips = sorted((i for i in items if i.char in ("⏞", "⏟")), key=lambda i: (round(i.box.y, 0), i.left))
    found = [(around([tip]), tip.char == "⏞", [tip]) for tip in tips if not tip.part and tip.box.is_flat]
    tips = [tip for tip in tips if tip.part]
    for n in range(0, len(tips) - 3, 4):
        four = tips[n : n + 4]
        found.append((around(four), four[0].char == "⏞", four))
    return found
