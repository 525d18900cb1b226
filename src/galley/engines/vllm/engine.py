"""One vLLM engine in this process, shared by any number of decoders."""

from __future__ import annotations

import os
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

from galley.engines.vllm.plugin import DRAFTER, register

Inbox = deque[Any]
"""Where the outputs of a caller's requests arrive."""


@dataclass(frozen=True)
class EngineSettings:
    """What an engine is built for.

    Attributes:
        batch: Sequences at a time.
        tokens: The longest prompt and output together; None takes what the model and the memory allow.
        dtype: None for float32 on a CPU, in which drafting is exact, and what the checkpoint says elsewhere.
        cache_bytes: Memory for keys and values; None takes 4 GiB on a CPU and what vLLM finds free on a GPU.
        eager: Run the model as it is, neither compiled nor captured as CUDA graphs; None does so on a CPU,
            where starting fast is worth more.
    """

    batch: int = 16
    tokens: int | None = None
    dtype: str | None = None
    cache_bytes: int | None = None
    eager: bool | None = None
    trust_remote_code: bool = False


class SharedEngine:
    """Steps of the engine are taken by whoever needs one; outputs go to whom they belong.

    Engine and callers share a process, so that drafts may grow while they are matched and each request's
    ``ChainDrafter`` says which draft gave which token.
    """

    def __init__(self, model: str, settings: EngineSettings, longest: int) -> None:
        """longest: the most tokens drafted at a time."""
        self._engine = _build(model, settings, longest)
        self._lock = threading.Lock()
        self._inboxes: dict[str, Inbox] = {}
        self._count = 0

    def add(self, prompt: Any, params: Any, inbox: Inbox) -> str:
        """Queue a request; returns its id.

        Raises:
            ValueError: For a prompt the model cannot take.
        """
        with self._lock:
            self._count += 1
            name = f"galley-{self._count}"
            self._engine.add_request(name, prompt, params)
            self._inboxes[name] = inbox
            return name

    def abort(self, names: list[str]) -> None:
        """End requests; nothing more of them arrives."""
        with self._lock:
            for name in names:
                self._inboxes.pop(name, None)
            self._engine.abort_request(names)

    def step(self) -> None:
        """One step of all running requests."""
        with self._lock:
            if not self._engine.has_unfinished_requests():
                return
            for output in self._engine.step():
                inbox = self._inboxes.get(output.request_id)
                if inbox is not None:
                    inbox.append(output)
                if output.finished:
                    self._inboxes.pop(output.request_id, None)


def _build(model: str, settings: EngineSettings, longest: int) -> Any:
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")  # Galley reports to nobody
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")  # standard output is for documents
    from vllm.config.logging import LoggingConfig
    from vllm.engine.arg_utils import EngineArgs
    from vllm.platforms import current_platform
    from vllm.v1.engine.llm_engine import LLMEngine
    from vllm.v1.executor.uniproc_executor import UniProcExecutor

    register()
    on_cpu = current_platform.is_cpu()
    arguments = EngineArgs(
        model=model,
        dtype=settings.dtype or ("float32" if on_cpu else "auto"),
        max_model_len=settings.tokens or -1,
        max_num_seqs=settings.batch,
        kv_cache_memory_bytes=settings.cache_bytes or (4 * 2**30 if on_cpu else None),
        enforce_eager=on_cpu if settings.eager is None else settings.eager,
        limit_mm_per_prompt={"image": 1, "video": 0},
        trust_remote_code=settings.trust_remote_code,
        speculative_config={
            "method": "custom_class",
            "model": DRAFTER,
            "num_speculative_tokens": longest,
        },
        distributed_executor_backend=UniProcExecutor,
        logging_config=LoggingConfig(log_level="ERROR"),
        use_tqdm_on_load=False,
    )
    return LLMEngine(arguments.create_engine_config(), UniProcExecutor, log_stats=False)
