"""The decoding core: draft, verify, commit. Token ids and numpy only."""

from galley.decoding.accept import Acceptance, Exact, Sampling, Threshold
from galley.decoding.auto import Auto
from galley.decoding.budget import Costs
from galley.decoding.diffusion import diffuse
from galley.decoding.engine import Decoder
from galley.decoding.guard import Loop, LoopGuard
from galley.decoding.matching import MatchLimits
from galley.decoding.pool import DraftPool, TokenKey
from galley.decoding.proposers import BlockDiffusion, Match, Mtp, Plain, PromptLookup
from galley.decoding.request import Finish, Request, Result
from galley.decoding.stats import Committed, Stats
from galley.decoding.target import Handle, MtpTarget, Need, Scores, Target
from galley.decoding.tree import Source
from galley.decoding.window import Window

__all__ = [
    "Acceptance",
    "Auto",
    "BlockDiffusion",
    "Committed",
    "Costs",
    "Decoder",
    "DraftPool",
    "Exact",
    "Finish",
    "Handle",
    "Loop",
    "LoopGuard",
    "Match",
    "MatchLimits",
    "Mtp",
    "MtpTarget",
    "Need",
    "Plain",
    "PromptLookup",
    "Request",
    "Result",
    "Sampling",
    "Scores",
    "Source",
    "Stats",
    "Target",
    "Threshold",
    "TokenKey",
    "Window",
    "diffuse",
]
