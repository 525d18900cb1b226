"""Pass: styles that set nothing apart, as the bold type of a heading, dropped from blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from galley.document import Block, Label, Span, Style
from galley.document.spans import merged
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

ORDINARY = 0.7
"""Share of the letters of a page's running text, from which on a style is that of the page."""
LEAST_LETTERS = 400
"""Letters of running text that show what is usual on a page."""
WHOLE = 0.9
"""Share of the letters of a heading or caption, from which on a style is that of all headings or captions."""
_FACES = (Style.BOLD, Style.ITALIC, Style.MONOSPACE, Style.SMALL_CAPS)
"""What a font is chosen for; other styles always say something."""
_RUNNING = (Label.TEXT, Label.LIST_ITEM, Label.REFERENCE)
_HEADINGS = (Label.TITLE, Label.HEADING)
_LABELLED = (
    *_HEADINGS,
    Label.CAPTION,
    Label.FOOTNOTE,
    Label.HEADER,
    Label.FOOTER,
    Label.PAGE_NUMBER,
    Label.ASIDE,
)


def drop_ordinary_styles(page: PageState, tools: PageTools) -> None:
    """Drop bold type from headings, what all of a caption is set in, and what most of the page is set in.

    All styles and links go where the options ask for none.

    Reads: blocks.
    Changes: blocks.
    """
    if any(block.spans for block in page.blocks):
        kept = set(Style) - _ordinary(page.blocks) if tools.options.styles else set()
        page.blocks = [
            block.model_copy(update={"spans": _spans(block, kept) if tools.options.styles else []})
            for block in page.blocks
        ]


def _ordinary(blocks: Sequence[Block]) -> set[Style]:
    """The styles that most of a page's running text has."""
    running = [block for block in blocks if block.label in _RUNNING]
    letters = sum(_letters(block.content) for block in running)
    if letters < LEAST_LETTERS:
        return set()
    return {style for style in _FACES if sum(_styled(block, style) for block in running) > ORDINARY * letters}


def _spans(block: Block, kept: set[Style]) -> list[Span]:
    if block.label in _HEADINGS:
        kept = kept - {Style.BOLD}
    if block.label in _LABELLED:
        letters = _letters(block.content)
        kept = kept - {
            style for style in (*_FACES, Style.UNDERLINE) if _styled(block, style) > WHOLE * letters
        }
    found = []
    for span in block.spans:
        worded = any(char.isalnum() for char in block.content[span.start : span.end])
        styles = [style for style in span.styles if style in kept and (worded or style not in _FACES)]
        if styles or span.link:
            found.append(span.model_copy(update={"styles": styles}))
    return merged(found)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _styled(block: Block, style: Style) -> int:
    """Letters of a block that have a style."""
    return sum(_letters(block.content[span.start : span.end]) for span in _with(block.spans, style))


def _with(spans: Iterable[Span], style: Style) -> list[Span]:
    return [span for span in spans if style in span.styles]
