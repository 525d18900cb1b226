"""The symbols that formulas are read from: how TeX writes each, and how it is printed for training."""

from __future__ import annotations

import string
from dataclasses import dataclass

_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho "
    "varrho sigma varsigma tau upsilon phi varphi chi psi omega"
)
_GREEK_CAPITALS = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_OPERATORS = (
    "pm mp times div cdot ast star circ bullet oplus ominus otimes oslash odot cap cup vee wedge setminus dagger "
    "ddagger amalg triangle sqcup sqcap uplus"
)
_RELATIONS = (
    "le ge ll gg ne equiv sim simeq approx cong propto in notin ni subset supset subseteq supseteq perp parallel "
    "prec succ preceq succeq asymp doteq vdash models to leftarrow leftrightarrow Rightarrow Leftarrow "
    "Leftrightarrow mapsto longrightarrow uparrow downarrow rightharpoonup hookrightarrow lesssim gtrsim"
)
_OTHERS = (
    "infty partial nabla forall exists emptyset hbar ell Re Im aleph prime angle top neg wp Box square langle "
    "rangle lfloor rfloor lceil rceil imath jmath"
)
_BIG = "sum prod coprod int oint bigcup bigcap bigoplus bigotimes bigvee bigwedge"


@dataclass(frozen=True)
class Symbol:
    """name: the class, the LaTeX that is written for it. source: the LaTeX it is printed with."""

    name: str
    source: str


def _commands(names: str) -> list[Symbol]:
    return [Symbol(f"\\{name}", f"\\{name}") for name in names.split()]


def symbols() -> list[Symbol]:
    """All classes, in their order in the classifier; the last, an empty name, is what is no symbol."""
    found = [Symbol(letter, letter) for letter in string.ascii_letters + string.digits]
    for style, letters in (
        ("mathrm", string.ascii_letters),
        ("mathbf", string.ascii_letters),
        ("mathcal", string.ascii_uppercase),
        ("mathbb", "RCZNQPEFHKTS"),
        ("mathfrak", "ghmpqabsluFASMHgX"),
    ):
        found += [
            Symbol(f"\\{style}{{{letter}}}", f"\\{style}{{{letter}}}") for letter in dict.fromkeys(letters)
        ]
    for names in (_GREEK, _GREEK_CAPITALS, _OPERATORS, _RELATIONS, _OTHERS, _BIG):
        found += _commands(names)
    found += [Symbol(sign, sign) for sign in "+-=<>()[]/|!?,.:;'"]
    found += [Symbol("\\{", "\\{"), Symbol("\\}", "\\}"), Symbol("\\%", "\\%"), Symbol("\\&", "\\&")]
    found += [
        Symbol("\\sqrt", "\\sqrt{\\hphantom{ab}}"),
        Symbol("\\hat", "\\hat{\\hphantom{a}}"),
        Symbol("\\tilde", "\\tilde{\\hphantom{a}}"),
        Symbol("\\vec", "\\vec{\\hphantom{a}}"),
        Symbol("\\check", "\\check{\\hphantom{a}}"),
        Symbol("\\widehat", "\\widehat{\\hphantom{abc}}"),
        Symbol("\\widetilde", "\\widetilde{\\hphantom{abc}}"),
        Symbol("\\overbrace", "\\overbrace{\\hphantom{abcdef}}"),
        Symbol("\\underbrace", "\\underbrace{\\hphantom{abcdef}}"),
    ]
    return [*{symbol.name: symbol for symbol in found}.values(), Symbol("", "")]


TALL = (
    "(",
    ")",
    "[",
    "]",
    "|",
    "\\{",
    "\\}",
    "\\langle",
    "\\rangle",
    "\\sqrt",
    "\\int",
    "\\sum",
    "\\prod",
    "/",
)
"""Printed in larger sizes as well, which have other shapes."""
