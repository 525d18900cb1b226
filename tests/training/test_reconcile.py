"""Which of a verifier's changes are taken."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest

from galley.decoding import Finish, Result, Stats
from galley.decoding.stats import Committed
from galley.parsing.strategies.reconcile import Reconciled, SureWord, reconcile, sure_words
from galley.targets.nano.tokens import Vocabulary

from .nano_parts import tiny_vocabulary

TAKEN = -5.0


def words(text: str, **doubts: float) -> list[SureWord]:
    return [SureWord(word, doubts.get(word, 0.99)) for word in text.split()]


def reconciled(draft: str, model: list[SureWord], ink: float = -1.0) -> Reconciled:
    """``ink``: how much better what is printed fits any change."""
    return reconcile(draft, model, lambda first, last, after: ink, TAKEN)


def test_a_correction_that_fits_the_ink_is_taken_and_white_space_stays() -> None:
    found = reconciled("This i11ustrates\nwhy  it works", words("This illustrates why it works"))
    assert found.text == "This illustrates\nwhy  it works"
    assert found.taken == [("i11ustrates", "illustrates")] and not found.doubted


def test_one_that_does_not_is_doubted_however_sure_the_model_is() -> None:
    found = reconciled("a lazy dog", words("a hazy dog", hazy=1.0), ink=-13.0)
    assert found.text == "a lazy dog"
    assert found.doubted == [("lazy", "hazy")] and not found.taken


def test_odds_of_the_model_and_of_the_ink_add_up() -> None:
    for probability, ink, taken in [
        (0.5, -4.9, True),
        (0.5, -5.1, False),
        (0.9, -7.1, True),
        (0.9, -7.3, False),
    ]:
        found = reconciled("a lazy dog", words("a hazy dog", hazy=probability), ink)
        assert bool(found.taken) is taken, (probability, ink)


def test_without_ink_the_draft_stands() -> None:
    assert reconciled("a lazy dog", words("a hazy dog"), ink=-math.inf).text == "a lazy dog"


def test_the_ink_is_asked_about_the_words_of_the_change() -> None:
    asked = []

    def log_ratio(first: int, last: int, after: str) -> float:
        asked.append((first, last, after))
        return 0.0

    found = reconcile("one tw0 three f our", words("one two three four"), log_ratio, TAKEN)
    assert found.text == "one two three four"
    assert asked == [(1, 2, "two"), (3, 5, "four")]


@pytest.mark.parametrize(
    ("draft", "model"),
    [
        ("one two three", "one two three four"),
        ("one two three", "one three"),
        ("one two three", ""),
        ("", "one two"),
        ("total 12", "completely different"),
        ("a b c d e f", "ab cd ef gh ij kl"),
        ("$32.14 in all", "$32,14 in all"),
        ("1,000.50", "1.000.50"),
        ("/" + "~" * 300, "/" + "-" * 20 + "~" * 280),
        ("they'd said", "they’d said"),
        ('like bees" on', "like bees” on"),
        ("a half-open door", "a half–open door"),
    ],
)
def test_nothing_is_dropped_added_or_rewritten(draft: str, model: str) -> None:
    found = reconciled(draft, words(model), ink=10.0)
    assert found.text == draft
    assert found.doubted and not found.taken


def test_letters_among_figures_are_corrected() -> None:
    assert reconciled("for €6o.86 net", words("for €60.86 net")).text == "for €60.86 net"


def test_words_with_quotation_marks_are_corrected() -> None:
    assert reconciled("they'cl said", words("they’d said")).text == "they’d said"


def test_spaces_that_the_drafter_missed() -> None:
    assert reconciled("theend of it", words("the end of it")).text == "the end of it"


def test_each_change_is_judged_alone() -> None:
    found = reconciled("tbe qu1ck brown f0x", words("the quick brown fax", fax=0.001))
    assert found.text == "the quick brown f0x"
    assert found.doubted == [("f0x", "fax")]


def test_a_word_is_as_sure_as_its_least_sure_token() -> None:
    vocabulary = tiny_vocabulary()
    ids = vocabulary.encode("one two")
    sure = [Committed(token, 0, "model", math.log(0.9)) for token in ids]
    assert [word.probability for word in _words(vocabulary, sure)] == pytest.approx([0.9, 0.9])
    sure[-1] = sure[-1]._replace(confidence=math.log(0.2))
    assert [word.probability for word in _words(vocabulary, sure)] == pytest.approx([0.9, 0.2])
    sure[-1] = sure[-1]._replace(confidence=None)
    assert [word.probability for word in _words(vocabulary, sure)] == pytest.approx([0.9, 0.0])


def _words(vocabulary: Vocabulary, trace: list[Committed]) -> list[SureWord]:
    result = Result(0, [entry.token for entry in trace], Finish.STOP, Stats(), trace)
    return sure_words(result, cast(Any, vocabulary))
