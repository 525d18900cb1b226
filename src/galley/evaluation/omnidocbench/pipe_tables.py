"""Markdown pipe tables as HTML, the way the OmniDocBench scorer reads them."""

from __future__ import annotations

import re

_MATCH = re.compile(r"\|\s*.*?\s*\|\n", re.S)
_MARK = "\x00"

Rows = list[list[str]]


def pipe_tables_to_html(content: str) -> str:
    """``content`` with each run of pipe rows replaced by a ``<table>``; unchanged with fewer than two rows.

    As in the reference, a cell with ``:`` or ``---`` is taken for a rule and left out, and so is the text line
    right above a table.
    """
    content += "\n"
    if len(_MATCH.findall(content)) < 2:
        return content[:-1]
    matches: list[Rows] = []

    def mark(match: re.Match[str]) -> str:
        matches.append(_rows(match.group(0)))
        return f"{_MARK}{len(matches) - 1}{_MARK}\n"

    lines: list[str] = [""]
    table: list[Rows] = []
    for line in _MATCH.sub(mark, content.replace("\r", "").replace(_MARK, "")).split("\n"):
        if _MARK in line:
            if not table:
                lines.pop()
            table.append(matches[int(line.split(_MARK)[1])])
        else:
            if table:
                lines.append(_html(table))
                table = []
            lines.append(line)
    page = "\n".join(lines)
    return page.replace("<table>", '<table border="1" >').replace("<td>", '<td colspan="1" rowspan="1">')


def _rows(match: str) -> Rows:
    """The rows of one match, most often one; a second line is taken for the rule under the header."""
    first, *rest = (row.strip() for row in match.strip().split("\n"))
    cells = ([cell.strip() for cell in row.split("|")[1:-1]] for row in (first, *rest[1:]))
    return [[cell for cell in row if ":" not in cell and "---" not in cell] for row in cells]


def _html(table: list[Rows]) -> str:
    kept = [row for rows in table if len(rows) > 1 or rows[0] for row in rows]
    body = "\n".join(_row(row) for row in kept)
    return f"\n\n<table>\n{body}\n</table>\n\n"


def _row(cells: list[str]) -> str:
    inner = "".join(f"      <td>{cell}</td>\n" for cell in cells)
    return f"    <tr>\n{inner}    </tr>"
