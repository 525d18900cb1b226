"""Tables of LaTeX spellings that print alike, for ``canonical``."""

from __future__ import annotations

import re

from galley.drafters.latex_functions import FUNCTIONS, LIMIT_FUNCTIONS


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


SYNONYMS = _pairs("""
le leq ge geq ne neq to rightarrow gets leftarrow land wedge lor vee lnot neg dots ldots dotsc ldots
dotsb cdots dotsm cdots dotsi cdots iff Longleftrightarrow implies Longrightarrow impliedby Longleftarrow
owns ni bot perp Box square hslash hbar widehat hat widetilde tilde dfrac frac tfrac frac cfrac frac
tbinom binom dbinom binom stackrel overset restriction upharpoonright backslash setminus smallsetminus
setminus mathscr mathcal pmb boldsymbol bm boldsymbol thinspace , coprod amalg overrightarrow vec
bigtriangleup triangle leadsto rightsquigarrow doublecap Cap Bbb mathbb frak mathfrak diamond Diamond
models vDash lhd vartriangleleft triangleleft vartriangleleft rhd vartriangleright triangleright
vartriangleright parallel | Vert | lVert | rVert | longmapsto mapsto centerdot cdot ast * varnothing
emptyset
""")
"""Without backslash. ``|`` is the double bar."""
CHARACTERS = {
    "lvert": "|",
    "rvert": "|",
    "vert": "|",
    "mid": "|",
    "colon": ":",
    "vcentcolon": ":",
    "lbrace": "\\{",
    "rbrace": "\\}",
}
CHARACTERS |= {
    "lbrack": "[",
    "rbrack": "]",
    "lt": "<",
    "gt": ">",
    "ast": "*",
    "degree": "\\circ",
    "prime": "'",
    "ldotp": ".",
    "star": "\\star",
}
SPELT = _pairs(r"""
coloneqq := eqqcolon =: Coloneqq ::= notin \not\in neq \not= nsubseteq \not\subseteq nmid \not| nexists
\not\exists ncong \not\cong nless \not< iint \int\int bmod mod mod mod iiint \int\int\int limsup limsup
liminf liminf nparallel \not\| nsim \not\sim
""")
UPRIGHT = FUNCTIONS | LIMIT_FUNCTIONS
GONE = frozenset(
    [
        "left",
        "right",
        "middle",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "biggl",
        "biggr",
        "Biggl",
        "Biggr",
        "bigm",
        "Bigm",
        "limits",
        "nolimits",
        "quad",
        "qquad",
        "enspace",
        "displaystyle",
        "textstyle",
        "scriptstyle",
        "scriptscriptstyle",
        "mathstrut",
        "strut",
        ",",
        ";",
        ":",
        "!",
        ">",
        "nonumber",
        "notag",
        "hfil",
        "hfill",
        "null",
        "relax",
        "allowbreak",
        "nobreak",
        "left.",
        "right.",
        "medspace",
        "thickspace",
        "negthinspace",
    ]
) | {" ", "\n"}
PLAIN = frozenset(
    [
        "mathrm",
        "text",
        "textrm",
        "mbox",
        "hbox",
        "operatorname",
        "operatorname*",
        "mathop",
        "mathbin",
        "mathrel",
        "mathord",
        "mathopen",
        "mathclose",
        "mathpunct",
        "mathinner",
        "mathit",
        "mathnormal",
        "textit",
        "textnormal",
        "emph",
        "textup",
        "vphantom*",
        "smash*",
        "ensuremath",
    ]
)
ALPHABETS = {"textbf": "mathbf", "textsf": "mathsf", "texttt": "mathtt"}
SWITCHES = {
    "bf": "mathbf",
    "rm": "",
    "it": "",
    "cal": "mathcal",
    "sf": "mathsf",
    "tt": "mathtt",
    "boldmath": "boldsymbol",
}
BETWEEN = frozenset(
    [
        "+",
        "-",
        "=",
        "<",
        ">",
        "\\times",
        "\\cdot",
        "\\cup",
        "\\cap",
        "\\oplus",
        "\\otimes",
        "\\to",
        "\\leq",
        "\\geq",
        "\\le",
        "\\ge",
        "\\wedge",
        "\\vee",
        "\\circ",
        "\\subset",
        "\\subseteq",
    ]
)
"""Signs after which ``\\dots`` is set at the height of the axis."""
ACCENTS = (
    "hat tilde bar vec dot ddot check breve acute grave mathring overline underline overbrace underbrace"
)
WITH_ARGUMENT = frozenset(("boldsymbol", "overleftarrow", "underleftarrow", *ACCENTS.split()))
TAKES_LIMITS = re.compile(r"\\(sum|prod|big\w+|amalg) ?|" + "|".join(UPRIGHT))
TWO = frozenset(("frac", "binom", "overset", "underset"))
BRACKETS = {"p": ("(", ")"), "b": ("[", "]"), "v": ("|", "|"), "B": ("\\{", "\\}"), "V": ("\\|", "\\|")}
