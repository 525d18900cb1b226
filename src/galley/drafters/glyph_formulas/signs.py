"""Unicode's mathematical characters as LaTeX, with what each is in a formula."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Sign:
    r"""What a glyph says: its LaTeX and its kind.

    Attributes:
        kind: ``letter``, ``digit``, ``ord``, ``bin``, ``rel``, ``big`` (operator with limits), ``integral``,
            ``open``, ``close``, ``fence``, ``punct``, ``accent``, ``radical``, ``prime``, ``piece`` or
            ``unknown``.
        style: The alphabet that the character itself names, such as ``\\mathbb``; ``math`` for the slanting one
            of variables.
    """

    latex: str
    kind: str
    style: str = ""


_BINARY = """
+ + − - ± \\pm ∓ \\mp × \\times ÷ \\div ∗ *
· \\cdot ⋅ \\cdot ∘ \\circ ◦ \\circ • \\bullet ∙ \\bullet ∩ \\cap ∪ \\cup
⊎ \\uplus ⊓ \\sqcap ⊔ \\sqcup ∨ \\vee ∧ \\wedge
∖ \\setminus \\ \\setminus ⧵ \\setminus ≀ \\wr ⋄ \\diamond ⋆ \\star
△ \\bigtriangleup ▽ \\bigtriangledown ◁ \\triangleleft ▷ \\triangleright
⊕ \\oplus ⊖ \\ominus ⊗ \\otimes ⊘ \\oslash
⊙ \\odot ◯ \\bigcirc † \\dagger ‡ \\ddagger ⨿ \\amalg ∐ \\amalg ⋉ \\ltimes ⋊ \\rtimes ⊠ \\boxtimes ⊞ \\boxplus
⊲ \\vartriangleleft ⊳ \\vartriangleright ∔ \\dotplus ⊻ \\veebar ⊼ \\barwedge
"""
_RELATIONS = """
= = < < > > ≤ \\leq ≥ \\geq ⩽ \\leqslant ⩾ \\geqslant ≦ \\leqq ≧ \\geqq ≡ \\equiv ≢ \\not\\equiv ≠ \\neq ∼ \\sim
≁ \\nsim ≃ \\simeq ≅ \\cong ≈ \\approx ≍ \\asymp ≐ \\doteq ∝ \\propto ≺ \\prec ≻ \\succ ⪯ \\preceq ⪰ \\succeq
≼ \\preccurlyeq ≽ \\succcurlyeq ≪ \\ll ≫ \\gg ⊂ \\subset ⊃ \\supset ⊆ \\subseteq ⊇ \\supseteq ⊊ \\subsetneq
⊋ \\supsetneq ⊄ \\not\\subset ⊈ \\nsubseteq ⊉ \\nsupseteq
⊏ \\sqsubset ⊐ \\sqsupset ⊑ \\sqsubseteq ⊒ \\sqsupseteq
∈ \\in ∋ \\ni ∉ \\notin ⊢ \\vdash ⊣ \\dashv ⊨ \\vDash
⊩ \\Vdash ⊧ \\models ∣ \\mid ∤ \\nmid ∥ \\parallel ∦ \\nparallel
⊥ \\perp ⟂ \\perp ⌣ \\smile ⌢ \\frown ⋈ \\bowtie ← \\leftarrow → \\rightarrow ↔ \\leftrightarrow ↑ \\uparrow
↓ \\downarrow ↕ \\updownarrow ⇐ \\Leftarrow ⇒ \\Rightarrow ⇔ \\Leftrightarrow ⇑ \\Uparrow ⇓ \\Downarrow
⇕ \\Updownarrow ↦ \\mapsto ⟼ \\longmapsto ⟵ \\longleftarrow ⟶ \\longrightarrow ⟷ \\longleftrightarrow
⟸ \\Longleftarrow ⟹ \\Longrightarrow ⟺ \\Longleftrightarrow ↩ \\hookleftarrow ↪ \\hookrightarrow ↗ \\nearrow
↘ \\searrow ↙ \\swarrow ↖ \\nwarrow
↼ \\leftharpoonup ↽ \\leftharpoondown ⇀ \\rightharpoonup ⇁ \\rightharpoondown
⇌ \\rightleftharpoons ⇋ \\leftrightharpoons ⇝ \\rightsquigarrow ↠ \\twoheadrightarrow ↣ \\rightarrowtail
⇉ \\rightrightarrows ⇄ \\rightleftarrows ≔ := ≕ =: ⩴ ::=
∶ : ≜ \\triangleq ≲ \\lesssim ≳ \\gtrsim ⋖ \\lessdot ⋗ \\gtrdot
⊴ \\trianglelefteq ⊵ \\trianglerighteq ∴ \\therefore ∵ \\because
≮ \\nless ≯ \\ngtr ≰ \\nleq ≱ \\ngeq ↾ \\upharpoonright
⟲ \\circlearrowleft ⟳ \\circlearrowright ↺ \\circlearrowleft
↻ \\circlearrowright ≬ \\between ≏ \\bumpeq ↛ \\nrightarrow
⊬ \\nvdash ⊭ \\nvDash ≄ \\not\\simeq ≇ \\ncong ≉ \\not\\approx
⊀ \\nprec ⊁ \\nsucc ⪇ \\lneq ⪈ \\gneq ≨ \\lneqq ≩ \\gneqq
⋐ \\Subset ⋑ \\Supset ⫋ \\subsetneqq ⫌ \\supsetneqq ⊪ \\Vvdash ⟵ \\longleftarrow ↝ \\leadsto ⊸ \\multimap
"""
_ORDINARY = """
/ / ∕ / ⁄ / ∞ \\infty ∂ \\partial ∇ \\nabla
∀ \\forall ∃ \\exists ∄ \\nexists ¬ \\neg ∅ \\emptyset ⌀ \\varnothing
ℵ \\aleph ℶ \\beth ℷ \\gimel ℓ \\ell ℘ \\wp ℜ \\Re
ℑ \\Im ℏ \\hbar ⊤ \\top △ \\triangle ∠ \\angle ∡ \\measuredangle
∢ \\sphericalangle ♭ \\flat ♮ \\natural ♯ \\sharp
♣ \\clubsuit ♢ \\diamondsuit ♦ \\diamondsuit ♡ \\heartsuit ♥ \\heartsuit
♠ \\spadesuit □ \\square ■ \\blacksquare ◇ \\Diamond ◊ \\lozenge
⧫ \\blacklozenge ⋮ \\vdots ⋯ \\cdots … \\ldots ⋱ \\ddots
⋰ \\iddots § \\S ¶ \\P £ \\pounds $ \\$ % \\% & \\&
# \\# _ \\_ @ @ ? ? ! ! ° ^{\\circ} ✓ \\checkmark ★ \\bigstar
ı \\imath ȷ \\jmath 𝚤 \\imath 𝚥 \\jmath ∁ \\complement
ð \\eth Ⅎ \\Finv ℧ \\mho ® \\circledR ◀ \\blacktriangleleft
▶ \\blacktriangleright ▲ \\blacktriangle ▼ \\blacktriangledown – -- — --- ‘ ` ’ ' “ `` ” '' € \\text{€} © \\copyright
"""
_BIG = """
∑ \\sum ∏ \\prod ⋃ \\bigcup ⋂ \\bigcap ⨁ \\bigoplus
⨂ \\bigotimes ⨀ \\bigodot ⋁ \\bigvee ⋀ \\bigwedge ⨄ \\biguplus
⨆ \\bigsqcup ⨅ \\bigsqcap
"""
_INTEGRALS = "∫ \\int ∬ \\iint ∭ \\iiint ⨌ \\iiiint ∮ \\oint ∯ \\oiint"
_OPENING = (
    "( ( [ [ { \\{ ⟨ \\langle 〈 \\langle "
    "⌊ \\lfloor ⌈ \\lceil ⟦ \\llbracket ⌜ \\ulcorner ⌞ \\llcorner ⟮ \\lgroup"
)
_CLOSING = (
    ") ) ] ] } \\} ⟩ \\rangle 〉 \\rangle "
    "⌋ \\rfloor ⌉ \\rceil ⟧ \\rrbracket ⌝ \\urcorner ⌟ \\lrcorner ⟯ \\rgroup"
)
_FENCES = "| | ‖ \\|"
_PUNCTUATION = ", , ; ; : : . ."
_ACCENTS = """
ˆ \\hat ˜ \\tilde ¯ \\bar ˇ \\check ˘ \\breve ˙ \\dot
¨ \\ddot ´ \\acute ` \\grave ˚ \\mathring ⃗ \\vec ^ \\hat ~ \\tilde
\u0302 \\hat \u0303 \\tilde \u0304 \\bar \u0305 \\bar
\u030c \\check \u0306 \\breve \u0307 \\dot \u0308 \\ddot \u0301 \\acute
\u0300 \\grave \u030a \\mathring \u20db \\dddot \u20d6 \\overleftarrow \u20e1 \\overleftrightarrow \u20d1 \\vec
"""
_PRIMES = "′ ' ″ '' ‴ ''' ⁗ '''' ‵ \\backprime"
_GREEK = """
Γ \\Gamma Δ \\Delta ∆ \\Delta Θ \\Theta ϴ \\Theta Λ \\Lambda
Ξ \\Xi Π \\Pi Σ \\Sigma Υ \\Upsilon ϒ \\Upsilon Φ \\Phi Ψ \\Psi
Ω \\Omega Ω \\Omega α \\alpha β \\beta γ \\gamma δ \\delta ε \\varepsilon ϵ \\epsilon ζ \\zeta η \\eta θ \\theta
ϑ \\vartheta ι \\iota κ \\kappa ϰ \\varkappa λ \\lambda μ \\mu µ \\mu ν \\nu ξ \\xi ο o π \\pi ϖ \\varpi ρ \\rho
ϱ \\varrho σ \\sigma ς \\varsigma τ \\tau υ \\upsilon φ \\varphi ϕ \\phi χ \\chi ψ \\psi ω \\omega ϝ \\digamma
Α A Β B Ε E Ζ Z Η H Ι I Κ K Μ M Ν N Ο O Ρ P Τ T Χ X
"""
_STYLES = (
    ("BOLD FRAKTUR", "\\mathfrak"),
    ("BLACK-LETTER", "\\mathfrak"),
    ("FRAKTUR", "\\mathfrak"),
    ("BOLD SCRIPT", "\\mathcal"),
    ("SCRIPT", "\\mathcal"),
    ("DOUBLE-STRUCK", "\\mathbb"),
    ("SANS-SERIF BOLD", "\\mathsf"),
    ("SANS-SERIF", "\\mathsf"),
    ("MONOSPACE", "\\mathtt"),
    ("BOLD ITALIC", "\\boldsymbol"),
    ("BOLD", "\\mathbf"),
    ("ITALIC", "math"),
    ("PLANCK", "math"),
)
"""What names of mathematical letters hold, and the alphabet; the longer first."""


def _table() -> dict[str, Sign]:
    found: dict[str, Sign] = {}
    kinds = (
        ("ord", _ORDINARY),
        ("bin", _BINARY),
        ("rel", _RELATIONS),
        ("big", _BIG),
        ("integral", _INTEGRALS),
        ("open", _OPENING),
        ("close", _CLOSING),
        ("fence", _FENCES),
        ("punct", _PUNCTUATION),
        ("accent", _ACCENTS),
        ("prime", _PRIMES),
        ("letter", _GREEK),
    )
    for kind, pairs in kinds:
        words = pairs.split()
        found |= {char: Sign(latex, kind) for char, latex in zip(words[::2], words[1::2], strict=True)}
    found["√"] = Sign("\\sqrt", "radical")
    # Characters that normalisation makes the ones in the table: ohm, increment, micro.
    found |= {"\u2126": found["\u03a9"], "\u2206": found["\u0394"], "\u00b5": found["\u03bc"]}
    return found


_SIGNS = _table()


def _plain(char: str) -> str:
    r"""The letter that a mathematical one is a style of; not a variant of it, as ``\\varphi`` is of ``\\phi``."""
    mark, *points = unicodedata.decomposition(char).split() or [""]
    return chr(int(points[0], 16)) if mark == "<font>" and len(points) == 1 else char


@lru_cache(maxsize=4096)
def sign(char: str) -> Sign:
    """The sign of a Unicode character."""
    if char in _SIGNS:
        return _SIGNS[char]
    if char.isascii() and char.isalnum():
        return Sign(char, "digit" if char.isdigit() else "letter")
    plain = _plain(char)
    if plain != char and (plain.isalnum() or plain in "∂∇"):
        name = unicodedata.name(char, "")
        style = next((command for words, command in _STYLES if words in name), "")
        inner = sign(plain)
        return Sign(inner.latex, inner.kind, style)
    if char.isalpha():
        return Sign(char, "letter")
    return Sign(char, "unknown")
