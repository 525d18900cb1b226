"""How to mask: schedules with blocks of 32, and blocks of 16.

    python tools/ablations/schedule.py --data .build/nano --steps 300

All runs take as many slots per step. All-mask spends two streams on a document instead of three, mixed two on half of
them, and so they see more documents.
"""

from __future__ import annotations

from training import arguments, study

VARIANTS = {
    "uniform, block 32": ["--schedule", "uniform"],
    "cosine, block 32": ["--schedule", "cosine"],
    "all-mask, block 32": ["--schedule", "all-mask"],
    "mixed, block 32": ["--schedule", "mixed"],
    "all-mask, block 16": ["--schedule", "all-mask", "--block", 16],
}


def main() -> None:
    study(arguments(__doc__, steps=300), VARIANTS)


if __name__ == "__main__":
    main()
