"""Compounds of languages other than English that keep the hyphen at a line's end."""

from __future__ import annotations

import re

_CLITICS_FR = r"(je|tu|ils?|elles?|on|nous|vous|ce|t|y|en|le|la|les|lui|leur|moi|toi|là|ci)"
_KEPT = {
    "fr": re.compile(
        rf"(\w+-{_CLITICS_FR}(?![\w’'])|peut-être|\w+-mêmes?|(vice|ex|demi|avant|arrière|après|grand|grands|non|quasi"
        r"|porte|mi|c[’']est-à|c[’']est|outre|chef|beau|belle|soi)-\w+|là-\w+|est-à|\w+-à-\w+|au-d\w+|ci-\w+)",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"(\w+[aeiouáéíóúâêôãõrsz]-(lhes?|se|me|te|nos|vos|l[oa]s?|n[oa]s?|o|a|os|as)(?!\w)"
        r"|(ex|vice|pós|pré|recém|além|guarda|segunda|terça|quarta|quinta|sexta|meio)-\w+)",
        re.IGNORECASE,
    ),
    "es": re.compile(r"(ex|vice|franco|anglo|luso|italo|hispano|socio|físico|teórico)-\w{5,}", re.IGNORECASE),
    "it": re.compile(r"(ex|vice|\w+ico|anglo|italo|franco)-\w{5,}", re.IGNORECASE),
    "de": re.compile(r"\w+-[A-ZÄÖÜ]\w+|(nicht|pro|anti)-\w+"),
    "nl": re.compile(r"(ex|niet|oud|non|vice|zuid|noord|oost|west)-\w+", re.IGNORECASE),
    "pl": re.compile(
        r"(\w{2,}[sc]ko|biało|czarno|czerwono|północno|południowo|społeczno)-\w{5,}", re.IGNORECASE
    ),
    "cs": re.compile(r"(\w{2,}[sc]ko|\w+no|bude|je|není|má|víte|chce)-(\w{6,}|li(?!\w))", re.IGNORECASE),
    "sv": re.compile(r"(icke|ex)-\w+", re.IGNORECASE),
    "ru": re.compile(
        r"(\w+-(то|либо|нибудь|таки|ка|де)(?!\w)|кое-\w+|(юго|северо)-\w{4,}|из-(за|под)(?!\w)|по-\w{3,}[сц]ки(?!\w)|во-первых|во-вторых"
        r"|по-(моему|твоему|своему|нашему|вашему|новому|старому|прежнему|другому|разному|видимому)(?!\w)"
        r"|\w+(ско|цко|но)-\w{4,}(ий|ая|ое|ые|ого|ых|ой|ым|ом)(?!\w))",
        re.IGNORECASE,
    ),
}
LANGUAGES = frozenset(_KEPT)
"""Languages whose compounds are known."""


def keeps_hyphen(tail: str, head: str, language: str) -> bool:
    """Whether ``tail-head`` is a compound of a language of ``LANGUAGES``, not a divided word."""
    return bool(_KEPT[language].fullmatch(f"{tail}-{head}"))
