"""A formula in which every token that draws ink has a colour of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from galley.evaluation.cdm import latex as tex
from galley.evaluation.cdm.latex import LatexError

_STEP = 15
_LEVELS = 255 // _STEP + 1
MAX_TOKENS = _LEVELS**3 - 1


_LENGTH = re.compile(r"\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in|pc|mu)\s*")


@dataclass
class Painted:
    """``latex`` draws ``tokens[i]`` in colour ``colour(i)``."""

    latex: str = ""
    tokens: list[str] = field(default_factory=list)


def colour(index: int) -> tuple[int, int, int]:
    """The RGB colour of token ``index``; never black, which uncoloured ink has, nor white."""
    index += 1
    return index // _LEVELS**2 * _STEP, index // _LEVELS % _LEVELS * _STEP, index % _LEVELS * _STEP


def paint(latex: str) -> Painted:
    """Give each visible token of a formula a colour of its own.

    Raises:
        LatexError: Groups, environments or delimiters are unbalanced, or there are more tokens than colours.
    """
    painter = _Painter(tex.tokenise(latex))
    drawn = painter.sequence(until=None)
    return Painted(drawn, painter.inked)


class _Painter:
    """Recursive descent over the tokens; each method consumes some and returns the coloured LaTeX of them."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self.inked: list[str] = []
        self._in_text = False

    def sequence(self, until: str | None) -> str:
        """Everything up to the token ``until``, which is consumed; ``None`` is the end of the formula."""
        parts: list[str] = []
        while self._at < len(self._tokens):
            token = self._take()
            if token == until:
                return " ".join(part for part in parts if part)
            if token in ("}", r"\right", r"\end"):
                raise LatexError(f"{token} without its partner")
            if token in (r"\over", r"\choose", r"\atop"):
                return self._infix(token, parts, until)
            parts.append(self._item(token))
        if until is not None:
            raise LatexError(f"{until} is missing")
        return " ".join(part for part in parts if part)

    def _infix(self, token: str, before: list[str], until: str | None) -> str:
        r"""Write ``a \over b`` as a fraction whose rule has its own colour."""
        command = r"\frac" if token == r"\over" else r"\binom"
        rule = self._colour_of(command)
        after = self.sequence(until)
        return f"{rule}{{{command} {{ {' '.join(before)} }} {{ {after} }}}}"

    def _item(self, token: str) -> str:
        if token == " ":
            return "~" if self._in_text else ""
        if token == "{":
            return f"{{ {self.sequence('}')} }}"
        if token == "^":
            return self._superscript()
        if token == "_":
            return f"_ {{ {self._argument()} }}"
        if token == "'":
            return self._primes()
        if token in ("&", r"\\", r"\cr"):
            return ""
        return self._command(token) if token.startswith("\\") else self._plain(token)

    def _superscript(self) -> str:
        """A superscript, after the subscript that follows it: their written order means nothing."""
        start = self._at
        self._raw_argument()
        if self._peek() != "_":
            self._at = start
            return f"^ {{ {self._argument()} }}"
        self._skip_space()
        self._take()
        below, end = self._argument(), self._at
        self._at = start
        above, self._at = self._argument(), end
        return f"_ {{ {below} }} ^ {{ {above} }}"

    def _plain(self, token: str) -> str:
        if token in tex.DROPPED:
            return ""
        return token if token in tex.SPACES else self._ink(token.replace("#", r"\#"))

    def _command(self, token: str) -> str:
        if token in tex.DROPPED:
            return ""
        if token in tex.SPACES or token in tex.SWITCHES:
            return token
        if token in tex.DOTS:
            return " ".join(self._ink(".") for _ in range(3))
        if token in tex.FUNCTIONS or token in tex.LIMIT_FUNCTIONS:
            return self._function(token)
        if tex.BIG.match(token):
            return self._ink(token + self._delimiter())
        if token == r"\not":
            return self._ink(f"{token} {self._raw_argument()}", name=f"{token}{self._tokens[self._at - 1]}")
        return self._with_arguments(token)

    def _function(self, name: str) -> str:
        """A named function as the letters of its name, upright only where the reference draws it so."""
        if name in tex.LIMIT_FUNCTIONS:
            command = self._ink(r"\operatorname*")
        else:
            command = r"\operatorname"
        return f"{command} {{ {' '.join(self._ink(letter) for letter in name[1:])} }}"

    def _with_arguments(self, token: str) -> str:
        if token in tex.DROPPED_WITH_ARGUMENT:
            self._raw_optional()
            self._raw_argument()
            return ""
        if token in tex.KEPT_WITH_ARGUMENT:
            return f"{token}{{{self._raw_argument()}}}"
        if token in tex.TEXT:
            return self._text()
        if token in tex.STYLES:
            return f"{token.rstrip('*')} {{ {self._argument()} }}"
        if token in tex.STACKS:
            return f"{token} {{ {self._argument()} }} {{ {self._argument()} }}"
        if token in tex.ACCENTS:
            return self._accent(token)
        if token in tex.FRACTIONS:
            command = tex.FRACTIONS[token]
            start = self._colour_of(command)
            return f"{start}{{{command} {{ {self._argument()} }} {{ {self._argument()} }}}}"
        if token in tex.ROOTS:
            start, option = self._colour_of(token), self._optional()
            index = "" if option is None else f"[ {{ {option} }} ]"
            return f"{start}{{{token}{index} {{ {self._argument()} }}}}"
        if token == r"\left":
            return self._left_right()
        if token == r"\substack":
            self._skip_space()
            rows = self._rows("}") if self._take() == "{" else []
            return rf"\substack {{ {_joined(rows)} }}"
        if token == r"\begin":
            return self._environment()
        return self._ink(token)

    def _accent(self, token: str) -> str:
        start = self._colour_of(token)
        drawn = f"{start}{{{token} {{ {self._argument()} }}}}"
        follows = self._peek()
        return drawn if token.endswith("brace") or follows not in ("_", "^") else f"{{{drawn}}}"

    def _text(self) -> str:
        outer, self._in_text = self._in_text, True
        drawn = self._argument()
        self._in_text = outer
        return f"\\mathrm {{ {drawn} }}"

    def _left_right(self) -> str:
        opening = self._ink(rf"\left{self._delimiter()}")
        inner = self.sequence(until=r"\right")
        closing = self._ink(rf"\right{self._delimiter()}")
        return f"{opening} {inner} {closing}"

    def _environment(self) -> str:
        """Any environment as an ``array``, between delimiters where it has some."""
        name = self._raw_argument().strip().rstrip("*")
        if name not in tex.ENVIRONMENTS:
            raise LatexError(f"unknown environment {name}")
        opening, pattern, closing = tex.ENVIRONMENTS[name]
        self._raw_optional()
        given = tex.columns(self._raw_argument()) if name in tex.ENVIRONMENTS_WITH_COLUMNS else ""
        before = self._ink(rf"\left{opening}") if opening else ""
        rows = self._rows(r"\end")
        ended = self._raw_argument().strip().rstrip("*")
        if ended != name:
            raise LatexError(rf"\begin{{{name}}} ends with \end{{{ended}}}")
        after = self._ink(rf"\right{closing}") if closing else ""
        if pattern == "rl":  # a relation that opens a cell is spaced as one in the middle
            rows = [
                [f"{{ }} {cell}" if column % 2 else cell for column, cell in enumerate(row)] for row in rows
            ]
        width = max((len(row) for row in rows), default=1)
        spec = (pattern * width or given).ljust(width, "l")[:width]
        return f"{before} \\begin{{array}} {{{spec}}} {_joined(rows)} \\end{{array}} {after}"

    def _rows(self, until: str) -> list[list[str]]:
        """Cells of rows up to the token ``until``, which is consumed; empty rows are left out."""
        rows: list[list[str]] = [[""]]
        while self._at < len(self._tokens):
            token = self._take()
            if token == until:
                return [row for row in rows if any(cell.strip() for cell in row)]
            if token == "&":
                rows[-1].append("")
            elif token in (r"\\", r"\cr"):
                self._line_skip()
                rows.append([""])
            elif token in ("}", r"\right", r"\end"):
                raise LatexError(f"{token} without its partner")
            else:
                rows[-1][-1] += f" {self._item(token)}"
        raise LatexError(f"{until} is missing")

    def _line_skip(self) -> None:
        r"""Skip the length in ``\\[2pt]``; other brackets after a line break belong to the next line."""
        start = self._at
        try:
            option = self._raw_optional()
        except LatexError:
            option = None
        if option is None or not _LENGTH.fullmatch(option):
            self._at = start

    def _primes(self) -> str:
        """``'`` as a superscript; one written after it joins it."""
        drawn = [self._ink(r"\prime")]
        while self._peek() == "'":
            self._skip_space()
            self._take()
            drawn.append(self._ink(r"\prime"))
        if self._peek() == "^":
            self._skip_space()
            self._take()
            drawn.append(self._argument())
        return f"^ {{ {' '.join(drawn)} }}"

    def _colour_of(self, token: str) -> str:
        """Gives ``token`` the next colour; returns the command that sets it."""
        if len(self.inked) >= MAX_TOKENS:
            raise LatexError(f"more than {MAX_TOKENS} tokens")
        self.inked.append(token)
        red, green, blue = colour(len(self.inked) - 1)
        return f"\\mathcolor[RGB]{{{red},{green},{blue}}}"

    def _ink(self, token: str, name: str | None = None) -> str:
        return f"{self._colour_of(name or token)}{{{token}}}"

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _skip_space(self) -> None:
        while self._at < len(self._tokens) and self._tokens[self._at] == " ":
            self._at += 1

    def _peek(self) -> str | None:
        """The next token that is no space."""
        at = self._at
        while at < len(self._tokens) and self._tokens[at] == " ":
            at += 1
        return self._tokens[at] if at < len(self._tokens) else None

    def _argument(self) -> str:
        """The next group's content or the next single item, coloured."""
        self._skip_space()
        if self._at >= len(self._tokens):
            raise LatexError("an argument is missing at the end")
        token = self._take()
        if token == "{":
            return self.sequence("}")
        if token in ("}", "&", r"\\", r"\right", r"\end"):
            raise LatexError(f"an argument is missing before {token}")
        return self._item(token)

    def _raw_argument(self) -> str:
        """The next group's source or the next token, as it is."""
        self._skip_space()
        if self._at >= len(self._tokens):
            raise LatexError("an argument is missing at the end")
        token = self._take()
        if token != "{":
            return token
        depth, start = 1, self._at
        while depth:
            if self._at >= len(self._tokens):
                raise LatexError("} is missing")
            token = self._take()
            depth += (token == "{") - (token == "}")
        return "".join(self._tokens[start : self._at - 1])

    def _optional(self) -> str | None:
        """A coloured ``[…]`` argument; ``None`` when there is none."""
        if self._peek() != "[":
            return None
        self._skip_space()
        self._take()
        return self.sequence("]")

    def _raw_optional(self) -> str | None:
        """A ``[…]`` argument as it is; ``None`` when there is none."""
        if self._peek() != "[":
            return None
        self._skip_space()
        self._take()
        start = self._at
        while self._at < len(self._tokens):
            if self._take() == "]":
                return "".join(self._tokens[start : self._at - 1])
        raise LatexError("] is missing")

    def _delimiter(self) -> str:
        self._skip_space()
        if self._at >= len(self._tokens):
            raise LatexError("a delimiter is missing at the end")
        token = self._take()
        return {"<": r"\langle", ">": r"\rangle"}.get(token, token)


def _joined(rows: list[list[str]]) -> str:
    return r" \\ ".join(" & ".join(f"{{ {cell} }}" for cell in row) for row in rows)
