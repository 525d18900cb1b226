"""Languages by ISO code, the script each is written in, and the Tesseract data that reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from galley.errors import UsageError

AUTO = "auto"
"""Find the languages out from the page."""


@dataclass(frozen=True)
class Language:
    """A language.

    Attributes:
        code: ISO 639-1, or 639-3 where there is no shorter one.
        data: name of Tesseract's data for it.
        script: as Tesseract's script detection and Unicode's character names have it.
    """

    code: str
    data: str
    script: str

    @property
    def is_known(self) -> bool:
        """Whether PP-OCRv6, which Galley brings along, reads the language."""
        return self.script in OWN_SCRIPTS and self.code not in _LACKING

    @property
    def package(self) -> str:
        """Debian's package with the data."""
        return f"tesseract-ocr-{self.data.replace('_', '-')}"


OWN_SCRIPTS = frozenset({"Latin", "Han", "Japanese"})
"""What PP-OCRv6 reads."""
_LACKING = frozenset({"vi", "yo", "az"})
"""Languages in these scripts some of whose letters it does not know."""

_BY_SCRIPT = {
    "Latin": (
        "af afr az aze bs bos ca cat cs ces cy cym da dan de deu en eng eo epo es spa et est eu eus fi fin fil fil "
        "fr fra ga gle gl glg hr hrv hu hun id ind is isl it ita la lat lt lit lv lav ms msa mt mlt nl nld no nor "
        "pl pol pt por ro ron sk slk sl slv sq sqi sv swe sw swa tr tur uz uzb vi vie"
    ),
    "Han": "zh chi_sim",
    "Japanese": "ja jpn",
    "Hangul": "ko kor",
    "Cyrillic": "be bel bg bul kk kaz ky kir mk mkd mn mon ru rus sr srp tg tgk tt tat uk ukr",
    "Greek": "el ell grc grc",
    "Arabic": "ar ara fa fas ps pus ug uig ur urd",
    "Hebrew": "he heb yi yid",
    "Devanagari": "hi hin mr mar ne nep sa san",
    "Bengali": "bn ben as asm",
    "Gurmukhi": "pa pan",
    "Gujarati": "gu guj",
    "Oriya": "or ori",
    "Tamil": "ta tam",
    "Telugu": "te tel",
    "Kannada": "kn kan",
    "Malayalam": "ml mal",
    "Sinhala": "si sin",
    "Thai": "th tha",
    "Lao": "lo lao",
    "Khmer": "km khm",
    "Myanmar": "my mya",
    "Tibetan": "bo bod",
    "Georgian": "ka kat",
    "Armenian": "hy hye",
    "Ethiopic": "am amh ti tir",
    "Cherokee": "chr chr",
    "Syriac": "syr syr",
    "Thaana": "dv div",
}


def _table() -> dict[str, Language]:
    found = {}
    for script, listed in _BY_SCRIPT.items():
        names = listed.split()
        for code, data in zip(names[::2], names[1::2], strict=True):
            found[code] = Language(code, data, script)
    return found


LANGUAGES = _table()
"""By ISO code, those most used of a script first."""
_OTHER_NAMES = {language.data: language.code for language in LANGUAGES.values()}


def language(name: str) -> Language:
    """The language of an ISO 639 code, or of the name of Tesseract's data for it.

    Raises:
        UsageError: there is none of that name.
    """
    lower = name.strip().lower().replace("-", "_")
    code = _OTHER_NAMES.get(lower, lower)
    if code not in LANGUAGES:
        raise UsageError(
            f"there is no language {name.strip()!r}; name ISO codes such as en, de, ru, el, ar, hi, zh "
            f"(known: {', '.join(sorted(LANGUAGES))})"
        )
    return LANGUAGES[code]


def languages_of(listed: str) -> list[Language]:
    """The languages of a list separated by commas; none for ``auto``.

    Raises:
        UsageError: one of them is not known.
    """
    names = [name for name in listed.split(",") if name.strip()]
    if any(name.strip().lower() == AUTO for name in names):
        if len(names) > 1:
            raise UsageError(f"either {AUTO} or languages, not both: {listed!r}")
        return []
    return list(dict.fromkeys(language(name) for name in names))


def other_scripts() -> list[str]:
    """The scripts that PP-OCRv6 does not read."""
    return list(dict.fromkeys(one.script for one in LANGUAGES.values() if one.script not in OWN_SCRIPTS))


def of_script(script: str, installed: Iterable[str]) -> list[Language]:
    """The languages written in a script whose data is installed."""
    data = set(installed)
    return [one for one in LANGUAGES.values() if one.script == script and one.data in data]


def packages_for(languages: Sequence[Language]) -> str:
    """What to install for some languages, as a person would type it."""
    return " ".join(dict.fromkeys(one.package for one in languages))
