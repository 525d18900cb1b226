"""Markdown pipe tables as HTML, the way opendataloader-bench reads them before it scores a page."""

from __future__ import annotations

from html import escape

_RULE = frozenset("-:")


def with_html_tables(markdown: str) -> str:
    """``markdown`` with each pipe table written as a ``<table>`` on one line.

    A table is a row with a rule of hyphens and colons under it, and all rows that follow.
    """
    lines = markdown.splitlines(keepends=True)
    written: list[str] = []
    at = 0
    while at < len(lines):
        header, rule = _cells(lines[at]), _cells(lines[at + 1]) if at + 1 < len(lines) else None
        if header and rule and _is_rule(rule):
            end = at + 2
            while end < len(lines) and _cells(lines[end]):
                end += 1
            rows = [header, *(cells for line in lines[at + 2 : end] if (cells := _cells(line)))]
            written.append(_html(rows, max(len(header), len(rule))) + _line_end(lines[at]))
            at = end
        else:
            written.append(lines[at])
            at += 1
    return "".join(written)


def _cells(line: str) -> list[str] | None:
    """The row's cells, without the outer pipes; None for a line that is no row."""
    row = line.strip()
    if "|" not in row:
        return None
    cells = row.split("|")
    if row.startswith("|"):
        cells.pop(0)
    if cells and row.endswith("|"):
        cells.pop()
    return [cell.strip() for cell in cells] or None


def _is_rule(cells: list[str]) -> bool:
    bare = [cell.replace(" ", "") for cell in cells]
    return all(cell and set(cell) <= _RULE for cell in bare)


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _html(rows: list[list[str]], width: int) -> str:
    header, *body = (_fitted(row, width) for row in rows)
    if body and not any(header):
        header, *body = body
    return f"<table>{_row('th', header)}{''.join(_row('td', row) for row in body)}</table>"


def _fitted(row: list[str], width: int) -> list[str]:
    """Pad or cut a row to the table's width.

    Of three cells the middle one is taken to span the columns between the outer ones, and is repeated.
    """
    if len(row) == 3 and width > 3:
        return [row[0], *[row[1]] * (width - 2), row[2]]
    return row[:width] + [""] * (width - len(row))


def _row(tag: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
