"""The decoding core: draft, verify, commit. Token ids and numpy only."""

from galley.decoding.accept import Acceptance, Exact, Sampling, Threshold
from galley.decoding.budget import ForwardCosts
from galley.decoding.diffusion import diffuse
from galley.decoding.drafters import (
    DRAFTERS,
    Auto,
    Autoregressive,
    Drafter,
    DrafterConfig,
    DraftMatching,
    DraftModel,
    DraftWindow,
    Mtp,
    PromptLookup,
    SelfSpeculation,
)
from galley.decoding.engine import Decoder
from galley.decoding.guard import Loop, LoopGuard
from galley.decoding.matching import MatchLimits
from galley.decoding.pool import DraftPool, TokenKey
from galley.decoding.request import Finish, Request, Result
from galley.decoding.stats import Committed, Stats
from galley.decoding.target import Handle, HiddenStates, MtpTarget, ScoreDetail, Scores, Target
from galley.decoding.tree import Source
from galley.decoding.window import Window

__all__ = [
    "DRAFTERS",
    "Acceptance",
    "Auto",
    "Autoregressive",
    "Committed",
    "Decoder",
    "DraftMatching",
    "DraftModel",
    "DraftPool",
    "DraftWindow",
    "Drafter",
    "DrafterConfig",
    "Exact",
    "Finish",
    "ForwardCosts",
    "Handle",
    "HiddenStates",
    "Loop",
    "LoopGuard",
    "MatchLimits",
    "Mtp",
    "MtpTarget",
    "PromptLookup",
    "Request",
    "Result",
    "Sampling",
    "ScoreDetail",
    "Scores",
    "SelfSpeculation",
    "Source",
    "Stats",
    "Target",
    "Threshold",
    "TokenKey",
    "Window",
    "diffuse",
]
