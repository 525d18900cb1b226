"""What a font's name says of the letters in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_RULES: tuple[tuple[str, str, str], ...] = (
    (
        r"^(cm|lm|tx|px|ntx|npx|newtx|newpx|fourier|yh|lib\w*|ptm|zptm)-?ex|mathext|extension|^cmex|^lmex|mathex",
        "omx",
        "",
    ),
    (
        r"msbm|txsyb|pxsyb|ntxsyb|blackboard|bbold|^ds(rom|ss)|^bbm|doublestroke|^txof|^pxof",
        "msb",
        "\\mathbb",
    ),
    (r"msam|txsya|pxsya", "msa", ""),
    (r"^eu[fb]|^eufb|fraktur|^txfrak|^ygoth|^yfrak", "", "\\mathfrak"),
    (r"^eus", "oms", "\\mathcal"),
    (r"^rsfs|^callig|mathscript|^boondox\w*-?scr|^rsfso|scr\d*$", "", "\\mathscr"),
    (r"^(cm|lm|tx|px|ntx|npx|newtx|newpx|eu)b?sy|math-?symb?|^cmbsy|^lmbsy|mathsy", "oms", "\\mathcal"),
    (
        r"^cmmib|^lmmathitalic\d*-bold|^lmmib|mathitalic\w*bold|bold\w*math\w*italic|^(tx|px|ntx|npx)bmi",
        "oml",
        "\\boldsymbol",
    ),
    (
        r"^(cm|lm|tx|px|ntx|npx|newtx|newpx|eur|eux)mi|^(new)?(tx|px)mi|^(ntx|npx|newtx|newpx)mi|^lmmathi|mathit",
        "oml",
        "math",
    ),
    (r"^eurm|^eurb", "oml", "math"),
)
_MATH = re.compile(r"math|asana|^mt(ex|mi|sy|ms|gu)|mt[- ]?extra|^euclid", re.IGNORECASE)
_BOLD = re.compile(
    r"bold|black|heavy|demi|[-,.]bd\b|\.b\b|^(cm|sf|ec|ef|pl)(ss)?bx|^cmb\d|^lmbx", re.IGNORECASE
)
_ITALIC = re.compile(
    r"ital|obliq|slant|\.i\b|^(cm|sf|ec|pl|lm)(bx)?(ti|sl|mi|u)\d*|-it\b|-rit|\wI$", re.IGNORECASE
)
_SANS = re.compile(r"sans|^cmss|^lmss|helvet|arial|^sfss|^ecss|nimbusan|biolinum", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|typewriter|^(cm|sf|ec|pl|lm)(tt|sltt|itt)|consol", re.IGNORECASE)


@dataclass(frozen=True)
class Face:
    """What a font's name says of it.

    Attributes:
        encoding: Of its codes, "" where Unicode is all there is.
        style: The alphabet of its letters as a LaTeX command, ``math`` for the slanting one of variables, "" for
            upright ones.
        mathematical: No text is set in it.
    """

    encoding: str
    style: str
    mathematical: bool


@lru_cache(maxsize=1024)
def face(name: str) -> Face:
    """The face of a font by its name without subset prefix."""
    for pattern, encoding, style in _RULES:
        if re.search(pattern, name, re.IGNORECASE):
            return Face(encoding, style, True)
    mathematical = bool(_MATH.search(name))
    if _MONO.search(name):
        style = "\\mathtt"
    elif _SANS.search(name):
        style = "\\mathsf"
    elif _BOLD.search(name):
        style = "\\boldsymbol" if _ITALIC.search(name) else "\\mathbf"
    elif _ITALIC.search(name):
        style = "math" if mathematical else "\\mathit"
    else:
        style = ""
    return Face("", style, mathematical)
