"""Addresses, words, answers, replays: the parts of a served model that need no server."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("httpx2")

from galley.decoding import Finish, Request
from galley.errors import UsageError
from galley.targets.openai.address import Address
from galley.targets.openai.chat import Unusable, complaint, read_answer, read_models, unwrapped
from galley.targets.openai.replay import replayed
from galley.targets.openai.words import Words
from galley.targets.profiles import GENERAL, family, profile_named
from galley.targets.prompt import key_of


@pytest.mark.parametrize(
    ("text", "base", "model", "key"),
    [
        ("openai:http://localhost:8000/v1#org/name", "http://localhost:8000/v1", "org/name", None),
        ("openai:http://localhost:8000", "http://localhost:8000/v1", None, None),
        ("openai:https://k%2F1@host/api/v1/#a:7b", "https://host/api/v1", "a:7b", "k/1"),
        ("openai:https://me:k@host/v1/chat/completions#m", "https://host/v1", "m", "k"),
        ("openai:http://[::1]:80/v1#m", "http://[::1]:80/v1", "m", None),
    ],
)
def test_addresses(text: str, base: str, model: str | None, key: str | None) -> None:
    address = Address.of(text)
    assert (str(address), address.model, address.key) == (base, model, key)
    assert key is None or key not in repr(address)


def test_a_query_goes_with_every_request() -> None:
    assert (
        Address.of("openai:http://h/v1?api-version=2#m").url("/models") == "http://h/v1/models?api-version=2"
    )


@pytest.mark.parametrize(
    "text", ["openai:", "openai:secret@host", "openai:http://", "openai:http://secret@h:x"]
)
def test_bad_addresses_are_not_repeated(text: str) -> None:
    with pytest.raises(UsageError, match="openai:http://host:port/v1#model") as caught:
        Address.of(text)
    assert "secret" not in str(caught.value)


@given(st.text())
def test_words_lose_nothing(text: str) -> None:
    words = Words()
    ids = words.encode(text)
    assert words.decode(ids) == text and all(0 < number < words.limit for number in ids)
    assert words.encode(text) == ids


def test_words_of_an_endless_text_stay_bounded() -> None:
    words = Words(size=10)
    for n in range(0, 1000, 5):
        text = " ".join(f"w{k}" for k in range(n, n + 5))
        ids = words.encode(text)
        assert words.decode(ids) == text and max(ids) < words.limit
    assert len(words._texts) + len(words._older) <= 20


def test_signs_of_scripts_without_spaces_are_tokens() -> None:
    assert len(Words().encode("漢字かなABC def")) == 7


def body(**message: object) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()


def test_answers() -> None:
    assert read_answer(body(content="a")).text == "a"
    assert read_answer(body(content=None)).text == ""
    assert (
        read_answer(body(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])).text == "ab"
    )
    assert read_answer(body(content="\ud800x")).text == "?x"
    cut = {
        "choices": [{"message": {"content": "a"}, "finish_reason": "length"}],
        "usage": {"completion_tokens": 3},
    }
    answer = read_answer(json.dumps(cut).encode())
    assert answer.cut and answer.tokens == 3


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (b"", "sent nothing"),
        (b"<html><body>502</body></html>", "a web page"),
        (b'{"choices": [', "no JSON"),
        (b"\xff\xfe\x00garbage", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "JSON that is no answer"),
        (b"{}", "without choices"),
        (b'{"choices": []}', "without choices"),
        (b'{"choices": [7]}', "without choices"),
        (b'{"choices": [{"text": "x"}]}', "without a message"),
        (body(content=7), "no text"),
        (body(content=None, refusal="no"), "withheld"),
        (b'{"error": {"message": "out of memory"}}', "out of memory"),
    ],
)
def test_unusable_answers(given: bytes, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        read_answer(given)


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_unusable(data: bytes) -> None:
    read_models(data)
    assert "\n" not in complaint(data)
    with pytest.raises(Unusable):
        read_answer(data)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b'{"error": {"message": "too\\n long", "code": 3}}', "too long"),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"detail": [{"msg": "bad"}]}', '[{"msg": "bad"}]'),
        (b"plain words", "plain words"),
        (b"<html>", "a web page"),
        (b"", "nothing"),
    ],
)
def test_complaints(given: bytes, said: str) -> None:
    assert complaint(given) == said


def test_what_models_put_around_their_answers() -> None:
    assert unwrapped("```markdown\n# A\n\nb\n```\n") == "# A\n\nb"
    assert unwrapped("```html\n<table></table>```") == "<table></table>"
    assert unwrapped("<think>hm\n</think>\n\nText") == "\n\nText"
    for kept in (
        "```python\nx\n```",
        "a ```markdown\nb\n```",
        "```md\na\n```\nb\n```md\nc\n```",
        "<thinking>x",
    ):
        assert unwrapped(kept) == kept


def test_a_replay_tells_which_draft_bears_out_which_words() -> None:
    words = Words()
    text = "The first line of it.\n\nAnother line that follows it closely."
    drafts = [words.encode("Another line that follows it closely."), words.encode("The first line of it.")]
    ids = words.encode(text)
    result = replayed(ids, Request(None, drafts=drafts), words.limit, key_of(words.decode))
    assert result.ids == ids and result.finish is Finish.STOP
    gave = {words.decode([c.token]): c.source.draft for c in result.trace}
    assert (gave["first"], gave["closely"]) == (1, 0)


def test_a_replay_ends_in_the_loop() -> None:
    words = Words()
    ids = words.encode("Begin. " + "round and round it goes " * 200)
    result = replayed(ids, Request(None), words.limit, key_of(words.decode))
    assert result.finish is Finish.LOOP and result.loop is not None
    assert words.decode(result.ids[: result.loop.start + result.loop.period]).startswith("Begin. round")
    assert replayed([], Request(None), words.limit, key_of(words.decode)).finish is Finish.STOP


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("zai-org/GLM-OCR", "GLM-OCR"),
        ("trillionlabs/GravityOCR", "GLM-OCR"),
        ("qwen2.5vl:7b", "Qwen2.5-VL"),
        ("Qwen/Qwen3-VL-8B-Instruct", "Qwen3-VL"),
        ("rednote-hilab/dots.ocr", "dots.ocr"),
        ("lightonai/LightOnOCR-1B-1025", "LightOnOCR"),
        ("PaddlePaddle/PaddleOCR-VL", "PaddleOCR-VL"),
        ("gpt-4o", None),
    ],
)
def test_families_by_name(name: str, known: str | None) -> None:
    profile = profile_named(name)
    assert (profile.name if profile else None) == known


def test_families_as_users_name_them() -> None:
    assert family("general") is GENERAL and family("glm-ocr").name == "GLM-OCR"
    with pytest.raises(UsageError, match="there is no family 'x'; there are GLM-OCR"):
        family("x")
