"""Addresses a server fetches: public ones alone, whatever way they are written."""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")

from serving_fakes import Served, pdf

from galley.serving import urls
from galley.serving.refusal import Refusal
from galley.serving.settings import Limits


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/a.pdf",
        "http://localhost/a.pdf",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0.0.0.0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[2002:7f00:1::]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.1.2.3/",
        "http://192.168.0.1/",
        "http://[fe80::1%25lo]/",
        "http://224.0.0.1/",
        "http://1.1.1.1:22/",
        "http://user:secret@1.1.1.1/",
        "http:///a.pdf",
        "http://1.1.1.1:port/",
        "ftp://1.1.1.1/a.pdf",
        "file:///etc/passwd",
        "gopher://1.1.1.1/",
        "//1.1.1.1/",
    ],
)
def test_what_is_not_public_is_refused(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object) -> None:
        raise AssertionError("nothing may be connected to")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Refusal) as refused:
        urls.fetch(url, tmp_path / "document", Limits())
    assert refused.value.code == "bad-url"


def test_a_host_is_refused_for_one_address_that_is_not_public(monkeypatch: pytest.MonkeyPatch) -> None:
    def lookup(*_: object, **__: object) -> list[Any]:
        return [(0, 0, 0, "", (address, 0)) for address in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    with pytest.raises(Refusal):
        urls.public_address("rebinding.example")


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        places = {
            "/away": "http://127.0.0.1:1/x",
            "/round": "/round",
            "/there": "/a.pdf",
            "/file": "file:///etc/passwd",
        }
        if self.path in places:
            self.send_response(302)
            self.send_header("Location", places[self.path])
            self.end_headers()
            return
        body = pdf("from afar") if self.path == "/a.pdf" else bytes(300_000)
        self.send_response(404 if self.path == "/none" else 200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A web server that counts as public, port 80 of ``far.example``."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    really, lookup = socket.create_connection, urls.public_address

    def connect(address: tuple[str, int], *more: Any, **named: Any) -> socket.socket:
        away = address == ("93.184.216.34", 80)
        return really(("127.0.0.1", server.server_port) if away else address, *more, **named)

    def public(host: str) -> str:
        return "93.184.216.34" if host == "far.example" else lookup(host)

    monkeypatch.setattr(urls, "public_address", public)
    monkeypatch.setattr(urls.socket, "create_connection", connect)
    yield "http://far.example"
    server.shutdown()
    server.server_close()


def test_a_document_is_fetched_over_a_redirect(far: str, tmp_path: Path) -> None:
    assert urls.fetch(f"{far}/there", tmp_path / "document", Limits()) == "a.pdf"
    assert (tmp_path / "document").read_bytes() == pdf("from afar")


@pytest.mark.parametrize("path", ["/away", "/round", "/file", "/none"])
def test_redirects_are_checked_and_errors_said(far: str, path: str, tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        urls.fetch(far + path, tmp_path / "document", Limits())
    assert refused.value.code == "bad-url"


def test_what_is_fetched_has_a_limit_too(far: str, tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        urls.fetch(f"{far}/large", tmp_path / "document", Limits(max_bytes=100_000))
    assert refused.value.status == 413


def test_a_server_started_so_fetches(far: str, serve: Any) -> None:
    server: Served = serve(allow_urls=True)
    form = {"urls": (None, f"{far}/a.pdf"), "format": (None, "text")}
    assert server.client.post("/v1/parse", files=form).text == "from afar\n"
    form["urls"] = (None, f"{far}/a.pdf {far}/a.pdf")
    jobs = server.client.post("/v1/parse", files=form).json()["jobs"]
    assert [server.until(job["id"], "done")["name"] for job in jobs] == ["a.pdf", "a.pdf"]
    form["urls"] = (None, "http://127.0.0.1/a.pdf")
    assert server.client.post("/v1/parse", files=form).status_code == 422
