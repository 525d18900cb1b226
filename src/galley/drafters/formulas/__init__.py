"""Printed formulas to LaTeX: ink to symbols, symbols to structure."""

from galley.drafters.formulas.reader import Formula, FormulaReader

__all__ = ["Formula", "FormulaReader"]
