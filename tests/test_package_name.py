"""The distribution is ``galley-ocr``: ``galley`` on PyPI is another project, which nobody must install for this one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "docs", "examples", "tools", "tests")
FILES = ("README.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml")
SUFFIXES = (".py", ".md", ".html", ".js", ".toml")
OTHERS_PACKAGE = re.compile(r"""(?<![\w-])galley\\?\[[a-z]|pip install (-\S+ )*['"]?galley(?!-ocr)\b""")


def test_the_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "galley-ocr"
    assert project["scripts"] == {"galley": "galley.cli:main"}
    own = [need for extra in project["optional-dependencies"].values() for need in extra if "galley" in need]
    assert own and all(need.startswith("galley-ocr[") for need in own)


def test_nobody_is_told_to_install_the_other_galley() -> None:
    found = [path for path in FILES if (ROOT / path).is_file()]
    paths = [ROOT / path for path in found]
    for folder in FOLDERS:
        paths += [path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    told = {
        str(path.relative_to(ROOT)): match[0]
        for path in paths
        if path != Path(__file__) and (match := OTHERS_PACKAGE.search(path.read_text(encoding="utf-8")))
    }
    assert told == {}


@pytest.mark.parametrize(
    "text", ["pip install galley", "pip install 'galley[vlm]'", "galley[serve]", r"galley\[ray\]"]
)
def test_the_search_finds_it(text: str) -> None:
    assert OTHERS_PACKAGE.search(text)
    assert not OTHERS_PACKAGE.search(text.replace("galley", "galley-ocr"))
