"""Ocean-OCR-Bench (Chen et al. 2025): page pictures in English and Chinese and their text."""
