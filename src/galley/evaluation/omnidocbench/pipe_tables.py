"""Markdown pipe tables as HTML, the way the OmniDocBench scorer reads them."""

from __future__ import annotations

import re

_ROWS = re.compile(r"\|\s*.*?\s*\|\n", re.S)
_MARK = "\x00"
_CELL = "\x01"


def pipe_tables_to_html(content: str) -> str:
    """``content`` with each run of pipe rows replaced by a ``<table>``; unchanged with fewer than two rows.

    As in the reference, a cell with ``:`` or ``---`` is taken for a rule and left out, and so is the text
    line right above a table.
    """
    content += "\n"
    if len(_ROWS.findall(content)) < 2:
        return content[:-1]
    lines: list[str] = [""]
    rows: list[list[str]] | None = None
    for line in _ROWS.sub(_as_marked_line, content.replace("\r", "")).split("\n"):
        if _MARK in line:
            if rows is None:
                lines.pop()
                rows = []
            rows += [row.split(_CELL) for row in line.split(_MARK)[1:]]
        else:
            if rows is not None:
                lines.append(_html(rows))
                rows = None
            lines.append(line)
    page = "\n".join(lines)
    return page.replace("<table>", '<table border="1" >').replace("<td>", '<td colspan="1" rowspan="1">')


def _as_marked_line(match: re.Match[str]) -> str:
    """Rows of one match, each after a mark; a second line is taken for the rule under the header."""
    first, *rest = (row.strip() for row in match.group(0).strip().split("\n"))
    return "".join(_MARK + _CELL.join(_cells(row)) for row in (first, *rest[1:])) + "\n"


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")[1:-1]]


def _html(rows: list[list[str]]) -> str:
    kept = ([cell for cell in row if ":" not in cell and "---" not in cell] for row in rows)
    body = "\n".join(_row(row) for row in kept if row)
    return f"\n\n<table>\n{body}\n</table>\n\n"


def _row(cells: list[str]) -> str:
    inner = "".join(f"      <td>{cell}</td>\n" for cell in cells)
    return f"    <tr>\n{inner}    </tr>"
