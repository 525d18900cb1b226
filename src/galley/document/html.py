"""Documents as one complete HTML page that needs nothing beside it but its images."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from html import escape
from urllib.parse import quote

from galley.document.html_spans import html_text, note_anchor
from galley.document.model import Document, Label, Page
from galley.document.select import DEFAULT_KEEP, Shown, shown
from galley.document.table_html import table_html

_STYLE = """body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 serif}
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #999;padding:.2rem .5rem;vertical-align:top}
img{max-width:100%}figure{margin:1rem 0}figcaption,.caption,.footnote,.furniture{font-size:.85rem;color:#444}
pre{overflow-x:auto;background:#f4f4f4;padding:.5rem}.formula{text-align:center}.unverified{font-style:italic}"""

_CLASSES = {
    Label.CAPTION: "caption",
    Label.FOOTNOTE: "footnote",
    Label.HEADER: "furniture",
    Label.FOOTER: "furniture",
    Label.PAGE_NUMBER: "furniture",
    Label.ASIDE: "aside",
    Label.REFERENCE: "reference",
}


def to_html(document: Document, keep: Collection[str] = DEFAULT_KEEP) -> str:
    """The document as HTML.

    Formulas are between a backslash with an opening and one with a closing square bracket, where the usual scripts find
    them.

    Args:
        document: the document.
        keep: which of ``headers``, ``footers``, ``footnotes`` and ``page-numbers`` to show.
    """
    return "".join(html_pieces(document.source, document.pages, keep))


def html_pieces(
    source: str | None, pages: Iterable[Page], keep: Collection[str] = DEFAULT_KEEP
) -> Iterator[str]:
    """The HTML in pieces; ``to_html`` joins them.

    Args:
        source: name of the document, the title where no block is one.
        pages: gone through twice, because the title comes first and may be anywhere.
        keep: which of ``headers``, ``footers``, ``footnotes`` and ``page-numbers`` to show.
    """
    titles = (item.content for item in shown(pages, keep) if item.block.label is Label.TITLE)
    title = next(titles, source or "Document")
    yield (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(' '.join(title.split()))}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
    )
    yield from (f"{piece}\n" for piece in _body(shown(pages, keep), "footnotes" in keep))
    yield "</body>\n</html>\n"


def _body(items: Iterable[Shown], notes: bool) -> Iterator[str]:
    in_list = False
    for item in items:
        piece = _piece(item, notes)
        if not piece:
            continue
        is_item = item.block.label is Label.LIST_ITEM
        if is_item and not in_list:
            yield "<ul>"
        if in_list and not is_item:
            yield "</ul>"
        in_list = is_item
        yield piece
    if in_list:
        yield "</ul>"


def _piece(item: Shown, notes: bool) -> str:
    block, content = item.block, item.content.strip("\n")
    if block.table is not None:
        return table_html(block.table)
    if block.label is Label.FIGURE and block.image:
        return f'<figure><img src="{escape(quote(block.image))}" alt="{escape(" ".join(content.split()))}"></figure>'
    if not content.strip():
        return ""
    if block.label is Label.CODE:
        return f"<pre><code>{escape(content, quote=False)}</code></pre>"
    text = html_text(item.content, item.spans, notes=notes).strip("\n").replace("\n", "<br>\n")
    name = block.extra.get("anchor") or (note_anchor(block.extra["note"]) if "note" in block.extra else None)
    anchor = f' id="{escape(str(name))}"' if name else ""
    if block.label in (Label.TITLE, Label.HEADING):
        level = 1 if block.label is Label.TITLE else min(6, max(1, block.level or 2))
        return f"<h{level}{anchor}>{text}</h{level}>"
    if block.label is Label.LIST_ITEM:
        return _list_item(item, text)
    if block.label is Label.FORMULA:
        if "unverified" in block.flags:
            return f'<p class="formula unverified">{text}</p>'
        return f'<p class="formula">\\[{text}\\]</p>'
    kind = f' class="{_CLASSES[block.label]}"' if block.label in _CLASSES else ""
    return f"<p{kind}{anchor}>{text}</p>"


def _list_item(item: Shown, text: str) -> str:
    """A number that is part of the text replaces the bullet."""
    marker = item.block.extra.get("marker")
    numbered = bool(marker) and item.content.startswith(str(marker))
    depth = max(1, item.block.level or 1) - 1
    style = ";".join(
        (["list-style:none"] if numbered else []) + ([f"margin-left:{2 * depth}em"] if depth else [])
    )
    return f'<li style="{style}">{text}</li>' if style else f"<li>{text}</li>"
