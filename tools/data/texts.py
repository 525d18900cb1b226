"""What is printed: paragraphs, headings, record lines and tables of cells, from corpora and from
``faker``."""

from __future__ import annotations

import gzip
import html
import json
import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faker import Faker
from lxml import html as lxml_html

_LIGATURES = str.maketrans({"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl"})
_SUMS = ["Total", "Subtotal", "VAT", "Tax", "Amount due", "Balance", "Cash", "Change"]
_NUMBERED = ["Invoice", "Order", "Ref.", "Customer", "Account", "Policy"]
_NUMBER_MARKS = ["No.", "#", "no:", "ID"]
_NUMBER_SHAPES = ["??-#####", "########", "#??##-##", "INV-####"]
_AMOUNTS = ["${}", "€{}", "£{}", "{} EUR", "{}", "USD {}", "${}-"]
_DATES = ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%y", "%d %B %Y", "%b %d, %Y", "%d.%m.%Y", "%B %Y", "%H:%M"]
_MARKUP = re.compile(r":[a-z]+:`|``|\.\. |\\[a-z]+\{|�|§\s*$")


@dataclass(frozen=True)
class CellText:
    """A cell of a table to print: its place, its spans and its text."""

    row: int
    col: int
    rowspan: int
    colspan: int
    text: str


@dataclass(frozen=True)
class Sample:
    """Something to print. ``kind``: paragraph, heading, lines (each of ``lines`` on its own) or table
    (``cells``)."""

    kind: str
    lines: tuple[str, ...] = ()
    cells: tuple[CellText, ...] = field(default=())


def clean(text: str) -> str:
    """One line of text in NFC, ligatures spelled out, invisible characters dropped, spaces single."""
    visible = (char for char in text.translate(_LIGATURES) if unicodedata.category(char) != "Cf")
    return " ".join(unicodedata.normalize("NFC", "".join(visible)).split())


def load_paragraphs(path: Path) -> list[str]:
    """Paragraphs of ``source<TAB>text`` rows, without those that hold markup."""
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        texts = (clean(row.split("\t", 1)[1]) for row in rows)
        return [text for text in texts if len(text) >= 4 and not _MARKUP.search(text)]


def load_tables(paths: list[Path]) -> list[tuple[CellText, ...]]:
    """Cells of HTML and CALS tables stored as JSON lines; tables without text or with holes in their grid are
    left out."""
    tables = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as rows:
            for row in rows:
                value = json.loads(row)
                markup = value[-1] if isinstance(value, list) else value
                cells = _parse_table(markup)
                if cells:
                    tables.append(cells)
    return tables


def _parse_table(markup: str) -> tuple[CellText, ...]:
    root = lxml_html.fromstring(markup)
    if root.xpath("count(.//table)") > (0 if root.tag == "table" else 1):
        return ()
    columns = {name: i for i, name in enumerate(root.xpath(".//colspec/@colname"))}
    taken: set[tuple[int, int]] = set()
    cells = []
    rows = root.xpath(".//tr | .//row")
    for r, row in enumerate(rows):
        c = 0
        for entry in row.xpath("./td | ./th | ./entry"):
            while (r, c) in taken:
                c += 1
            rowspan, colspan = _spans(entry, columns)
            rowspan = min(rowspan, len(rows) - r)
            taken |= {(r + i, c + j) for i in range(rowspan) for j in range(colspan)}
            cells.append(CellText(r, c, rowspan, colspan, clean(html.unescape(entry.text_content()))))
            c += colspan
    width = max((c for _, c in taken), default=-1) + 1
    complete = len(taken) == len(rows) * width and sum(cell.rowspan * cell.colspan for cell in cells) == len(
        taken
    )
    filled = [cell for cell in cells if cell.text]
    sane = complete and 2 <= width <= 14 and 2 <= len(rows) <= 40 and len(filled) >= 0.4 * len(cells)
    return tuple(cells) if sane and all(len(cell.text) <= 160 for cell in cells) else ()


def _spans(entry: lxml_html.HtmlElement, columns: dict[str, int]) -> tuple[int, int]:
    """Row and column span of a ``td``/``th`` (HTML) or an ``entry`` (CALS)."""

    def number(name: str) -> int:
        value = entry.get(name, "")
        return int(value) if value.isdigit() else 0

    start, end = columns.get(entry.get("namest", ""), 0), columns.get(entry.get("nameend", ""), 0)
    colspan = number("colspan") or (end - start + 1 if end > start else 1)
    rowspan = number("rowspan") or number("morerows") + 1
    return max(1, rowspan), max(1, colspan)


class Texts:
    """An endless, seeded supply of samples.

    corpus: the folder with the training files. held_out: take the fiftieth of texts and tables that training
    never sees.
    """

    def __init__(self, corpus: Path, held_out: bool):
        paragraphs = load_paragraphs(corpus / "text.tsv.gz")
        tables = load_tables([corpus / "tables_html.jsonl.gz", corpus / "tables_cals.jsonl.gz"])
        self._paragraphs = [text for i, text in enumerate(paragraphs) if (i % 50 == 0) == held_out]
        self._tables = [table for i, table in enumerate(tables) if (i % 50 == 0) == held_out]
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Start the supply that belongs to ``seed``."""
        self._rng = random.Random(seed)
        self._faker = Faker(["en_US", "en_GB"])
        self._faker.seed_instance(seed)

    def __iter__(self) -> Iterator[Sample]:
        makers = [self.paragraph, self.heading, self.records, self.real_table, self.made_table]
        while True:
            yield self._rng.choices(makers, weights=[62, 6, 12, 8, 12])[0]()

    def paragraph(self) -> Sample:
        rng = self._rng
        text = rng.choice(self._paragraphs)
        for _ in range(4):
            if len(text) < rng.choice([60, 200, 400]):
                text += " " + rng.choice(self._paragraphs)
        words = text.split()
        if len(text) > 1100:
            start = rng.randrange(max(1, len(words) - 120))
            words = words[start : start + 150]
        if rng.random() < 0.25:
            words = self._seed_values(words)
        return Sample("paragraph", (" ".join(words),))

    def heading(self) -> Sample:
        rng = self._rng
        words = [word for word in rng.choice(self._paragraphs).split() if len(word) < 24][: rng.randint(1, 9)]
        text = " ".join(words).rstrip(",;:") or "Summary"
        text = rng.choice([text, text.title(), text.upper(), text.capitalize()])
        number = ".".join(str(rng.randint(1, 12)) for _ in range(rng.randint(1, 3)))
        return Sample("heading", (f"{number} {text}" if rng.random() < 0.35 else text,))

    def records(self) -> Sample:
        """Lines that stand alone: addresses, receipts, forms, contact data."""
        rng, fake = self._rng, self._faker
        makers = [
            lambda: fake.address().replace("\n", ", "),
            lambda: f"{fake.job()}: {fake.name()}",
            lambda: f"{fake.email()}  {fake.phone_number()}",
            lambda: f"{rng.choice(_SUMS)} {self.value()}",
            lambda: f"{rng.randint(1, 20)} x {fake.catch_phrase()} {self.value()}",
            self._numbered,
            lambda: f"IBAN {fake.iban()}",
            lambda: f"{rng.choice(['Date', 'Due date', 'Issued', 'Born'])}: {self.date()}",
            lambda: f"{fake.company()}, {fake.city()}",
            lambda: fake.uri(),
            lambda: f"{rng.randint(1, 60)}. {fake.name()}, {fake.sentence(6)}",
            lambda: fake.text(60),
        ]
        return Sample("lines", tuple(clean(rng.choice(makers)()) for _ in range(rng.randint(2, 10))))

    def _numbered(self) -> str:
        rng = self._rng
        mark, shape = rng.choice(_NUMBER_MARKS), rng.choice(_NUMBER_SHAPES)
        return f"{rng.choice(_NUMBERED)} {mark} {self._faker.bothify(shape)}"

    def real_table(self) -> Sample:
        return Sample("table", cells=self._rng.choice(self._tables))

    def made_table(self) -> Sample:
        """A grid with a header and a type per column."""
        rng, fake = self._rng, self._faker
        rows, cols = rng.randint(2, 14), rng.randint(2, 8)
        words = [
            lambda: fake.word(),
            lambda: fake.bs(),
            lambda: f"{rng.uniform(0, 100):.{rng.randint(0, 2)}f}%",
            lambda: rng.choice(["yes", "no", "–", "-", "n/a", "*", "x", "N/A", "0"]),
        ]
        kinds = [
            rng.choice(
                [self.value, self.number] * 2 + [self.date, fake.name, fake.city, fake.company, *words]
            )
            for _ in range(cols)
        ]
        cells = [CellText(0, c, 1, 1, fake.sentence(rng.randint(1, 3)).rstrip(".")) for c in range(cols)]
        for r in range(1, rows):
            for c, kind in enumerate(kinds):
                first = c == 0 and rng.random() < 0.6
                text = fake.sentence(rng.randint(1, 4)).rstrip(".") if first else kind()
                cells.append(CellText(r, c, 1, 1, "" if rng.random() < 0.06 else clean(text)))
        return Sample("table", cells=tuple(cells))

    def number(self) -> str:
        rng = self._rng
        value = rng.choice(
            [rng.uniform(0, 1), rng.uniform(0, 100), 10 ** rng.uniform(0, 7), -rng.uniform(0, 50)]
        )
        shape = rng.choice(
            ["{:.0f}", "{:.1f}", "{:.2f}", "{:.3f}", "{:,.0f}", "{:,.2f}", "{:.2e}", "({:,.1f})"]
        )
        mark = rng.choice(["", "", "", "", "*", "**", "%", " ± 0." + str(rng.randint(1, 99))])
        return shape.format(value) + mark

    def value(self) -> str:
        rng = self._rng
        return rng.choice(_AMOUNTS).format(f"{10 ** rng.uniform(0, 5):,.2f}")

    def date(self) -> str:
        shape = self._rng.choice(_DATES)
        return self._faker.date_time().strftime(shape)

    def _seed_values(self, words: list[str]) -> list[str]:
        """A few words replaced by numbers, amounts, dates, names and addresses, which corpora hold too few
        of."""
        makers = [self.number, self.value, self.date, self._faker.name, self._faker.email, self._faker.city]
        chosen = list(words)
        for i in self._rng.sample(range(len(words)), max(1, len(words) // 12)):
            chosen[i] = clean(self._rng.choice(makers)())
        return " ".join(chosen).split()
