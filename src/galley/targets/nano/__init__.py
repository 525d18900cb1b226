"""``galley-nano``: the small drafter-verifier that ships with Galley. It reads what the OCR encoder saw,
offline, on a CPU."""
