"""From a folder or a hub id to a target."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
)
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor

from galley.errors import ModelError
from galley.targets.profiles import Profile, profile_for
from galley.targets.transformers.mtp import MtpTransformersTarget
from galley.targets.transformers.mtp_head import read_mtp_head
from galley.targets.transformers.patches import replace_patch_convolutions
from galley.targets.transformers.selfspec import FILE, BlockDiffusionSettings, read_self_speculation
from galley.targets.transformers.target import TransformersTarget

_HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_PARTS = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja", "*.py"]
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def load_target(
    path_or_id: str | Path,
    device: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
) -> TransformersTarget:
    """Load a checkpoint as a target.

    Args:
        path_or_id: a local folder or a hub id.
        device: ``cpu``, ``cuda``, ``cuda:1``, …; None takes the first GPU if there is one, else the CPU.
        dtype: ``float32``, ``bfloat16`` or ``float16``; None takes float32 on the CPU, in which drafting is exact, and
            bfloat16 elsewhere.
        trust_remote_code: whether to run code that comes with the checkpoint.

    Raises:
        ModelError: the model is missing, unsuitable, or of a family that Galley does not know.
    """
    place = _device(device)
    kind = _dtype(dtype, place)
    folder = checkpoint_folder(path_or_id)
    profile = checkpoint_family(folder, trust_remote_code)
    # A family with its own code registers as a causal language model; Transformers' own classes take images.
    auto = AutoModelForCausalLM if profile.own_code else AutoModelForImageTextToText
    trust = trust_remote_code and profile.own_code
    transformers.utils.logging.disable_progress_bar()
    with _one_line(folder):
        processor = AutoProcessor.from_pretrained(folder, trust_remote_code=trust)
        model = auto.from_pretrained(folder, dtype=kind, attn_implementation="sdpa", trust_remote_code=trust)
    # Moved, never cast: a cast would round the rotary frequencies with the weights.
    torch.nn.Module.to(model, place).eval()
    replace_patch_convolutions(model)
    rows = next(model.get_input_embeddings().parameters()).shape[0]
    own = checkpoint_self_speculation(folder, processor.tokenizer, rows)
    head = read_mtp_head(folder, model, profile)
    if head is not None:
        return MtpTransformersTarget(model, processor, profile, own, head=head)
    return TransformersTarget(model, processor, profile, own)


def _device(device: str | None) -> torch.device:
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        place = torch.device(device)
    except RuntimeError as error:
        raise ModelError(f"there is no device {device!r}; use cpu, cuda or cuda:N") from error
    if place.type == "cuda" and not torch.cuda.is_available():
        raise ModelError("device cuda was asked for, but PyTorch sees no GPU; use --device cpu")
    return place


def _dtype(dtype: str | None, device: torch.device) -> torch.dtype:
    if dtype is None:
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    if dtype not in _DTYPES:
        raise ModelError(f"there is no dtype {dtype!r}; use {', '.join(_DTYPES)}")
    return _DTYPES[dtype]


def checkpoint_folder(path_or_id: str | Path) -> Path:
    """The checkpoint's folder: local, or the hub's snapshot in the local cache, fetched where it is missing.

    Raises:
        ModelError: there is none.
    """
    path = Path(path_or_id).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(f"{path} holds no config.json; give the folder of a Hugging Face checkpoint")
        return path
    if path.exists() or not _HUB_ID.fullmatch(str(path_or_id)):
        raise ModelError(
            f"there is no model at {path_or_id}; give a checkpoint's folder or a hub id like owner/name"
        )
    try:
        return Path(snapshot_download(str(path_or_id), allow_patterns=_PARTS))
    except (RepositoryNotFoundError, GatedRepoError, HFValidationError) as error:
        raise ModelError(
            f"the hub has no open model {path_or_id}; check the name, or log in if it is private"
        ) from error
    except (OSError, HfHubHTTPError) as error:
        raise ModelError(
            f"{path_or_id} is not in the local cache and the hub cannot be reached; check the network, "
            "or give a local folder"
        ) from error


def checkpoint_family(folder: Path, trust_remote_code: bool = False) -> Profile:
    """The profile of a checkpoint's family.

    Args:
        folder: the checkpoint's.
        trust_remote_code: whether code that comes with the checkpoint may be run.

    Raises:
        ModelError: Galley does not know the family, or may not run its code.
    """
    with _one_line(folder):
        settings = transformers.PreTrainedConfig.get_config_dict(folder)[0]
    profile = profile_for(str(settings.get("model_type", "")))
    if profile.own_code and not trust_remote_code:
        raise ModelError(
            f"{profile.name} runs code that comes with it; allow that explicitly if you trust {folder}"
        )
    if not profile.own_code and settings["model_type"] not in transformers.CONFIG_MAPPING:
        raise ModelError(
            f"transformers {transformers.__version__} does not know {profile.name}; upgrade transformers"
        )
    return profile


@contextmanager
def _one_line(folder: Path) -> Iterator[None]:
    """Turn Transformers' many-line complaints into one, and keep its reports off the terminal."""
    log = transformers.utils.logging
    before = log.get_verbosity()
    log.set_verbosity_error()
    try:
        yield
    except (OSError, ValueError, ImportError, KeyError, RuntimeError, SafetensorError) as error:
        reason = textwrap.shorten(str(error), 600, placeholder=" …") or type(error).__name__
        raise ModelError(f"the model in {folder} cannot be loaded: {reason}") from error
    finally:
        log.set_verbosity(before)


def checkpoint_self_speculation(folder: Path, tokenizer: Any, rows: int) -> BlockDiffusionSettings | None:
    """How a checkpoint drafts for itself; None when it does not.

    Args:
        folder: the checkpoint's.
        tokenizer: the checkpoint's.
        rows: number of rows of its embedding.
    """
    path = folder / FILE
    return read_self_speculation(path, tokenizer, rows) if path.is_file() else None
