"""The passes: each runs once, does what it says, and can be seen at work."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from page_states import NAMES, blank, passes, tools

import galley
from galley.cli.parse_run import Request, run_parse
from galley.document import BBox, Block, Label, Page
from galley.drafters.line import TextLine
from galley.errors import OutputError, UsageError
from galley.ingest import open_source
from galley.layout.region import Region
from galley.parsing.contract import contract_of
from galley.parsing.document.state import DocumentState
from galley.parsing.document_passes import DOCUMENT_PASSES, finish_pages
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.page_passes import PAGE_PASSES, PagePass, run_page_passes

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "samples" / "report.pdf"
LETTER = ROOT / "samples" / "letter.jpg"
ATTRIBUTES = {field.name for field in dataclasses.fields(PageState)}
DOCUMENT_ATTRIBUTES = {*Block.model_fields, "order", "sizes", "words", "headings"}
PACKAGES = ("text", "page", "lines", "regions", "zones", "blocks", "document")


@pytest.fixture(scope="module")
def parser() -> DraftParser:
    return DraftParser(ParseOptions(strategy="draft"))


class _Watched(PageState):
    """Takes down which attributes are looked at and which are set."""

    def __getattribute__(self, name: str) -> Any:
        if name in ATTRIBUTES:
            object.__getattribute__(self, "__dict__").setdefault("_seen", set()).add(name)
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__getattribute__(self, "__dict__").setdefault("_set", set()).add(name)
        object.__setattr__(self, name, value)


@pytest.mark.parametrize("each", PAGE_PASSES, ids=NAMES)
def test_a_page_pass_is_one_function_in_a_file_of_its_name(each: PagePass) -> None:
    contract = contract_of(each)
    assert Path(contract.file).stem == contract.name
    assert {*contract.reads, *contract.changes} <= ATTRIBUTES
    assert contract.changes


@pytest.mark.parametrize("each", DOCUMENT_PASSES, ids=lambda each: each.__name__)
def test_a_document_pass_is_one_function_in_a_file_of_its_name(each: Callable[..., Any]) -> None:
    contract = contract_of(each)
    assert Path(contract.file).stem == contract.name
    assert {*contract.reads, *contract.changes} <= DOCUMENT_ATTRIBUTES
    assert contract.changes


@pytest.mark.parametrize("path", [REPORT, LETTER], ids=["text layer", "scan"])
def test_passes_read_and_change_what_they_say(path: Path, parser: DraftParser) -> None:
    with open_source(path) as source:
        found = PageState.of(source.page(1))
    page = _Watched(**{name: getattr(found, name) for name in ATTRIBUTES})
    for each in PAGE_PASSES:
        before = {name: getattr(page, name) for name in ATTRIBUTES}
        page.__dict__["_seen"], page.__dict__["_set"] = set(), set()
        each(page, parser.page_tools)
        seen, changed = page.__dict__["_seen"], page.__dict__["_set"]
        contract = contract_of(each)
        assert changed <= set(contract.changes), each.__name__
        assert seen <= {*contract.reads, *contract.changes}, each.__name__
        assert all(before[name] is getattr(page, name) for name in ATTRIBUTES - changed)


def test_each_pass_runs_once_for_a_page(parser: DraftParser) -> None:
    codes = {each.__code__: each.__name__ for each in (*PAGE_PASSES, *DOCUMENT_PASSES)}  # type: ignore[attr-defined]
    runs: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes:
            runs[codes[frame.f_code]] += 1

    with open_source(REPORT) as source:
        page = source.page(1)
    sys.setprofile(count)
    try:
        parser.parse_page(page)
    finally:
        sys.setprofile(None)
    assert runs == dict.fromkeys(NAMES, 1)


def _page() -> PageState:
    """A page of two paragraphs whose lines are known."""
    page = blank(800, 600)
    texts = ["A first paragraph stands here", "and a second one below it"]
    page.lines = [
        TextLine(text, BBox(x0=100, y0=100 + 200 * i, x1=600, y1=130 + 200 * i))
        for i, text in enumerate(texts)
    ]
    page.regions = [Region(Label.TEXT, line.bbox, 0.9) for line in page.lines]
    return page


def label_first_as_caption(page: PageState, tools: PageTools) -> None:
    """Call the first zone a caption.

    Reads: zones.
    Changes: zones.
    """
    first, *others = page.zones
    page.zones = [dataclasses.replace(first, label=Label.CAPTION), *others]


def test_a_new_pass_takes_effect_and_is_traced(tmp_path: Path) -> None:
    ordinary = passes("measure_body_text", "build_blocks")
    place = [each.__name__ for each in ordinary].index("read_lone_formula")
    toy = (*ordinary[:place], label_first_as_caption, *ordinary[place:])
    page = run_page_passes(_page(), PageTools(ParseOptions(trace_passes=tmp_path)), toy)
    assert [block.label for block in page.blocks] == [Label.CAPTION, Label.TEXT]
    assert [block.label for block in run_page_passes(_page(), tools(), ordinary).blocks] == [Label.TEXT] * 2

    folder = tmp_path / "document" / "page-0001"
    traced = json.loads((folder / "passes.json").read_text(encoding="utf-8"))["passes"]
    assert [step["pass"] for step in traced] == [each.__name__ for each in toy]
    [step] = [step for step in traced if step["pass"] == "label_first_as_caption"]
    [change] = step["changes"]
    assert change["details"] == ["label text → caption"] and change["text"] == "A first paragraph stands here"
    assert (folder / step["image"]).is_file()
    assert "label text → caption" in (folder / "passes.txt").read_text(encoding="utf-8")
    assert step["image"] in (folder / "passes.html").read_text(encoding="utf-8")


def shout(pages: Iterable[Page], document: DocumentState) -> Iterator[Page]:
    """Set all text in capitals.

    Reads: content.
    Changes: content.
    """
    for page in pages:
        for block in page.blocks:
            block.content = block.content.upper()
        yield page


def test_a_new_document_pass_takes_effect_and_is_traced(tmp_path: Path) -> None:
    def pages() -> list[Page]:
        box = BBox(x0=0, y0=0, x1=90, y1=20)
        return [
            Page(number=n, width=100, height=100, blocks=[Block(label=Label.TEXT, bbox=box, content="a b")])
            for n in (1, 2)
        ]

    toy = (*DOCUMENT_PASSES, shout)
    plain = list(finish_pages(pages(), ParseOptions(), list, passes=toy))
    traced = list(finish_pages(pages(), ParseOptions(trace_passes=tmp_path), list, "a/b.pdf", toy))
    assert traced == plain and [page.blocks[0].content for page in plain] == ["A B", "A B"]
    text = (tmp_path / "a" / "b.pdf" / "document-passes.txt").read_text(encoding="utf-8")
    assert '~ b1 text: text "a b" → "A B"' in text and "shout  2 of 2 pages changed" in text


def test_the_trace_follows_what_is_joined_and_what_goes(tmp_path: Path) -> None:
    page = blank(800, 600)
    page.lines = [
        TextLine("•", BBox(x0=100, y0=100, x1=110, y1=130)),
        TextLine("an item of a list", BBox(x0=130, y0=100, x1=500, y1=130)),
    ]
    run_page_passes(
        page, PageTools(ParseOptions(trace_passes=tmp_path)), passes("join_list_marks", "join_list_marks")
    )
    text = (tmp_path / "document" / "page-0001" / "passes.txt").read_text(encoding="utf-8")
    assert (
        "lines 2 → 1" in text
        and '"an item of a list" → "• an item of a list"' in text
        and "now inside" in text
    )


def test_a_parse_is_the_same_with_a_trace(tmp_path: Path) -> None:
    plain = galley.parse(REPORT, strategy="draft")
    traced = galley.parse(REPORT, strategy="draft", trace_passes=tmp_path)
    assert traced == plain


def test_traces_of_several_workers(tmp_path: Path) -> None:
    out, traces = tmp_path / "out", tmp_path / "traces"
    options = ParseOptions(strategy="draft", trace_passes=traces)
    assert run_parse(Request([str(REPORT)], options, ["md"], out, jobs=2, quiet=True)) == 0
    assert sorted(path.parent.name for path in traces.rglob("passes.txt")) == ["page-0001", "page-0002"]
    assert len(list(traces.rglob("document-passes.json"))) == 2


def test_no_trace_on_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave out --engine ray"):
        run_parse(Request([str(REPORT)], ParseOptions(trace_passes=tmp_path), ["md"], tmp_path, engine="ray"))


def test_a_trace_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(OutputError, match="cannot write the trace"):
        run_page_passes(
            _page(),
            PageTools(ParseOptions(trace_passes=tmp_path / "taken")),
            passes("assign_lines", "order_zones"),
        )


def test_the_documentation_shows_the_passes_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    spec = importlib.util.spec_from_file_location("describe_passes", ROOT / "tools" / "describe_passes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert module.with_passes(text) == text, "run: python tools/describe_passes.py"
    svg = (ROOT / "docs" / "images" / "passes.svg").read_text(encoding="utf-8")
    assert module.picture() == svg, "run: python tools/describe_passes.py"
    for name in (*NAMES, *(each.__name__ for each in DOCUMENT_PASSES)):
        assert f"`{name}`" in text
        assert f">{name}</text>" in svg


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_only_from_those_before_them(package: str) -> None:
    allowed = {*PACKAGES[: PACKAGES.index(package) + 1], "options"}
    for path in sorted((ROOT / "src" / "galley" / "parsing" / package).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("galley.parsing."):
                assert str(node.module).split(".")[2] in allowed, f"{path.name} imports {node.module}"
