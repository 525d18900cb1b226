r"""Names that LaTeX has a command for and that are set upright: ``\sin``, ``\lim``."""

FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "sinh",
        "cosh",
        "tanh",
        "coth",
        "arcsin",
        "arccos",
        "arctan",
        "log",
        "ln",
        "lg",
        "exp",
        "det",
        "dim",
        "ker",
        "arg",
        "deg",
        "gcd",
        "hom",
        "Pr",
    ]
)
"""Functions of an argument beside them."""
LIMIT_FUNCTIONS = frozenset(["lim", "max", "min", "sup", "inf"])
"""Functions whose limits stand below them."""
