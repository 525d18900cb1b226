"""Opening documents: kinds, places they come from, page selection, and files that are no good."""

from __future__ import annotations

import io
import os
import struct
import sys
import zlib
from pathlib import Path

import pytest
from pdf_maker import PdfPage, make_pdf, paragraph, text_at
from PIL import Image

from galley.document import Failure
from galley.errors import InputError, UsageError
from galley.ingest import PageImage, PageRanges, open_source
from galley.ingest.kind import Kind, foreign_format, kind_of

THREE = make_pdf(*[PdfPage(text_at(72, 700, f"Number {n}")) for n in (1, 2, 3)])


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def encrypted(user: str) -> bytes:
    canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")
    from reportlab.lib.pdfencrypt import StandardEncryption

    file = io.BytesIO()
    canvas = canvas_module.Canvas(file, encrypt=StandardEncryption(user, ownerPassword="owner", strength=128))
    canvas.drawString(72, 700, "Private")
    canvas.save()
    return file.getvalue()


def text_of(page: PageImage) -> str:
    return " ".join(word.text for word in page.text.words)


def test_every_way_in_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "three pages – ünï.pdf"
    path.write_bytes(THREE)

    class Stdin:
        buffer = io.BytesIO(THREE)

    monkeypatch.setattr(sys, "stdin", Stdin)
    with path.open("rb") as file:
        for source in (path, str(path), THREE, bytearray(THREE), io.BytesIO(THREE), file, "-"):
            with open_source(source) as opened:
                assert opened.page_count == 3
                assert [text_of(page) for page in opened.pages()] == ["Number 1", "Number 2", "Number 3"]


def test_names() -> None:
    with open_source(THREE) as unnamed, open_source(THREE, name="minutes") as named:
        assert (unnamed.name, named.name) == ("document", "minutes")


def test_pages_in_any_order() -> None:
    with open_source(THREE) as source:
        assert [text_of(source.page(n)) for n in (3, 1, 3, 2)] == [
            "Number 3",
            "Number 1",
            "Number 3",
            "Number 2",
        ]
        with pytest.raises(InputError, match="page 4 does not exist; document has 3 pages"):
            source.page(4)


def test_selected_pages_and_those_that_do_not_exist() -> None:
    with open_source(THREE, pages="2-5") as source:
        *pages, missing = source.pages()
    assert [page.number for page in pages] == [2, 3]
    assert isinstance(missing, Failure) and missing.message == "pages 4-5 do not exist; document has 3 pages"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("1", [1]),
        ("1-3,7", [1, 2, 3, 7]),
        ("9-", [9, 10]),
        (" 3 , 1 - 2", [1, 2, 3]),
        ("12", []),
    ],
)
def test_page_ranges(text: str, chosen: list[int]) -> None:
    assert PageRanges.parse(text).select(10) == chosen
    assert PageRanges.parse(str(PageRanges.parse(text))) == PageRanges.parse(text)


@pytest.mark.parametrize("text", ["", "0", "3-1", "a", "1,,2", "1-2-3", "-", "1;2", "-0", "-2", "1,-2"])
def test_page_ranges_that_make_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match="pages"):
        PageRanges.parse(text)


def test_page_ranges_from_numbers() -> None:
    assert PageRanges.of([3, 1]).select(5) == [1, 3]
    assert PageRanges.of(2).select(5) == [2]
    assert PageRanges.parse("2,9-12,15-").missing(10) == ["11-12", "15-"]


PIXEL = Image.new("RGB", (40, 30), "white")

HOSTILE = {
    "zero bytes": (b"", r"is empty \(0 bytes\)"),
    "text": (b"Dear Sir or Madam", "not a document Galley reads .*plain text"),
    "word": (b"PK\x03\x04" + bytes(100), "not a document Galley reads .*ZIP or Office"),
    "noise": (bytes(range(256)) * 4, "not a document Galley reads .*unknown data"),
    "web page": (b"<!DOCTYPE html><p>Hi", "not a document Galley reads .*HTML"),
    "cut pdf": (THREE[:200], "damaged or cut off PDF"),
    "pdf in name only": (b"%PDF-1.7\nhello", "damaged or cut off PDF"),
    "no pages": (make_pdf(), "damaged or cut off PDF, or has no pages"),
    "cut png head": (saved(PIXEL, "PNG")[:20], "damaged or cut off PNG"),
    "bomb": (bomb(100_000, 100_000), "too many pixels to decode safely"),
    "cut webp": (saved(Image.effect_noise((90, 90), 80), "WEBP")[:900], "damaged or cut off WEBP"),
    "cut tiff": (b"II*\x00\x08\x00\x00\x00\xff\xff", "damaged"),
    "empty gif": (b"GIF89a", "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_say_what_is_wrong(name: str, tmp_path: Path) -> None:
    data, message = HOSTILE[name]
    path = tmp_path / "file.pdf"
    path.write_bytes(data)
    for source in (path, data):
        with pytest.raises(InputError, match=message) as caught, open_source(source) as opened:
            list(opened.pages())
        assert "\n" not in str(caught.value) and "Traceback" not in str(caught.value)


def test_a_bomb_is_refused_where_pillows_guard_was_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    with pytest.raises(InputError, match="100000 × 100000 pixels, too many"):
        open_source(bomb(100_000, 100_000))


def test_cut_image_data_fails_its_page() -> None:
    noise = Image.effect_noise((300, 300), 80)
    for kind in ("PNG", "JPEG", "BMP"):
        data = saved(noise, kind)
        with open_source(data[: len(data) * 2 // 3]) as source:
            (result,) = source.pages()
        assert isinstance(result, Failure), kind
        assert result.page == 1 and "page 1" in result.message


def test_one_bad_page_does_not_stop_the_others(tmp_path: Path) -> None:
    data = bytearray(THREE)
    at = data.index(b"/Type/Page/", data.index(b"/Type/Page/") + 1)
    data[at : at + 11] = b"/Type/Pige/"
    broken = bytes(data).replace(b"/Contents 8 0 R", b"/Contents 0 0 R")
    with open_source(broken) as source:
        results = list(source.pages())
    assert len(results) == 3
    assert [result.number for result in results if isinstance(result, PageImage)][-1] == 3


def test_places_that_are_no_files(tmp_path: Path) -> None:
    link = tmp_path / "link.pdf"
    link.symlink_to(tmp_path / "gone.pdf")
    for path, message in (
        (tmp_path, "is a folder; give a file"),
        (tmp_path / "none.pdf", "does not exist"),
        (link, "is a broken link: it points to"),
        (Path(os.devnull), "is not a regular file"),
        (tmp_path / ("x" * 300), "cannot be read: File name too long"),
        ("a\0b.pdf", "is not a file name"),
    ):
        with pytest.raises(InputError, match=message):
            open_source(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(THREE)
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        open_source(path)


def test_text_file_object() -> None:
    with pytest.raises(InputError, match="open it for reading bytes"):
        open_source(io.StringIO("hello"))  # type: ignore[arg-type]


def test_passwords() -> None:
    data = encrypted("sesame")
    with pytest.raises(InputError, match="is encrypted; give its password with --password"):
        open_source(data)
    with pytest.raises(InputError, match="the password does not open letter"):
        open_source(data, password="wrong", name="letter")
    with open_source(data, password="sesame") as source:
        assert text_of(source.page(1)) == "Private"
    with open_source(encrypted("")) as source:
        assert text_of(source.page(1)) == "Private"


def test_the_kind_is_told_by_content(tmp_path: Path) -> None:
    path = tmp_path / "photo.pdf"
    path.write_bytes(saved(PIXEL, "PNG"))
    with open_source(path) as source:
        assert source.page(1).image.shape == (30, 40, 3)
    assert kind_of(b"\n\n junk %PDF-1.4") is Kind.PDF
    assert kind_of(b"RIFF\0\0\0\0WEBPVP8 ") is Kind.WEBP
    assert kind_of(b"\0\0\0\x18ftypheic") is Kind.HEIF
    assert kind_of(b"\0\0\0\x18ftypmp42") is None
    assert foreign_format(b"%!PS-Adobe") == "PostScript"


def test_heic_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(InputError, match=r"pip install 'galley-ocr\[heic\]'"):
        open_source(b"\0\0\0\x18ftypheic" + bytes(40))


def test_huge_pdf_page_is_rendered_at_a_lower_resolution() -> None:
    with open_source(
        make_pdf(PdfPage(paragraph(), box=(0, 0, 14400, 14400))), max_pixels=1_000_000
    ) as source:
        page = source.page(1)
    assert page.image.shape[0] * page.image.shape[1] <= 1_010_000
    assert page.dpi == pytest.approx(5, rel=0.01)
    assert page.warnings == ["a page of 200 × 200 inches is rendered at 5 dpi to stay within 1000000 pixels"]


def test_many_pages_are_read_through_reopening() -> None:
    data = make_pdf(*[PdfPage(text_at(72, 700, f"Number {n}")) for n in range(1, 131)])
    with open_source(data, dpi=36) as source:
        texts = [text_of(page) for page in source.pages() if isinstance(page, PageImage)]
    assert texts == [f"Number {n}" for n in range(1, 131)]


def test_a_pdf_without_pages_is_not_taken_for_an_encrypted_one() -> None:
    with pytest.raises(InputError, match="encrypted"):
        open_source(encrypted("sesame"))
    with pytest.raises(InputError, match="damaged or cut off PDF, or has no pages"):
        open_source(make_pdf())


def test_document_properties() -> None:
    canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")
    file = io.BytesIO()
    canvas = canvas_module.Canvas(file)
    canvas.setTitle("A Title")
    canvas.setAuthor("Somebody")
    canvas.showPage()
    canvas.save()
    with open_source(file.getvalue()) as source:
        assert source.metadata["title"] == "A Title" and source.metadata["author"] == "Somebody"
