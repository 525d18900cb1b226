"""What of the SGLang plugin needs no SGLang: windows as rows of a decoding batch, and options it refuses."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from galley.decoding import Window
from galley.engines.sglang.plugin import check, register
from galley.engines.sglang.window_rows import Rows

OPTIONS: dict[str, Any] = {
    "pp_size": 1,
    "enable_dp_attention": False,
    "enable_two_batch_overlap": False,
    "enable_lora": None,
    "enable_return_hidden_states": False,
    "skip_tokenizer_init": False,
    "disaggregation_mode": "null",
}


def test_a_chains_rows_see_up_to_themselves() -> None:
    rows = Rows.of([2, 0], [Window.chain([5, 6, 7]), Window.chain([9])], [10, 4])
    assert rows.owners.tolist() == [2, 2, 2, 0]
    assert rows.tokens.tolist() == [5, 6, 7, 9]
    assert rows.places.tolist() == [10, 11, 12, 4]
    assert rows.ends.tolist() == [11, 12, 13, 5]


def test_masks_see_their_whole_block_and_the_boundary_none_of_it() -> None:
    rows = Rows.of([0], [Window.drafting(5, 3, 2)], [10])
    assert rows.tokens.tolist() == [5, 3, 3]
    assert rows.places.tolist() == [10, 11, 12]
    assert rows.ends.tolist() == [11, 13, 13]


def test_a_tree_is_refused() -> None:
    with pytest.raises(ValueError, match="no chain"):
        Rows.of([0], [Window.tree([5, 6, 7], [-1, 0, 0])], [10])


def test_rows_attend_as_their_window_says() -> None:
    for window in (Window.chain([1, 2, 3, 4]), Window.drafting(1, 2, 5)):
        rows = Rows.of([0], [window], [7])
        sees = np.arange(7 + len(window)) < rows.ends[:, None]
        assert sees[:, :7].all()
        assert (sees[:, 7:] == window.sees).all()


def test_plain_options_are_taken() -> None:
    check(SimpleNamespace(**OPTIONS))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("pp_size", 2),
        ("enable_dp_attention", True),
        ("enable_two_batch_overlap", True),
        ("enable_lora", True),
        ("enable_return_hidden_states", True),
        ("skip_tokenizer_init", True),
        ("disaggregation_mode", "decode"),
    ],
)
def test_options_under_which_galley_does_not_draft_are_refused(option: str, value: object) -> None:
    with pytest.raises(ValueError, match="--speculative-algorithm GALLEY"):
        check(SimpleNamespace(**OPTIONS | {option: value}))


def test_another_sglang_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sglang", None)
    with caplog.at_level(logging.WARNING):
        register()
    assert "0.5.23" in caplog.text
