"""What a drafter read, as the model would write it."""

from __future__ import annotations

import unicodedata

from galley.decoding import TokenKey
from galley.document import Block, Label
from galley.parsing.strategies.table_markup import as_otsl, as_plain_html
from galley.targets.prompt import Reader, TableFormat, Task

UNREAD = frozenset({Label.FIGURE, Label.HEADER, Label.FOOTER, Label.PAGE_NUMBER})
"""Blocks that stay as they were drafted: nothing to read, or furniture nobody asked for."""


def task_of(block: Block) -> Task:
    """What a model is asked to read in a block."""
    if block.label is Label.TABLE:
        return Task.TABLE
    return Task.FORMULA if block.label is Label.FORMULA else Task.TEXT


def draft_text(block: Block, tables: TableFormat) -> str:
    """A block's content as a model asked for it would write it."""
    if block.table is not None:
        return as_otsl(block.table) if tables is TableFormat.OTSL else as_plain_html(block.table)
    return block.content


def text_key(reader: Reader) -> TokenKey:
    """Tokens compared by their letters and digits alone: drafter and model differ in punctuation and
    width.
    """

    def key(token: int) -> str:
        return "".join(
            sign for sign in unicodedata.normalize("NFKC", reader.decode([token])) if sign.isalnum()
        )

    return key
