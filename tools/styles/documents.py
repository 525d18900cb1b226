"""Made-up documents whose styles are known: runs of text with their styles and links."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from galley.document import Style
from galley.parsing.text.hyphenation import english

KINDS: tuple[tuple[Style, ...], ...] = (
    (Style.BOLD,),
    (Style.ITALIC,),
    (Style.BOLD, Style.ITALIC),
    (Style.UNDERLINE,),
    (Style.STRIKE,),
    (Style.SMALL_CAPS,),
    (Style.MONOSPACE,),
)
INDICES = (
    ("m", "2"),
    ("km", "3"),
    ("Smith", "a"),
    ("19", "th"),
    ("value", "12"),
    ("Ca", "2+"),
    ("name", "*"),
)
LOWERED = (("CO", "2"), ("H", "2"), ("x", "max"), ("log", "10"), ("T", "c"))
PLAIN_PART = 0.72
"""Share of the runs of a paragraph that are plain."""


@dataclass(frozen=True)
class Run:
    """Text of one style."""

    text: str
    styles: tuple[Style, ...] = ()
    link: str | None = None


@dataclass
class Part:
    """A paragraph, a heading (``level`` 1 to 2) or an item of a list (``item``)."""

    runs: list[Run] = field(default_factory=list)
    level: int = 0
    item: bool = False


def make_document(seed: int, without: frozenset[Style] = frozenset()) -> list[Part]:
    """About two pages: headings, paragraphs and lists with all styles in them but those a program does not have."""
    rng = random.Random(seed)
    words = sorted(english())
    parts = [Part([Run(_phrase(rng, words, 4).capitalize())], level=1)]
    for section in range(4):
        parts.append(Part([Run(_phrase(rng, words, 3).capitalize())], level=2))
        parts += [Part(_runs(rng, words, rng.randint(10, 18))) for _ in range(3)]
        if section % 2:
            parts += [Part(_runs(rng, words, rng.randint(2, 5)), item=True) for _ in range(3)]
    return [
        Part([run for run in part.runs if not without & set(run.styles)], part.level, part.item)
        for part in parts
    ]


def _phrase(rng: random.Random, words: list[str], count: int) -> str:
    return " ".join(rng.choice(words) for _ in range(count))


def _runs(rng: random.Random, words: list[str], count: int) -> list[Run]:
    """Runs of a paragraph; those of different style follow each other with a space, an index without."""
    runs = [Run(_phrase(rng, words, rng.randint(2, 4)).capitalize() + " ")]
    for _ in range(count):
        text = _phrase(rng, words, rng.randint(1, 6))
        draw = rng.random()
        if draw < PLAIN_PART * 0.6:
            runs.append(Run(text + rng.choice([" ", " ", ", ", ". The ", " (see above) "])))
        elif draw < PLAIN_PART * 0.75:
            word, index = rng.choice(INDICES)
            runs += [Run(word), Run(index, (Style.SUPERSCRIPT,)), Run(rng.choice([" ", ", "]))]
        elif draw < PLAIN_PART * 0.9:
            word, index = rng.choice(LOWERED)
            runs += [Run(word), Run(index, (Style.SUBSCRIPT,)), Run(" ")]
        elif draw < PLAIN_PART:
            runs += [Run(text, (), f"https://example.org/{words.index(text.split()[0])}"), Run(" ")]
        else:
            runs += [Run(text, rng.choice(KINDS)), Run(rng.choice([" ", " ", ", ", "; "]))]
    return [*runs, Run(_phrase(rng, words, 2) + ".")]


def truth(parts: list[Part]) -> tuple[str, list[frozenset[str]]]:
    """The letters of a document, white space left out, and the names of the styles of each; ``link`` is one."""
    letters, styles = "", []
    for part in parts:
        for run in part.runs:
            kept = "".join(run.text.split())
            names = {style.value for style in run.styles} | ({"link"} if run.link else set())
            letters += kept
            styles += [frozenset(names)] * len(kept)
    return letters, styles
