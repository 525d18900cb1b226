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
    """No bold or italic marks, single spaces, composed Unicode, plain quotes and dashes.

    What a removed mark leaves behind, such as two spaces or another mark, is put in order too, so that a text
    in normal form stays as it is.
    """
    before = None
    while text != before:
        before, text = text, _without_marks(text)
    return text


def _without_marks(text: str) -> str:
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
