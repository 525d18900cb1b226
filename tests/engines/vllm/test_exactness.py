"""The promise in vLLM: in float32, token ids equal ``generate``'s, whatever is drafted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from galley.decoding import Finish

Read = Callable[[str], dict[str, Any]]
FAMILIES = ("gravity_ocr", "qwen3_vl", "qwen2_5_vl")


def ids(results: list[dict[str, Any]]) -> list[list[int]]:
    assert {result["error"] for result in results} == {"None"}
    return [result["ids"] for result in results]


def forwards(results: list[dict[str, Any]]) -> int:
    return sum(sum(result["forwards"]) for result in results)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("run", ["ar", "perfect", "noisy", "none"])
def test_the_text_is_transformers_own(read: Read, family: str, run: str) -> None:
    found = read(family)
    assert ids(found[run]) == found["greedy"]
    assert any(len(text) > 20 for text in found["greedy"]), (
        "the checkpoint writes too little to prove anything"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_good_drafts_are_accepted(read: Read, family: str) -> None:
    found = read(family)
    assert forwards(found["perfect"]) < forwards(found["ar"]) / 3
    for result in found["perfect"]:
        assert sum(result["accepted"]) > 0.8 * len(result["ids"]) - 3
        assert result["sources"].count("match") == sum(result["accepted"]) or result["finish"] == "stop"
    assert sum(sum(result["accepted"]) for result in found["noisy"]) > 10


@pytest.mark.parametrize("run", ["own", "small_block"])
def test_own_drafts_change_nothing(read: Read, run: str) -> None:
    found = read("gravity_ocr")
    assert ids(found[run]) == found["greedy"]
    drafts, verifications, _ = found[run][0]["forwards"]
    assert drafts > 0 and verifications > 0


def test_own_drafts_are_those_of_transformers(read: Read) -> None:
    """The drafting forward on vLLM's paged cache predicts what Galley's own target does."""
    pairs = read("gravity_ocr")["own_drafts"]
    assert len(pairs) >= 3
    for in_vllm, in_transformers in pairs:
        assert in_vllm == in_transformers


@pytest.mark.parametrize("family", FAMILIES)
def test_a_draft_may_grow_while_it_is_followed(read: Read, family: str) -> None:
    found = read(family)
    assert found["growing"]["ids"] == found["greedy"][0]
    assert sum(found["growing"]["accepted"]) > 0


@pytest.mark.parametrize("family", FAMILIES)
def test_draft_texts_as_a_server_gets_them(read: Read, family: str) -> None:
    found = read(family)
    assert found["texts_over_http"] == found["greedy"][0]


@pytest.mark.parametrize("family", FAMILIES)
def test_how_requests_end(read: Read, family: str) -> None:
    found = read(family)
    cancelled = found["cancelled"]
    assert cancelled["finish"] == Finish.CANCELLED.value
    assert 0 < len(cancelled["ids"]) < len(found["greedy"][0])
    assert cancelled["ids"] == found["greedy"][0][: len(cancelled["ids"])]
    assert "longer than" in found["too_long"] or "maximum" in found["too_long"]


@pytest.mark.parametrize("family", FAMILIES)
def test_sampling(read: Read, family: str) -> None:
    sampled = read(family)["sampled"]
    assert sampled["error"] == "None" and 0 < len(sampled["ids"]) <= 12


def test_strategies_write_what_the_model_writes_alone(read: Read) -> None:
    pages = read("qwen3_vl")["pages"]
    assert pages["drafted"] == pages["hierarchical"] == pages["alone"]
    assert len("".join(pages["alone"])) > 10


@pytest.mark.parametrize("family", FAMILIES)
def test_confidences_are_log_probabilities(read: Read, family: str) -> None:
    for result in read(family)["noisy"]:
        assert len(result["confidences"]) == len(result["ids"])
        assert all(value is not None and value <= 0 for value in result["confidences"])
