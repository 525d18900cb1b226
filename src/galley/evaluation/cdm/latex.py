"""LaTeX math as tokens, and which commands put ink on the page."""

from __future__ import annotations

import re


class LatexError(ValueError):
    """The formula is not well-formed; the message says where it breaks."""


_TOKEN = re.compile(r"\\(?:operatorname\*|[a-zA-Z]+|.)|%[^\n]*|\s+|.", re.S)
_LONE_BACKSLASH = re.compile(r"\\\s*$")

ACCENTS = frozenset(
    rf"\{name}"
    for name in (
        *(
            "hat",
            "widehat",
            "tilde",
            "widetilde",
            "bar",
            "vec",
            "dot",
            "ddot",
            "dddot",
            "check",
            "breve",
            "acute",
        ),
        *("grave", "mathring", "overline", "underline", "overbrace", "underbrace", "overrightarrow", "boxed"),
        *("overleftarrow", "overleftrightarrow", "underrightarrow", "underleftarrow", "cancel"),
    )
)
"""Ink of their own around one argument."""

STYLES = frozenset(
    rf"\{name}"
    for name in (
        *(
            "mathrm",
            "mathbf",
            "mathit",
            "mathsf",
            "mathtt",
            "mathcal",
            "mathbb",
            "mathfrak",
            "mathscr",
            "mathnormal",
        ),
        *(
            "boldsymbol",
            "pmb",
            "bm",
            "mathop",
            "mathbin",
            "mathrel",
            "mathord",
            "mathopen",
            "mathclose",
            "mathpunct",
        ),
        *("mathinner", "smash", "operatorname", "operatorname*"),
    )
)
"""No ink of their own; one argument in another style or spacing."""

TEXT = frozenset(
    rf"\{name}"
    for name in (
        "text",
        "textrm",
        "textbf",
        "textit",
        "textsf",
        "texttt",
        "textnormal",
        "textup",
        "textmd",
        "textsc",
        "emph",
    )
) | {r"\mbox", r"\hbox", r"\fbox"}
"""Upright words: one argument in which spaces count."""

FRACTIONS = {
    r"\frac": r"\frac",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\binom": r"\binom",
}
"""Ink between two arguments, and the form all of a kind are drawn in."""

STACKS = frozenset((r"\overset", r"\underset", r"\stackrel"))
"""Two arguments above each other, no ink of their own."""

ROOTS = frozenset((r"\sqrt", r"\xrightarrow", r"\xleftarrow"))
"""Ink of their own, an optional and a required argument."""

FUNCTIONS = frozenset(
    rf"\{name}"
    for name in (
        *(
            "arccos",
            "arcsin",
            "arctan",
            "arg",
            "cos",
            "cosh",
            "cot",
            "coth",
            "csc",
            "deg",
            "dim",
            "exp",
            "hom",
            "ker",
        ),
        *("lg", "ln", "log", "sec", "sin", "sinh", "tan", "tanh"),
    )
)
LIMIT_FUNCTIONS = frozenset(
    rf"\{name}" for name in ("det", "gcd", "inf", "lim", "liminf", "limsup", "max", "min", "Pr", "sup")
)
"""Set as the letters of their names."""

DOTS = frozenset(rf"\{name}" for name in ("ldots", "cdots", "dots", "dotsb", "dotsc", "dotsm", "dotsi"))
"""Three points, matched one by one."""

SPACES = frozenset(
    (r"\,", r"\;", r"\:", r"\!", r"\>", r"\ ", r"\quad", r"\qquad", r"\enspace", r"\thinspace", "~")
)
"""Kept for the layout, no ink."""

SWITCHES = frozenset(
    rf"\{name}"
    for name in (
        *(
            "displaystyle",
            "textstyle",
            "scriptstyle",
            "scriptscriptstyle",
            "rm",
            "bf",
            "it",
            "sf",
            "tt",
            "cal",
        ),
        *("boldmath", "unboldmath", "nolinebreak", "allowbreak", "strut", "mathstrut"),
    )
)
"""Change what follows, no ink."""

DROPPED = frozenset(
    (
        r"\(",
        r"\)",
        "$",
        r"\limits",
        r"\nolimits",
        r"\nonumber",
        r"\notag",
        r"\hline",
        r"\lefteqn",
    )
)
"""What the drawing does without. ``\\[`` and ``\\]`` are not among them: OmniDocBench hands them to TeX as
well, and its published figures include what they do to the layout.
"""

DROPPED_WITH_ARGUMENT = frozenset(
    (r"\label", r"\color", r"\textcolor", r"\colorbox", r"\vspace", r"\raisebox", r"\ref", r"\cline")
)
KEPT_WITH_ARGUMENT = frozenset((r"\hspace", r"\phantom", r"\hphantom", r"\vphantom", r"\mspace"))
"""No ink, but room: copied with the argument."""

BIG = re.compile(r"\\[bB]igg?[lrm]?$")

ENVIRONMENTS = {
    **dict.fromkeys(
        ("align", "aligned", "split", "alignat", "alignedat", "eqnarray", "flalign"), ("", "rl", "")
    ),
    **dict.fromkeys(("gather", "gathered", "multline", "equation", "displaymath", "math"), ("", "l", "")),
    **dict.fromkeys(("matrix", "smallmatrix", "array", "subarray", "tabular"), ("", "", "")),
    "pmatrix": ("(", "", ")"),
    "bmatrix": ("[", "", "]"),
    "Bmatrix": (r"\{", "", r"\}"),
    "vmatrix": ("|", "", "|"),
    "Vmatrix": (r"\|", "", r"\|"),
    "cases": (r"\{", "ll", "."),
    "rcases": (".", "ll", r"\}"),
}
"""Opening delimiter, repeated column pattern (empty: left for each) and closing delimiter."""

ENVIRONMENTS_WITH_COLUMNS = frozenset(("array", "subarray", "tabular", "alignat", "alignedat"))


_COLUMN_EXTRAS = re.compile(r"[@!<>]\{[^{}]*\}|\{[^{}]*\}")


def columns(spec: str) -> str:
    """The ``l``, ``c`` and ``r`` of an array's column specification; paragraph columns count as ``l``."""
    plain = re.sub(r"[pmbX]", "l", _COLUMN_EXTRAS.sub("", spec))
    return "".join(letter for letter in plain if letter in "lcr")


def tokenise(latex: str) -> list[str]:
    """Control sequences and single characters; comments go, a run of white space is one ``" "``."""
    tokens = _TOKEN.findall(_LONE_BACKSLASH.sub("", latex))
    return [" " if token.isspace() else token for token in tokens if not token.startswith("%")]
