"""Small PDFs with exactly the objects a test needs."""

from __future__ import annotations

from dataclasses import dataclass, field

FONTS = {
    "F1": "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    "F2": "<</Type/Font/Subtype/Type1/BaseFont/Times-BoldItalic/Encoding/WinAnsiEncoding>>",
    "F3": "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>",
}


@dataclass
class PdfPage:
    """A page: its content stream, extra keys of its dictionary, XObjects as (dictionary, data) by name."""

    content: str = ""
    extra: str = ""
    box: tuple[float, float, float, float] = (0, 0, 612, 792)
    xobjects: dict[str, tuple[str, bytes]] = field(default_factory=dict)


def make_pdf(*pages: PdfPage, fonts: dict[str, str] | None = None) -> bytes:
    """The bytes of a PDF with these pages."""
    objects: list[bytes] = [b"<</Type/Catalog/Pages 2 0 R>>", b""]

    def add(text: str, data: bytes | None = None) -> int:
        body = text.encode("latin-1")
        if data is not None:
            body = body[:-2] + b"/Length %d>>\nstream\n" % len(data) + data + b"\nendstream"
        objects.append(body)
        return len(objects)

    named = {name: add(font) for name, font in (FONTS | (fonts or {})).items()}
    font_text = "".join(f"/{name} {number} 0 R" for name, number in named.items())
    kids = []
    for page in pages:
        pictures = {name: add(head, data) for name, (head, data) in page.xobjects.items()}
        picture_text = "".join(f"/{name} {number} 0 R" for name, number in pictures.items())
        content = add("<<>>", page.content.encode("latin-1"))
        box = " ".join(map(str, page.box))
        kids.append(
            add(
                f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]{page.extra}/Contents {content} 0 R"
                f"/Resources<</Font<<{font_text}>>/XObject<<{picture_text}>>>>>>"
            )
        )
    refs = " ".join(f"{kid} 0 R" for kid in kids)
    objects[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{refs}]>>".encode()
    return _assemble(objects)


def _assemble(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def text_at(x: float, y: float, text: str, font: str = "F1", size: float = 12, mode: int = 0) -> str:
    """Content that shows ``text`` with its baseline's start at x, y."""
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT {mode} Tr /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET\n"


def grey_image(width: int, height: int, data: bytes) -> tuple[str, bytes]:
    """An 8-bit grey image XObject."""
    size = f"/Width {width}/Height {height}"
    return f"<</Type/XObject/Subtype/Image{size}/ColorSpace/DeviceGray/BitsPerComponent 8>>", data


PARAGRAPH = (
    "The quick brown fox jumps over the lazy dog while seven wizards make a toxic brew",
    "for the evil queen and her court of jesters under the pale light of a winter moon",
    "Every morning the keeper of the lighthouse writes down the wind and the height of",
    "the waves and every evening he reads aloud what he has written to nobody but gulls",
)


def paragraph(x: float = 72, y: float = 700, lines: int = 4, mode: int = 0) -> str:
    """Lines of English prose."""
    return "".join(text_at(x, y - 16 * at, PARAGRAPH[at % 4], mode=mode) for at in range(lines))
