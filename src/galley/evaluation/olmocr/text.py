"""The normal form in which olmOCR-Bench compares text."""

from __future__ import annotations

import re
import unicodedata

_FOLD = str.maketrans(
    {
        **dict.fromkeys("‘’‚", "'"),
        **dict.fromkeys("“”„", '"'),
        **dict.fromkeys("–—‑‒−", "-"),
        "＿": "_",
        "\u00b5": "\u03bc",
    }
)
_BREAK = re.compile(r"<br/?>")
_PAIRS = tuple(re.compile(pattern) for pattern in (r"\*\*(.*?)\*\*", r"__(.*?)__"))
_TAGS = re.compile(r"</?[bi]>")
_SINGLES = tuple(re.compile(pattern) for pattern in (r"\*(.*?)\*", r"_(.*?)_"))


def normalise(text: str) -> str:
    """No bold or italic marks, single spaces, composed Unicode, plain quotes and dashes."""
    text = re.sub(r"\s+", " ", _BREAK.sub(" ", text))
    for pattern in _PAIRS:
        text = pattern.sub(r"\1", text)
    text = _TAGS.sub("", text)
    for pattern in _SINGLES:
        text = pattern.sub(r"\1", text)
    return unicodedata.normalize("NFC", text).translate(_FOLD)


def letters_and_digits(text: str) -> str:
    """Only what is alphanumeric, in lower case."""
    return "".join(character for character in normalise(text) if character.isalnum()).lower()
