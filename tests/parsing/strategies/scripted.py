"""A reader that writes what a test wants, one character per token, and a drafter with a page made up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from galley.decoding import ScoreDetail, Scores, Window
from galley.document import BBox, Block, Label, Page
from galley.errors import ModelError
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.page_passes import PagePass, run_page_passes
from galley.targets.prompt import Prompt, TableFormat, Task

STOP = 0x10FFFF


@dataclass(eq=False)
class Written:
    """A sequence: the answer it is writing and what is committed of it."""

    answer: str
    committed: list[int] = field(default_factory=list)
    window: Window | None = None


class ScriptedReader:
    """Writes ``answer(prompt)`` token by token; off its script it predicts the stop token."""

    vocab_size = STOP + 1
    stop_ids = frozenset({STOP})
    mask_id = None
    block_size = None
    name = "scripted"

    def __init__(
        self,
        answer: Callable[[Prompt], str],
        tasks: Sequence[Task] = tuple(Task),
        table_format: TableFormat = TableFormat.HTML,
        confidence: float = 0.95,
    ) -> None:
        self.answer, self.tasks, self.table_format = answer, tasks, table_format
        self.confidence = confidence
        self.prefills: list[int] = []
        self.alive = 0

    def prompt(self, image: Any, task: Task) -> Prompt:
        if task not in self.tasks:
            raise ModelError(f"scripted cannot read a {task.value}")
        return Prompt(image, task.value)

    def encode(self, text: str) -> list[int]:
        return [ord(sign) for sign in text]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(chr(token) for token in ids if token != STOP)

    def prefill(
        self, prompts: Sequence[Prompt], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[tuple[Written, Scores]]:
        self.prefills.append(len(prompts))
        made = [Written(self.answer(prompt)) for prompt in prompts]
        self.alive += len(made)
        return [(written, self._scores(written, [[]], [-1], Window.chain([0]))) for written in made]

    def forward(
        self, items: Sequence[tuple[Written, Window]], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[Scores]:
        found = []
        for written, window in items:
            written.window = window
            paths: list[list[int]] = []
            for slot, parent in enumerate(window.parents):
                paths.append([*(paths[parent] if parent >= 0 else []), int(window.tokens[slot])])
            found.append(self._scores(written, paths, window.parents, window))
        return found

    def commit(self, handle: Written, slots: Any) -> None:
        assert handle.window is not None
        handle.committed += [int(token) for token in handle.window.tokens[slots]]

    def release(self, handle: Written) -> None:
        self.alive -= 1

    def _scores(self, written: Written, paths: list[list[int]], parents: Any, window: Window) -> Scores:
        def after(path: list[int]) -> int:
            text = [*written.committed, *path]
            script = [ord(sign) for sign in written.answer]
            return script[len(text)] if text == script[: len(text)] and len(text) < len(script) else STOP

        best = np.array([after(path) for path in paths], dtype=np.int64)
        sure = np.full(len(best), np.log(self.confidence), dtype=np.float32)
        own = [
            0.0 if parent >= 0 and best[parent] == token else -5.0
            for parent, token in zip(parents, window.tokens, strict=True)
        ]
        return Scores(best, sure, drafted=np.array(own, dtype=np.float32) + sure)


class FixedDraft:
    """Stands in for the draft parser: the same page and image every time."""

    def __init__(self, blocks: Sequence[Block], width: int = 200, height: int = 300) -> None:
        self.page = Page(number=1, width=width, height=height, blocks=list(blocks))
        self.image = np.full((height, width, 3), 255, dtype=np.uint8)

    def run(self, page: Any, more: Sequence[PagePass] = ()) -> PageState:
        drafted = PageState.drafted(self.page.model_copy(deep=True), self.image)
        return run_page_passes(drafted, PageTools(ParseOptions()), more)


def block(label: Label, content: str, y: float, height: float = 20, **more: Any) -> Block:
    return Block(
        label=label, content=content, bbox=BBox(x0=10, y0=y, x1=190, y1=y + height), source="ocr", **more
    )
