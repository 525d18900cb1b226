"""What ``import galley`` offers: names, keywords, sources, and models that are loaded once."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import onnxruntime
import pytest
from fakes import Words
from PIL import Image, ImageDraw
from running import numbered

import galley
from galley.option_keywords import OptionKeywords
from galley.parsing.options import ParseOptions

SAMPLES = Path(__file__).parents[2] / "samples"


def test_all_names_are_there() -> None:
    wanted = ["parse", "iter_pages", "Parser", "Document", "Page", "Block", "Table", "BBox", "Label"]
    assert set(wanted) <= set(galley.__all__)
    for name in galley.__all__:
        assert getattr(galley, name) is not None


def test_keywords_are_the_options() -> None:
    assert set(OptionKeywords.__annotations__) == set(ParseOptions.model_fields)
    hints = get_type_hints(OptionKeywords)
    for name in ("strategy", "ocr", "dtype"):
        assert get_args(hints[name]) == get_args(ParseOptions.model_fields[name].annotation), name


@pytest.mark.parametrize("function", [galley.parse, galley.iter_pages, galley.Parser])
def test_signatures_spell_the_keywords_out(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    assert set(ParseOptions.model_fields) <= set(parameters)
    assert all(one.kind is not one.VAR_KEYWORD for one in parameters.values())


def test_a_parser_reads_many_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def parser(self: object, options: ParseOptions, image_sink: Any) -> Words:
        made.append(options)
        return Words(options, image_sink)

    monkeypatch.setattr("galley.loaded_models.LoadedModels.parser", parser)
    reads = galley.Parser(dpi=100, pages="1-2")
    assert [page.number for page in reads.parse(numbered(3)).pages] == [1, 2]
    assert [page.number for page in reads.parse(numbered(3), pages=[3], name="x").pages] == [3]
    assert [page.number for page in reads.iter_pages(numbered(3), pages=2)] == [2]
    assert len(made) == 1 and reads.options.dpi == 100
    with pytest.raises(galley.UsageError, match="there is no option 'page'"):
        galley.Parser(page=1)  # type: ignore[call-arg]


def test_models_are_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[object] = []
    load = onnxruntime.InferenceSession

    def counted(*args: Any, **more: Any) -> object:
        loaded.append(args[0])
        return load(*args, **more)

    monkeypatch.setattr("galley.runtime.ort.InferenceSession", counted)
    picture = Image.new("RGB", (400, 120), "white")
    ImageDraw.Draw(picture).text((20, 40), "The orchard", fill="black", font_size=40)

    def read() -> None:
        first = galley.parse(picture)
        once = len(loaded)
        assert once > 2, "the first call loads detection, recognition and layout"
        assert galley.parse(picture).to_json() == first.to_json()
        assert next(galley.iter_pages(picture, dpi=150)).blocks[0].content == first.blocks[0].content
        galley.parse(picture, strategy="draft")
        assert len(loaded) == once

    thread = threading.Thread(target=read)  # so that no other test's models are there
    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    thread.start()
    thread.join()
    assert not errors, errors


def test_pictures_in_memory_are_read_as_their_files_are(tmp_path: Path) -> None:
    seen: list[tuple[np.ndarray, float]] = []

    class Looks(Words):
        def parse_page(self, page: Any) -> galley.Page:
            seen.append((page.image.copy(), page.dpi))
            return super().parse_page(page)

    parser = Looks(ParseOptions())
    with Image.open(SAMPLES / "letter.jpg") as opened:
        exif = opened.getexif()
        exif[0x0112] = 6  # lies on its side
        picture = opened.copy()
    picture.resize((80, 100)).save(tmp_path / "a.png", exif=exif, dpi=(150, 150))
    galley.parse(tmp_path / "a.png", parser=parser)
    with Image.open(tmp_path / "a.png") as image:
        document = galley.parse(image, parser=parser)
    assert document.source == "image" and document.page_count == 1
    assert np.array_equal(seen[0][0], seen[1][0]) and seen[0][1] == seen[1][1]
    assert seen[1][0].shape == (80, 100, 3)


@pytest.mark.parametrize(
    ("shape", "kind"), [((9, 8), np.uint8), ((9, 8, 3), np.uint8), ((9, 8, 4), np.uint8), ((9, 8), np.bool_)]
)
def test_arrays_are_pages(shape: tuple[int, ...], kind: type) -> None:
    document = galley.parse(np.ones(shape, kind), name="scan", parser=Words(ParseOptions()))
    assert (document.source, document.pages[0].width, document.pages[0].height) == ("scan", 8, 9)


@pytest.mark.parametrize("mode", ["CMYK", "LA", "P", "F", "I;16", "HSV"])
def test_pictures_of_any_mode_are_pages(mode: str) -> None:
    base = Image.new("I;16", (8, 9)) if mode == "I;16" else Image.new("RGB", (8, 9)).convert(mode)
    assert galley.parse(base, parser=Words(ParseOptions())).pages[0].width == 8


@pytest.mark.parametrize("array", [np.zeros((9, 8)), np.zeros((9, 8, 2), np.uint8), np.zeros(9, np.uint8)])
def test_other_arrays_are_refused(array: np.ndarray) -> None:
    with pytest.raises(galley.InputError, match=r"an array has to be \(height, width\).*of uint8; this one"):
        galley.parse(array, parser=Words(ParseOptions()))
