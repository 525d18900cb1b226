"""What a drafter read, as the model would write it."""

from __future__ import annotations

from galley.document import Block, Label
from galley.parsing.strategies.table_markup import as_otsl, as_plain_html
from galley.targets.prompt import TableFormat, Task
from galley.targets.prompt import key_of as key_of
from galley.targets.prompt import text_key as text_key

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
