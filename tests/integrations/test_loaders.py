"""Loaders of other frameworks: one document per page, block or file, and what of a file was not read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from fakes import FailsOnTwo, Words
from running import numbered

from galley.errors import InputError, UsageError
from galley.integrations import chunks

BOX, SIZE = [0.0, 0.0, 250.0, 660.0], [250, 660]  # of a page of 300 x 792 points at 60 dpi
LAYOUT = {"size": SIZE, "boxes": [{"label": "text", "box": BOX}]}


def _read_with(monkeypatch: pytest.MonkeyPatch, parser: type[Words]) -> None:
    monkeypatch.setattr(
        "galley.loaded_models.LoadedModels.parser", lambda self, options, sink: parser(options, sink)
    )


@pytest.fixture(autouse=True)
def fake_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    _read_with(monkeypatch, Words)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "a.pdf", tmp_path / "b.pdf"]
    paths[0].write_bytes(numbered(2))
    paths[1].write_bytes(numbered(1, "Other"))
    return paths


def test_pages_blocks_and_documents(files: list[Path]) -> None:
    known = {"source": str(files[0]), "total_pages": 2}

    def read(mode: chunks.Mode) -> list[chunks.Chunk]:
        return list(chunks.read_chunks(files[:1], mode, {"dpi": 60}))

    assert read("page")[1] == ("Page 2\n", known | {"page": 2} | LAYOUT)
    block = {"page": 2, "size": SIZE, "label": "text", "box": BOX}
    assert read("block")[1] == ("Page 2\n", known | block)
    assert read("document") == [("Page 1\n\nPage 2\n", known)]
    with pytest.raises(UsageError, match="mode is page, block or document, not 'line'"):
        next(chunks.read_chunks(files, "line", {}))  # type: ignore[arg-type]


def test_a_file_is_read_when_its_turn_comes(files: list[Path]) -> None:
    found = chunks.read_chunks([files[1], "/nowhere.pdf"], "page", {})
    assert next(found)[0] == "Other 1\n"
    with pytest.raises(InputError, match=r"nowhere\.pdf"):
        next(found)


@pytest.mark.filterwarnings("ignore:.*ZeroDivisionError")
@pytest.mark.parametrize("mode", chunks.MODES)
def test_what_could_not_be_read_is_never_silent(
    files: list[Path], monkeypatch: pytest.MonkeyPatch, mode: chunks.Mode
) -> None:
    _read_with(monkeypatch, FailsOnTwo)
    found = list(chunks.read_chunks(files, mode, {}))
    assert "".join(text for text, _ in found) == "Page 1\nOther 1\n"
    [known] = [known for _, known in found if "failures" in known]
    assert known["failures"][0].startswith("page 2: unexpected ZeroDivisionError")
    assert mode != "page" or known["page"] == 2
    with pytest.warns(UserWarning, match=r"a\.pdf: page 2: unexpected ZeroDivisionError"):
        list(chunks.read_chunks(files, mode, {}))


def test_langchain(files: list[Path]) -> None:
    pytest.importorskip("langchain_core")
    from galley.integrations.langchain import GalleyLoader

    pages = GalleyLoader(files, dpi=60).load()
    assert [page.page_content for page in pages] == ["Page 1\n", "Page 2\n", "Other 1\n"]
    assert pages[1].metadata == {"source": str(files[0]), "page": 2, "total_pages": 2, **LAYOUT}
    [whole] = GalleyLoader(str(files[0]), mode="document").load()
    assert whole.page_content == "Page 1\n\nPage 2\n"
    assert next(iter(GalleyLoader([files[0], "/nowhere.pdf"]).lazy_load())).metadata["page"] == 1
    with pytest.raises(UsageError, match="there is no option 'pag'"):
        GalleyLoader(files, pag="1").load()


def test_llamaindex(files: list[Path]) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core import SimpleDirectoryReader
    from llama_index.core.schema import MetadataMode

    from galley.integrations.llamaindex import GalleyReader

    pages = GalleyReader(dpi=60).load_data(files[0], extra_info={"shelf": 3})
    assert [page.text for page in pages] == ["Page 1\n", "Page 2\n"]
    assert pages[0].metadata == {"source": str(files[0]), "page": 1, "total_pages": 2, "shelf": 3, **LAYOUT}
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        shown = pages[0].get_content(mode)
        assert "page: 1" in shown and "boxes" not in shown
    assert len(GalleyReader(mode="document", pages="1").load_data(files)) == 2
    reader = SimpleDirectoryReader(str(files[0].parent), file_extractor={".pdf": GalleyReader()})
    assert sorted(page.text for page in reader.load_data()) == ["Other 1\n", "Page 1\n", "Page 2\n"]


@pytest.mark.parametrize(
    ("loader", "package"), [("langchain", "langchain_core"), ("llamaindex", "llama_index")]
)
def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, loader: str, package: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"galley.integrations.{loader}", raising=False)
    with pytest.raises(UsageError, match=rf"pip install 'galley-ocr\[{loader}\]'"):
        __import__(f"galley.integrations.{loader}")
