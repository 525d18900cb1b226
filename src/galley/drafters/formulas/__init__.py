"""Printed formulas to LaTeX: ink to symbols, symbols to structure."""

from galley.drafters.formulas.formula_reader import Formula, FormulaReader

__all__ = ["Formula", "FormulaReader"]
