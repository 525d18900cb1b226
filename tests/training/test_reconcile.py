"""Which of a verifier's changes are taken."""

from __future__ import annotations

import pytest

from galley.parsing.strategies.reconcile import SureWord, reconcile


def words(text: str, **doubts: float) -> list[SureWord]:
    return [SureWord(word, doubts.get(word, 0.99)) for word in text.split()]


def test_a_sure_correction_is_taken_and_white_space_stays() -> None:
    found = reconcile("This i11ustrates\nwhy  it works", words("This illustrates why it works"), 0.9)
    assert found.text == "This illustrates\nwhy  it works"
    assert found.taken == [("i11ustrates", "illustrates")] and not found.doubted


def test_an_unsure_one_is_not() -> None:
    found = reconcile("a lazy dog", words("a hazy dog", hazy=0.6), 0.9)
    assert found.text == "a lazy dog"
    assert found.doubted == [("lazy", "hazy")] and not found.taken


@pytest.mark.parametrize(
    ("draft", "model"),
    [
        ("one two three", "one two three four"),
        ("one two three", "one three"),
        ("one two three", ""),
        ("", "one two"),
        ("total 12", "completely different"),
        ("a b c d e f", "ab cd ef gh ij kl"),
    ],
)
def test_nothing_is_dropped_added_or_rewritten(draft: str, model: str) -> None:
    found = reconcile(draft, words(model), 0.9)
    assert found.text == draft
    assert found.doubted and not found.taken


def test_spaces_that_the_drafter_missed() -> None:
    found = reconcile("theend of it", words("the end of it"), 0.9)
    assert found.text == "the end of it"


def test_each_change_is_judged_alone() -> None:
    found = reconcile("tbe qu1ck brown f0x", words("the quick brown fax", fax=0.5), 0.9)
    assert found.text == "the quick brown f0x"
    assert found.doubted == [("f0x", "fax")]
