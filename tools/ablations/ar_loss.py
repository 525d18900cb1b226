"""What is the causal loss good for? Joint training with weight 1 and with weight 0, all else the same.

python tools/ablations/ar_loss.py --data .build/nano --steps 300
"""

from __future__ import annotations

from training import arguments, study

VARIANTS = {
    "both losses (w = 1)": ["--schedule", "mixed", "--ar-weight", 1],
    "drafting loss alone (w = 0)": ["--schedule", "mixed", "--ar-weight", 0],
}


def main() -> None:
    study(arguments(__doc__, steps=300), VARIANTS)


if __name__ == "__main__":
    main()
