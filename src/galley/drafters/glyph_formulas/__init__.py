"""Mathematics of born-digital pages to LaTeX: symbols from the glyphs, structure from their places."""

from galley.drafters.glyph_formulas.inline import InlineFormula, inline_formulas
from galley.drafters.glyph_formulas.read import GlyphFormula, read_chosen, read_formula

__all__ = ["GlyphFormula", "InlineFormula", "inline_formulas", "read_chosen", "read_formula"]
