"""On ``PYTHONPATH`` where SGLang's compiled kernels are not installed; they come for GPUs and for CPUs with AMX.

What attention in plain torch needs of them, in plain torch. Anything else is named when it is called.
"""

from typing import Any, NoReturn

import torch

__version__ = "0.4.10"


def assign_req_to_token_pool_cpu(
    pools: torch.Tensor,
    table: torch.Tensor,
    starts: torch.Tensor,
    ends: torch.Tensor,
    slots: torch.Tensor,
    *_: Any,
) -> None:
    """Write each request's new cache slots, which follow one another in ``slots``, into its row of the table."""
    spans = list(zip(pools.tolist(), starts.tolist(), ends.tolist(), strict=False))
    parts = slots.to(table.dtype).split([end - start for _, start, end in spans])
    for (pool, start, end), part in zip(spans, parts, strict=True):
        table[pool, start:end] = part


def copy_all_layer_kv_cache_cpu(*_: Any) -> None:
    """Called once to warm up, with nothing to copy."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(f"sgl_kernel.{name} has no stand-in here")

    return missing
