"""The language of a text by its commonest words, as far as the joining of divided words depends on it."""

from __future__ import annotations

from collections.abc import Collection

LEAST_WORDS = 3
"""Common words of a language that a text must hold to be in it."""
_COMMON = {
    "en": "the of and to in is that it was for on are with as his they at be this from have or by not but which were",
    "de": "der die das und ist nicht von zu mit den im ein eine auf für sich dem des auch als wird wurde bei oder",
    "fr": "le la les des est et une dans pour que qui sur pas plus par au avec ce il elle sont aux cette ont était",
    "es": "el la los las de que y en un una por con para se del es como más pero su al lo fue son está sin sobre",
    "it": "il la di che e un una per non con del della sono nel alla dei gli le si da ha come anche più delle lo è",
    "pt": "o a os as de que e do da em um uma para com não por mais dos das se no na foi ao são como à pelo pela é",
    "nl": "de het een van en in is dat op te voor met niet zijn aan er ook als bij door naar worden wordt heeft uit",
    "pl": "w i na się nie z do że jest to o jak ale po co za od dla jego są oraz przez tym tego który która było",
    "cs": "a se v na je že o s z do i to k ve pro za by ale jako byl jsou po který jeho které nebo při však již",
    "sv": "och att det i som en på är av för med den till inte har ett de om var men sig från vid så kan eller när",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}


def language_of(words: Collection[str]) -> str | None:
    """The language that most of the distinct words are the commonest of, as ISO 639-1 has it; None where none is.

    Args:
        words: In lower case. Russian is told by its letters.
    """
    distinct = set(words)
    cyrillic = sum("а" <= word[:1] <= "я" for word in distinct)
    if 2 * cyrillic > len(distinct):
        return "ru"
    scores = sorted(((len(common & distinct), name) for name, common in _WORDS.items()), reverse=True)
    (best, language), (second, _) = scores[:2]
    return language if best >= LEAST_WORDS and best > second else None
