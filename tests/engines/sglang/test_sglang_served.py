"""SGLang's server as its users start it, with its prefix cache, asked as OpenAI's clients ask."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TOKENS, PATIENCE_S = 24, 1200
LETTERS = "ABCDEFGHIJKLMNOPQRSUVWXYZ"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, surroundings: dict[str, str]) -> Path:
    folder = tmp_path_factory.mktemp("served") / "model"
    build = [sys.executable, "-m", "tests.engines.vllm.builders", "gravity_ocr", str(folder)]
    subprocess.run(build, cwd=ROOT, env=surroundings, capture_output=True, check=True)
    return folder


@pytest.fixture(scope="module")
def server(
    checkpoint: Path, surroundings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a server that Galley drafts for."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "model-path": checkpoint,
        "speculative-algorithm": "GALLEY",
        "host": "127.0.0.1",
        "port": port,
        "device": "cpu",
        "dtype": "float32",
        "attention-backend": "torch_native",
        "sampling-backend": "pytorch",
        "context-length": 256,
        "max-running-requests": 2,
        "max-total-tokens": 1024,
        "mem-fraction-static": 0.1,
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "sglang.launch_server", *words, "--skip-server-warmup"]
    folder = tmp_path_factory.mktemp("log")
    own = surroundings | {"GALLEY_SPYING": str(folder / "windows")}
    with (folder / "log").open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=own, stdout=output, stderr=output)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process, folder / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()[-4000:]
        try:
            urllib.request.urlopen(url).close()
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(1)
    raise AssertionError(log.read_text()[-4000:])


def ask(server: str, **more: Any) -> dict[str, Any]:
    body = {
        "model": "tiny",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "The quick brown fox"}]}],
        "temperature": 0,
        "max_tokens": TOKENS,
        "ignore_eos": True,
        "return_meta_info": True,
        **more,
    }
    request = urllib.request.Request(
        f"{server}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        choice: dict[str, Any] = json.load(answer)["choices"][0]
    return choice


def test_draft_texts_come_with_a_request(server: str, checkpoint: Path) -> None:
    tokenizer = json.loads((checkpoint / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    every = set(vocabulary.values()) | {added["id"] for added in tokenizer["added_tokens"]}
    bias = {str(token): -1000 for token in every - {vocabulary[letter] for letter in LETTERS}}
    alone = ask(server, logit_bias=bias)
    text = alone["message"]["content"]
    assert len(text) == TOKENS
    drafts = ["nothing of the kind", text]
    drafted = ask(server, logit_bias=bias, custom_params={"galley_drafts": drafts})
    assert drafted["message"]["content"] == text
    steps = [choice["meta_info"]["spec_verify_ct"] for choice in (alone, drafted)]
    assert steps[1] < steps[0] / 2


def test_drafts_that_are_none_do_not_end_the_server(server: str) -> None:
    text = ask(server)["message"]["content"]
    for given in (7, [None, 3], {"a": "b"}, "a text alone"):
        assert ask(server, custom_params={"galley_drafts": given})["message"]["content"] == text
