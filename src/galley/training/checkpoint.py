"""Reading a training run's checkpoint."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import torch

from galley.errors import ModelError, one_line


def read_checkpoint(path: Path) -> dict[str, Any]:
    """All state of a run, on the CPU. It may hold any Python object: read only checkpoints of your own.

    Raises:
        ModelError: For what is missing or no whole checkpoint.
    """
    if not path.is_file():
        raise ModelError(f"{path} is missing: name the folder of a training run")
    try:
        state = torch.load(path, map_location="cpu", weights_only=False)
    except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        raise ModelError(f"{path} is no whole checkpoint ({one_line(error)}); copy it again") from error
    if not isinstance(state, dict) or "model" not in state:
        raise ModelError(f"{path} is no checkpoint of a training run")
    return state
