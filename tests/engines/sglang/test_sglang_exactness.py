"""The promise in SGLang: in float32, token ids equal ``generate``'s, whatever is drafted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TOKENS = 24
Read = Callable[[str], dict[str, Any]]


def ids(results: list[dict[str, Any]]) -> list[list[int]]:
    return [result["ids"] for result in results]


@pytest.mark.parametrize("engine", ["free", "own"])
@pytest.mark.parametrize("run", ["alone", "drafted_oddly"])
def test_what_is_written_is_what_transformers_writes(read: Read, engine: str, run: str) -> None:
    found = read(engine)
    assert all(len(text) == TOKENS for text in found["greedy"])
    assert ids(found[run]) == found["greedy"]


@pytest.mark.parametrize("engine", ["free", "own"])
@pytest.mark.parametrize("run", ["letters_alone", "letters", "letters_noisy", "nearly_cold", "logprobs"])
def test_biased_text_is_what_transformers_writes(read: Read, engine: str, run: str) -> None:
    found = read(engine)
    assert ids(found[run]) == found["spelt"]


def test_good_drafts_are_kept(read: Read) -> None:
    found = read("free")
    for run, most in (
        ("letters", TOKENS // 2),
        ("letters_noisy", TOKENS * 2 // 3),
        ("nearly_cold", TOKENS // 2),
    ):
        for result in found[run]:
            assert result["steps"] <= most, run
            # The prompt's forward writes the first token, and each step one more than it accepts.
            assert result["accepted"] >= TOKENS - 1 - result["steps"] > 0
    for result in found["alone"]:
        assert (result["steps"], result["accepted"]) == (TOKENS - 1, 0)


def test_own_drafts_lead_with_the_next_token(read: Read) -> None:
    """The boundary's own prediction is the first of the chain, so that every round keeps it."""
    for result in read("own")["alone"]:
        assert result["steps"] <= TOKENS // 2


def test_own_drafts_are_those_of_the_model(read: Read) -> None:
    pairs = read("own")["own_drafts"]
    assert len(pairs) >= 6
    for predicted, reference in pairs:
        assert predicted == reference


@pytest.mark.parametrize("engine", ["free", "own"])
@pytest.mark.parametrize("run", ["mixed", "logprobs", "crowded", "images"])
def test_what_is_written_is_what_stock_sglang_writes(read: Read, engine: str, run: str) -> None:
    """Also with penalties, requests taken back for want of cache, and images."""
    assert ids(read(engine)[run]) == ids(read("stock")[run])


@pytest.mark.parametrize("engine", ["free", "own"])
def test_grammars_are_kept_to(read: Read, engine: str) -> None:
    """Token ids may differ behind the grammar's end, where stock SGLang writes one more that is not shown."""
    texts = [result["text"] for result in read(engine)["regex"]]
    assert len(texts[0]) == 12
    assert texts == [result["text"] for result in read("stock")["regex"]]


def test_stock_sglang_takes_requests_back(read: Read) -> None:
    for engine in ("free", "own"):
        assert any(result["retracted"] for result in read(engine)["crowded"])


def test_log_probabilities_are_those_of_stock_sglang(read: Read) -> None:
    for mine, theirs in zip(read("free")["logprobs"], read("stock")["logprobs"], strict=True):
        assert [token for _, token in mine["logprobs"]] == mine["ids"]
        assert mine["logprobs"] == [pytest.approx(row, abs=1e-4) for row in theirs["logprobs"]]
        assert len(mine["tops"]) == TOKENS
        for ours, stock in zip(mine["tops"], theirs["tops"], strict=True):
            assert ours == [pytest.approx(pair, abs=1e-4) for pair in stock]


def test_penalised_requests_are_not_drafted_for_and_others_beside_them_are(read: Read) -> None:
    drafted, penalised, forced = read("free")["mixed"]
    assert drafted["accepted"] > TOKENS // 2
    assert penalised["accepted"] == forced["accepted"] == 0
