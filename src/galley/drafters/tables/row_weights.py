"""Weights of the row model, one for each fact of ``rows.pair_facts``; written by a fitting tool."""

BIAS = 1.562
WEIGHTS = (
    0.591,
    0.441,
    0.188,
    0.008,
    0.395,
    0.020,
    0.605,
    -0.032,
    0.634,
    -1.549,
    -1.212,
    0.191,
    -0.158,
    0.383,
    0.237,
    -0.005,
    0.598,
    3.319,
    -2.585,
    2.749,
)
