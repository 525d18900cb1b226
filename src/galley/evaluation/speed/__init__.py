"""The papers' speed protocol: what each way of decoding gains on this machine.

Gains are ratios to autoregressive decoding in the same run.
"""

from galley.evaluation.speed.bench import Settings, bench

__all__ = ["Settings", "bench"]
