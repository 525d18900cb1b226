"""Write the tables of the passes into docs/architecture.md and their picture, from the passes themselves.

python tools/describe_passes.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from passes_picture import passes_svg

from galley.parsing.contract import Contract, contract_of
from galley.parsing.document_passes import DOCUMENT_PASSES
from galley.parsing.page_passes import PAGE_PASSES

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PICTURE = DOCS / "architecture.md", DOCS / "images" / "passes.svg"
BEGIN, END = "<!-- passes: written by tools/describe_passes.py -->", "<!-- /passes -->"
_ROOT = "galley/parsing/"
_ALT = "The passes in their packages, from a page image on the left to a Document on the right"
_TITLES = {
    "page": ("page", "where its text comes from"),
    "lines": ("lines", "of text"),
    "regions": ("regions", "the detector against lines"),
    "zones": ("zones", "every line in one"),
    "blocks": ("blocks", "what the document holds"),
    "document": ("document", "all pages together"),
}


def described() -> str:
    """The picture and the two tables as Markdown."""
    pages, documents = _contracts(PAGE_PASSES), _contracts(DOCUMENT_PASSES)
    return "\n\n".join(
        (
            f"![{_ALT}](images/{PICTURE.name})",
            "### Page passes",
            _table(pages),
            "### Document passes",
            _table(documents),
        )
    )


def _contracts(passes: Iterable[Callable[..., Any]]) -> list[Contract]:
    return [contract_of(each) for each in passes]


def _package(contract: Contract) -> str:
    return contract.file.removeprefix(_ROOT).split("/")[0]


def picture() -> str:
    """The picture as SVG."""
    contracts = [*_contracts(PAGE_PASSES), *_contracts(DOCUMENT_PASSES)]
    return passes_svg(
        _TITLES, {package: [one.name for one in found] for package, found in groupby(contracts, _package)}
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
    PICTURE.write_text(picture(), encoding="utf-8")
    PAGE.write_text(with_passes(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
