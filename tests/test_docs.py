"""The documentation names what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
FILE = re.compile(r"[\w/]*\w+\.py\b")
TARGET = re.compile(r"`make ([a-z-]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_files_exist(page: Path) -> None:
    """A file is named by its path or by the end of it; NAME stands for one that does not exist yet."""
    folders = ("src", "tests", "tools", "examples")
    paths = [f"/{path.relative_to(ROOT)}" for folder in folders for path in (ROOT / folder).rglob("*.py")]
    for name in FILE.findall(page.read_text()):
        if name.endswith("NAME.py"):
            continue
        assert any(path.endswith(f"/{name}") for path in paths), f"{page.name} names {name}"


def test_named_make_targets_exist() -> None:
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {target for page in PAGES for target in TARGET.findall(page.read_text())}
    assert named <= made


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_marks_of_a_merge_stay(page: Path) -> None:
    assert not re.search(r"^(<{7}|>{7}) ", page.read_text(), re.MULTILINE)


def test_every_row_of_the_papers_has_its_section_and_its_command() -> None:
    """A section of the page is a heading, the command in a line of its own, and what it printed."""
    rows = re.findall(
        r'^    "([a-z0-9-]+)": \w+_rows\.', (ROOT / "tools/papers/run.py").read_text(), re.MULTILINE
    )
    commands = re.findall(r"^`run\.py ([a-z0-9-]+)`$", (ROOT / "docs/papers.md").read_text(), re.MULTILINE)
    assert rows and sorted(commands) == sorted(rows)
