"""What the rows decode: crops and pages of the tiny checkpoints, blocks of a sample scan for galley-nano."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import numpy as np
from measure import Measured, Timed, decode
from pages import PrintedPage, scaled, words
from PIL import Image
from train import FOLDER, TINY, printed

import galley
from galley.decoding import DraftPool, Request, Result
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.embedded import EmbeddedParser
from galley.targets.prompt import Task
from galley.targets.transformers.loading import load_target


@dataclass(frozen=True, eq=False)
class Document:
    """Something to read: kind of content, prompt, truth, the ids that the model writes by plain decoding, and the most
    tokens it may write."""

    kind: str
    prompt: Any
    truth: str
    ids: list[int]
    most: int

    def request(self, noise: float | None = None, seed: int = 0, **more: Any) -> Request:
        """A request with the model's own text as draft, tokens replaced at the rate ``noise``; None for no draft."""
        drafts = [] if noise is None else [noisy_ids(self.ids, noise, seed)]
        return Request(self.prompt, drafts, max_tokens=self.most, **more)


def load(name: str, dtype: str | None = None) -> Timed:
    """A tiny checkpoint in float32 unless ``dtype`` names another; ``train.py`` makes it."""
    folder = FOLDER / name
    if not (folder / "config.json").is_file():
        raise SystemExit(f"{folder} is not there; run python tools/papers/train.py {name} first")
    marked = name in TINY and TINY[name].marked
    return Timed(load_target(folder, device="cpu", dtype=dtype), marked)


def crops(target: Timed, scale: float = 1.0) -> tuple[list[Document], Measured]:
    """All regions of the printed pages, shrunk by ``scale``, and what plain decoding of them took."""
    asked = [
        (region.task.value, np.asarray(scaled(page.crop(region), scale)), region.task, region.text)
        for page in printed(target.marked)
        for region in page.regions
    ]
    return _read(target, asked)


def whole_pages(target: Timed) -> tuple[list[Document], Measured]:
    """The printed pages, and what plain decoding of them took."""
    return _read(
        target, [("page", np.asarray(page.image), Task.PAGE, page.text) for page in printed(target.marked)]
    )


def _read(target: Timed, asked: Sequence[tuple[str, Any, Task, str]]) -> tuple[list[Document], Measured]:
    prompts = [target.prompt(image, task) for _, image, task, _ in asked]
    limits = [len(target.encode(text)) + 64 for *_, text in asked]
    alone = decode(target, [Request(p, max_tokens=most) for p, most in zip(prompts, limits, strict=True)])
    documents = [
        Document(kind, prompt, text, ids, most)
        for (kind, _, _, text), prompt, ids, most in zip(asked, prompts, alone.ids, limits, strict=True)
    ]
    return documents, alone


def noisy_ids(ids: Sequence[int], rate: float, seed: int) -> list[int]:
    """Ids, each replaced with probability ``rate`` by another of the same text."""
    rng = random.Random(f"{seed}:{len(ids)}")
    return [rng.choice(ids) if rng.random() < rate else token for token in ids]


def noisy_text(text: str, rate: float, seed: int) -> str:
    """A text in which words are replaced with probability ``rate``; markup is left alone."""
    rng, known = random.Random(f"{seed}:{text[:40]}"), words()
    return " ".join(rng.choice(known) if rng.random() < rate else word for word in text.split(" "))


def drafted_texts(pages: Iterable[PrintedPage], rate: float) -> list[list[str]]:
    """What a drafter of that rate of wrong words reads in each region of each page."""
    return [[noisy_text(region.text, rate, 1) for region in page.regions] for page in pages]


def nano_requests() -> tuple[Timed, list[Request]]:
    """The embedded model, and what it is asked when the repository's samples are read as scans of 75 dots per inch."""
    options = ParseOptions(ocr="always", decode="ar", dpi=75)
    parser = EmbeddedParser(options, DraftParser(options))
    recorder = _Recorder(parser.decoder)
    parser.decoder = recorder  # type: ignore[assignment]
    galley.parse("samples/report.pdf", options=options, parser=parser)
    with Image.open("samples/letter.jpg") as letter:
        coarse = scaled(letter.convert("RGB"), 0.5)
    content = BytesIO()
    coarse.save(content, "PNG")
    galley.parse(content.getvalue(), name="letter.png", options=options, parser=parser)
    return Timed(parser.target), recorder.requests


class _Recorder:
    """A runner that remembers what it was asked, with drafts as they were."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.requests: list[Request] = []

    def run(self, requests: Iterable[Request]) -> list[Result]:
        asked = list(requests)
        for request in asked:
            drafts = request.drafts
            fixed = [list(drafts[i]) for i in range(len(drafts))] if isinstance(drafts, DraftPool) else drafts
            self.requests.append(replace(request, drafts=fixed, on_commit=None, on_finish=None, drafter=None))
        return list(self._inner.run(asked))
