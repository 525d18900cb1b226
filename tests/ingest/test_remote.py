"""Documents and outputs behind URLs: a store in memory and, where it is installed, a stand-in for S3."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from fakes import FailsOnTwo, Words
from running import numbered

import galley
from galley.cli.ledger import LEDGER_NAME
from galley.cli.parse_run import Request, run_parse
from galley.errors import InputError, OutputError, UsageError
from galley.ingest.remote import RemoteFile, find_remote
from galley.ingest.stores import file_system, is_remote, local_path, shown_url
from galley.parsing.options import ParseOptions, make_options

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def store() -> Iterator[str]:
    """The URL of a folder in a store: two documents, one below a folder, and things to leave alone."""
    system = fsspec.filesystem("memory")
    base = "memory://shelf/in"
    for name, content in {
        "a.pdf": numbered(2),
        "a/b.PDF": numbered(1, "Below"),
        "notes.txt": b"no document",
        ".hidden.pdf": numbered(1),
        "a/.git/x.pdf": numbered(1),
    }.items():
        system.pipe_file(f"/shelf/in/{name}", content)
    yield base
    system.rm("/shelf", recursive=True)


def parse(*paths: str, output: str, factory: object = Words, **more: object) -> int:
    options = make_options(images=more.pop("images", False))
    request = Request(list(paths), options, ["md", "json"], output, jobs=1, quiet=True, **more)  # type: ignore[arg-type]
    return run_parse(request, factory)  # type: ignore[arg-type]


def names(url: str) -> list[str]:
    system, path = file_system(url)
    return sorted(name.removeprefix(path.rstrip("/") + "/") for name in system.find(path))


def text(url: str) -> str:
    return RemoteFile(url).read().decode()


def test_urls_are_told_from_paths() -> None:
    assert all(is_remote(url) for url in ("s3://b/k", "https://x.org/a.pdf", "memory://a"))
    assert not any(is_remote(path) for path in ("a.pdf", "-", "C:\\a.pdf", "/x://y", "s3:/b/k"))
    assert shown_url("https://me:pw@x.org/a.pdf?token=secret#1") == "https://x.org/a.pdf"
    assert not is_remote("file:///a.pdf")
    assert local_path("file:///tmp/a%20b.pdf") == local_path("file://localhost/tmp/a b.pdf") == "/tmp/a b.pdf"
    assert local_path("a.pdf") == "a.pdf" and local_path("s3://b/k") == "s3://b/k"
    with pytest.raises(UsageError, match="on another machine"):
        local_path("file://other/a.pdf")


def test_file_urls_are_files(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a b.pdf").write_bytes(numbered(1))
    assert parse(f"file://{tmp_path}/in", output=f"file://{tmp_path}/out") == 0
    assert (tmp_path / "out/a b.md").read_text() == "Page 1\n"
    document = galley.parse(f"file://{tmp_path}/in/a%20b.pdf", parser=Words(ParseOptions()))
    assert len(document.pages) == 1


def test_folders_globs_and_files(store: str) -> None:
    def found(url: str) -> dict[str, str]:
        return {remote.url: str(place) for remote, place in find_remote(url)}

    assert found(store) == {f"{store}/a.pdf": "a.pdf", f"{store}/a/b.PDF": "a/b.PDF"}
    assert found(f"{store}/notes.txt") == {f"{store}/notes.txt": "notes.txt"}
    assert found(f"{store}/*.pdf") == {f"{store}/.hidden.pdf": ".hidden.pdf", f"{store}/a.pdf": "a.pdf"}
    assert found(f"{store}/**/b.*") == {f"{store}/a/b.PDF": "a/b.PDF"}
    fsspec.filesystem("memory").pipe_file("/shelf/in/odd [1].pdf", numbered(1))
    assert found(f"{store}/odd [1].pdf") == {f"{store}/odd [1].pdf": "odd [1].pdf"}
    with pytest.raises(InputError, match="memory://shelf/none does not exist"):
        found("memory://shelf/none")
    with pytest.raises(InputError, match="holds no documents"):
        found(f"{store}/*.tif")


def test_from_a_store_to_a_store(store: str) -> None:
    out = "memory://shelf/out"
    assert parse(store, output=out, images=True) == 0
    figures = [
        "a/b_images/page-1-figure-1.jpg",
        "a_images/page-1-figure-1.jpg",
        "a_images/page-2-figure-1.jpg",
    ]
    made = ["a.json", "a.md", "a/b.json", "a/b.md", *figures]
    assert names(out) == sorted([LEDGER_NAME, *made])
    assert text(f"{out}/a.md").startswith("Page 1\n") and "Below 1" in text(f"{out}/a/b.md")
    assert json.loads(text(f"{out}/a.json"))["source"] == f"{store}/a.pdf"


def test_a_store_holds_what_a_folder_holds(store: str, tmp_path: Path) -> None:
    assert parse(store, output="memory://shelf/out") == parse(store, output=str(tmp_path / "out")) == 0
    for name in names("memory://shelf/out"):
        if name != LEDGER_NAME:
            assert text(f"memory://shelf/out/{name}").encode() == (tmp_path / "out" / name).read_bytes()


def test_resume(store: str) -> None:
    out, system = "memory://shelf/out", fsspec.filesystem("memory")
    assert parse(store, output=out, factory=FailsOnTwo) == 1

    def changed() -> set[str]:
        for name in ("a", "a/b"):
            system.pipe_file(f"/shelf/out/{name}.md", b"old")
        assert parse(store, output=out, resume=True) == 0
        return {name for name in ("a", "a/b") if text(f"{out}/{name}.md") != "old"}

    assert changed() == {"a"}
    assert changed() == set()
    system.pipe_file("/shelf/in/a/b.PDF", numbered(3, "New"))
    assert changed() == {"a/b"}
    system.rm("/shelf/out/a.json")
    assert changed() == {"a"}


def test_what_cannot_be_read_is_said_and_the_rest_goes_on(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert parse(f"{store}/a.pdf", f"{store}/gone.pdf", output="memory://shelf/out") == 3
    assert capsys.readouterr().err == f"galley: {store}/gone.pdf does not exist\n"
    assert "a.md" in names("memory://shelf/out")


def test_from_python(store: str) -> None:
    document = galley.parse(f"{store}/a.pdf", parser=Words(ParseOptions()))
    assert document.source == f"{store}/a.pdf" and len(document.pages) == 2
    with pytest.raises(InputError, match=r"none\.pdf does not exist"):
        galley.parse(f"{store}/none.pdf")


def test_missing_packages_and_unknown_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="nonsense:// is no store"):
        find_remote("nonsense://a/b")
    monkeypatch.setitem(sys.modules, "adlfs", None)
    with pytest.raises(UsageError, match=r"abfs://a/b needs adlfs: pip install adlfs"):
        find_remote("abfs://a/b")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "s3", raising=False)
    with pytest.raises(UsageError, match=r"s3://a/b needs s3fs: pip install 'galley-ocr\[cloud\]'"):
        find_remote("s3://a/b")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match=r"pip install 'galley-ocr\[cloud\]'"):
        find_remote("memory://a/b")


def test_outputs_that_cannot_be(store: str) -> None:
    with pytest.raises(UsageError, match=r"-o takes a folder, not memory://shelf/a\.md"):
        parse(store, output="memory://shelf/a.md")
    pytest.importorskip("aiohttp")
    with pytest.raises(OutputError, match=r"https://127\.0\.0\.1:1/out.* cannot be written"):
        parse(store, output="https://127.0.0.1:1/out")


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of a stand-in for S3 on this machine."""
    pytest.importorskip("s3fs")
    server_module = pytest.importorskip("moto.server")
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    urllib.request.urlopen(f"http://{host}:{port}/moto-api/reset", data=b"").close()
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    fsspec.filesystem("s3").mkdir("shelf")
    yield "s3://shelf"
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    server.stop()


def test_s3(s3: str) -> None:
    system = fsspec.filesystem("s3")
    system.pipe_file("shelf/in/a.pdf", numbered(2))
    assert parse(f"{s3}/in", output=f"{s3}/out", images=True, resume=True) == 0
    assert text(f"{s3}/out/a.md").startswith("Page 1\n")
    assert "a_images/page-2-figure-1.jpg" in names(f"{s3}/out")
    system.pipe_file("shelf/out/a.md", b"as it was")
    assert parse(f"{s3}/in", output=f"{s3}/out", images=True, resume=True) == 0
    assert text(f"{s3}/out/a.md") == "as it was"
    system.pipe_file("shelf/in/a.pdf", numbered(3))
    assert parse(f"{s3}/in", output=f"{s3}/out", resume=True) == 0
    assert "Page 3" in text(f"{s3}/out/a.md")


def test_s3_without_the_bucket(s3: str) -> None:
    fsspec.filesystem("s3").pipe_file("shelf/a.pdf", numbered(1))
    with pytest.raises(InputError, match=r"s3://nobucket/a\.pdf does not exist"):
        galley.parse("s3://nobucket/a.pdf")
    with pytest.raises(OutputError, match=r"s3://nobucket/out.* cannot be written: .*bucket does not exist"):
        parse(f"{s3}/a.pdf", output="s3://nobucket/out")
    assert not fsspec.filesystem("s3").exists("nobucket"), "a mistyped name must not become a bucket"


def test_s3_without_credentials(s3: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    fsspec.filesystem("s3").clear_instance_cache()
    with pytest.raises(InputError, match=r"s3://shelf/in cannot be read: .*credentials"):
        find_remote(f"{s3}/in")
