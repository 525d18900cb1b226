"""Write the table and the picture of the passes into docs/architecture.md, from the passes themselves.

python tools/describe_passes.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from galley.parsing.contract import Contract, contract_of
from galley.parsing.document_passes import DOCUMENT_PASSES
from galley.parsing.page_passes import PAGE_PASSES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "architecture.md"
BEGIN, END = "<!-- passes: written by tools/describe_passes.py -->", "<!-- /passes -->"
_ROOT = "galley/parsing/"
_TITLES = {
    "page": "page: the image and where its text comes from",
    "lines": "lines of text",
    "regions": "regions: the detector against the lines",
    "zones": "zones: every line in one",
    "blocks": "blocks",
    "document": "document: all pages together",
}


def described() -> str:
    """The picture and the two tables as Markdown."""
    pages, documents = _contracts(PAGE_PASSES), _contracts(DOCUMENT_PASSES)
    return "\n\n".join(
        (
            _picture([*pages, *documents]),
            "### Page passes",
            _table(pages),
            "### Document passes",
            _table(documents),
        )
    )


def _contracts(passes: Iterable[Callable[..., Any]]) -> list[Contract]:
    return [contract_of(each) for each in passes]


def _room(contract: Contract) -> str:
    return contract.file.removeprefix(_ROOT).split("/")[0]


def _picture(contracts: Iterable[Contract]) -> str:
    """One box per package with the names of its passes."""
    boxes, rooms = [], []
    for room, found in groupby(contracts, _room):
        rooms.append(room)
        names = "<br/>".join(contract.name for contract in found)
        boxes.append(f'  {room}["<b>{_TITLES[room]}</b><br/>{names}"]')
    *pages, document = rooms
    chain = " --> ".join(("image([page image])", *pages))
    return "\n".join(
        (
            "```mermaid",
            "flowchart TD",
            *boxes,
            f"  {chain}",
            f"  {pages[-1]} -- strategy draft --> {document}",
            f"  {pages[-1]} -- other strategies --> model[[a model verifies the blocks]] --> {document}",
            f"  {document} --> result([Document])",
            "```",
        )
    )


def _table(contracts: Iterable[Contract]) -> str:
    rows = ["| # | pass | what it does | file | reads | changes |", "|---|---|---|---|---|---|"]
    for number, one in enumerate(contracts, 1):
        file = one.file.removeprefix("galley/")
        reads, changes = ", ".join(one.reads), ", ".join(one.changes)
        summary = one.summary.replace("``", "`")
        rows.append(f"| {number} | `{one.name}` | {summary} | `{file}` | {reads} | {changes} |")
    return "\n".join(rows)


def with_passes(text: str) -> str:
    """A page of documentation with what stands between the two marks written anew."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n\n{described()}\n\n{END}", text)


if __name__ == "__main__":
    PAGE.write_text(with_passes(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
