"""``galley serve`` as users run it, with clients that know nothing of Galley."""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")

import httpx
from serving_fakes import pdf

SAMPLES = Path(__file__).parent.parent.parent / "samples"
LETTER = "data:image/jpeg;base64," + base64.b64encode((SAMPLES / "letter.jpg").read_bytes()).decode()


class Process:
    """A running ``galley serve``, its address and what it said."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self.said = process, [""]
        self.url = ""
        while not self.url:
            line = process.stderr.readline()  # type: ignore[union-attr]
            assert line, f"it ended with {process.wait()}"
            self.said.append(line)
            if found := re.search(r"serving at (http://\S+)", line):
                self.url = found[1]
        self._rest = threading.Thread(target=self._listen, daemon=True)
        self._rest.start()

    def _listen(self) -> None:
        self.said += list(self.process.stderr)  # type: ignore[arg-type]

    def end(self) -> int:
        """Tell it to stop; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        self._rest.join()
        return code


@contextmanager
def running(*words: str) -> Iterator[Process]:
    command = [sys.executable, "-m", "galley", "serve", "--port", "0", "-j", "1", *words]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    try:
        yield Process(process)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def server() -> Iterator[Process]:
    with running("--strategy", "regions") as process:  # by the embedded model
        yield process
        assert process.end() == 0


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(running(*words))


def test_a_real_document(server: Process) -> None:
    with (SAMPLES / "report.pdf").open("rb") as file:
        fields = {"format": "markdown", "pages": "1"}
        response = httpx.post(f"{server.url}/v1/parse", files={"file": file}, data=fields, timeout=120)
    assert response.status_code == 200
    assert "\n\n# Twenty-Eight Years of Mornings\n\n" in response.text


def _ask(client: Any, prompt: str, **more: Any) -> Any:
    parts = [{"type": "image_url", "image_url": {"url": LETTER}}, {"type": "text", "text": prompt}]
    return client.chat.completions.create(
        model="galley", messages=[{"role": "user", "content": parts}], timeout=120, **more
    )


def test_the_openai_client(server: Process) -> None:
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    assert [model.id for model in client.models.list()] == ["galley"]
    answer = _ask(client, "Text Recognition:")
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.completion_tokens > 50  # verified, not only drafted
    assert "Dear Ms Penn," in answer.choices[0].message.content
    chunks = list(_ask(client, "Read it.", stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "\n\nDear Ms Penn,\n\n" in text
    assert 0 < chunks[-1].usage.completion_tokens < 1000
    chunks = list(_ask(client, "Text Recognition:", stream=True))
    assert (
        "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == answer.choices[0].message.content
    )
    assert chunks[-1].choices[0].finish_reason == "stop"
    with pytest.raises(openai.UnprocessableEntityError, match="damaged or cut off"):
        broken = {"type": "image_url", "image_url": {"url": LETTER[: len("data:image/jpeg;base64,") + 2000]}}
        client.chat.completions.create(model="galley", messages=[{"role": "user", "content": [broken]}])


def test_glmocr_with_galley_for_its_model_server(server: Process) -> None:
    """The SDK's own pipeline; its layout model, which is not shipped with it, is stood in for."""
    pipeline = pytest.importorskip("glmocr.pipeline")
    config = pytest.importorskip("glmocr.config").load_config(mode="selfhosted").pipeline
    config.ocr_api.api_url = f"{server.url}/v1/chat/completions"

    class WholePage:
        batch_size = 1

        def start(self) -> None: ...

        def stop(self) -> None: ...

        def process(self, images: list[Any], **_: Any) -> Any:
            region = {
                "index": 0,
                "label": "text",
                "task_type": "text",
                "score": 1.0,
                "bbox_2d": [0, 0, 1000, 1000],
                "polygon": [[0, 0], [1000, 0], [1000, 1000], [0, 1000]],
            }
            return [[region] for _ in images], {}

    sdk = pipeline.Pipeline(config, layout_detector=WholePage())
    sdk.start()
    try:
        content = [{"type": "image_url", "image_url": {"url": LETTER}}]
        [result] = sdk.process({"messages": [{"role": "user", "content": content}]})
    finally:
        sdk.stop()
    assert "Dear Ms Penn," in result.markdown_result
    assert "Dear Ms Penn," in result.json_result[0][0]["content"]


def test_glmocr_as_a_client_of_its_server(server: Process) -> None:
    glmocr = pytest.importorskip("glmocr")
    client = glmocr.GlmOcr(mode="maas", api_key="none", api_url=f"{server.url}/glmocr/parse")
    try:
        result = client.parse(str(SAMPLES / "letter.jpg"), save_layout_visualization=False)
    finally:
        client.close()
    assert "Dear Ms Penn," in result.markdown_result
    boxes = [region["bbox_2d"] for region in result.json_result[0]]
    assert all(0 <= value <= 1000 for box in boxes for value in box)
    assert boxes[0][2] > 200  # of 1000, though the page has more pixels


def test_sigterm_lets_accepted_jobs_finish(start: Callable[..., Process], tmp_path: Path) -> None:
    server = start("--state-dir", str(tmp_path), "--dpi", "50")
    id_ = _submit(server, pdf("one", "two"))
    found: list[httpx.Response] = []
    waiting = threading.Thread(
        target=lambda: found.append(
            httpx.post(f"{server.url}/v1/parse", files={"file": pdf("three")}, timeout=120)
        )
    )
    waiting.start()
    while "galley_queue 2.0" not in httpx.get(f"{server.url}/metrics").text:
        time.sleep(0.01)
    assert server.end() == 0
    waiting.join()
    assert found[0].status_code == 200
    assert '"state": "done"' in (tmp_path / "galley-jobs" / id_ / "job.json").read_text()
    assert "finishing 2 requests" in "".join(server.said)


def test_what_is_not_finished_is_reported_and_resumed(start: Callable[..., Process], tmp_path: Path) -> None:
    server = start("--state-dir", str(tmp_path), "--grace", "0", "--dpi", "50")
    id_ = _submit(server, pdf(*["some page"] * 8))
    while _job(server, id_)["pages_done"] < 1:
        time.sleep(0.05)
    assert server.end() == 0
    said = "".join(server.said)
    assert re.search(rf"not finished: {id_} \(upload\), [1-8] of 8 pages read; it will be resumed", said), (
        said
    )
    again = start("--state-dir", str(tmp_path), "--dpi", "50")
    while (job := _job(again, id_))["state"] != "done":
        time.sleep(0.1)
    assert (job["pages_done"], job["failures"]) == (8, [])
    pages = httpx.get(f"{again.url}/v1/jobs/{id_}/result").json()["pages"]
    assert [page["number"] for page in pages] == list(range(1, 9))


def _submit(server: Process, content: bytes) -> str:
    response = httpx.post(
        f"{server.url}/v1/parse", files={"file": ("upload", content)}, data={"wait": "false"}, timeout=120
    )
    return str(response.json()["id"])


def _job(server: Process, id_: str) -> dict[str, Any]:
    return dict(httpx.get(f"{server.url}/v1/jobs/{id_}", timeout=120).json())


def test_jobs_that_would_be_lost_make_the_exit_code(start: Callable[..., Process]) -> None:
    server = start("--grace", "0", "--dpi", "50")
    _submit(server, pdf(*["some page"] * 20))
    assert server.end() == 1
    assert "it is lost" in "".join(server.said)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--model", "/nowhere/at/all"], 5, "/nowhere/at/all"),
        (["--strategy", "draft", "--model", "x"], 2, "the draft strategy uses no model"),
        (["--host", "203.0.113.7"], 1, "cannot listen at 203.0.113.7"),
    ],
)
def test_a_server_that_cannot_start_says_why(words: list[str], code: int, message: str) -> None:
    command = [sys.executable, "-m", "galley", "serve", "--port", "0", "-j", "1", *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert (ended.returncode, ended.stdout) == (code, "")
    lines = ended.stderr.strip().splitlines()
    assert message in lines[-1]
    assert lines[-1].startswith("galley: ")
    assert "Traceback" not in ended.stderr
