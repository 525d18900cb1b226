"""A ``Table`` as rows of texts: comma-separated values, and pandas."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from galley.document.model import Table
from galley.document.table_html import head_rows
from galley.errors import UsageError

if TYPE_CHECKING:
    from pandas import DataFrame


def table_rows(table: Table, *, repeat: bool = False) -> list[list[str]]:
    """The texts of all places of the grid, "" where there is none.

    Args:
        table: The table.
        repeat: A spanning cell's text stands in all of its places, not only in the first.
    """
    rows = [[""] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        down, across = (cell.rowspan, cell.colspan) if repeat else (1, 1)
        for row in rows[cell.row : cell.row + down]:
            row[cell.col : cell.col + across] = [cell.text] * len(row[cell.col : cell.col + across])
    return rows


def table_csv(table: Table) -> str:
    """Comma-separated values as RFC 4180 has them, with line feeds."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table_rows(table))
    return text.getvalue()


def table_dataframe(table: Table) -> DataFrame:
    """Leading header rows name the columns.

    Raises:
        UsageError: Pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise UsageError("Table.to_dataframe needs pandas; install it: pip install pandas") from error
    rows, head = table_rows(table, repeat=True), head_rows(table)
    if head == 0:
        return pandas.DataFrame(rows, columns=range(table.cols))
    if head == 1:
        return pandas.DataFrame(rows[1:], columns=rows[0])
    columns = pandas.MultiIndex.from_arrays(rows[:head])
    return pandas.DataFrame(rows[head:], columns=columns)
