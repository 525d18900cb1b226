"""Documents in, text out: formats, options, and what is refused."""

from __future__ import annotations

import base64
import io
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("fastapi", reason="needs the serve extra")

from prometheus_client.parser import text_string_to_metric_families
from serving_fakes import Served, pdf

from galley.document import Document
from galley.serving.settings import Limits


def test_a_small_document_is_answered_at_once(served: Served) -> None:
    response = served.post(pdf("one", "two"), "report.pdf")
    document = Document.from_json(response.content)
    assert [page.blocks[0].content for page in document.pages] == ["one", "two"]
    assert document.source == "report.pdf"
    assert served.job(response.headers["X-Galley-Job"])["state"] == "done"


@pytest.mark.parametrize(
    ("name", "media", "text"),
    [
        ("markdown", "text/markdown", "one\n\ntwo\n"),
        ("text", "text/plain", "one\n\ntwo\n"),
        ("html", "text/html", "<p>one</p>"),
        ("glmocr", "application/json", '"content": "one"'),
    ],
)
def test_every_format(served: Served, name: str, media: str, text: str) -> None:
    response = served.post(pdf("one", "two"), format=name)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith(media)
    assert text in response.text


def test_results_run_no_scripts(served: Served) -> None:
    response = served.post(pdf("one"), format="html")
    assert response.headers["content-security-policy"].startswith("sandbox; default-src 'none'")


def test_options_of_the_form_are_used(served: Served) -> None:
    document = Document.from_json(served.post(pdf("one", "two", "three"), pages="2-3,9", dpi="72").content)
    assert [page.number for page in document.pages] == [2, 3]
    assert document.pages[0].width == 400
    assert "pages 9 do not exist" in document.failures[0].message


def test_figures_are_served_beside_the_result(served: Served) -> None:
    id_ = served.submit(pdf("one"), images="true")
    served.until(id_, "done")
    [name] = [b.image for b in Document.from_json(_result(served, id_)).pages[0].blocks if b.image]
    picture = served.client.get(f"/v1/jobs/{id_}/{name}")
    assert Image.open(io.BytesIO(picture.content)).size == (30, 20)
    assert served.client.get(f"/v1/jobs/{id_}/images/..%2Fjob.json").status_code == 404


def _result(served: Served, id_: str) -> bytes:
    return served.client.get(f"/v1/jobs/{id_}/result").content


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dpi": "many"}, "dpi"),
        ({"pages": "3-1"}, "a range goes upwards"),
        ({"model": "/etc"}, "there is no option 'model'"),
        ({"strategy": "regions", "decode": "diffusion"}, ""),
        ({"format": "docx"}, "there is no format 'docx'"),
        ({"wait": "perhaps"}, "true or false"),
        ({"keep": "pictures"}, "keep"),
        ({"urls": "http://example.com/a.pdf"}, "no document"),
    ],
)
def test_what_makes_no_sense_is_refused(served: Served, fields: dict[str, str], message: str) -> None:
    response = served.post(pdf("one"), **fields)
    assert response.status_code == 422
    assert message in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.pdf is empty (0 bytes)"),
        (b"PK\x03\x04 not for me", "not a document Galley reads"),
        (pdf("one")[:90], "damaged or cut off"),
    ],
)
def test_what_is_no_document_is_said(served: Served, content: bytes, message: str) -> None:
    response = served.post(content)
    assert response.status_code == 422
    assert message in response.json()["error"]["message"]


def test_addresses_are_not_fetched_unless_allowed(served: Served) -> None:
    response = served.client.post("/v1/parse", files={"x": b""}, data={"urls": "http://example.com/a.pdf"})
    assert response.status_code == 422
    assert "there is no option 'x'" in response.json()["error"]["message"]
    multipart = {"urls": (None, "http://example.com/a.pdf")}
    response = served.client.post("/v1/parse", files=multipart)
    assert "--allow-urls" in response.json()["error"]["message"]


def test_a_body_has_to_be_a_form_with_a_file(served: Served) -> None:
    assert served.client.post("/v1/parse", content=b"%PDF-").status_code == 415
    response = served.client.post("/v1/parse", files={"format": (None, "json")})
    assert response.json()["error"]["code"] == "no-file"


@pytest.mark.parametrize("name", ["../../../tmp/evil.pdf", "..\\..\\evil.pdf", "/etc/evil.pdf", "evil.pdf"])
def test_a_name_is_only_shown(served: Served, tmp_path: Path, name: str) -> None:
    document = Document.from_json(served.post(pdf("one"), name).content)
    assert document.source == "evil.pdf"
    assert not Path("/tmp/evil.pdf").exists()


def test_a_document_has_so_many_bytes_and_pages(serve: Callable[..., Served]) -> None:
    server = serve(limits=Limits(max_bytes=100_000, max_pages=3))
    response = server.post(b"%PDF-" + bytes(3_000_000))
    assert response.status_code == 413
    assert "no more than 0.0954 MB" in response.json()["error"]["message"]

    def chunks() -> object:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        for _ in range(40):
            yield bytes(100_000)

    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert server.client.post("/v1/parse", content=chunks(), headers=headers).status_code == 413
    response = server.post(bytes(200_000))  # within the limit of a body, which may be base64
    assert (response.status_code, response.json()["error"]["code"]) == (413, "too-large")
    response = server.post(pdf(*"abcde"))
    assert response.status_code == 413
    assert "a.pdf has 5 pages and the server takes 3" in response.json()["error"]["message"]
    assert server.post(pdf(*"abcde"), pages="2-4").status_code == 200


def test_an_upload_that_trickles_is_given_up(serve: Callable[..., Served]) -> None:
    server = serve(limits=Limits(upload_seconds=0.5))
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as slow:
        head = "POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        slow.sendall(f"{head}Content-Length: 1000\r\n\r\n--x".encode())
        assert slow.recv(100).startswith(b"HTTP/1.1 408")
    assert server.app.state.scheduler.load == 0


def test_an_api_key_is_wanted_where_there_is_one(serve: Callable[..., Served]) -> None:
    server = serve(api_key="sésame")
    refused = server.post(pdf("one"))
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    for headers in (
        {"Authorization": "Bearer sesame"},
        {"X-API-Key": ""},
        {"Authorization": "Basic sésame".encode()},
    ):
        assert server.client.get("/metrics", headers=headers).status_code == 401
    for headers in ({"Authorization": "Bearer sésame".encode()}, {"X-API-Key": "sésame".encode()}):
        assert server.client.get("/metrics", headers=headers).status_code == 200
    assert server.client.get("/health").json() == {"status": "ok"}
    assert server.client.get("/").status_code == 200


def test_head_is_answered_where_get_is(served: Served) -> None:
    for path in ("/", "/health", "/metrics", "/v1/models", "/web/js/main.js"):
        head, get = served.client.head(path), served.client.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == get.headers["content-type"]
    assert served.client.head("/v1/jobs/nobody").status_code == 404
    assert served.client.head("/v1/parse").status_code == 405
    assert served.client.head("/v1/jobs/nobody/events").status_code == 405


def test_figures_for_prometheus(served: Served) -> None:
    served.post(pdf("one", "fail"))
    text = served.client.get("/metrics").text
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["galley_page_seconds"].type == "histogram"
    assert all(family.documentation for family in families.values())
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(values["galley_pages_total"]) >= 1
    assert float(values["galley_pages_failed_total"]) >= 1
    assert float(values['galley_jobs_total{state="done"}']) >= 1
    for name in (
        "galley_queue",
        "galley_tokens_total",
        "galley_tokens_per_forward",
        "galley_accepted_length_count",
    ):
        assert float(values[name]) == 0


def test_glmocr_answers_as_the_sdk_does(served: Served) -> None:
    one = "data:application/pdf;base64," + base64.b64encode(pdf("one", "two")).decode()
    body = served.client.post("/glmocr/parse", json={"images": [one]}).json()
    sdk, hosted = (
        ("json_result", "markdown_result"),
        ("layout_details", "md_results", "data_info", "usage", "model"),
    )
    assert set(body) == {*sdk, *hosted, "id", "created"}
    assert [page[0]["content"] for page in body["json_result"]] == ["one", "two"]
    assert set(body["json_result"][0][0]) == {
        "index",
        "label",
        "native_label",
        "content",
        "bbox_2d",
        "polygon",
    }
    assert body["markdown_result"] == body["md_results"] == "one\n\ntwo\n"
    assert body["data_info"] == {"pages": []}
    two = served.client.post(
        "/glmocr/parse", json={"images": [one, base64.b64encode(pdf("three")).decode()]}
    ).json()
    assert [len(pages) for pages in two["json_result"]] == [2, 1]
    assert two["markdown_result"] == "one\n\ntwo\n\n\n---\n\nthree\n"
    page = {"file": one, "start_page_id": 2, "end_page_id": 2}
    assert served.client.post("/glmocr/parse", json=page).json()["md_results"] == "two\n"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"images": []}, 400),
        ({}, 400),
        ({"images": ["file:///etc/passwd"]}, 422),
        ({"images": ["http://127.0.0.1/a.png"]}, 422),
        ({"images": ["data:image/png;base64,!!!"]}, 422),
        ({"images": ["AAAA"]}, 422),
    ],
)
def test_glmocr_says_what_is_wrong(served: Served, data: dict[str, object], status: int) -> None:
    response = served.client.post("/glmocr/parse", json=data)
    assert response.status_code == status
    assert isinstance(response.json()["error"], str)


def test_glmocr_wants_json(served: Served) -> None:
    response = served.client.post("/glmocr/parse", content=json.dumps({"images": ["x"]}))
    assert response.status_code == 400


def test_an_upload_that_breaks_off_leaves_nothing(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        head = "POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n--x".encode())
        while not served.app.state.scheduler.load:
            time.sleep(0.02)
    while served.app.state.scheduler.load:
        time.sleep(0.02)
    served.client.get("/health")
    assert not [record for record in caplog.records if "Exception" in record.getMessage()]
