"""What is shipped: complete, from this origin only, behind a strict policy. Needs no browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the serve extra")
pytest.importorskip("httpx", reason="needs httpx for Starlette's test client")

from starlette.applications import Starlette
from starlette.testclient import TestClient

import galley.serving.web as web

STATIC = Path(web.__file__).parent / "static"
OWN = [
    path
    for path in STATIC.rglob("*")
    if path.suffix in {".html", ".js", ".css"} and "vendor" not in path.parts
]


@pytest.fixture
def client() -> TestClient:
    app = Starlette()
    web.add_web_page(app)
    return TestClient(app)


def _policy(headers: object) -> dict[str, list[str]]:
    text = str(headers["content-security-policy"])  # type: ignore[index]
    return {name: values for name, *values in (part.split() for part in text.split(";"))}


def test_nothing_inline_and_nothing_from_elsewhere_is_allowed(client: TestClient) -> None:
    policy = _policy(client.get("/").headers)
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert policy["frame-ancestors"] == ["'none'"]
    assert policy["require-trusted-types-for"] == ["'script'"]
    assert "unsafe" not in str(policy)


def test_files_carry_the_policy_and_their_types(client: TestClient) -> None:
    for path, kind in [
        ("web/js/main.js", "javascript"),
        ("web/css/base.css", "text/css"),
        ("web/icon.svg", "image/svg+xml"),
    ]:
        answer = client.get(f"/{path}")
        assert answer.status_code == 200
        assert kind in answer.headers["content-type"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert _policy(answer.headers)["default-src"] == ["'none'"]


def test_nothing_outside_the_folder_is_served(client: TestClient) -> None:
    for path in ("/web/../__init__.py", "/web/%2e%2e/__init__.py", "/web/", "/web/js", "/web/none.js"):
        assert client.get(path).status_code == 404


def test_every_file_the_page_names_is_there(client: TestClient) -> None:
    html = (STATIC / "index.html").read_text()
    for address in re.findall(r'(?:src|href)="(web/[^"]+)"', html):
        assert client.get(f"/{address}").status_code == 200, address
    for script in (path for path in OWN if path.suffix == ".js"):
        for address in re.findall(r'(?:from|import\()\s*"([^"]+)"', script.read_text()):
            assert (script.parent / address).is_file(), f"{script.name} imports {address}"
    sheet = STATIC / "vendor/katex/katex.min.css"
    for font in re.findall(r"url\((fonts/[^)]+\.woff2)\)", sheet.read_text()):
        assert (sheet.parent / font).is_file(), font


def test_our_files_name_no_other_host() -> None:
    assert len(OWN) > 15
    for path in OWN:
        addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+", path.read_text()))
        assert not addresses, f"{path.name}: {addresses}"


def test_ours_has_no_inline_code_and_no_markup_from_strings() -> None:
    html = (STATIC / "index.html").read_text()
    assert not re.search(r"\son\w+=|<style|\sstyle=|<script(?![^>]*\ssrc=)", html)
    for path in OWN:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", path.read_text()
        )


def test_what_is_not_ours_comes_with_its_licence_and_stays_small() -> None:
    for folder in (STATIC / "vendor").iterdir():
        assert (folder / "LICENSE").is_file()
    assert sum(path.stat().st_size for path in STATIC.rglob("*") if path.is_file()) < 1_000_000
