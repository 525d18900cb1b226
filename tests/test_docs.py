"""The documentation names what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
FILE = re.compile(r"[\w/]*\w+\.py\b")
TARGET = re.compile(r"`make ([a-z-]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_files_exist(page: Path) -> None:
    """A bare name is one of the sources; a path starts at the root or in the package."""
    names = {path.name for folder in ("src", "tests", "tools") for path in (ROOT / folder).rglob("*.py")}
    for name in FILE.findall(page.read_text()):
        places = (ROOT / name, ROOT / "src" / "galley" / name)
        assert any(place.exists() for place in places) or ("/" not in name and name in names), (
            f"{page.name} names {name}"
        )


def test_named_make_targets_exist() -> None:
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {target for page in PAGES for target in TARGET.findall(page.read_text())}
    assert named <= made
