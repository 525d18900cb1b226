"""Stretches of a line of text that are mathematics, by faces, signs, scripts and spacing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import AXIS, BORROWED, HALVES, Atom
from galley.drafters.glyph_formulas.text_lines import Row, bracket_boxes
from galley.drafters.glyph_formulas.words import FUNCTIONS, LIMITS

_SPACE = 0.47
"""ems between two signs of one formula, at most"""
_WORD_SPACE, _WORD_STRETCH, _RELATION_SPACE = 0.26, 0.14, 0.278
"""ems: TeX's space between words and what it stretches by, and that around relations, which stretches by itself"""
_SCRIPT_GAP = 0.12
"""ems from a letter to its script, at most"""
_CLOSE = 0.13
"""ems between glyphs that touch"""
_AFTER_COMMA = 0.235
"""ems after a comma within a formula, at most; a space of text is wider"""
_SIGNED = frozenset("−×±→·∗")
"""Borrowed signs that make a formula between figures or variables."""
_SUFFIXES = frozenset(("s", "st", "nd", "rd", "th", "ths", "fold", "ary", "ness", "ish"))
_SHORT_WORDS = frozenset(
    [
        "is",
        "in",
        "of",
        "to",
        "an",
        "as",
        "at",
        "by",
        "it",
        "no",
        "on",
        "or",
        "so",
        "up",
        "we",
        "he",
        "me",
        "my",
        "us",
        "do",
        "go",
        "if",
        "be",
        "am",
        "et",
        "al",
        "ii",
        "iv",
        "vi",
    ]
)


@dataclass
class _Token:
    """An atom on the line with its scripts, or a word.

    Attributes:
        rank: 2 mathematics, 1 either, 0 text.
    """

    items: list[Atom]
    rank: int
    name: str
    left: float
    right: float
    kind: str


def find_runs(row: Row, rules: Sequence[Box], goes_on: bool) -> list[list[Atom]]:
    """The atoms of each formula in a line, from left to right.

    Args:
        row: The line of text.
        rules: Flat ones near the line.
        goes_on: The line before ends within a formula.
    """
    tokens = _tokens(row, rules)
    em = row.size * _looseness(tokens, row.size)
    runs: list[tuple[int, int]] = []
    at = 0
    while at < len(tokens):
        is_seed = tokens[at].rank == 2 or _is_signed(tokens, at, row.size)
        if not is_seed and not (goes_on and at == 0 and tokens[0].rank == 1):
            at += 1
            continue
        start, end = _extended(tokens, at, row.size, em, runs[-1][1] if runs else 0)
        runs.append((start, end))
        at = max(end, at + 1)
    return [[item for token in tokens[start:end] for item in token.items] for start, end in runs]


def _looseness(tokens: Sequence[_Token], em: float) -> float:
    """How much wider than usual the spaces of a justified line are; those around relations stretch with them."""
    gaps = sorted(
        b.left - a.right
        for a, b in pairwise(tokens)
        if a.rank == b.rank == 0 and 0.18 * em < b.left - a.right < 1.5 * em
    )
    if not gaps:
        return 1.0
    stretch = (gaps[len(gaps) // 2] / em - _WORD_SPACE) / _WORD_STRETCH
    return max(1.0, (_RELATION_SPACE * (1 + stretch) + 0.08) / _SPACE)


def _tokens(row: Row, rules: Sequence[Box]) -> list[_Token]:
    """Words, figures, signs, fractions and roots of a line in order."""
    spans = _spans(row, rules)
    found: list[_Token] = []
    accents: list[Atom] = []
    for item in row.items:
        last = found[-1] if found else None
        span = next((span for span in spans if span.left <= item.box.x <= span.right), None)
        if span is not None:
            if not span.items:
                found.append(span)
            span.items.append(item)
        elif item.kind == "accent" or (row.is_off(item) and _is_over(item, row)):
            accents.append(item)
        elif row.is_off(item):
            if last is not None and item.left < last.right + _SCRIPT_GAP * row.size:
                _attach(last, item)
            else:
                found.append(_Token([item], 2 if _is_marked(item) else 0, "", item.left, item.right, "group"))
        elif last is not None and _continues_word(last, item, row.size):
            last.items.append(item)
            last.name += item.char
            last.right = item.right
        else:
            kind = "rel" if item.char in HALVES else item.kind
            found.append(_Token([item], _rank(item), item.char, item.left, item.right, kind))
    found = [_judged(token) for token in found]
    _mark_operators(found, row.size)
    for accent in accents:
        under = [
            token
            for token in found
            if token.left - 0.1 * row.size < accent.box.x < token.right + 0.15 * row.size
        ]
        if under:
            nearest = min(under, key=lambda token: abs(accent.box.x - (token.left + token.right) / 2))
            nearest.items.append(accent)
            if nearest.kind == "letter" and len(nearest.name) == 1 and nearest.items[0].style == "\\mathbf":
                nearest.rank = 2
    return found


def _mark_operators(tokens: Sequence[_Token], em: float) -> None:
    """Words that touch a bracket with mathematics behind it may be names of operators."""
    for word, bracket, inside in zip(tokens, tokens[1:], tokens[2:], strict=False):
        touches = bracket.left - word.right < 0.1 * em and bracket.name == "("
        if word.rank == 0 and word.name.isalpha() and touches and inside.rank == 2:
            word.rank = 1


def _is_over(item: Atom, row: Row) -> bool:
    """Whether a small sign stands right over a letter of the line, as an arrow over a vector."""
    em = row.size
    if item.kind not in ("rel", "bin"):
        return False
    return any(
        not row.is_off(other)
        and abs(other.box.x - item.box.x) < 0.13 * em
        and -0.3 * em < other.box.y0 - item.box.y1 < 0.3 * em
        for other in row.items
    )


def _spans(row: Row, rules: Sequence[Box]) -> list[_Token]:
    """Empty tokens where a fraction bar lies on the axis, or a root's roof goes on from its sign."""
    found = []
    axis = row.base - AXIS * row.size
    for rule in rules:
        root = next(
            (i for i in row.items if i.kind == "radical" and abs(i.box.x1 - rule.x0) < 0.15 * row.size), None
        )
        over = [i for i in row.items if rule.x0 < i.box.x < rule.x1 and i.box.y < rule.y]
        under = [i for i in row.items if rule.x0 < i.box.x < rule.x1 and i.box.y > rule.y]
        edge = 0.05 * row.size
        if root is not None and under:
            found.append(_Token([], 2, "", root.box.x0 - edge, rule.x1 + edge, "group"))
        elif over and under and abs(rule.y - axis) < 0.12 * row.size:
            found.append(_Token([], 2, "", rule.x0 - edge, rule.x1 + edge, "group"))
    found += [
        _Token([], 2, "", box.x0 - 0.01, box.x1 + 0.01, "group") for box in bracket_boxes(row.items, row.size)
    ]
    return [
        a for a in found if not any(b is not a and b.left <= a.left and a.right <= b.right for b in found)
    ]


def _attach(token: _Token, item: Atom) -> None:
    """Add a script to what it stands behind, which is mathematics where the script wears a mathematical face."""
    token.items.append(item)
    token.right = max(token.right, item.right)
    bold = token.kind == "letter" and len(token.name) == 1 and token.items[0].style == "\\mathbf"
    if _is_marked(item) or (bold and item.kind == "letter"):
        token.rank = 2


def _is_marked(item: Atom) -> bool:
    """Whether only mathematics looks like this."""
    if item.char in BORROWED:
        return False
    capital = item.kind == "letter" and item.latex.startswith("\\") and item.latex[1].isupper()
    return item.is_mathematical or item.centred or item.style == "math" or capital


def _rank(item: Atom) -> int:
    if _is_marked(item):
        return 2
    neutral = item.kind in (
        "digit",
        "punct",
        "open",
        "close",
        "fence",
        "bin",
        "rel",
        "prime",
    ) or item.char in ("!", "/", "…")
    return 1 if neutral or item.is_mathematical else 0


def _continues_word(last: _Token, item: Atom, size: float) -> bool:
    """Whether a letter goes on with a word."""
    before = last.items[-1]
    close = item.left - last.right < 0.06 * size and abs(item.size - before.size) < 0.05 * size
    same = before.style == item.style and abs(before.base - item.base) < 0.01 * size
    letters = last.kind == item.kind == "letter" and last.name.isalpha()
    return close and same and letters and not before.is_mathematical and item.latex == item.char


def _judged(token: _Token) -> _Token:
    """Words of letters are text, functions either; a bold letter may be a vector, two slanting ones a product."""
    if (
        token.kind != "letter"
        or (token.rank == 2 and token.items[0].is_mathematical)
        or len(token.items) > len(token.name)
    ):
        return token
    style, name = token.items[0].style, token.name
    if style == "math":
        token.rank = 2 if len(name) <= 2 and name.lower() not in _SHORT_WORDS else 0
    elif name in FUNCTIONS or name in LIMITS or name == "mod" or (style and len(name) == 1):
        token.rank = 1
    elif token.rank != 2:
        token.rank = 0
    return token


def _extended(tokens: Sequence[_Token], at: int, em: float, loose: float, least: int) -> tuple[int, int]:
    """First and one past the last token of the formula around one, not before ``least``."""
    start, end = at, at + 1
    while end < len(tokens) and _joins(tokens, end - 1, end, em, loose):
        end += 1
    while start > least and _joins(tokens, start - 1, start, em, loose):
        start -= 1
    return _trimmed(tokens, start, end, at)


def _joins(tokens: Sequence[_Token], left: int, right: int, em: float, loose: float) -> bool:
    """Whether two neighbours may stand in one formula."""
    a, b = tokens[left], tokens[right]
    gap = (b.left - a.right) / em
    if a.rank == 0 or b.rank == 0:
        return _touches(a, b, gap)
    if a.kind == "punct" and a.name not in ":" and not _is_decimal(tokens, left, em):
        return gap < _AFTER_COMMA
    if b.kind == "punct" and b.name != ":":
        return gap < 0.3
    signs = ("bin", "rel", "big", "integral")
    if a.kind in signs or b.kind in signs or a.name in (":", "/", "…") or b.name in (":", "/", "…"):
        return b.left - a.right < _SPACE * loose
    if (a.kind == "fence" and a.items[0].is_mathematical) or (
        b.kind == "fence" and b.items[0].is_mathematical
    ):
        return b.left - a.right < _SPACE * loose
    if a.rank == b.rank == 2 or (a.rank == 2 and b.kind == "open") or (a.kind == "close" and b.rank == 2):
        return gap < _AFTER_COMMA
    if (a.name.isalpha() and len(a.name) > 1) or (b.name.isalpha() and len(b.name) > 1):
        return gap < 0.2
    return gap < _CLOSE + 0.06 * (a.kind in ("close",) or b.kind in ("open",))


def _touches(a: _Token, b: _Token, gap: float) -> bool:
    """Whether a word is part of a formula: an operator's name before a bracket, a unit right behind a figure."""
    if (a.rank == 0 and b.rank == 0) or a.kind not in ("letter", "group", "digit", "rel", "bin"):
        return False
    if a.rank == 0:
        return False
    if a.rank == 2 and a.kind in ("rel", "bin"):
        return b.name.isalpha() and b.items[0].style != "math" and 0.1 < gap < 0.36
    return (
        b.name.isalpha()
        and b.name not in _SUFFIXES
        and b.items[0].style == ""
        and -0.1 < gap < 0.08
        and a.name != ""
    )


def _is_decimal(tokens: Sequence[_Token], at: int, em: float) -> bool:
    """Whether a point or comma stands between figures without a space."""
    if not 0 < at < len(tokens) - 1:
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    return before.kind == after.kind == "digit" and after.left - tokens[at].right < _CLOSE * em


_OPEN, _CLOSED = "([{⌊⌈", ")]}⌋⌉"


def _trimmed(tokens: Sequence[_Token], start: int, end: int, at: int) -> tuple[int, int]:
    """A stretch without the prose's own punctuation at its ends, its brackets in pairs."""
    changed = True
    while changed and end - start > 1:
        changed = False
        depth, lonely_close, opened = 0, None, []
        for n in range(start, end):
            name = tokens[n].name
            if name in _OPEN and name:
                opened.append(n)
                depth += 1
            elif name in _CLOSED and name:
                if opened:
                    opened.pop()
                elif lonely_close is None:
                    lonely_close = n
        last, first = tokens[end - 1], tokens[start]
        if lonely_close is not None and lonely_close > at:
            end, changed = lonely_close, True
        elif lonely_close is not None and lonely_close < at:
            start, changed = lonely_close + 1, True
        elif opened and opened[-1] < at:
            start, changed = opened[-1] + 1, True
        elif opened and opened[0] > at:
            end, changed = opened[0], True
        elif end - 1 > at and (last.kind == "punct" or last.name == "-"):
            end, changed = end - 1, True
        elif start < at and first.kind in ("punct", "close"):
            start, changed = start + 1, True
        elif _is_wrapped(tokens[start:end]):
            start, end, changed = start + 1, end - 1, True
    return start, end


def _is_wrapped(tokens: Sequence[_Token]) -> bool:
    """Whether a stretch is one variable in brackets, as prose writes it."""
    return len(tokens) == 3 and tokens[0].name == "(" and tokens[2].name == ")" and len(tokens[1].items) == 1


def _is_signed(tokens: Sequence[_Token], at: int, em: float) -> bool:
    """Whether a sign of a mathematical face stands before a figure or between two: ``−5``, ``3 × 4``."""
    token = tokens[at]
    if token.name not in _SIGNED or not token.items[0].is_mathematical or at + 1 == len(tokens):
        return False
    after = tokens[at + 1]
    return after.kind in ("digit", "open") and (after.left - token.right) / em < 0.35
