"""Text with styles and links to HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from galley.document.markdown_spans import RAISED
from galley.document.spans import Span, Style

_TAGS = {
    Style.BOLD: ("<strong>", "</strong>"),
    Style.ITALIC: ("<em>", "</em>"),
    Style.UNDERLINE: ("<u>", "</u>"),
    Style.STRIKE: ("<del>", "</del>"),
    Style.SUPERSCRIPT: ("<sup>", "</sup>"),
    Style.SUBSCRIPT: ("<sub>", "</sub>"),
    Style.SMALL_CAPS: ('<span style="font-variant:small-caps">', "</span>"),
    Style.MONOSPACE: ("<code>", "</code>"),
    Style.HIGHLIGHT: ("<mark>", "</mark>"),
}


def html_text(text: str, spans: Sequence[Span], *, notes: bool = True) -> str:
    """Plain text with its spans as HTML; line breaks are those of the text.

    Args:
        text: Plain text.
        spans: Its styles and links.
        notes: Whether footnotes are shown, so that a mark in the text may lead to one.
    """
    parts, at = [], 0
    for span in spans:
        parts += [
            escape(text[at : span.start], quote=False),
            _styled(text[span.start : span.end], span, notes),
        ]
        at = span.end
    return "".join([*parts, escape(text[at:], quote=False)])


def note_anchor(name: str) -> str:
    """The ``id`` of a footnote."""
    return f"note-{name}"


def _styled(text: str, span: Span, notes: bool) -> str:
    if Style.SUPERSCRIPT in span.styles:
        text = text.translate(RAISED)
    written = escape(text, quote=False)
    target = f"#{note_anchor(span.note)}" if span.note is not None and notes else span.link
    if target and not target.startswith("#page="):
        written = f'<a href="{escape(target)}">{written}</a>'
    for style in reversed([style for style in _TAGS if style in span.styles]):
        opening, closing = _TAGS[style]
        written = f"{opening}{written}{closing}"
    return written
