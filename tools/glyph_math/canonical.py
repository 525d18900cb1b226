"""LaTeX with one spelling for everything that prints alike, to compare what was read with what was printed.

Spacing, sizes of brackets and upright style go; synonyms, braces, order of scripts, fraction commands and names of
environments are made one. Alphabets that differ on paper (``\\mathbb``, ``\\mathcal``, ``\\mathbf``) stay.
"""

from __future__ import annotations

import re
import unicodedata

from latex_spellings import (
    ALPHABETS,
    BETWEEN,
    BRACKETS,
    CHARACTERS,
    GONE,
    PLAIN,
    SPELT,
    SWITCHES,
    SYNONYMS,
    TAKES_LIMITS,
    TWO,
    UPRIGHT,
    WITH_ARGUMENT,
)

_TOKEN = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\s+|.", re.S)


def canonical(latex: str) -> str:
    """The one spelling of a formula. Text that is no LaTeX comes out as its tokens."""
    latex = re.sub(
        r"\\(left|right|[bB]igg?[lr]?)\s*([<>])", lambda m: "\\langle " if m[2] == "<" else "\\rangle ", latex
    )
    latex = latex.replace("\\*", "*")
    tokens = _TOKEN.findall(re.sub(r"\\(left|right)\s*\.", " ", latex))
    text = _Parser(tokens).sequence(None)
    text = text.replace("...", "\\ldots ").replace("\\cdot \\cdot \\cdot ", "\\cdots ")
    return re.sub(r"\^\{('+)\}", r"\1", text).strip()


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._arrays: list[bool] = []
        self._bare = 0  # within an argument without braces, which has no scripts of its own

    def _peek(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def sequence(self, end: str | None) -> str:
        """Everything up to the token ``end``, which is taken."""
        bare, self._bare = self._bare, 0
        text = self._sequence(end)
        self._bare = bare
        return text

    def _sequence(self, end: str | None) -> str:
        parts: list[str] = []
        while (token := self._peek()) is not None:
            name = token[1:]
            if token == end:
                self._at += 1
                if end == "\\end":
                    self.argument()
                break
            if token in ("\\over", "\\choose"):
                self._at += 1
                command = "\\frac" if name == "over" else "\\binom"
                return f"{command}{{{''.join(parts)}}}{{{self.sequence(end)}}}"
            if token[0] == "\\" and name in SWITCHES:
                self._at += 1
                inner = self.sequence(end)
                style = SWITCHES[name]
                parts.append(_styled(style, inner) if style else inner)
                break
            parts.append(self.item())
        return "".join(parts)

    def argument(self) -> str:
        while self._peek() is not None and (self._peek() or "").isspace():
            self._at += 1
        if self._peek() is None:
            return ""
        if self._peek() == "{":
            self._at += 1
            return self.sequence("}")
        self._bare += 1
        found = self.item()
        self._bare -= 1
        return found

    def item(self) -> str:
        token = self._next()
        if token == "{":
            return self.sequence("}") + self.scripts()
        if token in ("^", "_", "'"):
            self._at -= 1
            return self.scripts()
        if token.isspace() or token == "~" or token == "}":
            return ""
        if token == "&":
            return "&" if self._arrays and self._arrays[-1] else ""
        if token[0] != "\\":
            return _decomposed(token) + self.scripts()
        return self.command(token[1:])

    def command(self, name: str) -> str:
        if name in GONE:
            return ""
        if name == "\\":
            if self._peek() == "[":
                while self._peek() not in (None, "]"):
                    self._at += 1
                self._at += 1
            return "\\\\"
        name = SYNONYMS.get(name, name)
        if name == "ldots" and self._tokens[self._at - 1] == "\\dots":
            following = next((token for token in self._tokens[self._at :] if not token.isspace()), "")
            return ("\\cdots " if following in BETWEEN else "\\ldots ") + self.scripts()
        if name == "begin":
            return self.environment()
        if name == "substack":
            return self.argument() + self.scripts()
        if name in PLAIN:
            return self.argument() + self.scripts()
        if name in ("pmod", "pod"):
            return f"({'mod' if name == 'pmod' else ''}{self.argument()})" + self.scripts()
        if name in CHARACTERS:
            return CHARACTERS[name] + self.scripts()
        if name in SPELT:
            return SPELT[name] + self.scripts()
        if name in UPRIGHT:
            return name + self.scripts()
        if name in TWO:
            first, second = self.argument(), self.argument()
            if name in ("underset", "overset") and TAKES_LIMITS.fullmatch(second):
                return second + ("_" if name == "underset" else "^") + f"{{{first}}}" + self.scripts()
            return f"\\{name}{{{first}}}{{{second}}}" + self.scripts()
        if name in ("xrightarrow", "xleftarrow", "xmapsto"):
            below = self.optional()
            arrow = {"xrightarrow": "\\rightarrow ", "xleftarrow": "\\leftarrow ", "xmapsto": "\\mapsto "}[
                name
            ]
            text = f"\\overset{{{self.argument()}}}{{{arrow}}}"
            return (f"\\underset{{{below}}}{{{text}}}" if below else text) + self.scripts()
        if name == "sqrt":
            degree = self.optional()
            return f"\\sqrt{f'[{degree}]' if degree else ''}{{{self.argument()}}}" + self.scripts()
        if name == "not":
            return "\\not" + self.item().replace("\\in ", "\\in")
        name = ALPHABETS.get(name, name)
        if name.startswith("math") or name in WITH_ARGUMENT:
            inner = self.argument()
            if name in ("mathbf", "boldsymbol", "mathbb", "mathcal", "mathfrak", "mathsf", "mathtt"):
                return _styled(name, inner) + self.scripts()
            return f"\\{name}{{{inner}}}" + self.scripts()
        return f"\\{name} " + self.scripts()

    def optional(self) -> str:
        while self._peek() is not None and (self._peek() or "").isspace():
            self._at += 1
        if self._peek() != "[":
            return ""
        self._at += 1
        return self.sequence("]")

    def environment(self) -> str:
        name = self.argument().rstrip("*")
        if name == "array" and (self._peek() or "").strip() in ("", "{", "["):
            self.optional()
            self.argument()
        match = re.fullmatch(r"([pbvBV])(?:small)?matrix", name)
        in_brackets = self._is_bracketed()
        keeps = bool(match) or name in ("cases", "dcases", "rcases") or in_brackets
        self._arrays.append(keeps)
        body = self.sequence("\\end")
        self._arrays.pop()
        body = re.sub(r"&+(?=\\\\|$)", "", re.sub(r"\\\\$", "", body.strip()))
        opening, closing = BRACKETS[match[1]] if match else ("\\{", "") if "cases" in name else ("", "")
        return f"{opening}{body}{closing}" + self.scripts()

    def _is_bracketed(self) -> bool:
        """Whether the environment that has just begun stands right behind a bracket."""
        at = self._at - 1
        while at >= 0 and self._tokens[at] != "\\begin":
            at -= 1
        at -= 1
        while at >= 0 and self._tokens[at].isspace():
            at -= 1
        return at >= 0 and self._tokens[at] in ("(", "[", "|", "\\{", "\\lvert", "\\|", "\\lbrace")

    def scripts(self) -> str:
        """Primes, then what is lowered, then what is raised, whatever order they come in."""
        if self._bare:
            return ""
        primes, below, above = "", "", ""
        while True:
            start = self._at
            while self._peek() is not None and (
                (self._peek() or "").isspace() or self._peek() in ("\\limits", "\\nolimits")
            ):
                self._at += 1
            token = self._peek()
            if token == "'":
                self._at += 1
                primes += "'"
            elif token in ("^", "_"):
                self._at += 1
                inner = self.argument()
                if token == "_":
                    below += inner
                elif re.fullmatch(r"'+", inner):
                    primes += inner
                else:
                    match = re.match(r"'+", inner)
                    primes += match[0] if match else ""
                    above += inner[len(match[0]) if match else 0 :]
            else:
                self._at = start
                break
        return primes + (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


_MARKS = {
    "\u0302": "hat",
    "\u0303": "tilde",
    "\u0301": "acute",
    "\u0300": "grave",
    "\u0308": "ddot",
    "\u030c": "check",
}


def _decomposed(character: str) -> str:
    """An accented letter as TeX writes it."""
    parts = unicodedata.normalize("NFD", character)
    return f"\\{_MARKS[parts[1]]}{{{parts[0]}}}" if len(parts) == 2 and parts[1] in _MARKS else character


def _styled(name: str, text: str) -> str:
    """Each letter and digit that wears no alphabet yet in this one; signs have none."""
    name = "mathbf" if name == "boldsymbol" else name
    text = re.sub(r"\\mathbf\{(.)\}", r"\1", text) if name == "mathbf" else text
    tokens = _TOKEN.findall(text)
    return "".join(
        f"\\{name}{{{token}}}"
        if token.isalnum() and not re.fullmatch(r"\\math\w+", tokens[n - 2] if n > 1 else "")
        else token
        for n, token in enumerate(tokens)
    )
