"""The papers' speed protocol: what each way of decoding earns on this machine, as a ratio to autoregressive
decoding in the same run.
"""

from galley.evaluation.speed.bench import Settings, bench

__all__ = ["Settings", "bench"]
