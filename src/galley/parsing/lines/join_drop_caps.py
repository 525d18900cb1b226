"""Pass: drop caps, a large first letter, several lines high, joined to the word it begins.

Readers of lines give it as a line of its own, which would be lost among headings or split its word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.drafters.line import TextLine, Word
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.text.hyphenation import Vocabulary

_INITIAL = re.compile(r"[\"'“‘«„]?\s?[^\W\d_]")
# In heights of the line beside the letter:
TALL = 1.7
"""Least height of the letter; capitals of larger type on one line are lower."""
REACH = 2.0
"""Farthest that the line begins to the right of the letter."""
TOP_SLACK = 0.7
"""How far the first of several lines may begin above or below the letter's top."""
LEAST_SHARED = 0.3
"""Least overlap in height of a line that stands beside the letter."""
FOOT_SLACK = 0.35
"""How far the foot of a single line may be from the letter's."""
# Counts:
LEAST_CHARS = 10
"""Characters of a line beside the letter; shorter ones are labels."""
LEAST_LINES = 2
"""Lines beside a letter that hangs below the first one."""
# In heights of the letter:
BOX_SLACK = 0.15
"""How far a reader's box may end short of the letter."""
_ONE_LETTER_WORDS = frozenset("AIO")


def join_drop_caps(page: PageState, tools: PageTools) -> None:
    """Join each large first letter to the line it begins.

    Reads: lines.
    Changes: lines.
    """
    page.lines = joined_drop_caps(page.lines)


def joined_drop_caps(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines in their order.

    A letter that stands beside two and more lines begins the first of them, one that rises above a single line begins
    that.

    The boxes of all lines beside it begin where it does: none of them is indented.
    """
    whole: dict[int, TextLine] = {}
    gone: set[int] = set()
    words: Vocabulary | None = None
    for i, letter in enumerate(lines):
        if not _INITIAL.fullmatch(letter.text.strip()) or not letter.text.strip()[-1].isupper():
            continue
        beside = _beside(lines, i)
        if beside and whole.keys().isdisjoint(beside):
            words = words or Vocabulary(line.text for line in lines)
            whole |= {n: _widened(lines[n], letter) for n in beside}
            whole[beside[0]] = _joined(letter, whole[beside[0]], words)
            gone.add(i)
    return [whole.get(i, line) for i, line in enumerate(lines) if i not in gone]


def _beside(lines: Sequence[TextLine], i: int) -> list[int]:
    """The lines beside letter ``i`` from the one it begins downwards; none if it begins no line."""
    tight = lines[i].bbox
    # A reader's box may end short of the letter.
    slack = BOX_SLACK * tight.height
    letter = tight.model_copy(update={"y0": tight.y0 - slack, "y1": tight.y1 + slack})
    beside = [
        n
        for n, line in enumerate(lines)
        if min(letter.y1, line.bbox.y1) - max(letter.y0, line.bbox.y0) > LEAST_SHARED * line.bbox.height
        and tight.height >= TALL * line.bbox.height
        and letter.center[0] < line.bbox.x0 < letter.x1 + REACH * line.bbox.height
        and len(line.text) >= LEAST_CHARS
    ]
    beside.sort(key=lambda n: lines[n].bbox.y0)
    if not beside:
        return []
    first = lines[beside[0]].bbox
    reach = TOP_SLACK * first.height
    sunk = len(beside) >= LEAST_LINES and letter.y0 - reach < first.y0 < tight.y0 + reach
    raised = len(beside) == 1 and abs(first.y1 - tight.y1) < FOOT_SLACK * first.height
    return beside if (sunk or raised) and lines[beside[0]].text[0].isalpha() else []


def _widened(line: TextLine, letter: TextLine) -> TextLine:
    return replace(line, bbox=line.bbox.model_copy(update={"x0": min(letter.bbox.x0, line.bbox.x0)}))


def _joined(letter: TextLine, line: TextLine, words: Vocabulary) -> TextLine:
    initial = letter.text.strip()
    rest = re.match(r"[^\W\d_]+", line.text)
    assert rest is not None
    apart = initial[-1] in _ONE_LETTER_WORDS and initial[-1] + rest.group() not in words
    return replace(
        line,
        text=initial + (" " if apart else "") + line.text,
        words=_with_initial(initial, letter, line.words, apart),
        char_frames=None,
        features=None,
    )


def _with_initial(initial: str, letter: TextLine, words: Sequence[Word], apart: bool) -> list[Word]:
    if not words:
        return []
    first = words[0]
    if apart:
        box = first.bbox.model_copy(update={"x0": letter.bbox.x0, "x1": letter.bbox.x1})
        return [Word(initial, box), *words]
    bbox = first.bbox.model_copy(update={"x0": letter.bbox.x0})
    if first.styles is None or first.char_boxes is None:
        return [Word(initial + first.text, bbox), *words[1:]]
    # A drop cap is an ornament; what matters is how the text goes on.
    boxes = np.concatenate([np.repeat(first.char_boxes[:1], len(initial), axis=0), first.char_boxes])
    styles = (first.styles[0],) * len(initial) + first.styles
    return [Word(initial + first.text, bbox, styles=styles, char_boxes=boxes), *words[1:]]
