"""Mathematics of born-digital pages to LaTeX: symbols from the glyphs, structure from their places."""

from galley.drafters.glyph_formulas.read import GlyphFormula, read_chosen, read_formula

__all__ = ["GlyphFormula", "read_chosen", "read_formula"]
