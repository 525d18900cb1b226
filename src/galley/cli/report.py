"""What to tell the user at the end: failures, notes, exit code."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from galley.document import Failure, Work

_MOST_PER_DOCUMENT = 20


@dataclass
class Report:
    """Collects what went wrong.

    Attributes:
        debug: Keep where unexpected failures came from.
    """

    quiet: bool = False
    debug: bool = False
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _notes: list[str] = field(default_factory=list)
    _codes: set[int] = field(default_factory=set)
    _work: dict[str, Work] = field(default_factory=dict)

    def failure(self, name: str, failure: Failure, code: int, trace: str = "") -> None:
        """A document failed, whose message names it, or a page of it did."""
        line = failure.message if failure.page is None else f"{name}: {failure.message}"
        if self.debug and trace:
            line += "\n" + trace.rstrip()
        self._lines.setdefault(name, []).append(line)
        self._codes.add(code)

    def note(self, name: str, page: int | None, text: str) -> None:
        """Something was done differently from what was asked, on a page or with a whole document."""
        self._notes.append(f"{name}: {text}" if page is None else f"{name}, page {page}: {text}")

    def worked(self, work: Work) -> None:
        """A model read a page."""
        total = self._work.setdefault(work.reader, Work(reader=work.reader))
        for name in Work.model_fields.keys() - {"reader"}:
            setattr(total, name, getattr(total, name) + getattr(work, name))

    def show(self) -> None:
        """Print what models took, notes and failures to standard error; ``quiet`` leaves all but failures out."""
        for work in () if self.quiet else self._work.values():
            _print(f"galley: {summary(work)}")
        for note in () if self.quiet else self._notes:
            _print(f"galley: note: {note}")
        for name, lines in self._lines.items():
            for line in lines[:_MOST_PER_DOCUMENT]:
                _print(f"galley: {line}")
            if len(lines) > _MOST_PER_DOCUMENT:
                _print(f"galley: {name}: {len(lines) - _MOST_PER_DOCUMENT} more failures, all listed in JSON")

    @property
    def exit_code(self) -> int:
        """0 when nothing failed, the failures' own code when they share one, else 1."""
        if not self._codes:
            return 0
        return next(iter(self._codes)) if len(self._codes) == 1 else 1


def summary(work: Work) -> str:
    """What a model's reading took in one line; the token that each prompt gives is not one of a forward."""
    decoded = work.tokens - work.prefills
    line = f"{work.reader}: {work.tokens} tokens in {work.forwards} forwards"
    if work.forwards:
        line += f", {decoded / work.forwards:.1f} tokens per forward"
    if work.decode_seconds:
        line += f", {decoded / work.decode_seconds:.0f} tokens/s"
    if work.forward_seconds:
        line += f", about {work.plain_seconds / work.forward_seconds:.1f} × plain decoding"
    return line


def _print(line: str) -> None:
    print(line.encode(errors="replace").decode(), file=sys.stderr)
