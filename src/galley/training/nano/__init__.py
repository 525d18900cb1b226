"""Data, model training and export of the embedded model, ``galley-nano``."""
