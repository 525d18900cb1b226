"""Draft texts of a request, as an engine's plugin follows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("transformers")

from tests.targets.checkpoints import MASK, tokenizer

from galley.engines.drafts import ModelDrafts

BLOCK, LONGEST = 4, 5
TEXT = "The quick brown fox jumps. $x_i^2$"


@pytest.mark.parametrize("own", [False, True])
def test_texts_are_followed_and_else_the_model_is_asked(tmp_path: Path, own: bool) -> None:
    words = tokenizer()
    (tmp_path / "config.json").write_text("{}")
    if own:
        settings = {"bd_size": BLOCK, "mask_id": words.convert_tokens_to_ids(MASK), "ar_loss_weight": 1.0}
        (tmp_path / "block_diffusion.json").write_text(json.dumps(settings))
    drafts = ModelDrafts(str(tmp_path), words, len(words), LONGEST)
    assert drafts.own is own
    ids = words.encode(TEXT, add_special_tokens=False)
    assert drafts.decode(ids) == TEXT

    following = drafts.drafter(["nothing of the kind", TEXT])
    following.begin(ids[:4], max_draft=99)
    assert following.window is None
    assert following.chain == ids[4 : 4 + LONGEST]

    alone = drafts.drafter([])
    alone.begin(ids[:4], max_draft=99)
    assert alone.chain == []
    if own:
        assert alone.window is not None
        assert alone.window.tokens.tolist() == [ids[3], *[words.convert_tokens_to_ids(MASK)] * BLOCK]
    else:
        assert alone.window is None


@pytest.mark.parametrize("given", [None, 7, {"text": TEXT}, [3, None, TEXT], (TEXT, [TEXT]), TEXT])
def test_what_is_no_list_of_strings_ends_nothing(
    tmp_path: Path, given: object, caplog: pytest.LogCaptureFixture
) -> None:
    words = tokenizer()
    (tmp_path / "config.json").write_text("{}")
    ids = words.encode(TEXT, add_special_tokens=False)
    following = ModelDrafts(str(tmp_path), words, len(words), LONGEST).drafter(given)
    following.begin(ids[:4], max_draft=99)
    holds_the_text = given == TEXT or (isinstance(given, (list, tuple)) and TEXT in given)
    assert following.chain == (ids[4 : 4 + LONGEST] if holds_the_text else [])
    assert bool(caplog.records) is (given is not None and given != TEXT)
