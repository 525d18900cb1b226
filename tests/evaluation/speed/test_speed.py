"""The speed protocol on readers that need no weights: what is counted, compared and reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from PIL import Image
from tests.parsing.strategies.scripted import FixedDraft, ScriptedReader, block

from galley.decoding import Finish, Result, Stats
from galley.decoding.stats import Seconds
from galley.document import Label
from galley.errors import InputError, ModelError, UsageError
from galley.evaluation.speed import Settings, bench, ways
from galley.evaluation.speed.samples import find_samples, spread
from galley.evaluation.speed.times import Decoded, UnitTimes, decode_rate, full_rate, length_bins, over
from galley.evaluation.speed.timing import differences
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.regions import RegionsParser
from galley.parsing.strategies.whole_page import PageParser
from galley.targets.prompt import Prompt, Task

TEXT = "A line of text that the drafter read without any fault at all, and then some more of it."
TABLE = "<table><tr><td>a</td></tr></table>"


class Reader(ScriptedReader):
    """Knows what its prompts ask for."""

    def prompt(self, image: Any, task: Task) -> Prompt:
        asked = super().prompt(image, task)
        return Prompt(asked.image, asked.text, task)


def answer(prompt: Prompt) -> str:
    return TABLE if prompt.task is Task.TABLE else TEXT


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Two pages, one with a truth."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b"):
        Image.new("RGB", (200, 300), "white").save(folder / f"{name}.png")
    (folder / "a.md").write_text(f"{TEXT}\n\n{TABLE}")
    return folder


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put a scripted reader and a made-up draft behind the options."""

    def put(reader: ScriptedReader, cls: type = RegionsParser) -> None:
        blocks = [block(Label.TEXT, TEXT, 10), block(Label.TABLE, TABLE, 60), block(Label.FIGURE, "", 100)]

        def made(options: ParseOptions) -> Any:
            return cls(options, reader, FixedDraft(blocks))

        monkeypatch.setattr(ways, "make_strategy", made)

    return put


def settings(data: Path, **more: Any) -> Settings:
    options = more.pop("options", ParseOptions(strategy="regions"))
    quick = {"repeats": 1, "batches": (2,), "taus": (1.0, 0.5)} | more
    return Settings(data, options, data.parent / "out", **quick)  # type: ignore[arg-type]


def test_a_whole_run(pages: Path, given: Callable[..., None]) -> None:
    given(Reader(answer))
    report, differing = bench(settings(pages))
    assert differing == 0 and report.failures == []
    results = json.loads((pages.parent / "out" / "results.json").read_text())
    assert results["ways"] == ["ar", "match", "auto"]
    assert [line.split()[0] for line in results["notes"]] == ["self-spec", "mtp"]
    assert {unit["kind"] for unit in results["units"]} == {"text", "table"} and len(results["units"]) == 4
    for unit in results["units"]:
        assert unit["ways"]["match"]["ids"] == unit["ways"]["ar"]["ids"]
        ours, plain = (unit["ways"][way]["stats"] for way in ("match", "ar"))
        assert plain["plain_forwards"] == plain["tokens"] - 1
        assert ours["verify_forwards"] + ours["plain_forwards"] < plain["plain_forwards"] / 2
    assert [b["batch"] for b in results["batches"]] == [2] and [t["tau"] for t in results["taus"]] == [
        1.0,
        0.5,
    ]
    assert results["taus"][0]["likeness"] == 1.0 and results["tau_way"] == "auto"
    for name in ("device", "threads", "dtype", "galley", "processor", "repeats"):
        assert results["setting"][name]
    titles = [table.title for table in report.tables]
    assert titles == [
        "Pages",
        "Units at batch 1",
        "By content type",
        "By output length",
        "Accepted lengths",
        "Batches",
        "Acceptance threshold (auto)",
    ]
    for table in report.tables:
        if "way" in table.head and "× ar" in table.head:
            rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
            assert {row["× ar"] for row in rows if row["way"] == "ar"} == {1.0}
    html = (pages.parent / "out" / "report.html").read_text()
    assert html.count("data:image/png;base64,") == 5 and "http" not in html.split("<body>")[1]


def test_pages_are_scored_by_their_truth_or_by_ar(pages: Path, given: Callable[..., None]) -> None:
    given(Reader(answer))
    bench(settings(pages, batches=(), taus=()))
    results = json.loads((pages.parent / "out" / "results.json").read_text())
    assert results["has_truth"] and results["batches"] == [] and results["taus"] == []
    assert [page["quality"]["match"] for page in results["pages"]] == [1.0, 1.0]
    (pages / "a.md").write_text("something else entirely")
    bench(settings(pages, batches=(), taus=()))
    results = json.loads((pages.parent / "out" / "results.json").read_text())
    assert results["pages"][0]["quality"]["ar"] < 0.5 and results["pages"][1]["quality"]["ar"] == 1.0


def test_whole_pages_are_units_of_the_page_strategy(pages: Path, given: Callable[..., None]) -> None:
    given(Reader(lambda prompt: f"# Title\n\n{TEXT}"), PageParser)
    bench(settings(pages, ways=["match"], batches=(), taus=()))
    results = json.loads((pages.parent / "out" / "results.json").read_text())
    assert [(unit["name"], unit["kind"]) for unit in results["units"]] == [
        ("a.png/0", "page"),
        ("b.png/0", "page"),
    ]
    assert results["ways"] == ["ar", "match"]


def test_an_exact_way_that_differs_is_told(
    pages: Path, given: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lying:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def run(self, requests: Any) -> list[Result]:
            results = self.inner.run(requests)
            for result in results:
                result.ids[3] += 1
            return results

    given(Reader(answer))
    honest = ways.make_decoder

    def some_lie(reader: Any, options: ParseOptions) -> Any:
        made = honest(reader, options)
        return Lying(made) if options.decode == "match" else made

    monkeypatch.setattr(ways, "make_decoder", some_lie)
    report, differing = bench(settings(pages, ways=["match"], taus=()))
    assert differing == 5  # four units at batch 1, and the batch
    assert "a.png/0: match differs from ar at token 3" in str(report.tables[-1].rows)
    assert "5 exact decodings differ" in report.warnings[0]


def test_a_way_that_is_not_exact_and_keeps_no_time(
    pages: Path, given: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Diffusion:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def run(self, requests: Any) -> list[Result]:
            results: list[Result] = self.inner.run(requests)
            for result in results:
                result.ids.pop()
                result.stats.seconds = Seconds()
            return results

    given(Reader(answer))
    honest = ways.make_decoder

    def made(reader: Any, options: ParseOptions) -> Any:
        if options.decode != "diffusion":
            return honest(reader, options)
        return Diffusion(honest(reader, options.model_copy(update={"decode": "ar"})))

    monkeypatch.setattr(ways, "make_decoder", made)
    report, differing = bench(settings(pages, ways=["match", "diffusion"]))
    assert differing == 0 and report.failures == []
    rows = [row for row in report.tables[1].rows if row[1] == "diffusion"]
    assert rows[0][4:6] == [None, None] and rows[0][6] is not None and rows[0][-1] == "0 of 4"
    assert "diffusion" not in str(next(t for t in report.tables if t.title == "Batches").rows)


def test_what_cannot_be_measured_is_listed(pages: Path, given: Callable[..., None]) -> None:
    (pages / "broken.png").write_bytes(b"no image")

    def fails_on_tables(prompt: Prompt) -> str:
        if prompt.task is Task.TABLE:
            raise RuntimeError("out of memory")
        return TEXT

    given(Reader(answer))
    report, _ = bench(settings(pages, batches=(), taus=()))
    assert len(report.failures) == 1 and report.failures[0].startswith("broken.png: ")
    assert report.tables[0].rows[1][-1] == "2 of 2"
    (pages / "broken.png").unlink()
    given(Reader(fails_on_tables))
    with pytest.raises(
        InputError, match=r"asked nothing in any of the 2 samples: a\.png, ar: .*out of memory"
    ):
        bench(settings(pages))


def test_what_cannot_be_compared(pages: Path, given: Callable[..., None]) -> None:
    with pytest.raises(UsageError, match="drafts alone are not decoded"):
        bench(settings(pages, options=ParseOptions(strategy="draft")))
    given(Reader(answer))
    with pytest.raises(UsageError, match="--decode fast: there are ar, match"):
        bench(settings(pages, ways=["fast"]))
    with pytest.raises(ModelError, match="no multi-token-prediction head"):
        bench(settings(pages, ways=["mtp"]))
    (pages.parent / "empty").mkdir()
    with pytest.raises(InputError, match="holds no pages"):
        bench(settings(pages.parent / "empty"))


def unit(tokens: int, seconds: float, decode: float | None, ids: list[int] | None = None) -> UnitTimes:
    made = Decoded(seconds, decode, Stats(tokens=tokens), ids or [1, 2], "", Finish.STOP.value)
    return UnitTimes("u", "text", {"ar": made})


def test_rates_are_of_sums() -> None:
    units = [unit(11, 2.0, 1.0), unit(31, 4.0, 3.0)]
    assert full_rate(units, "ar") == pytest.approx(42 / 6) and decode_rate(units, "ar") == pytest.approx(
        40 / 4
    )
    assert decode_rate([*units, unit(5, 1.0, None)], "ar") is None
    assert over(3.0, 2.0) == 1.5 and over(None, 2.0) is None and over(1.0, None) is None
    bins = length_bins([unit(n, 1, 1) for n in (1, 127, 128, 1023, 1024, 9000)], "ar")
    assert {name: len(inside) for name, inside in bins.items()} == {
        "< 128": 2,
        "128–255": 1,
        "512–1023": 1,
        "≥ 1024": 2,
    }


def test_a_difference_says_where() -> None:
    one = unit(2, 1, 1)
    for ids, where in (
        ([1, 3], "at token 1"),
        ([1], "in length: 1, not 2"),
        ([1, 2, 3], "in length: 3, not 2"),
    ):
        other = unit(2, 1, 1, ids).ways["ar"]
        both = UnitTimes("u", "text", {"ar": one.ways["ar"], "match": other})
        assert differences(both, ["match"]) == [f"u: match differs from ar {where}"]


def test_samples_of_folders(pages: Path) -> None:
    found = find_samples(pages, ParseOptions(), crops=False, limit=9)
    assert [(sample.name, sample.truth is not None) for sample in found] == [
        ("a.png", True),
        ("b.png", False),
    ]
    (pages / "table").mkdir()
    Image.new("RGB", (30, 20)).save(pages / "table" / "t.png")
    crops = find_samples(pages, ParseOptions(), crops=True, limit=9)
    assert [sample.label for sample in crops] == [Label.TEXT, Label.TEXT, Label.TABLE]
    assert spread(list(range(10)), 3) == [0, 3, 6]


def test_samples_of_an_annotation_file(pages: Path) -> None:
    def item(category: str, order: int, box: tuple[int, int, int, int], **content: str) -> dict[str, Any]:
        x0, y0, x1, y1 = box
        poly = [x0, y0, x1, y0, x1, y1, x0, y1]
        return {"category_type": category, "order": order, "anno_id": order, "poly": poly, **content}

    items = [
        item("table", 2, (10, 100, 110, 150), html=TABLE),
        item("text_block", 1, (10, 20, 60, 40), text=TEXT),
        item("figure", 3, (0, 0, 5, 5)),
    ]
    data = pages / "truth.json"
    data.write_text(json.dumps([{"layout_dets": items, "page_info": {"image_path": "a.png"}, "extra": {}}]))
    [page] = find_samples(data, ParseOptions(), crops=False, limit=9)
    assert page.truth == f"{TEXT}\n\n{TABLE}"
    table, text = find_samples(data, ParseOptions(), crops=True, limit=9)
    assert (table.label, text.label) == (Label.TABLE, Label.TEXT)
    assert table.read(ParseOptions()).image.shape == (50, 100, 3)
    (pages / "a.png").unlink()
    with pytest.raises(InputError, match=r"the image a\.png is neither in"):
        find_samples(data, ParseOptions(), crops=False, limit=9)
