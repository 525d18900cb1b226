"""``galley parse`` and ``galley eval`` with a model behind a server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("httpx2")

from PIL import Image, ImageDraw, ImageFont

from .stub import KEY, Asked, Reply, says, serving

LINES = ("The quick brown fox jumps over the lazy dog.", "Seven wizards boxed by the frozen lake.")


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two paragraphs."""
    image = Image.new("RGB", (900, 700), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(28)
    for y, line in zip((80, 400), LINES, strict=True):
        pen.text((60, y), line, font=font, fill="black")
    path = tmp_path_factory.mktemp("scan") / "scan.png"
    image.save(path)
    return path


def galley(*words: str) -> subprocess.Popen[str]:
    env = os.environ | {"OMP_NUM_THREADS": "1", "OPENAI_API_KEY": KEY}
    return subprocess.Popen(
        [sys.executable, "-m", "galley", *words],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a test run in the background of a shell hands its children an ignored SIGINT
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def test_what_failed_is_drafted_listed_and_told_by_the_exit_code(scan: Path, tmp_path: Path) -> None:
    def second_fails(asked: Asked, so_far: list[Asked]) -> Reply:
        return says("Read by the model.") if len(so_far) == 1 else Reply(b"", 400)

    out = tmp_path / "out"
    with serving(second_fails) as stub:
        # one request at a time, so that the first one is the first block's
        words = ("parse", str(scan), "--model", stub.model, "--strategy", "regions", "--batch", "1")
        process = galley(*words, "-o", str(out), "-f", "json,md")
        said = process.communicate(timeout=300)[1]
    assert process.returncode == 5, said
    assert "scan.png: page 1: stub could not read 1 of 2 blocks, drafts are kept" in said and KEY not in said
    document = json.loads((out / "scan.json").read_text())
    assert [f["page"] for f in document["failures"]] == [1]
    assert [b["source"] for b in document["pages"][0]["blocks"]] == ["stub", "ocr"]
    markdown = (out / "scan.md").read_text()
    assert "Read by the model." in markdown and "wizards" in markdown


def test_nobody_there_is_said_at_once(scan: Path, tmp_path: Path) -> None:
    process = galley("parse", str(scan), "--model", f"openai:http://{KEY}@127.0.0.1:9/v1#m")
    out, said = process.communicate(timeout=300)
    assert process.returncode == 5 and out == ""
    assert said.strip() == "galley: the server at http://127.0.0.1:9/v1 cannot be reached; is it running?"


def test_an_interrupt_ends_a_waiting_parse(scan: Path, tmp_path: Path) -> None:
    slow = says("late")
    slow.wait = 600
    with serving(lambda asked, _: slow) as stub:
        process = galley("parse", str(scan), "--model", stub.model, "-o", str(tmp_path / "out"))
        while not stub.asked and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=250)[1]
    assert process.returncode == 130 and "interrupted" in said
    assert not list((tmp_path / "out").rglob("*.md"))


def test_a_benchmark_is_predicted_through_a_server(scan: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    Image.open(scan).save(data / "a.png")
    (data / "a.md").write_text("\n\n".join(LINES))
    text = "\n\n".join(LINES)
    with serving(lambda asked, _: says(text)) as stub:
        process = galley(
            "eval",
            "folder",
            "--data",
            str(data),
            "--out",
            str(tmp_path / "e"),
            "--no-cdm",
            "--model",
            stub.model,
        )
        said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert (tmp_path / "e" / "predictions" / "a.md").read_text().split("\n\n") == [LINES[0], LINES[1] + "\n"]
