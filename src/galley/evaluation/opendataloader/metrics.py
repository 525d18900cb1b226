"""opendataloader-bench's three measures of a page: reading order (NID), tables (TEDS), headings (MHS).

Each comes twice: with everything, and the second time without tables (NID) or without text (TEDS-S, MHS-S).
Source: the scorer in the public repository ``opendataloader-project/opendataloader-bench``.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from apted import APTED, Config
from bs4 import BeautifulSoup
from lxml.html import HtmlElement
from rapidfuzz.distance import Indel, Levenshtein

from galley.evaluation.opendataloader.gfm_tables import with_html_tables
from galley.evaluation.teds import cell_content, first_table, table_tree, tree_distance

_TABLE = re.compile(r"<table[^>]*?>.*?</table>", re.I | re.S)
_SECTION = re.compile(r"</?(?:thead|tbody)>")
_BREAK = re.compile(r"<br\s*/?>")
_HEADING = re.compile(r"#{1,6}\s+(.*)")

Pair = tuple[float, float]
"""The measure, and its variant without tables or text."""


def page_scores(predicted: str, truth: str) -> dict[str, float]:
    """Every measure of a page that its truth allows, and ``overall``, the mean of NID, TEDS and MHS.

    Args:
        predicted: The Markdown of a system.
        truth: The Markdown of the benchmark. A truth without tables gives no TEDS, one without headings no
            MHS, an empty one nothing.

    Returns:
        Scores by ``overall``, ``nid``, ``teds``, ``mhs``, ``nid_s``, ``teds_s``, ``mhs_s``; 0 to 1, but TEDS
        may be below 0 where a few cells stand against many.
    """
    pred, true = with_html_tables(predicted), with_html_tables(truth)
    measures = {"nid": reading_order(pred, true), "teds": tables(pred, true), "mhs": headings(pred, true)}
    known = {name: pair for name, pair in measures.items() if pair is not None}
    if not known:
        return {}
    overall = sum(pair[0] for pair in known.values()) / len(known)
    scores = {"overall": overall, **{name: pair[0] for name, pair in known.items()}}
    return scores | {f"{name}_s": pair[1] for name, pair in known.items()}


def reading_order(predicted: str, truth: str) -> Pair | None:
    """NID: 1 − insertions and deletions / length of both texts, white space collapsed; without tables too."""
    if not _collapsed(truth):
        return None
    whole = Indel.normalized_similarity(_collapsed(predicted), _collapsed(truth))
    bare = (_collapsed(_TABLE.sub(" ", text)) for text in (predicted, truth))
    return whole, Indel.normalized_similarity(*bare)


def _collapsed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def tables(predicted: str, truth: str) -> Pair | None:
    """TEDS of all tables of the page at once: they are the children of one root, in the order of the page."""
    pred, true = _tables(predicted), _tables(truth)
    if not true:
        return None
    if not pred:
        return 0.0, 0.0
    return _teds(pred, true, structure_only=False), _teds(pred, true, structure_only=True)


def _tables(markdown: str) -> str:
    found = BeautifulSoup(markdown, "html.parser").find_all("table")
    return _SECTION.sub("", "\n".join(map(str, found)))


def _teds(pred: str, true: str, *, structure_only: bool) -> float:
    roots = [_root(tables) for tables in (pred, true)]
    nodes = max(len(root.xpath(".//*")) for root in roots)
    trees = [table_tree(root, None if structure_only else _text) for root in roots]
    return 1.0 - tree_distance(*trees) / nodes


def _root(tables: str) -> HtmlElement:
    root = first_table(f"<table>{tables}</table>")
    assert root is not None
    for header in root.xpath(".//th"):
        header.tag = "td"
    return root


def _text(cell: HtmlElement) -> str:
    return _collapsed(_BREAK.sub(" ", html.unescape(cell_content(cell))))


@dataclass
class _Section:
    """A node of the page's outline: the document, a heading, or the text under either."""

    kind: str
    text: str = ""
    children: list[_Section] = field(default_factory=list)

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


class _Costs(Config):
    """Insert and delete cost 1, and so does another kind; else the share of the text that differs."""

    def __init__(self, structure_only: bool) -> None:
        self._structure_only = structure_only

    def rename(self, node1: _Section, node2: _Section) -> float:
        if node1.kind != node2.kind:
            return 1.0
        return 0.0 if self._structure_only else Levenshtein.normalized_distance(node1.text, node2.text)

    def children(self, node: _Section) -> list[_Section]:
        return node.children


def headings(predicted: str, truth: str) -> Pair | None:
    """MHS: 1 − tree edits / nodes of the larger outline. Headings of all levels stand side by side."""
    pred, true = _outline(predicted), _outline(truth)
    if not _has_heading(true):
        return None
    if not _has_heading(pred):
        return 0.0, 0.0
    nodes = max(pred.size(), true.size())
    with_text, structure = (
        max(0.0, 1.0 - APTED(pred, true, _Costs(structure_only)).compute_edit_distance() / nodes)
        for structure_only in (False, True)
    )
    return with_text, structure


def _has_heading(outline: _Section) -> bool:
    return any(child.kind == "heading" for child in outline.children)


def _outline(markdown: str) -> _Section:
    document = section = _Section("document")
    lines: list[str] = []
    for line in markdown.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        _add_content(section, lines)
        lines = []
        section = _Section("heading", _collapsed(heading.group(1)))
        document.children.append(section)
    _add_content(section, lines)
    return document


def _add_content(section: _Section, lines: list[str]) -> None:
    text = _collapsed(" ".join(lines))
    if text:
        section.children.append(_Section("content", text))
