"""The typefaces the pages are printed in."""

from __future__ import annotations

from dataclasses import dataclass

_PACKAGES = "\\usepackage{amsmath,mathtools}"


@dataclass(frozen=True)
class Family:
    """A TeX program and the packages that choose the typeface."""

    program: str
    fonts: str
    kept: bool = False

    @property
    def preamble(self) -> str:
        return f"{_PACKAGES}\n{self.fonts}"


_PFB = "\\usepackage{amssymb,mathrsfs}"
FAMILIES = {
    "cm": Family("pdflatex", _PFB),
    "palatino": Family("pdflatex", f"\\usepackage{{mathpazo}}{_PFB}"),
    "latin-modern": Family("lualatex", "\\usepackage[math-style=TeX,bold-style=TeX]{unicode-math}"),
    "newtx": Family(
        "pdflatex", "\\usepackage[T1]{fontenc}\\usepackage{newtxtext,newtxmath}\\usepackage{mathrsfs}", True
    ),
    "libertinus": Family(
        "pdflatex",
        "\\usepackage[T1]{fontenc}\\usepackage{libertinus}\\usepackage{libertinust1math}\\usepackage{mathrsfs}",
        True,
    ),
    "stix-two": Family(
        "lualatex",
        "\\usepackage[math-style=TeX,bold-style=TeX]{unicode-math}"
        "\\setmainfont{STIXTwoText-Regular.otf}[ItalicFont=STIXTwoText-Italic.otf,BoldFont=STIXTwoText-Bold.otf]"
        "\\setmathfont{STIXTwoMath-Regular.otf}",
        True,
    ),
    "xits": Family(
        "lualatex",
        "\\usepackage[math-style=TeX,bold-style=TeX]{unicode-math}"
        "\\setmainfont{XITS-Regular.otf}[ItalicFont=XITS-Italic.otf,BoldFont=XITS-Bold.otf]\\setmathfont{XITSMath-Regular.otf}",
    ),
}
"""``kept`` families are not looked at while the reader is built."""
