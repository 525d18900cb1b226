"""How many of a table's first rows are its head."""

from __future__ import annotations

import re

from galley.drafters.tables.cells import Place
from galley.drafters.tables.frame import Frame

MOST = 5
"""Head rows looked for at most."""

_DIGITS = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]")


def header_rows(frame: Frame, places: list[Place]) -> int:
    """Leading rows that are the head.

    Those above the first rule that parts head from body, else the first row and the rows its spans reach or divide. 0
    where the first row reads like data.
    """
    rows = len(frame.rows)
    if rows < 2:
        return 0
    least = _by_spans(places, rows)
    ruled = _by_rule(frame)
    if ruled is not None and ruled >= least:
        return ruled
    return least if least > 1 or not _like_data(places) else 0


def _by_spans(places: list[Place], rows: int) -> int:
    """Rows until the first one whose cells all end with it and head single columns."""
    right = max(place.right for place in places)
    count = 1
    while count < min(MOST, rows - 1):
        head = [place for place in places if place.top < count and place.pieces]
        reach = max((place.bottom + 1 for place in head), default=1)
        # A heading as high as several rows stands over the columns that name the rows and divides nothing.
        last = [p for p in head if p.top == p.bottom == count - 1 and p.right > p.left]
        if reach > count:
            count = reach
        elif last and not any(place.left == 0 and place.right == right for place in last):
            count += 1
        else:
            break
    return min(count, rows - 1)


def _by_rule(frame: Frame) -> int | None:
    """Rows above the first rule or band edge across the table, unless such rules part the body's rows too."""
    left, right = frame.gaps[0].left, frame.gaps[-1].right
    across = [r for r, mark in enumerate(frame.above) if r and mark is not None and mark.covers(left, right)]
    if not across or across[0] > MOST:
        return None
    body = len(frame.rows) - across[0]
    inner = len(across) - 1
    return across[0] if body > 1 and inner <= 0.4 * (body - 1) else None


def _like_data(places: list[Place]) -> bool:
    """True when most of the first row's cells after the first are figures, and no fewer than in the rows below."""
    first = [_figure(p) for p in places if p.top == 0 and p.left > 0 and p.pieces]
    rest = [_figure(p) for p in places if p.top > 0 and p.left > 0 and p.pieces]
    if not first or not rest:
        return False
    share, usual = sum(first) / len(first), sum(rest) / len(rest)
    return share > 0.6 and share >= usual - 0.2 and not _years(places)


def _years(places: list[Place]) -> bool:
    return any(re.search(r"\b(19|20)\d\d\b", piece.text) for p in places if p.top == 0 for piece in p.pieces)


def _figure(place: Place) -> bool:
    text = " ".join(piece.text for piece in place.pieces)
    return len(_DIGITS.findall(text)) > len(_LETTERS.findall(text))
