"""Why a page scores as it does: which text, tables and headings differ, in a few words each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from html import unescape

from bs4 import BeautifulSoup, Tag
from rapidfuzz.distance import Indel

from galley.evaluation.opendataloader.gfm_tables import with_html_tables

_SHOWN = 3
_CHARACTERS = 60
_TAG = re.compile(r"<[^<>]*>")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*$", re.M)


def page_reasons(predicted: str, truth: str) -> dict[str, str]:
    """What differs, by ``nid``, ``teds`` and ``mhs``; a measure is left out where nothing does.

    Args:
        predicted: The Markdown of a system.
        truth: The Markdown of the benchmark.
    """
    pred, true = with_html_tables(predicted), with_html_tables(truth)
    found = {
        "nid": _passages(*(unescape(_TAG.sub(" ", text)).split() for text in (pred, true))),
        "teds": _tables(_shapes(pred), _shapes(true)),
        "mhs": _difference(_HEADING.findall(pred), _HEADING.findall(true)),
    }
    return {measure: reason for measure, reason in found.items() if reason}


def _passages(predicted: list[str], truth: list[str]) -> str:
    """The longest runs of words that stand on one side only; what stands on both is in another place."""
    lost, added = [], []
    for step in Indel.opcodes(truth, predicted):
        if step.tag == "delete":
            lost.append(truth[step.src_start : step.src_end])
        elif step.tag == "insert":
            added.append(predicted[step.dest_start : step.dest_end])
    elsewhere = Counter(word for run in added for word in run)
    moved = [run for run in lost if len(run) > 2 and all(elsewhere[word] for word in run)]
    missing = [run for run in lost if run not in moved]
    known = Counter(word for run in lost for word in run)
    extra = [run for run in added if not all(known[word] for word in run)]
    parts = {"missing": missing, "elsewhere": moved, "not in the truth": extra}
    longest = {name: sorted(runs, key=len, reverse=True) for name, runs in parts.items()}
    return _differences({name: [" ".join(run) for run in runs] for name, runs in longest.items()})


def _shapes(markdown: str) -> list[str]:
    """Rows × columns of each table."""
    found = BeautifulSoup(markdown, "html.parser").find_all("table")
    return [_shape(table) for table in found if isinstance(table, Tag)]


def _shape(table: Tag) -> str:
    rows = [row.find_all(["td", "th"]) for row in table.find_all("tr")]
    return f"{len(rows)}×{max(map(len, rows), default=0)}"


def _tables(predicted: list[str], truth: list[str]) -> str:
    if not truth:
        return ""
    if not predicted:
        return f"no table, instead of {', '.join(truth)}"
    return "" if predicted == truth else f"{', '.join(predicted)} instead of {', '.join(truth)}"


def _difference(predicted: Iterable[str], truth: Iterable[str]) -> str:
    mine, wanted = Counter(predicted), Counter(truth)
    return _differences({"missing": list(wanted - mine), "not in the truth": list(mine - wanted)})


def _differences(parts: dict[str, list[str]]) -> str:
    """Differences in words: ``missing: “a”; “b”; “c” (and 2 more). not in the truth: “d”``."""
    said = []
    for name, texts in parts.items():
        if texts:
            shown = "; ".join(map(_quoted, texts[:_SHOWN]))
            more = f" (and {len(texts) - _SHOWN} more)" if len(texts) > _SHOWN else ""
            said.append(f"{name}: {shown}{more}")
    return ". ".join(said)


def _quoted(text: str) -> str:
    return f"“{text}”" if len(text) <= _CHARACTERS else f"“{text[:_CHARACTERS]}…”"
