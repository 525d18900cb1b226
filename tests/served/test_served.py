"""Reading through a server that fails in every way servers do."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("httpx2")

from tests.parsing.strategies.scripted import FixedDraft, block

from galley.decoding import Finish, Request
from galley.document import Label
from galley.errors import ModelError, UsageError
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.regions import RegionsParser
from galley.parsing.strategies.whole_page import PageParser
from galley.strategy_factory import make_strategy
from galley.targets.openai import ServedReader, Settings, load_served
from galley.targets.prompt import Prompt, Task

from .stub import KEY, Asked, Reply, Stub, says, serving

NO_PAGE = PageImage(1, np.zeros((1, 1, 3), dtype=np.uint8), 200.0)
QUICK = Settings(seconds=30, retries=2, first_wait=0.01)
IMAGE = np.full((40, 60, 3), 255, dtype=np.uint8)
FAULTS: dict[str, Reply] = {
    "error": Reply(b'{"error": {"message": "engine died"}}', 500),
    "busy": Reply(b'{"error": {"message": "slow down"}}', 429, {"Retry-After": "0.01"}),
    "web page": Reply(b"<html>Bad gateway</html>", 502),
    "page for an answer": Reply(b"<!doctype html><p>Log in", 200),
    "half JSON": Reply(b'{"choices": [{"mess'),
    "no UTF-8": Reply(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
    "no choices": Reply(b'{"choices": []}'),
    "nothing": Reply(b""),
    "cut": Reply(b'{"choices": [{"message"', cut=True),
    "endless": Reply(b"{}", 200, {"Content-Encoding": "gzip"}),
}


def requests(reader: ServedReader, count: int = 1, **more: Any) -> list[Request]:
    return [Request(reader.prompt(IMAGE, Task.TEXT), **more) for _ in range(count)]


def first_then(fault: Reply, times: int) -> Callable[[Asked, list[Asked]], Reply]:
    return lambda asked, so_far: fault if len(so_far) <= times else says("Read well.")


def test_the_request_is_what_such_servers_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(lambda asked, _: says("Text")) as stub:
        reader = load_served(stub.model.replace("#stub", "#zai-org/GLM-OCR"), None, QUICK)
        [result] = reader.run(requests(reader, max_tokens=33))
    assert reader.decode(result.ids) == "Text" and result.finish is Finish.STOP and result.stats.tokens == 7
    [asked] = stub.asked
    assert (asked.model, asked.words, asked.max_tokens) == ("zai-org/GLM-OCR", "Text Recognition:", 33)
    assert asked.size == (60, 40) and asked.headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_that_pass_are_outlasted(fault: str) -> None:
    with serving(first_then(FAULTS[fault], times=2)) as stub:
        reader = load_served(stub.model, None, QUICK)
        [result] = reader.run(requests(reader))
    assert (reader.decode(result.ids), len(stub.asked)) == ("Read well.", 3)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_that_stay_are_results(fault: str) -> None:
    with serving(first_then(FAULTS[fault], times=99)) as stub:
        reader = load_served(stub.model, None, QUICK)
        [result] = reader.run(requests(reader))
    assert result.finish is Finish.ERROR and result.ids == [] and len(stub.asked) == 3
    message = str(result.error)
    assert f"127.0.0.1:{stub.port}" in message and "\n" not in message and len(message) < 350


def test_a_fault_of_the_request_is_not_repeated() -> None:
    with serving(lambda asked, _: Reply(b'{"error": "prompt is too long"}', 400)) as stub:
        reader = load_served(stub.model, None, QUICK)
        [result] = reader.run(requests(reader))
    assert len(stub.asked) == 1 and "HTTP 400: prompt is too long" in str(result.error)


def test_a_stalled_request_times_out_and_is_repeated() -> None:
    slow = says("late")
    slow.wait = 60
    with serving(first_then(slow, times=1)) as stub:
        reader = load_served(stub.model, None, Settings(seconds=2, retries=4, first_wait=0.01))
        [result] = reader.run(requests(reader))
        assert reader.decode(result.ids) == "Read well."
        reader = load_served(stub.model, None, Settings(seconds=0.3, retries=0))
        stub.behave = lambda asked, _: slow
        [result] = reader.run(requests(reader))
    assert "did not answer within 0.3 s" in str(result.error)


def test_the_server_says_how_long_to_wait() -> None:
    busy = Reply(b"", 429, {"Retry-After": "0.4"})
    with serving(first_then(busy, times=1)) as stub:
        reader = load_served(stub.model, None, QUICK)
        start = time.monotonic()
        [result] = reader.run(requests(reader))
        assert result.finish is Finish.STOP and time.monotonic() - start >= 0.4


def test_no_more_requests_are_open_than_allowed() -> None:
    def slowly(asked: Asked, so_far: list[Asked]) -> Reply:
        reply = says("ok")
        reply.wait = 0.2
        return reply

    with serving(slowly) as stub:
        reader = load_served(stub.model, None, Settings(concurrency=3))
        threads = [threading.Thread(target=reader.run, args=(requests(reader, 6),)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(stub.asked) == 12 and 2 <= stub.most_open <= 3


def test_results_are_in_the_order_of_the_requests() -> None:
    def by_width(asked: Asked, so_far: list[Asked]) -> Reply:
        reply = says(f"width {asked.size[0]}")
        reply.wait = 0.1 if asked.size[0] == 60 else 0.0
        return reply

    with serving(by_width) as stub:
        reader = load_served(stub.model, None, QUICK)
        images = [IMAGE[:, :width] for width in (60, 30, 50)]
        results = reader.run([Request(Prompt(image, "")) for image in images])
    assert [reader.decode(r.ids) for r in results] == ["width 60", "width 30", "width 50"]
    assert [r.ticket for r in results] == [0, 1, 2]


def test_a_text_cut_at_its_limit_and_a_loop_are_noticed() -> None:
    with serving(lambda asked, so_far: says("It goes on", "length")) as stub:
        reader = load_served(stub.model, None, QUICK)
        assert reader.run(requests(reader))[0].finish is Finish.LENGTH
        for finish in ("stop", "length"):
            stub.behave = lambda asked, _, f=finish: says("round and round it goes, " * 300, f)  # type: ignore[misc]
            assert reader.run(requests(reader))[0].finish is Finish.LOOP


def test_it_works_inside_a_running_event_loop() -> None:
    async def inside(reader: ServedReader) -> Any:
        return reader.run(requests(reader))

    with serving(lambda asked, _: says("ok")) as stub:
        reader = load_served(stub.model, None, QUICK)
        [result] = asyncio.run(inside(reader))
        assert reader.decode(result.ids) == "ok"


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A test run in the background of a shell has SIGINT ignored."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_wait_and_the_requests() -> None:
    slow = says("late")
    slow.wait = 600
    with serving(lambda asked, _: slow) as stub:
        reader = load_served(stub.model, None, Settings(seconds=900))

        def interrupt() -> None:
            while not stub.asked:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            reader.run(requests(reader))
        assert stub.open == 1  # the server is still at it
        stub.behave = lambda asked, _: says("again")
        [result] = reader.run(requests(reader))
        assert reader.decode(result.ids) == "again"


def test_what_no_request_would_escape_ends_the_run() -> None:
    with serving(
        lambda asked, _: Reply(b'{"error": {"message": "bad key ' + KEY.encode() + b'"}}', 401)
    ) as stub:
        reader = load_served(stub.model.replace("//", f"//{KEY}@"), None, QUICK)
        with pytest.raises(ModelError, match="HTTP 401: bad key …; set OPENAI_API_KEY"):
            reader.run(requests(reader))
        missing = Reply(b'{"error": {"message": "no model stub"}}', 404, {"Connection": "close"})
        stub.behave = lambda asked, _: missing
        with pytest.raises(ModelError, match="HTTP 404: no model stub; check the address"):
            reader.run(requests(reader, 3))
    with pytest.raises(ModelError, match="cannot be reached; is it running"):
        reader.run(requests(reader))
    with pytest.raises(ModelError, match="cannot be reached; is it running"):
        load_served(stub.model)


def test_the_servers_list_of_models() -> None:
    def load(models: Reply, name: str = "") -> ServedReader:
        with serving(lambda asked, _: says("ok"), models=models) as stub:
            return load_served(stub.model.replace("#stub", name), None, QUICK)

    assert load(Reply(b'{"data": [{"id": "only"}]}')).name == "only"
    with pytest.raises(ModelError, match=r"which model of http.*#name \(it has a, b\)"):
        load(Reply(b'{"data": [{"id": "a"}, {"id": "b"}]}'))
    for bad in (Reply(b"<html>"), Reply(b"", 404), Reply(b"", 500), Reply(b'{"data": 3}'), Reply(b"[]")):
        with pytest.raises(ModelError, match="does not say which"):
            load(bad)
        assert load(bad, "#named").name == "named"
    with pytest.raises(ModelError, match="HTTP 401"):
        load(Reply(b"", 401), "#named")
    with pytest.raises(ModelError, match=r"sends elsewhere \(HTTP 301\)"):
        load(Reply(b"", 301, {"Location": "http://127.0.0.1:1/"}), "#named")


def parser_for(stub: Stub, blocks: list[Any], **options: Any) -> Any:
    made = make_strategy(ParseOptions(model=stub.model, retries=0, **options))
    made.draft = FixedDraft(blocks)  # type: ignore[union-attr, assignment]
    return made


def test_regions_that_fail_keep_their_drafts_and_are_listed() -> None:
    def some(asked: Asked, so_far: list[Asked]) -> Reply:
        height = asked.size[1]
        return FAULTS["error"] if height == 50 else FAULTS["no choices"] if height == 60 else says("read")

    blocks: Any = [
        block(Label.TEXT, "good", 10),
        block(Label.TEXT, "bad", 60, height=40),
        block(Label.TEXT, "worse", 120, height=50),
    ]
    with serving(some) as stub:
        parser = parser_for(stub, blocks, strategy="regions")
        page = parser.parse_page(NO_PAGE)
    assert isinstance(parser, RegionsParser)
    assert [b.content for b in page.blocks] == ["read", "bad", "worse"]
    assert [b.flags for b in page.blocks] == [[], ["failed", "draft-kept"], ["failed", "draft-kept"]]
    assert [b.source for b in page.blocks] == ["stub", "ocr", "ocr"]
    [failure] = page.failures
    assert failure.startswith("stub could not read 2 of 3 blocks, drafts are kept: ")
    assert "engine died" in failure and "without choices" in failure


def test_a_page_gets_the_boxes_of_the_drafts_that_bear_it_out() -> None:
    blocks: Any = [
        block(Label.TEXT, "The second paragraph has more words than that.", 100),
        block(Label.TEXT, "The first paragraph stands here.", 20),
        block(Label.FIGURE, "", 200, image="f.jpg"),
    ]
    text = "# Title\n\nThe first paragraph stands here.\n\nThe second paragraph has more words than that."
    with serving(lambda asked, _: says(f"```markdown\n{text}\n```")) as stub:
        parser = parser_for(stub, blocks)
        page = parser.parse_page(NO_PAGE)
        assert isinstance(parser, PageParser) and "Markdown" in stub.asked[0].words
        stub.behave = lambda asked, _: FAULTS["cut"]
        failed = parser.parse_page(NO_PAGE)
    found = {b.content: b.bbox for b in page.blocks}
    assert found["The first paragraph stands here."] == blocks[1].bbox
    assert found["The second paragraph has more words than that."] == blocks[0].bbox
    assert any(b.image == "f.jpg" for b in page.blocks)
    assert [b.content for b in failed.blocks] == [b.content for b in blocks]
    assert all({"failed", "draft-kept"} <= set(b.flags) for b in failed.blocks)
    assert failed.failures and "broke off the connection" in failed.failures[0]


def test_options_a_server_has_no_use_for() -> None:
    with serving(lambda asked, _: says("ok")) as stub:
        for options in ({"decode": "match"}, {"tau": 0.5}, {"block_size": 4}, {"strategy": "hierarchical"}):
            with pytest.raises(UsageError, match="is decoded by its server; leave out --"):
                make_strategy(ParseOptions(model=stub.model, **options))  # type: ignore[arg-type]
        with pytest.raises(ModelError, match="cannot read a page"):
            make_strategy(ParseOptions(model=stub.model, family="glm-ocr", strategy="page"))
