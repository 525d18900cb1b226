"""The OCR drafter: text detection, recognition and the engine that joins them."""

from galley.drafters.ocr.engine import OcrEngine

__all__ = ["OcrEngine"]
