"""Without a model named what ships with Galley reads, on the shipped sample."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from galley import parse
from galley.decoding import Decoder, Finish, Request, Result, Stats
from galley.document import BBox, Block, Document, Label, Line, Page
from galley.drafters.line import TextLine
from galley.errors import ModelError, UsageError
from galley.parsing.options import ParseOptions, make_options
from galley.parsing.strategies import embedded
from galley.parsing.strategies.embedded import EmbeddedParser, lines_of
from galley.strategy_factory import make_strategy
from galley.targets.nano import load
from galley.targets.nano.load import DECODER, EMBEDDED
from galley.targets.nano.reading import CHANNELS
from galley.targets.nano.target import NanoTarget

from .nano_parts import tiny_nano, tiny_vocabulary

SAMPLE = Path(__file__).parents[2] / "samples" / "letter.jpg"
DECODERS = ["ar", "self-spec", "match", "auto"]
shipped = pytest.mark.skipif(not (EMBEDDED / DECODER).is_file(), reason="this copy has no embedded model")


def tiny_target() -> NanoTarget:
    from galley.training.nano.graph import TorchForward

    vocabulary = tiny_vocabulary()
    nano = tiny_nano(vocabulary)
    return NanoTarget(TorchForward(nano), nano.config, vocabulary)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    image = Image.new("RGB", (900, 300), "white")
    draw = ImageDraw.Draw(image)
    draw.text((40, 60), "The quick brown fox jumps over a lazy dog.", fill="black", font_size=30)
    draw.text((40, 110), "Seven wizards mix potions in glass jars.", fill="black", font_size=30)
    path = tmp_path / "picture.png"
    image.save(path)
    return path


@pytest.mark.parametrize("decode", DECODERS)
def test_an_untrained_model_never_harms_the_draft(
    picture: Path, decode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tiny_target()
    monkeypatch.setattr(embedded, "load_embedded", lambda: target)
    options = make_options(strategy="regions", decode=decode, max_tokens=60)
    parser = make_strategy(options)
    assert isinstance(parser, EmbeddedParser)
    document = parse(picture, options=options, parser=parser)
    assert document.to_text() == parse(picture, strategy="draft").to_text()
    assert "quick brown fox" in document.to_text()
    [page] = document.pages
    assert page.work is not None and page.work.tokens > 0 and page.work.reader == "galley-nano"
    assert all("draft-kept" in block.flags for block in page.blocks)


def test_a_copy_without_weights_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "EMBEDDED", tmp_path)
    with pytest.raises(ModelError, match="no embedded model"):
        make_strategy(ParseOptions())


@pytest.mark.parametrize("strategy", ["page", "hierarchical"])
def test_it_reads_regions_only(strategy: Any) -> None:
    with pytest.raises(UsageError, match="--model"):
        make_strategy(ParseOptions(strategy=strategy))


def test_what_it_cannot_decode_with_is_said_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="has no multi-token-prediction head"):
        make_strategy(make_options(decode="mtp"))


def text_line(text: str, x0: float, x1: float) -> TextLine:
    frames = np.arange(len(text))
    features = np.zeros((len(text), CHANNELS), np.float16)
    return TextLine(text, BBox(x0=x0, y0=0, x1=x1, y1=20), char_frames=frames, features=features)


def test_lines_of_a_block_are_those_it_was_made_of() -> None:
    read = [text_line("two", 60, 100), text_line("one", 0, 50), text_line("else", 200, 250)]
    line = Line(text="one two", bbox=BBox(x0=0, y0=0, x1=100, y1=20))
    block = Block(label=Label.TEXT, bbox=line.bbox, lines=[line])
    assert [one.text for one in lines_of(block, read)] == ["one", "two"]
    assert lines_of(block, read[:1]) == []


def test_long_blocks_are_read_in_pieces_and_words_stay_whole() -> None:
    parser = EmbeddedParser.__new__(EmbeddedParser)
    parser.target = tiny_target()
    parser.target.reach = 12
    lines = [text_line(text, 0, 100) for text in ("the quick brown", "fox jumps ov-", "er a lazy", "dog")]
    runs = parser._runs(lines)
    assert [line for run in runs for line in run] == lines
    assert len(runs) > 1 and all(not run[-1].text.endswith("-") for run in runs)


@pytest.mark.parametrize(
    ("content", "asked"),
    [
        ("plain text", True),
        ("Müller & Søn, 12 €", True),
        ("$32.14", True),
        ("校正刷り A4", False),
        ("корректура", False),
    ],
)
def test_only_scripts_it_was_taught_are_asked_about(content: str, asked: bool) -> None:
    parser = EmbeddedParser.__new__(EmbeddedParser)
    parser.target, parser.options = tiny_target(), ParseOptions()
    read = text_line(content, 0, 100)
    line = Line(text=content, bbox=read.bbox)
    block = Block(label=Label.TEXT, bbox=line.bbox, lines=[line], content=content, source="ocr")
    assert bool(parser._pieces(0, block, [read])) is asked


@pytest.mark.parametrize(
    ("lines", "texts", "x0"),
    [
        (["• two socks", "of wool"], ["two socks", "of wool"], 10),
        (["•", "two socks"], ["two socks"], 0),
        (["- two socks"], ["two socks"], 10),
        (["1. two socks"], ["1. two socks"], 0),
    ],
)
def test_bullets_are_no_part_of_what_is_read(lines: list[str], texts: list[str], x0: float) -> None:
    parser = EmbeddedParser.__new__(EmbeddedParser)
    parser.target, parser.options = tiny_target(), ParseOptions()
    read = []
    for number, text in enumerate(lines):
        line = text_line(text, 0, 5 * len(text))
        read.append(replace(line, bbox=BBox(x0=0, y0=30 * number, x1=line.bbox.x1, y1=30 * number + 20)))
    content = " ".join(texts)
    of_block = [Line(text=one.text, bbox=one.bbox) for one in read]
    block = Block(label=Label.LIST_ITEM, bbox=read[0].bbox, lines=of_block, content=content, source="ocr")
    [piece] = parser._pieces(0, block, read)
    assert [line.text for line in piece.lines] == texts
    first = piece.lines[0]
    assert first.char_frames is not None and first.features is not None
    assert list(first.char_frames) == list(range(len(first.text))) and len(first.features) == len(first.text)
    assert first.bbox.x0 == pytest.approx(x0) and list(piece.request.drafts[0]) == parser.target.encode(
        content
    )


def test_a_block_that_failed_keeps_its_draft() -> None:
    parser = EmbeddedParser.__new__(EmbeddedParser)
    parser.target = tiny_target()
    block = Block(label=Label.TEXT, bbox=BBox(x0=0, y0=0, x1=1, y1=1), content="as drafted", source="ocr")
    for finish, flag in ((Finish.ERROR, "failed"), (Finish.LOOP, "loop"), (Finish.LENGTH, "failed")):
        read = parser.answered(block, [Result(0, [], finish, Stats(), [])], [])
        assert (read.content, read.source, read.flags) == ("as drafted", "ocr", [flag, "draft-kept"])


@pytest.fixture(scope="module")
def decoded() -> Iterator[dict[str, tuple[Document, list[list[int]]]]]:
    """The sample as each decoder reads it, with the ids of every region."""
    found = {}
    for decode in DECODERS:
        options = make_options(strategy="regions", decode=decode)
        parser = EmbeddedParser(options, embedded.DraftParser(options))
        ids: list[list[int]] = []
        parser.decoder = Noting(parser.decoder, ids)
        found[decode] = (parse(SAMPLE, options=options, parser=parser), ids)
    yield found


class Noting:
    """A decoder that keeps the ids it gives."""

    def __init__(self, decoder: Any, ids: list[list[int]]):
        self.decoder, self.ids = decoder, ids

    def run(self, requests: list[Request]) -> list[Result]:
        results: list[Result] = self.decoder.run(requests)
        self.ids += [result.ids for result in results]
        return results


@shipped
@pytest.mark.parametrize("decode", DECODERS[1:])
def test_drafts_give_the_ids_of_plain_decoding(
    decoded: dict[str, tuple[Document, list[list[int]]]], decode: str
) -> None:
    plain, ids = decoded["ar"]
    document, drafted = decoded[decode]
    assert drafted == ids and len(ids) > 3
    assert document.to_markdown() == plain.to_markdown()
    work, steps = document.pages[0].work, plain.pages[0].work
    assert work is not None and steps is not None
    assert work.tokens == steps.tokens and work.forwards < steps.forwards / 2


@shipped
def test_the_sample_is_read_as_it_is_printed(decoded: dict[str, tuple[Document, list[list[int]]]]) -> None:
    document, _ = decoded["auto"]
    assert document.to_text() == parse(SAMPLE, strategy="draft").to_text()
    assert any(block.source == "galley-nano" for block in document.pages[0].blocks)


@shipped
def test_neither_torch_nor_a_network_is_needed() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*_, **__): raise OSError('no network')\n"
        "socket.socket.connect = refuse\n"
        "from galley.cli import main\n"
        f"sys.argv = ['galley', 'parse', {str(SAMPLE)!r}]\n"
        "try: main()\n"
        "except SystemExit as done: assert not done.code\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "galley-nano:" in done.stderr and "tokens per forward" in done.stderr


@shipped
def test_decoding_of_one_region_is_the_same_whatever_the_batch() -> None:
    target = load.load_embedded()
    options = make_options(strategy="regions", decode="ar")
    parser = EmbeddedParser(options, embedded.DraftParser(options), target)
    ids: list[list[int]] = []
    parser.decoder = Noting(Decoder(target, "ar", max_batch=1), ids)
    parse(SAMPLE, options=options, parser=parser)
    again: list[list[int]] = []
    parser.decoder = Noting(Decoder(target, "ar", max_batch=8), again)
    parse(SAMPLE, options=options, parser=parser)
    assert ids == again


@shipped
def test_a_misread_word_is_put_right_and_said() -> None:
    """A draft with a wrong letter in it, over features of the line as it is printed."""
    image = Image.new("RGB", (900, 120), "white")
    text = "The quick brown fox jumps over a lazy dog."
    ImageDraw.Draw(image).text((40, 40), text, fill="black", font_size=36)
    parser = EmbeddedParser(ParseOptions(), embedded.DraftParser(ParseOptions()))
    [line] = parser.draft.ocr.read(np.asarray(image), features=True)
    assert line.text == text
    line.text = wrong = text.replace("quick", "qu1ck")
    block = Block(
        label=Label.TEXT,
        bbox=line.bbox,
        content=wrong,
        source="ocr",
        lines=[Line(text=wrong, bbox=line.bbox)],
    )
    page = Page(number=1, width=900, height=120, blocks=[block])
    [read] = parser.verified(page, [line]).page.blocks
    assert read.content == text
    assert read.extra["corrected"] == [["qu1ck", "quick"]] and page.blocks[0].content == wrong
