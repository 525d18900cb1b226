"""A model's share in serving: one batch for everybody, proofs, single regions."""

from __future__ import annotations

import base64
import io
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("fastapi", reason="needs the serve extra")

from galley.decoding import Decoder, DraftMatching, Finish, Request
from galley.document import BBox, Block, Label, Page
from galley.errors import ModelError
from galley.ingest.page import PageImage
from galley.ingest.source import open_source
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.page_passes import PagePass, run_page_passes
from galley.serving import reader_models
from galley.serving.batching import SharedDecoder
from galley.serving.chat import read_chat
from galley.serving.draft_models import DraftModels
from galley.serving.proof import TextStream, proof_json, token_texts
from galley.serving.reader_models import ReaderModels
from galley.serving.refusal import Refusal
from galley.serving.regions import asked
from galley.serving.tasks import Counts, Delta, ReadRegion
from galley.targets.prompt import Task

sys.path.insert(0, str(Path(__file__).parent.parent / "parsing"))

from strategies.scripted import ScriptedReader

IMAGE = PageImage(1, np.zeros((1, 1, 3), dtype=np.uint8), 200.0)


class Draft:
    """Stands in for the draft parser: two blocks and a figure."""

    def for_options(self, options: object, sink: object) -> Draft:
        return self

    def run(self, page: object, more: Sequence[PagePass] = ()) -> PageState:
        boxes = [BBox(x0=0, y0=20.0 * i, x1=50, y1=20.0 * i + 20) for i in range(3)]
        blocks = [
            Block(label=Label.TEXT, bbox=boxes[0], content="the quick brown fox", source="ocr"),
            Block(label=Label.FIGURE, bbox=boxes[1]),
            Block(label=Label.TEXT, bbox=boxes[2], content="31415 92653", source="ocr"),
        ]
        drafted = PageState(1, np.zeros((60, 50, 3), np.uint8), blocks=blocks)
        return run_page_passes(drafted, PageTools(ParseOptions()), more)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ReaderModels]:
    def make(answer: Callable[[Any], str], *tasks: Task, **options: Any) -> ReaderModels:
        reader = ScriptedReader(answer, tasks or tuple(Task))
        monkeypatch.setattr(reader_models, "load_reader", lambda options: reader)
        made = ReaderModels(ParseOptions(strategy="regions", **options))
        made.loaded.__dict__["_drafting"] = Draft()
        return made

    return make


def test_requests_of_several_owners_share_a_batch() -> None:
    together = threading.Barrier(3)
    reader = ScriptedReader(lambda prompt: prompt.text * 40)
    shared = SharedDecoder(Decoder(reader, DraftMatching(), max_batch=4), 4)
    texts: dict[str, list[str]] = {}

    def ask(owner: str) -> None:
        together.wait()
        prompts = [reader.prompt(IMAGE, task) for task in (Task.TEXT, Task.TABLE)]
        results = shared.run(owner, [Request(prompt, loop_guard=None) for prompt in prompts])
        texts[owner] = [reader.decode(result.ids) for result in results]

    threads = [threading.Thread(target=ask, args=(owner,)) for owner in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {owner: ["text" * 40, "table" * 40] for owner in "abc"}
    assert reader.alive == 0
    # Six texts of 161 and 201 tokens, one at a time, would be 1080 forwards.
    assert shared.decoder.forwards < 800


def test_an_owner_with_many_requests_does_not_block_another() -> None:
    order: list[str] = []
    reader = ScriptedReader(lambda prompt: "ab")
    started, gate = threading.Event(), threading.Event()

    def request(name: str, *, wait: bool = False) -> Request:
        def see(ids: list[int]) -> None:
            if wait:
                started.set()
                gate.wait()
            if not order or order[-1] != name:
                order.append(name)

        return Request(reader.prompt(IMAGE, Task.TEXT), on_commit=see)

    shared = SharedDecoder(Decoder(reader, DraftMatching(), max_batch=1), 1)
    large = [request("l0", wait=True), *(request(f"l{i}") for i in range(1, 10))]
    first = threading.Thread(target=shared.run, args=("large", large))
    first.start()
    started.wait()
    second = threading.Thread(target=shared.run, args=("small", [request("s")]))
    second.start()
    while len(shared._waiting) < 10:
        time.sleep(0.01)
    gate.set()
    first.join()
    second.join()
    assert order.index("s") <= 2


def test_cancelling_an_owner_ends_its_requests_only() -> None:
    endless = ScriptedReader(lambda prompt: "ab" if prompt.text == "table" else "xyz" * 10**5)
    shared = SharedDecoder(Decoder(endless, DraftMatching(), max_batch=1), 1)
    found: list[Any] = []
    started = threading.Event()

    def long(task: Task) -> Request:
        return Request(
            endless.prompt(IMAGE, task),
            max_tokens=10**6,
            loop_guard=None,
            on_commit=lambda ids: started.set(),
        )

    ask = threading.Thread(target=lambda: found.extend(shared.run("a", [long(Task.TEXT), long(Task.TEXT)])))
    ask.start()
    started.wait()
    shared.cancel("a")
    ask.join()
    assert [result.finish for result in found] == [Finish.CANCELLED, Finish.CANCELLED]
    [kept] = shared.run("b", [Request(endless.prompt(IMAGE, Task.TABLE))])
    assert kept.finish is Finish.STOP


def test_a_proof_says_how_each_token_came_about(models: Callable[..., ReaderModels]) -> None:
    made = models(lambda prompt: "the quick brown fox!", decode="match")
    parser = made.parser(ParseOptions(strategy="regions", decode="match"), None)
    parsed = made.parse(parser, ParseOptions(strategy="regions", decode="match"), IMAGE, "owner")
    proof = proof_json(parsed.page, parsed.traces, parsed.counts, made.decode)
    assert [block["block"] for block in proof["blocks"]] == [0, 1, 2]
    first, figure, other = (block["tokens"] for block in proof["blocks"])
    assert (
        "".join(token["text"] for token in first) == "the quick brown fox!" == parsed.page.blocks[0].content
    )
    assert figure == []
    assert {token["how"] for token in first} == {"free", "single"}
    assert {token["how"] for token in other} == {"single"}  # nothing in its draft was of use
    assert min(token["round"] for token in first + other) == 0
    rounds = [token["round"] for token in first]
    assert rounds == sorted(rounds)
    stats = proof["stats"]
    assert stats["tokens"] == parsed.counts.tokens == 42  # 20 signs and the end, twice
    assert stats["tpf"] == round((42 - 2) / stats["forwards"], 3) > 1


@pytest.mark.parametrize("strategy", ["page", "hierarchical"])
@pytest.mark.parametrize("overlap", [True, False])
def test_a_proof_of_a_whole_page(models: Callable[..., ReaderModels], strategy: Any, overlap: bool) -> None:
    page = "# Fox\n\nthe quick brown fox\n\nand more"
    made = models(lambda prompt: page if prompt.text == "page" else "the quick brown fox")
    options = ParseOptions(strategy=strategy, decode="match", overlap=overlap)
    parsed = made.parse(made.parser(options, None), options, IMAGE, "owner")
    proof = proof_json(parsed.page, parsed.traces, parsed.counts, made.decode)
    texts = ["".join(token["text"] for token in block["tokens"]).strip() for block in proof["blocks"]]
    assert [text for text in texts if text] == ["# Fox", "the quick brown fox", "and more"]


def test_a_region_is_read_for_its_prompt_and_streamed(
    models: Callable[..., ReaderModels], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = Page(number=1, width=60, height=40)
    monkeypatch.setattr(reader_models, "region_page", lambda *_: (nothing, []))
    made = models(lambda prompt: f"a {prompt.text} – naïve")
    Image.new("RGB", (60, 40), "white").save(tmp_path / "image.png")
    options = ParseOptions(strategy="regions", decode="match")
    for prompt, kind in (("Text Recognition:", "text"), ("Table Recognition:", "table")):
        sent: list[Delta] = []
        task = ReadRegion(tmp_path / "image.png", options, prompt, "owner", stream=True)
        read = made.read_region(task, sent.append)
        assert (read.text, read.finish) == (f"a {kind} – naïve", "stop")
        assert "".join(delta.text for delta in sent) == read.text
        assert len(sent) > 3
    short = ReadRegion(tmp_path / "image.png", options, "Text Recognition:", "owner", max_tokens=5)
    assert made.read_region(short, lambda delta: None).finish == "length"


def test_a_model_that_reads_regions_only_is_asked_for_a_page_region_by_region(
    models: Callable[..., ReaderModels], tmp_path: Path
) -> None:
    made = models(lambda prompt: "the quick brown fox", Task.TEXT)
    Image.new("RGB", (60, 40), "white").save(tmp_path / "image.png")
    task = ReadRegion(tmp_path / "image.png", ParseOptions(strategy="regions"), "read this", "owner")
    sent: list[Delta] = []
    assert made.read_region(task, sent.append).text == "the quick brown fox\n\nthe quick brown fox"


def test_the_embedded_model_reads_and_proves(tmp_path: Path) -> None:
    try:
        made = DraftModels()
        assert made.loaded.embedded(None)
    except ModelError as error:
        pytest.skip(str(error))
    letter = Path(__file__).parent.parent.parent / "samples" / "letter.jpg"
    options = ParseOptions(strategy="regions")
    with open_source(letter) as source:
        parsed = made.parse(made.parser(options, None), options, source.page(1), "owner")
    assert parsed.traces
    assert parsed.counts.tokens > parsed.counts.forwards > 0
    proof = proof_json(parsed.page, parsed.traces, parsed.counts, made.decode)
    verified = [block for block in proof["blocks"] if "round" in block["tokens"][0]]
    assert {block["block"] for block in verified} == set(parsed.traces)
    assert "free" in {token["how"] for block in verified for token in block["tokens"]}
    read = made.read_region(ReadRegion(letter, options, "Text Recognition:", "owner"), lambda delta: None)
    assert "Dear Ms Penn," in read.text
    assert read.counts.tokens > 0


def test_text_comes_whole_though_tokens_cut_it() -> None:
    data = "naïve – 漢字 🙂 end".encode()

    def decode(ids: list[int]) -> str:
        return bytes(ids).decode("utf-8", "replace")

    assert "".join(token_texts(list(data), decode)) == data.decode()
    stream = TextStream(decode)
    assert [stream.add([byte]) for byte in "é!".encode()] == ["", "é", "!"]
    assert stream.add([data[1], 0xC3], last=True) == "a\ufffd"


def test_counts_add_up() -> None:
    total = Counts()
    total.add(Counts(tokens=11, prefills=1, forwards=5, drafts=2, seconds_ar=3.0, seconds=1.5))
    total.add(Counts(tokens=6, prefills=1, forwards=5))
    assert (total.tpf, total.aal) == (15 / 10, 13 / 8)
    assert total.speedup == 2.0
    assert Counts().speedup is None


@pytest.mark.parametrize(
    ("prompt", "task"),
    [
        ("Text Recognition:", Task.TEXT),
        (" table recognition ", Task.TABLE),
        ("Formula Recognition:\n", Task.FORMULA),
        ("Convert the page to Markdown.", Task.PAGE),
        ("", Task.PAGE),
    ],
)
def test_what_a_prompt_asks_for(prompt: str, task: Task) -> None:
    assert asked(prompt) is task


def _image_part() -> dict[str, Any]:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG")
    url = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    return {"type": "image_url", "image_url": {"url": url}}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": [{"role": "user", "content": [_image_part(), _image_part()]}]},
        {"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]},
        {"messages": [{"role": "user", "content": "hello"}], "n": 2},
        {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 0},
    ],
)
def test_chat_requests_that_make_no_sense(body: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        read_chat(body)
    assert refused.value.status == 400


def test_a_chat_request() -> None:
    parts = [_image_part(), {"type": "text", "text": "Text Recognition:"}]
    chat = read_chat({"messages": [{"role": "user", "content": parts}], "max_tokens": 7, "top_k": 1})
    assert (chat.prompt, chat.max_tokens, chat.stream) == ("Text Recognition:", 7, False)
    assert chat.image is not None
    assert read_chat({"messages": [{"role": "user", "content": "hello"}]}).image is None
