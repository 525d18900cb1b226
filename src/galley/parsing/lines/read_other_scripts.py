"""Pass: lines in scripts that Galley's own recogniser does not know, read by Tesseract where that is installed."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.document import BBox
from galley.drafters.letter_ink import mean_near
from galley.drafters.line import TextLine, Word
from galley.drafters.ocr.crops import crop_line
from galley.drafters.ocr.tesseract import LineReading, Tesseract
from galley.errors import ModelError
from galley.languages import Language, languages_of, of_script, other_scripts, packages_for
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

_HEIGHT = 56
"""Pixels that a line is high for Tesseract; its models were taught letters of some 30 pixels."""
_MARGIN = 0.12
"""Of a line's height, added above and below: the detector cuts marks off that Latin letters do not have."""
_SAMPLE = 3
"""Lines, the longest, from which the script is told."""
_MOST = 1 / 3
"""Share of lines in doubt from which on every line of the page is read again: some may be words that look Latin."""
_SURE = 0.5
"""Least confidence of Tesseract's, 0 to 1, at which its reading is taken."""
_DETECTED = 0.75
"""Least confidence of most sampled lines at which a script that nobody named is believed: of a script that is
not installed another one reads something, too."""
_IN_SCRIPT = 0.8
"""Share of their letters that has to be of the script."""
_LETTERS_MISSING = 0.86
"""Share of letter ink that ordinary letters at the places of those read cover; on 58 real pages in known scripts it is
0.87 and more, in Vietnamese, whose vowels with two marks are not known, 0.83."""
_LEAST_LINES = 3
"""Lines that this share is taken over."""
_WIDE_SCRIPTS = 0x2E80
"""First code point of the East Asian scripts, whose letters are wider."""


def read_other_scripts(page: PageState, tools: PageTools) -> None:
    """Read again, with Tesseract, the lines of the image that show more letters than were read.

    With languages asked for that the own recogniser does not know every line is read by both. A line takes
    Tesseract's text where that is in the script in question, or where its own reading is in doubt.

    Reads: image, uses_text_layer.
    Changes: lines, ocr_lines, illegible_lines.

    Raises:
        ModelError: a language was asked for whose data for Tesseract is not installed.
    """
    asked = [one for one in languages_of(tools.options.lang) if not one.is_known]
    doubtful = doubtful_lines(page)
    if page.uses_text_layer or not (asked or doubtful):
        return
    tesseract = tools.tesseract
    languages = _installed(asked, tesseract) if asked else _detected(page.image, doubtful, tesseract)
    if not languages:
        return
    legible = page.ocr_lines
    everything = bool(asked) or len(doubtful) >= _MOST * len([*legible, *page.illegible_lines])
    lines = [*legible, *page.illegible_lines] if everything else doubtful
    data = [one.data for one in languages]
    if "eng" in tesseract.installed:
        data.append("eng")
    read = tesseract.read(_crops(page.image, lines), data)
    scripts = {one.script for one in languages}
    taken = {
        id(line): _taken(line, reading)
        for line, reading in zip(lines, read, strict=True)
        if _is_better(reading, line, scripts)
    }
    page.ocr_lines = _in_rows(
        [
            *(taken.get(id(line), line) for line in legible),
            *(taken[id(line)] for line in page.illegible_lines if id(line) in taken),
        ]
    )
    page.illegible_lines = [line for line in page.illegible_lines if id(line) not in taken]
    page.lines = list(page.ocr_lines)


def doubtful_lines(page: PageState) -> list[TextLine]:
    """Lines that show more letters than were read: each by itself, or all where the page as a whole lacks letters."""
    spelt = [
        line for line in page.ocr_lines if line.ink is not None and max(map(ord, line.text)) < _WIDE_SCRIPTS
    ]
    if len(spelt) >= _LEAST_LINES and mean_near(line.ink for line in spelt if line.ink) < _LETTERS_MISSING:
        return [*page.ocr_lines, *(line for line in page.illegible_lines if line.is_unread)]
    return [line for line in [*page.ocr_lines, *page.illegible_lines] if line.is_unread]


def _installed(languages: Sequence[Language], tesseract: Tesseract) -> list[Language]:
    missing = [one for one in languages if one.data not in tesseract.installed]
    if missing:
        names = ", ".join(one.code for one in missing)
        raise ModelError(
            f"--lang {names} needs Tesseract and its data: apt install tesseract-ocr {packages_for(missing)}"
        )
    return list(languages)


def _detected(image: NDArray[np.uint8], lines: Sequence[TextLine], tesseract: Tesseract) -> list[Language]:
    """The installed languages of the script that the lines are in; none where none of them reads the lines."""
    if not tesseract.installed:
        return []
    longest = sorted(lines, key=lambda line: -line.bbox.width / max(line.bbox.height, 1.0))[:_SAMPLE]
    crops = _crops(image, longest)
    for script, languages in _candidates(tesseract, crops, lines):
        read = tesseract.read(crops, [one.data for one in languages])
        fits = [one.confidence >= _DETECTED and _share(one.text, {script}) >= _IN_SCRIPT for one in read]
        if 2 * sum(fits) > len(fits):
            return languages
    return []


def _candidates(
    tesseract: Tesseract, crops: Sequence[NDArray[np.uint8]], lines: Sequence[TextLine]
) -> list[tuple[str, list[Language]]]:
    """Scripts to try with their installed languages, the one that Tesseract sees first.

    Where the lines lack single letters alone, they are Latin, of a language with letters of its own.
    """
    if not any(line.is_unread for line in lines):
        lacking = [one for one in of_script("Latin", tesseract.installed) if not one.is_known]
        return [("Latin", [one]) for one in lacking]
    seen = tesseract.script(crops)
    installed = [(script, of_script(script, tesseract.installed)) for script in other_scripts()]
    known = [pair for pair in installed if pair[1]]
    return sorted(known, key=lambda pair: pair[0] != seen)


def _crops(image: NDArray[np.uint8], lines: Sequence[TextLine]) -> list[NDArray[np.uint8]]:
    """What each line shows, as an image ``_HEIGHT`` pixels high."""
    page = Image.fromarray(image)
    return [crop_line(page, _quad(line), _HEIGHT) for line in lines]


def _quad(line: TextLine) -> NDArray[np.float32]:
    box = _framed(line.bbox)
    return np.array([[box.x0, box.y0], [box.x1, box.y0], [box.x1, box.y1], [box.x0, box.y1]], np.float32)


def _framed(box: BBox) -> BBox:
    margin = _MARGIN * box.height
    return BBox(x0=box.x0, y0=box.y0 - margin, x1=box.x1, y1=box.y1 + margin)


def _is_better(reading: LineReading, line: TextLine, scripts: set[str]) -> bool:
    """Whether Tesseract's reading is to be taken: its text is in the script, or the line's own is in doubt."""
    if not reading.text or reading.confidence < _SURE:
        return False
    return _share(reading.text, scripts) >= 0.5 or line.is_unread


def _share(text: str, scripts: set[str]) -> float:
    """Share of a text's letters that are of some scripts."""
    letters = [letter for letter in text if letter.isalpha() or unicodedata.category(letter).startswith("M")]
    return sum(map(_in_scripts(scripts), letters)) / len(letters) if letters else 0.0


def _in_scripts(scripts: set[str]) -> Callable[[str], bool]:
    starts = tuple(script.upper() for script in scripts)
    return lambda letter: unicodedata.name(letter, "").startswith(starts)


def _taken(line: TextLine, reading: LineReading) -> TextLine:
    """The line with Tesseract's text, its words' boxes on the page."""
    box = _framed(line.bbox)
    scale = box.height / _HEIGHT

    def placed(one: BBox) -> BBox:
        return BBox(x0=box.x0 + scale * one.x0, y0=line.bbox.y0, x1=box.x0 + scale * one.x1, y1=line.bbox.y1)

    return replace(
        line,
        text=reading.text,
        confidence=min(reading.confidence, 1.0),
        words=[Word(word.text, placed(word.bbox)) for word in reading.words],
        char_frames=None,
        features=None,
        ink=None,
    )


def _in_rows(lines: list[TextLine]) -> list[TextLine]:
    return sorted(lines, key=lambda line: (line.bbox.center[1], line.bbox.x0))
