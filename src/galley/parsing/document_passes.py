"""The passes over all pages of a document, in their order: what no page tells by itself.

Pages that have been through ``PAGE_PASSES`` flow through ``DOCUMENT_PASSES``. Each pass is one generator function in a
file of its name. Its docstring says which attributes of blocks it reads and which it changes, in place; ``sizes`` and
``words`` are those of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from galley.document import Document, Page
from galley.parsing.document.label_recurring_furniture import label_recurring_furniture
from galley.parsing.document.link_paragraphs import link_paragraphs
from galley.parsing.document.measure_document import measure_document
from galley.parsing.document.merge_tables import merge_tables
from galley.parsing.document.nest_list_items import nest_list_items
from galley.parsing.document.number_footnotes import number_footnotes
from galley.parsing.document.resolve_links import resolve_links
from galley.parsing.document.set_heading_levels import set_heading_levels
from galley.parsing.document.state import DocumentState, PageStorage
from galley.parsing.options import ParseOptions

DocumentPass = Callable[[Iterable[Page], DocumentState], Iterable[Page]]

DOCUMENT_PASSES: tuple[DocumentPass, ...] = (
    label_recurring_furniture,
    measure_document,
    set_heading_levels,
    nest_list_items,
    link_paragraphs,
    resolve_links,
    number_footnotes,
    merge_tables,
)


def finish_document(document: Document, options: ParseOptions) -> Document:
    """The document with what its pages tell together, changed in place: a long one does not fit into memory twice."""
    document.pages = list(finish_pages(document.pages, options, list, document.source or ""))
    return document


def finish_pages(
    pages: Iterable[Page],
    options: ParseOptions,
    store: PageStorage,
    name: str = "",
    passes: Sequence[DocumentPass] = DOCUMENT_PASSES,
) -> Iterable[Page]:
    """The pages of a document, in order of number, after the document passes; they may be changed in place.

    Pages flow from pass to pass, so that few are held at a time: those that ``store`` keeps, a page's near neighbours,
    and the pages of a table that goes on over them.

    Args:
        pages: All pages of the document.
        options: What was asked for.
        store: Puts pages where they can be gone through again.
        name: What the document is called, which its trace goes by.
        passes: Run in their order.
    """
    state = DocumentState(options, store)
    if options.trace_passes is not None:
        return _traced(pages, state, options.trace_passes, name, passes)
    for document_pass in passes:
        pages = document_pass(pages, state)
    return store(pages)


def _traced(
    pages: Iterable[Page], state: DocumentState, root: Path, name: str, passes: Sequence[DocumentPass]
) -> Iterable[Page]:
    """The same with what each pass does written below a folder."""
    from galley.parsing.trace.document_trace import DocumentTrace  # drawing is not needed otherwise

    trace = DocumentTrace(root, name)
    pages = trace.start(pages, state)
    try:
        for document_pass in passes:
            pages = trace.after(document_pass, document_pass(pages, state), state)
    finally:
        trace.close()
    return pages
