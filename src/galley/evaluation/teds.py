"""TEDS, the tree edit distance similarity of two HTML tables.

It is 1 − edits / nodes, with the normalised edit distance of cell contents as the price of a changed cell
(Zhong et al. 2020, "Image-based table recognition", section 5).

Needs ``galley-ocr[eval]`` (apted, lxml, rapidfuzz).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from apted import APTED, Config
from lxml import etree, html
from rapidfuzz.distance import Levenshtein

from galley.evaluation.teds_rows import Row, aligned_distance

MAX_EXACT_PAIRS = 1_500_000
"""Node pairs up to which the exact distance is taken: some 1,200 nodes a side, which take about 20 seconds.
Larger tables are aligned row by row, which never scores higher than the exact distance would."""


@dataclass
class Node:
    """A part of a table.

    Attributes:
        content: A cell's characters and inline tags, one character each; empty for other parts.
    """

    tag: str
    colspan: int = 1
    rowspan: int = 1
    content: str = ""
    children: list[Node] = field(default_factory=list)

    def size(self) -> int:
        """The number of nodes of this tree."""
        return 1 + sum(child.size() for child in self.children)


class _Costs(Config):
    """Insert and delete cost 1; see ``rename``."""

    def rename(self, node1: Node, node2: Node) -> float:
        """1 for another kind or span, else how much of the content differs, 0 to 1."""
        if (node1.tag, node1.colspan, node1.rowspan) != (node2.tag, node2.colspan, node2.rowspan):
            return 1.0
        return Levenshtein.normalized_distance(node1.content, node2.content)

    def children(self, node: Node) -> list[Node]:
        return node.children


def teds(pred_html: str, true_html: str, *, structure_only: bool = False) -> float:
    """Similarity of two HTML tables, 0 to 1; the first ``<table>`` of each is compared.

    Args:
        pred_html: The predicted table. ``th`` counts as ``td``; a side without a table scores 0.
        true_html: The true table.
        structure_only: Compare rows, cells and spans, not what cells hold (TEDS-S).
    """
    pred, true = first_table(pred_html), first_table(true_html)
    if pred is None or true is None:
        return 0.0
    nodes = max(len(pred.xpath(".//*")), len(true.xpath(".//*")))
    if nodes == 0:
        return 1.0
    tags = _TagAlphabet()
    pred_tree, true_tree = (
        table_tree(table, None if structure_only else lambda cell: cell_content(cell, tags))
        for table in (pred, true)
    )
    return max(0.0, 1.0 - tree_distance(pred_tree, true_tree) / nodes)


def tree_distance(pred: Node, true: Node) -> float:
    """Edits between two tables; of huge ones a bound that is never below the exact distance."""
    if pred == true:
        return 0.0
    if pred.size() * true.size() > MAX_EXACT_PAIRS:
        return _group_distance(_groups(pred), _groups(true))
    return float(APTED(pred, true, _Costs()).compute_edit_distance())


def first_table(text: str) -> html.HtmlElement | None:
    """The first ``<table>`` of an HTML text; None where there is none."""
    if not text or not text.strip():
        return None
    parser = html.HTMLParser(remove_comments=True, encoding="utf-8")
    try:
        root = html.fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None
    table: html.HtmlElement | None = next(root.iter("table"), None)
    return table


class _TagAlphabet:
    """One private-use character for each inline tag, so that cell contents are plain strings."""

    def __init__(self) -> None:
        self._chars: dict[str, str] = {}

    def __call__(self, tag: str) -> str:
        return self._chars.setdefault(tag, chr(0xF0000 + len(self._chars)))


def table_tree(element: html.HtmlElement, content: Callable[[html.HtmlElement], str] | None) -> Node:
    """The table as the tree that is compared.

    Args:
        element: A table or a part of one; a ``th`` is a ``td``.
        content: What a cell holds, as it is compared; None compares structure only.
    """
    if element.tag in ("td", "th"):
        text = "" if content is None else content(element)
        return Node("td", _span(element, "colspan"), _span(element, "rowspan"), text)
    return Node(str(element.tag), children=[table_tree(child, content) for child in element])


def cell_content(cell: html.HtmlElement, spelling: Callable[[str], str] = str) -> str:
    """A cell's text with the inline tags inside it, each opened and closed, as ``spelling`` writes a tag."""
    return "".join(_content(cell, spelling))


def _content(element: html.HtmlElement, spelling: Callable[[str], str]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield spelling(f"<{child.tag}>")
        yield from _content(child, spelling)
        yield spelling(f"</{child.tag}>")
        if child.tag != "td":  # the published metric drops what follows a cell nested in a cell
            yield child.tail or ""


def _span(element: html.HtmlElement, name: str) -> int:
    try:
        return int(element.get(name, "1"))
    except ValueError:
        return 1


def _group_distance(pred: list[tuple[str, list[Row]]], true: list[tuple[str, list[Row]]]) -> float:
    """Rows aligned within each group; where the groups differ they are all taken away and made again."""
    if [tag for tag, _ in pred] == [tag for tag, _ in true]:
        return sum(aligned_distance(p, t) for (_, p), (_, t) in zip(pred, true, strict=True))
    tags = sum(tag != "" for tag, _ in pred + true)
    return tags + aligned_distance(
        [r for _, rows in pred for r in rows], [r for _, rows in true for r in rows]
    )


def _groups(table: Node) -> list[tuple[str, list[Row]]]:
    """The groups of rows (``thead``, ``tbody`` and so on).

    Rows that stand in the table itself are a group without a tag.
    """
    groups: list[tuple[str, list[Row]]] = []
    for child in table.children:
        if child.tag != "tr":
            groups.append((child.tag, [_row(row) for row in child.children]))
        elif groups and groups[-1][0] == "":
            groups[-1][1].append(_row(child))
        else:
            groups.append(("", [_row(child)]))
    return groups


def _row(row: Node) -> Row:
    return [((cell.colspan, cell.rowspan), cell.content) for cell in row.children]
