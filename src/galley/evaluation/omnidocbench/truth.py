"""OmniDocBench ground truth: the annotation file, and each page's elements with truncated blocks joined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, Field, FiniteFloat

from galley.errors import InputError
from galley.evaluation.records import FileName, checked, read_json

_CAPTIONS = ("figure_caption", "figure_footnote", "table_caption", "table_footnote")
_FURNITURE = ("code_algorithm", "code_algorithm_caption", "header", "footer", "page_footnote", "page_number")
CAPTIONS_AND_FURNITURE = frozenset((*_CAPTIONS, *_FURNITURE, "equation_caption"))
"""Matched, so that predictions may hold them, then left out of every score."""

TEXT_CATEGORIES = (
    *("text_block", "title", "code_txt", "code_txt_caption", "reference", "equation_caption"),
    *_CAPTIONS,
    *_FURNITURE,
)
FORMULA = "equation_isolated"
TABLE = "table"


@dataclass(frozen=True)
class Truth:
    """One annotated element.

    Attributes:
        category: Its kind, as the data set names it.
        content: Text, LaTeX or HTML, by category.
        order: Its place in the page's reading order.
    """

    category: str
    content: str
    order: float | None = None
    attribute: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PageTruth:
    """A page: ``blocks`` are text and formulas in reading order, ``tables`` its tables."""

    image: str
    attributes: dict[str, Any]
    blocks: list[Truth]
    tables: list[Truth]

    @property
    def stem(self) -> str:
        """The path of the image without its suffix, which predictions are named by."""
        return str(PurePosixPath(self.image).with_suffix(""))


class _Item(BaseModel):
    """What every element must have; the rest depends on its category."""

    category_type: str
    order: FiniteFloat | None = None
    poly: Annotated[list[FiniteFloat], Field(min_length=4)] | None = None


def load(path: Path) -> list[PageTruth]:
    """Every page of an OmniDocBench annotation file."""
    what = "an OmniDocBench annotation file: a list of pages"
    pages = read_json(path, list[dict[str, Any]], what)
    if not pages:
        raise InputError(f"{path} is not {what}")
    truths = []
    for number, page in enumerate(pages, 1):
        try:
            truths.append(_page(page))
        except InputError as error:
            raise InputError(f"{path}, page {number}: {error}") from error
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{path}, page {number}: not as OmniDocBench annotates ({type(error).__name__}: {error})"
            ) from error
    return truths


def _page(page: dict[str, Any]) -> PageTruth:
    checked(page["layout_dets"], list[_Item], "layout_dets is not as it has to be")
    items = _join_truncated(page["layout_dets"], page.get("extra", {}).get("relation", []))
    blocks = [
        item
        for category in (*TEXT_CATEGORIES, FORMULA)
        for item in items
        if item["category_type"] == category
    ]
    info = page["page_info"]
    return PageTruth(
        image=PurePosixPath(checked(info["image_path"], FileName, "image_path")).name,
        attributes=_attributes(info, "page_attribute"),
        blocks=[_truth(item) for item in _in_order(blocks)],
        tables=[_truth(item) for item in _in_order(i for i in items if i["category_type"] == TABLE)],
    )


def _in_order(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(items, key=lambda item: item.get("order") or 0)


def _truth(item: dict[str, Any]) -> Truth:
    key = {FORMULA: "latex", TABLE: "html"}.get(item["category_type"], "text")
    content = item.get(key)
    text = "" if content is None else str(content)
    return Truth(item["category_type"], text, item.get("order"), _attributes(item, "attribute"))


def _attributes(item: dict[str, Any], name: str) -> dict[str, Any]:
    return checked(item.get(name) or {}, dict[str, Any], f"{name} is no JSON object")


def _join_truncated(items: list[dict[str, Any]], relations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Blocks a column or page break cut are one block, at the place of the first.

    As in the reference, a block named by two relations of a chain is joined twice.
    """
    chains: list[list[Any]] = []
    for relation in relations:
        if relation["relation_type"] != "truncated":
            continue
        ends = [relation["source_anno_id"], relation["target_anno_id"]]
        known = [chain for chain in chains if set(ends) & set(chain)]
        for chain in known:
            chain += ends
        if not known:
            chains.append(ends)
    cut = {anno for chain in chains for anno in chain}
    by_id = {item["anno_id"]: item for item in items if item["anno_id"] in cut}
    joined = [item for item in items if item["anno_id"] not in cut]
    for chain in chains:
        parts = sorted((by_id[anno] for anno in chain if anno in by_id), key=lambda item: item["order"])
        if parts:
            text = "".join(part.get("text", "") for part in parts)
            joined.append(
                {"category_type": parts[0]["category_type"], "order": parts[0]["order"], "text": text}
            )
    return joined
