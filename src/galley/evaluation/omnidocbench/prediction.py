"""A page's predicted Markdown cut into the elements that OmniDocBench matches: tables, formulas, text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from galley.evaluation.omnidocbench.pipe_tables import pipe_tables_to_html


class Kind(str, Enum):
    """The benchmark's own names of predicted elements."""

    TEXT = "text_all"
    FORMULA = "equation_isolated"
    HTML_TABLE = "html_table"
    LATEX_TABLE = "latex_table"


@dataclass(frozen=True)
class Element:
    """A part of predicted Markdown.

    Attributes:
        kind: What it is.
        start: Orders elements on the page.
        content: Its text, LaTeX or HTML.
        detail: The finer category that the reference keeps, where there is one.
    """

    kind: Kind
    start: int
    content: str
    detail: str = ""

    @property
    def category(self) -> str:
        """The category's name as the reference writes it."""
        return self.detail or self.kind.value

    @property
    def inline(self) -> bool:
        """Whether this is a formula inside a line of text."""
        return self.detail == "equation_inline"


_IMAGE = re.compile(r"!\[.*?\]\(.*?\)")
_FENCE = re.compile(r"^```(?:markdown|html|latex)\n?", re.M)
_FENCE_END = re.compile(r"```\n?$", re.M)
_WRAPPER = re.compile(r"</?(?:html|body)>")
_LATEX_TABLE = re.compile(r"\\begin{table}.*?\\end{table}", re.S)
_TABULAR = (re.compile(r"\\begin{tabular}"), re.compile(r"\\end{tabular}"))
_HTML_TABLE = (re.compile(r"<table[^>]*>"), re.compile(r"</table>"))
_CONVERTED_TABLE = re.compile(r"<table.*?</table>", re.S)
_FORMULA = re.compile(r"\$\$(.*?)\$\$|\\\[(.*?)\\\]|\$(.*?)\$|\\\((.*?)\\\)", re.S)
_DOLLARS = re.compile(r"\$\$(.*?)\$\$|\$(.*?)\$|\\\((.*?)\\\)", re.S)
_HEADING_COMMAND = re.compile(r"\\(?:title|text|section\*?)\s*\{\s*(.*?)\s*\}", re.S)


def elements(markdown: str) -> list[Element]:
    """Every element, in order of ``start``.

    Inline formulas are listed as formulas and stay in their text as well: a display formula may have been
    written inline, and matching decides.
    """
    content = _IMAGE.sub("", markdown)
    content = _FENCE_END.sub("", _FENCE.sub("", content))
    content = re.sub(r" {4,}", "    ", re.sub(r"_{4,}", "____", content))
    content = _WRAPPER.sub("", content)
    found: list[Element] = []
    for take in (_take_latex_tables, _take_html_tables, _take_formulas, _take_pipe_tables):
        content = take(content, found)
    found += _paragraphs(_HEADING_COMMAND.sub(r"\1", content))
    return sorted(found, key=lambda element: element.start)


def _blank(content: str, start: int, end: int) -> str:
    return content[:start] + " " * (end - start) + content[end:]


def _take_latex_tables(content: str, found: list[Element]) -> str:
    spans = [match.span() for match in _LATEX_TABLE.finditer(content)]
    outside = content
    for start, end in spans:
        outside = _blank(outside, start, end)
    # The reference takes one character more after \end{tabular}, most often the line end.
    spans += [(start, min(end + 1, len(content))) for start, end in _outermost(outside, *_TABULAR)]
    return _take(content, sorted(spans), Kind.LATEX_TABLE, found)


def _take_html_tables(content: str, found: list[Element]) -> str:
    return _take(content, list(_outermost(content, *_HTML_TABLE)), Kind.HTML_TABLE, found)


def _take_pipe_tables(content: str, found: list[Element]) -> str:
    content = pipe_tables_to_html(content)
    spans = [match.span() for match in _CONVERTED_TABLE.finditer(content)]
    return _take(content, spans, Kind.HTML_TABLE, found, "md2html_table")


def _take(
    content: str, spans: list[tuple[int, int]], kind: Kind, found: list[Element], detail: str = ""
) -> str:
    for start, end in spans:
        found.append(Element(kind, start, content[start:end], detail))
        content = _blank(content, start, end)
    return content


def _outermost(content: str, begin: re.Pattern[str], end: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Spans of outermost begin–end pairs; an opening that is never closed hides nothing after it."""
    marks = [(m.start(), m.end(), True) for m in begin.finditer(content)]
    marks = sorted(marks + [(m.start(), m.end(), False) for m in end.finditer(content)])
    first = 0
    while first < len(marks):
        depth = 0
        for index in range(first, len(marks)):
            depth = depth + 1 if marks[index][2] else max(0, depth - 1)
            if depth == 0:
                break
        if depth == 0:
            if marks[first][2]:
                yield marks[first][0], marks[index][1]
            first = index + 1
        else:
            first += 1


def _take_formulas(content: str, found: list[Element]) -> str:
    rest = content
    for match in _FORMULA.finditer(content):
        line = match.group(0).strip().replace("\n", " ")
        dollars = _DOLLARS.search(line)
        if dollars is None:
            found.append(Element(Kind.FORMULA, match.start(), line))
        elif dollars.group(1):
            found.append(Element(Kind.FORMULA, match.start(), _DOLLARS.sub(r"\\[\1\\]", line)))
        else:
            inline = _DOLLARS.sub(r"\\[\2\3\\]", line)
            found.append(Element(Kind.FORMULA, match.start(), inline, "equation_inline"))
            continue
        rest = _blank(rest, *match.span())
    return rest


def _paragraphs(content: str) -> Iterator[Element]:
    """Split text at blank lines, or into single lines where there are none.

    As in the reference, ``start`` counts no breaks.
    """
    pieces = content.split("\n\n")
    if len(pieces) == 1:
        pieces = content.split("\n")
    start = 0
    for piece in pieces:
        text = "\n".join(line.strip() for line in piece.strip().split("\n") if line.strip())
        if text.startswith("$") and text.endswith("$"):
            if text.replace("$", "").strip():
                yield Element(Kind.FORMULA, start, text)
        elif text:
            yield Element(Kind.TEXT, start, text, "text_block")
        start += len(piece)
