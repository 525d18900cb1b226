"""The eight kinds of facts; each says whether an output states it, and if not, why.

Presence, absence, order, table, math and baseline follow the released benchmark (0.4); format and footnote,
which it does not have yet, follow its development version.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Annotated, Any

from fuzzysearch import find_near_matches
from pydantic import Field
from rapidfuzz import fuzz

from galley.errors import InputError
from galley.evaluation.olmocr.formulas import states
from galley.evaluation.olmocr.normal_form import letters_and_digits, normalise
from galley.evaluation.olmocr.tables import Grid, grids
from galley.evaluation.records import checked

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNEXPECTED_SCRIPT = re.compile(
    "[\u4e00-\u9fff\u3040-\u309f\u30a0-\u30ff\U0001f600-\U0001f64f\U0001f300-\U0001f5ff\U0001f680-\U0001f6ff"
    "\U0001f1e0-\U0001f1ff]"
)
_IMAGE = re.compile(r"!\[.*?\]\(.*?\)")
_AROUND_MARKER = 200
_LONGEST_REPEAT = 5


@dataclass(frozen=True, kw_only=True)
class Check(ABC):
    """A fact about one page (1-based).

    Attributes:
        max_diffs: Characters that may differ.
    """

    pdf: str
    page: int
    id: str
    type: str
    max_diffs: Annotated[int, Field(ge=0)] = 0
    checked: str | None = None
    url: str | None = None

    @abstractmethod
    def failure(self, markdown: str) -> str | None:
        """Why the output does not state the fact; ``None`` when it does."""

    def _alike(self, similarity: float, text: str, least: float = 0.0) -> bool:
        """Whether a similarity of 0 to 100 allows ``max_diffs`` differences in ``text``."""
        return similarity / 100 >= max(least, 1 - self.max_diffs / max(1, len(text)))


@dataclass(frozen=True, kw_only=True)
class Presence(Check):
    """``text`` is on the page (``present``) or is not (``absent``).

    Attributes:
        first_n: Only the first characters of the page count, this many.
        last_n: Only the last characters of the page count, this many.
    """

    text: str
    case_sensitive: bool = True
    first_n: int | None = None
    last_n: int | None = None

    def failure(self, markdown: str) -> str | None:
        """Why the page fails, None where it passes."""
        wanted, page = normalise(self.text), normalise(markdown)
        if not self.case_sensitive:
            wanted, page = wanted.lower(), page.lower()
        head = page[: self.first_n] if self.first_n else ""
        tail = page[-self.last_n :] if self.last_n else ""
        page = head + tail if self.first_n or self.last_n else page
        similarity = fuzz.partial_ratio(wanted, page)
        if self._alike(similarity, wanted) == (self.type == "present"):
            return None
        found = "missing" if self.type == "present" else "there"
        return f"{wanted[:40]!r} is {found}, best match {similarity:.1f} %"


@dataclass(frozen=True, kw_only=True)
class Order(Check):
    """``before`` comes before ``after`` somewhere."""

    before: str
    after: str

    def __post_init__(self) -> None:
        if 2 * self.max_diffs > min(len(normalise(self.before)), len(normalise(self.after))):
            raise InputError(f"max_diffs {self.max_diffs} is more than half of a text")

    def failure(self, markdown: str) -> str | None:
        """Why the page fails, None where it passes."""
        page = normalise(markdown)
        starts = []
        for text in (self.before, self.after):
            matches = find_near_matches(normalise(text), page, max_l_dist=self.max_diffs)
            if not matches:
                return f"{text[:40]!r} is missing"
            starts.append([match.start for match in matches])
        in_order = min(starts[0]) < max(starts[1])
        return None if in_order else f"{self.before[:40]!r} is never before {self.after[:40]!r}"


@dataclass(frozen=True, kw_only=True)
class TableCell(Check):
    """A table has ``cell`` with these neighbours and headings.

    Empty ones are not asked for, and neither is a neighbour past the table's edge.
    """

    cell: str
    up: str = ""
    down: str = ""
    left: str = ""
    right: str = ""
    top_heading: str = ""
    left_heading: str = ""
    ignore_markdown_tables: bool = False

    def failure(self, markdown: str) -> str | None:
        """Why the page fails, None where it passes."""
        found = grids(markdown, pipes=not self.ignore_markdown_tables)
        if not found:
            return "there is no table"
        reason = f"no cell {self.cell[:40]!r}"
        for grid in found:
            for row, cells in enumerate(grid.rows):
                for column, text in enumerate(cells):
                    if self._same(self.cell, text):
                        missing = self._missing(grid, row, column)
                        if not missing:
                            return None
                        reason = f"no cell {self.cell[:40]!r} has {', '.join(missing)}"
        return reason

    def _missing(self, grid: Grid, row: int, column: int) -> list[str]:
        """What is asked for and not there."""
        missing = []
        for name, (down, right) in _STEPS.items():
            wanted, r, c = getattr(self, name), row + down, column + right
            inside = 0 <= r < len(grid.rows) and 0 <= c < len(grid.rows[0])
            if wanted and inside and not self._same(wanted, grid.rows[r][c]):
                missing.append(f"{name} {wanted[:40]!r}")
        above = [(n, cells[column]) for n, cells in enumerate(grid.rows[:row])]
        before = list(enumerate(grid.rows[row][:column]))
        for name, noted, headers, passed in (
            ("top_heading", grid.column_headings.get(column, []), grid.header_rows, above),
            ("left_heading", grid.row_headings.get(row, []), grid.header_columns, before),
        ):
            wanted = getattr(self, name)
            if wanted and not self._heads(wanted, noted, headers, passed):
                missing.append(f"{name} {wanted[:40]!r}")
        return missing

    def _heads(self, wanted: str, noted: list[str], headers: set[int], passed: list[tuple[int, str]]) -> bool:
        """Whether the heading is among those noted or in header cells.

        Where none of these is similar at all, all cells ``passed`` on the way count.
        """
        likely = [*noted, *(text for number, text in passed if number in headers)]
        if any(self._same(wanted, text) for text in likely):
            return True
        if any(self._similarity(wanted, text) > 0 for text in likely):
            return False
        return any(self._same(wanted, text) for _, text in passed if text.strip())

    def _same(self, wanted: str, text: str) -> bool:
        return self._alike(self._similarity(wanted, text), normalise(wanted), least=0.5)

    def _similarity(self, wanted: str, text: str) -> float:
        return fuzz.ratio(normalise(wanted), normalise(text))


_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


@dataclass(frozen=True, kw_only=True)
class Math(Check):
    """A formula is on the page; see ``formulas``."""

    math: str
    ignore_dollar_delimited: bool = False

    def failure(self, markdown: str) -> str | None:
        """Why the page fails, None where it passes."""
        found = states(markdown, self.math, dollars=not self.ignore_dollar_delimited)
        return None if found else f"no formula looks like {self.math[:60]!r}"


@dataclass(frozen=True, kw_only=True)
class Baseline(Check):
    """The page was read sensibly.

    Something was read, it does not end in repetition, and it holds no script the page cannot have. With
    ``max_length``: a blank page stayed blank.
    """

    max_length: int | None = None
    max_length_skips_image_alt_tags: bool = False
    max_repeats: int = 30
    check_disallowed_characters: bool = True

    def failure(self, markdown: str) -> str | None:
        """Why the page fails, None where it passes."""
        if self.max_length is not None:
            text = _IMAGE.sub("", markdown) if self.max_length_skips_image_alt_tags else markdown
            length = sum(map(str.isalnum, text))
            return None if length <= self.max_length else f"{length} characters on a blank page"
        if not any(map(str.isalnum, markdown)):
            return "nothing was read"
        repeats = {size: _repeats_at_end(markdown, size) for size in range(1, _LONGEST_REPEAT + 1)}
        for size, count in repeats.items():
            if count > self.max_repeats:
                return f"ends with {count} repeats of {size} characters"
        unexpected = _UNEXPECTED_SCRIPT.findall(markdown) if self.check_disallowed_characters else []
        return f"unexpected characters {''.join(unexpected[:10])!r}" if unexpected else None


def _repeats_at_end(markdown: str, size: int) -> int:
    text = re.sub(r"\s+", " ", markdown)
    unit, count = text[-size:], 0
    at = len(text) - size
    while at >= 0 and text.startswith(unit, at):
        at -= size
        count += 1
    return count


@dataclass(frozen=True, kw_only=True)
class Format(Check):
    """``text`` is a heading, bold or italic."""

    text: str
    format: str
    case_sensitive: bool = True

    def __post_init__(self) -> None:
        if self.format not in _FORMATS:
            raise InputError(f"format {self.format!r} is none of {', '.join(_FORMATS)}")

    def failure(self, markdown: str) -> str | None:
        """Why the page fails, None where it passes."""
        wanted = normalise(self.text)
        found = [normalise(text) for pattern in _FORMATS[self.format] for text in pattern.findall(markdown)]
        if not self.case_sensitive:
            wanted, found = wanted.lower(), [text.lower() for text in found]
        if any(self._alike(fuzz.partial_ratio(wanted, text), wanted) for text in found):
            return None
        return f"{wanted[:40]!r} is not {self.format}"


def _html(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<{tag}[^>]*>(.*?)</{tag}>", re.I | re.S)


_FORMATS = {
    "heading": (re.compile(r"^#{1,6}\s+(.+?)$", re.M), _html("h[1-6]")),
    "bold": (re.compile(r"\*\*(.*?)\*\*", re.S), re.compile(r"__(.*?)__", re.S), _html("b"), _html("strong")),
    "italic": (
        re.compile(r"(?<!\*)\*(?!\*)(.*?)(?<!\*)\*(?!\*)", re.S),
        re.compile(r"(?<!_)_(?!_)(.*?)(?<!_)_(?!_)", re.S),
        _html("i"),
        _html("em"),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Footnote(Check):
    """A footnote marker stands raised, after and before the texts asked for."""

    marker: str
    appears_before_marker: str | None = None
    appears_after_marker: str | None = None

    def failure(self, markdown: str) -> str | None:
        """Why the page fails, None where it passes."""
        spans = [match.span() for pattern in self._patterns() for match in pattern.finditer(markdown)]
        if not spans:
            return f"marker {self.marker!r} is not raised anywhere"
        before = (letters_and_digits(markdown[max(0, start - _AROUND_MARKER) : start]) for start, _ in spans)
        after = (letters_and_digits(markdown[end : end + _AROUND_MARKER]) for _, end in spans)
        if self.appears_before_marker:
            size = 2 * len(letters_and_digits(self.appears_before_marker))
            if not self._near(self.appears_before_marker, (text[-size:] for text in before)):
                return f"{self.appears_before_marker[:40]!r} is not before marker {self.marker!r}"
        if self.appears_after_marker:
            size = 2 * len(letters_and_digits(self.appears_after_marker))
            if not self._near(self.appears_after_marker, (text[:size] for text in after)):
                return f"{self.appears_after_marker[:40]!r} is not after marker {self.marker!r}"
        return None

    def _patterns(self) -> list[re.Pattern[str]]:
        marker = re.escape(self.marker)
        patterns = [re.compile(rf"\[\^{marker}\](?!:)"), re.compile(rf"<sup[^>]*>{marker}</sup>", re.I)]
        if all(character in "0123456789" for character in self.marker):
            patterns.append(re.compile(self.marker.translate(_SUPERSCRIPTS)))
        return patterns

    def _near(self, text: str, contexts: Iterable[str]) -> bool:
        wanted, written = letters_and_digits(text), normalise(text)
        return any(
            self._alike(fuzz.partial_ratio(wanted, context), written) for context in contexts if context
        )


_TYPES: dict[str, type[Check]] = {
    **{"present": Presence, "absent": Presence, "order": Order, "table": TableCell, "math": Math},
    **{"baseline": Baseline, "format": Format, "footnote": Footnote},
}
_NEVER_EMPTY = ("pdf", "id", "text", "before", "after", "math", "marker")


def make_check(data: dict[str, Any]) -> Check:
    """A check from its JSON object; raises ``InputError`` naming what is wrong with it."""
    kind = _TYPES.get(str(data.get("type")))
    if kind is None:
        raise InputError(f"test type {data.get('type')!r} is none of {', '.join(_TYPES)}")
    known = {field.name for field in fields(kind)}
    unknown = sorted(set(data) - known)
    if unknown:
        raise InputError(f"a {data['type']} test has no {', '.join(unknown)}")
    empty = [name for name in _NEVER_EMPTY if name in known and not str(data.get(name) or "").strip()]
    if empty:
        raise InputError(f"a {data['type']} test needs {', '.join(empty)}")
    given = {name: value for name, value in data.items() if value is not None}
    return checked(given, kind, f"a {data['type']} test is not as it has to be")
