"""Text in scripts that the own recogniser does not know: read by Tesseract where it is installed, else reported."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from galley.document import BBox, Page
from galley.drafters.line import Word
from galley.drafters.ocr.tesseract import LineReading, Tesseract
from galley.errors import ModelError, UsageError
from galley.ingest.page import PageImage
from galley.languages import language, languages_of
from galley.parsing.draft import DraftParser
from galley.parsing.options import make_options

FONT = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
RUSSIAN = ["Договор заключён сторонами", "на двенадцать месяцев", "с первого числа"]
ENGLISH = ["The contract was signed", "for twelve months", "from the first day on"]


def image_of(lines: list[str]) -> NDArray[np.uint8]:
    image = Image.new("RGB", (900, 60 + 90 * len(lines)), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(str(FONT), 36)
    for number, line in enumerate(lines):
        draw.text((60, 40 + 90 * number), line, fill="black", font=font)
    return np.asarray(image)


class FakeTesseract(Tesseract):
    """Has some data and reads every line as one text."""

    def __init__(self, data: set[str], text: str = "", confidence: float = 0.9) -> None:
        self.installed = frozenset(data)
        self.text, self.confidence = text, confidence
        self.asked: list[tuple[str, ...]] = []

    def read(self, crops, data):  # type: ignore[no-untyped-def]
        self.asked.append(tuple(data))
        words = [Word(word, BBox(x0=0, y0=0, x1=20, y1=20)) for word in self.text.split()]
        return [LineReading(self.text, self.confidence, words) for _ in crops]

    def script(self, crops):  # type: ignore[no-untyped-def]
        return None


@pytest.fixture(scope="module")
def parser() -> DraftParser:
    return DraftParser(make_options(strategy="draft"))


def parsed(parser: DraftParser, lines: list[str], tesseract: Tesseract, lang: str = "auto") -> Page:
    twin = parser.for_options(make_options(strategy="draft", lang=lang), None)
    twin.page_tools.tesseract = tesseract
    return twin.parse_page(PageImage(1, image_of(lines), 150.0))


def text_of(page: Page) -> str:
    return " ".join(block.content for block in page.blocks)


def test_unread_script_is_a_failure(parser: DraftParser) -> None:
    page = parsed(parser, RUSSIAN, FakeTesseract(set()))
    assert len(page.failures) == 1
    assert "3 lines of text could not be read" in page.failures[0]
    assert "tesseract-ocr" in page.failures[0]
    assert all("unread-text" in block.flags for block in page.blocks)


def test_known_scripts_are_no_failure(parser: DraftParser) -> None:
    page = parsed(parser, ENGLISH, FakeTesseract(set()))
    assert not page.failures
    assert not page.warnings
    assert not any("unread-text" in block.flags for block in page.blocks)


def test_one_line_among_many_is_a_warning(parser: DraftParser) -> None:
    page = parsed(parser, [*ENGLISH * 4, "подпись"], FakeTesseract(set()))
    assert not page.failures
    assert any("1 line of text could not be read" in warning for warning in page.warnings)


def test_script_of_installed_data_is_read(parser: DraftParser) -> None:
    tesseract = FakeTesseract({"rus", "eng"}, "на двенадцать месяцев")
    page = parsed(parser, RUSSIAN, tesseract)
    assert text_of(page).count("на двенадцать месяцев") == 3
    assert not page.failures
    assert ("rus", "eng") in tesseract.asked


def test_reading_in_another_script_is_not_believed(parser: DraftParser) -> None:
    page = parsed(parser, RUSSIAN, FakeTesseract({"tha"}, "abc def"))
    assert "abc" not in text_of(page)
    assert page.failures


def test_named_language_reads_all_lines_in_its_script(parser: DraftParser) -> None:
    page = parsed(parser, ENGLISH, FakeTesseract({"rus"}, "слово"), lang="ru")
    assert text_of(page).count("слово") == 3
    page = parsed(parser, ENGLISH, FakeTesseract({"rus"}, "word"), lang="ru")
    assert "contract" in text_of(page)


def test_missing_data_names_the_package(parser: DraftParser) -> None:
    with pytest.raises(ModelError, match="apt install tesseract-ocr tesseract-ocr-ell"):
        parsed(parser, ENGLISH, FakeTesseract({"rus"}), lang="el")


def test_language_names() -> None:
    assert language("rus") == language("RU")
    assert [one.data for one in languages_of("ru, el")] == ["rus", "ell"]
    assert languages_of("auto") == []
    with pytest.raises(UsageError, match="no language 'klingon'"):
        languages_of("klingon")
    with pytest.raises(UsageError, match="lang"):
        make_options(lang="auto,ru")


@pytest.mark.skipif("eng" not in Tesseract().installed, reason="Tesseract's English data is not installed")
def test_program_reads_lines_with_their_words() -> None:
    first, second = Tesseract().read([image_of(["Two words"])[20:110], image_of(["more"])[20:110]], ["eng"])
    assert first.text == "Two words"
    assert [word.text for word in first.words] == ["Two", "words"]
    assert first.words[0].bbox.x1 < first.words[1].bbox.x0
    assert second.text == "more"
    assert first.confidence > 0.8
