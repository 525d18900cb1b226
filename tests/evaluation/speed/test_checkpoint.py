"""``galley bench speed`` on crops with a tiny checkpoint that drafts for itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("matplotlib")

from PIL import Image, ImageDraw, ImageFont
from tests.targets.checkpoints import gravity_ocr

from galley.cli.app import run


def test_crops_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("text", "formula"):
        (tmp_path / "crops" / kind).mkdir(parents=True)
        image = Image.new("RGB", (300, 40), "white")
        ImageDraw.Draw(image).text((8, 6), f"Some {kind}", font=ImageFont.load_default(22), fill="black")
        image.save(tmp_path / "crops" / kind / "1.png")
    out = tmp_path / "out"
    words = f"bench speed --crops --data {tmp_path}/crops -o {out} --model {gravity_ocr(tmp_path / 'model')}"
    few = "--device cpu --max-tokens 8 --repeats 1 --batches 2 --taus 1,0.5"
    code = run(f"{words} {few}".split())
    said = capsys.readouterr()
    assert code == 0, said.err
    assert "## Units at batch 1" in said.out and "2 of 2 crops read" in said.err
    results = json.loads((out / "results.json").read_text())
    assert results["ways"] == ["ar", "match", "self-spec", "auto"] and results["differences"] == []
    assert {unit["kind"] for unit in results["units"]} == {"text", "formula"}
    assert results["setting"]["dtype"] == "float32" and results["setting"]["strategy"] == "regions"
    assert all(unit["ways"]["self-spec"]["stats"]["draft_forwards"] > 0 for unit in results["units"])


@pytest.mark.parametrize(
    ("option", "why"), [("--batches=x", "numbers separated"), ("--taus=2", "from 0.001 to 1")]
)
def test_bad_numbers(tmp_path: Path, option: str, why: str) -> None:
    from galley.errors import UsageError

    with pytest.raises(UsageError, match=why):
        run(["bench", "speed", "--data", str(tmp_path), "--model", "none", option])
