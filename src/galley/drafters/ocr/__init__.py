"""The OCR drafter: text detection, recognition and the engine that joins them."""
