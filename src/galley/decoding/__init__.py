"""The decoding core: draft, verify, commit. Token ids and numpy only."""

from galley.decoding.target import Handle, MtpTarget, Need, Scores, Target
from galley.decoding.window import Window

__all__ = ["Handle", "MtpTarget", "Need", "Scores", "Target", "Window"]
