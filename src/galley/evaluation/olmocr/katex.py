"""Formulas drawn by KaTeX without a browser.

KaTeX's JavaScript runs in an embedded engine, which gives MathML and the tree of boxes; ``layout`` puts the
boxes in their places.

Needs ``galley-ocr[katex]``: mini-racer (V8) and sphinxcontrib-katex, of which only the KaTeX file is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lxml import etree

from galley.errors import ModelError
from galley.evaluation.olmocr.layout import Symbol, lay_out
from galley.runtime import package_file

__all__ = ["Drawing", "Symbol", "draw", "require_katex"]

_SECONDS = 10.0
_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'

# A box is a symbol (t, with its width and slant), a picture (svg) or a span with boxes in it (k).
_DUMP = """
function galleyBoxes(node) {
  if (node.text !== undefined && node.classes)
    return [{t: node.text, w: node.width || 0, i: node.italic || 0, c: node.classes, s: node.style || {}}];
  if (!node.children || !node.classes || node.type) return [{svg: 1}];
  const inner = node.children.flatMap(galleyBoxes);
  if (!node.attributes) return inner;
  return [{c: node.classes, s: node.style || {}, k: inner, a: node.attributes.href ? 1 : 0}];
}
function galleyFind(node, name) {
  if (node.classes && node.classes.includes(name)) return node;
  for (const child of node.children || []) { const hit = galleyFind(child, name); if (hit) return hit; }
  return null;
}
function galleyDraw(latex) {
  try {
    const tree = katex.__renderToDomTree(latex, {displayMode: true, throwOnError: true, strict: false});
    const math = galleyFind(tree, "katex-mathml").children[0].toMarkup();
    return JSON.stringify({math: math, boxes: galleyBoxes(galleyFind(tree, "katex-html"))[0]});
  } catch (error) { return JSON.stringify({error: String(error)}); }
}
"""


@dataclass(frozen=True)
class Drawing:
    """What KaTeX makes of a formula.

    Attributes:
        mathml: Presentation MathML without white space.
        symbols: Symbols with their places in pixels.
    """

    mathml: str
    symbols: tuple[Symbol, ...]


def require_katex() -> None:
    """Check that KaTeX and an engine to run it are installed.

    Raises:
        ModelError: One is missing; says how to install it.
    """
    _engine()


@lru_cache(maxsize=20_000)
def draw(latex: str) -> Drawing | None:
    """The drawing, as a displayed formula; ``None`` when KaTeX refuses the formula or takes too long."""
    said = _engine()(f"galleyDraw({json.dumps(latex)})")
    answer: dict[str, Any] = json.loads(said) if said else {"error": "no answer in time"}
    if "error" in answer:
        return None
    try:
        return Drawing(_presentation(answer["math"]), lay_out(answer["boxes"]))
    except RecursionError:
        return None


def _presentation(markup: str) -> str:
    """The MathML without the LaTeX that comes along as an annotation."""
    root = etree.fromstring(markup, etree.XMLParser(huge_tree=True, recover=True))
    shown = [element for element in root[0] if not str(element.tag).endswith("}annotation")]
    markup = "".join(etree.tostring(element, encoding="unicode") for element in shown)
    return "".join(markup.replace(_NAMESPACE, "").split())


@cache
def _engine() -> Callable[[str], str | None]:
    """JavaScript source to the string it evaluates to, with KaTeX loaded; to ``None`` past the time limit."""
    try:
        from py_mini_racer import JSEvalException, MiniRacer

        script = package_file("sphinxcontrib", "katex.min.js")
    except (ImportError, ModelError) as error:
        raise ModelError("comparing formulas needs KaTeX: pip install 'galley-ocr[katex]'") from error
    context = MiniRacer()
    context.eval(script.read_text(encoding="utf-8"))
    context.eval(_DUMP)

    def evaluate(source: str) -> str | None:
        try:
            return str(context.eval(source, timeout_sec=_SECONDS))
        except JSEvalException:
            return None

    return evaluate
