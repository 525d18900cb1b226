"""Traces as text to read, as JSON to search, and as a page to leaf through."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from galley.parsing.trace.changes import Change, Difference, Kind, box_text, shown

_SIGNS = {Kind.NEW: "+", Kind.GONE: "-", Kind.CHANGED: "~"}
_HEAD = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 1rem; display: grid; gap: 1rem;
  grid-template-columns: 26rem 1fr }}
h1 {{ font-size: 1.1rem; grid-column: 1 / 3; margin: 0 }}
main {{ position: sticky; top: 1rem; align-self: start }} main img {{ max-width: 100%; max-height: 94vh }}
summary {{ cursor: pointer }} .none {{ color: #888 }} pre {{ white-space: pre-wrap; margin: .3rem 0 .8rem }}
</style>
<h1>{title}</h1><nav>"""
_FOOT = """</nav><main><img id="shown" alt="The page after the pass" src="{first}"></main>
<script>
for (const step of document.querySelectorAll("details[data-image]"))
  step.addEventListener("toggle", () => { if (step.open) document.getElementById("shown").src = step.dataset.image });
</script></html>
"""


@dataclass(frozen=True)
class Step:
    """One pass in a trace.

    Attributes:
        number: 1 for the first pass.
        name: Of the pass.
        file: The pass's own, from the package's folder on.
        found: What it changed.
        image: File name of the drawing; None where there is none, because nothing changed.
    """

    number: int
    name: str
    file: str
    found: Difference
    image: str | None = None

    @property
    def summary(self) -> str:
        """What changed, in one line."""
        parts = [f"{name} {before} → {after}" for name, (before, after) in self.found.values.items()]
        for kind, changes in self.found.items.items():
            if changes:
                before, after = self.found.counts[kind]
                parts.append(f"{kind} {before} → {after}: {_tally(changes)}")
        parts += [f"{kind} in another order" for kind in self.found.reordered]
        return "; ".join(parts) or "nothing changed"

    @property
    def details(self) -> list[str]:
        """One line for each item that changed."""
        return [_line(change) for changes in self.found.items.values() for change in changes]


def write_report(folder: Path, stem: str, title: str, steps: Sequence[Step]) -> None:
    """Write a trace as ``stem``.txt, .json and .html into a folder."""
    (folder / f"{stem}.txt").write_text(_text(title, steps), encoding="utf-8")
    data = {"trace": title, "passes": [_data(step) for step in steps]}
    (folder / f"{stem}.json").write_text(json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8")
    (folder / f"{stem}.html").write_text(_page(title, steps), encoding="utf-8")


def _tally(changes: Sequence[Change]) -> str:
    numbers = [(sum(change.kind is kind for change in changes), kind.value) for kind in Kind]
    return ", ".join(f"{number} {name}" for number, name in numbers if number)


def _line(change: Change) -> str:
    item = change.named.item
    words = f"{_SIGNS[change.kind]} {change.named.name} {item.label}"
    if change.kind is Kind.CHANGED:
        return f"{words}: {'; '.join(change.details)}"
    facts = [
        f"{name} {value}" for name, value in item.facts.items() if value not in ("none", "None", "False")
    ]
    said = [box_text(item), *([shown(item.text)] if item.text else []), *facts, *change.details]
    return f"{words} {', '.join(said)}"


def _text(title: str, steps: Sequence[Step]) -> str:
    lines = [title, ""]
    width = max((len(step.name) for step in steps), default=0)
    for step in steps:
        lines.append(f"{step.number:2} {step.name:{width}}  {step.summary}")
        lines += [f"     {detail}" for detail in step.details]
    return "\n".join(lines) + "\n"


def _data(step: Step) -> dict[str, Any]:
    found = step.found
    return {
        "number": step.number,
        "pass": step.name,
        "file": step.file,
        "image": step.image,
        "values": {
            name: {"before": before, "after": after} for name, (before, after) in found.values.items()
        },
        "counts": {
            kind: {"before": before, "after": after} for kind, (before, after) in found.counts.items()
        },
        "changes": [_change(kind, change) for kind, changes in found.items.items() for change in changes],
        "reordered": found.reordered,
    }


def _change(kind: str, change: Change) -> dict[str, Any]:
    item = change.named.item
    box = item.bbox
    return {
        "of": kind,
        "item": change.named.name,
        "change": change.kind.value,
        "label": item.label,
        "bbox": [round(side, 1) for side in (box.x0, box.y0, box.x1, box.y1)],
        "text": item.text,
        "details": change.details,
    }


def _page(title: str, steps: Sequence[Step]) -> str:
    parts = [_HEAD.format(title=html.escape(title))]
    for step in steps:
        line = html.escape(f"{step.number} {step.name}: {step.summary}")
        if step.image is None:
            parts.append(f'<div class="none" title="{html.escape(step.file)}">{line}</div>')
            continue
        details = html.escape("\n".join(step.details))
        parts.append(
            f'<details data-image="{html.escape(step.image)}"><summary title="{html.escape(step.file)}">{line}'
            f"</summary><pre>{details}</pre></details>"
        )
    last = next((step.image for step in reversed(steps) if step.image), "")
    return "".join(parts) + _FOOT.replace("{first}", html.escape(last))
