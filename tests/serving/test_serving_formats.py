"""Formats of results: the table's, whatever is in it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")

sys.path.insert(0, str(Path(__file__).parents[1] / "document"))

from serving_fakes import Served, pdf
from toy_exporter import OUTLINE, make_parser

from galley.document.exporters import EXPORTERS


def test_the_formats_there_are(served: Served) -> None:
    formats = served.client.get("/v1/formats").json()["formats"]
    assert [one["name"] for one in formats] == [one.name for one in EXPORTERS.values() if one.available]
    assert formats[0] == {
        "name": "md",
        "title": "Markdown",
        "suffix": ".md",
        "media_type": "text/markdown; charset=utf-8",
    }
    both = [served.post(pdf("one"), format=name) for name in ("md", "markdown")]
    assert [response.text for response in both] == ["one\n"] * 2


def test_a_new_format_is_one_of_the_servers(
    serve: Callable[..., Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXPORTERS, OUTLINE.name, OUTLINE)
    server = serve(factory=partial(make_parser, gate=tmp_path / "gate"))
    assert server.client.get("/v1/formats").json()["formats"][-1]["title"] == "Outline"
    response = server.post(pdf("one", "two"), format="outline")
    assert response.text == "1: one\n2: two\n"
    assert response.headers["content-type"].startswith("text/x-outline")


def test_formats_of_whole_documents_are_made_when_asked_for(served: Served) -> None:
    pytest.importorskip("docling_core")
    response = served.post(pdf("one"), format="docling")
    assert response.json()["schema_name"] == "DoclingDocument"
