"""Text comparison that treats every system alike: Markdown to plain text, edit similarity, word F1.

These serve plain page benchmarks, where truth and predictions come in many formats. The OmniDocBench scorer
has normalisations of its own.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter

from rapidfuzz.distance import Levenshtein

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_FOLD = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "\u00ad": None,
    }
)
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-[ \t]*\n\s*(?=[^\W\d_])")
_CELL_END = re.compile(r"</(?:td|th|tr|p|div|li|h[1-6]|caption)\s*>|<br\s*/?>", re.I)
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>", re.I)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?[ \t]*$", re.M)
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•·▪●○][ \t]+|```\w*[ \t]*$)", re.M)
_MATH_FENCE = re.compile(r"\$\$?|\\[()\[\]]")
_LATEX_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\{[lcr|]+\})?")
_LATEX_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|(?<!\\)[\^_](?=[{\\\w])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain_text(markdown: str) -> str:
    """Markdown, HTML or LaTeX mark-up taken off; line ends kept. Plain text passes nearly unchanged.

    The same call runs over the truth and over every system's output, so whatever it loses is lost to all.
    """
    text = _CELL_END.sub("\n", _COMMENT.sub(" ", markdown))
    text = html.unescape(_TAG.sub("", text))
    text = _LINK.sub(r"\1", _IMAGE.sub(" ", text))
    text = _TABLE_RULE.sub("", text)
    text = _LINE_MARK.sub("", text)
    text = _LATEX_ENVIRONMENT.sub(" ", _MATH_FENCE.sub(" ", text))
    text = _LATEX_COMMAND.sub("", text)
    text = _ESCAPE.sub(r"\1", text)
    return re.sub(r"[{}|*]+", " ", text)


def normalise(text: str) -> str:
    """NFKC, one kind of quote and dash, line-end hyphens joined, every run of white space one space."""
    folded = unicodedata.normalize("NFKC", text).translate(_FOLD)
    folded = _HYPHENATED.sub("", folded)
    folded = re.sub(rf"(?<=[{_CJK}])\s+(?=[{_CJK}])", "", folded)
    return " ".join(folded.split())


def words(text: str) -> list[str]:
    """Lower-cased words without punctuation at their ends or hyphens inside; each CJK character is a word."""
    spaced = re.sub(rf"([{_CJK}])", r" \1 ", normalise(text)).lower()
    spaced = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "", spaced)  # a hyphen at a line's end may be either kind
    stripped = (re.sub(r"^[\W_]+|[\W_]+$", "", word) for word in spaced.split())
    return [word for word in stripped if word]


def edit_similarity(predicted: str, truth: str) -> float:
    """1 − edit distance / length of the longer string, 0 to 1; two empty strings are 1."""
    return 1.0 - Levenshtein.normalized_distance(predicted, truth)


def character_similarity(predicted: str, truth: str) -> float:
    """Edit similarity of the normalised plain texts: order matters, mark-up does not."""
    return edit_similarity(normalise(plain_text(predicted)), normalise(plain_text(truth)))


def word_f1(predicted: str, truth: str) -> float:
    """F1 of the two bags of words, 0 to 1: what was read, whatever its order; two empty texts are 1."""
    left, right = Counter(words(plain_text(predicted))), Counter(words(plain_text(truth)))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0
