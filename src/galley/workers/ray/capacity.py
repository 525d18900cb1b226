"""How many workers a cluster has room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from galley.errors import GalleyError
from galley.parsing.options import ParseOptions


@dataclass(frozen=True)
class Capacity:
    """How many workers read pages, and what each takes of the cluster."""

    workers: int
    cpus: int = 1
    gpus: int = 0

    @property
    def threads(self) -> int | None:
        """Threads for a worker's models; beside a GPU, as many as there are."""
        return None if self.gpus else self.cpus


def plan_workers(nodes: Sequence[Mapping[str, float]], options: ParseOptions, jobs: int | None) -> Capacity:
    """Choose how many workers a cluster runs.

    A model takes memory in each worker, so with one it is one worker per GPU, where there are GPUs, else one per node
    that uses all of its cores.

    Args:
        nodes: The resources ``CPU`` and ``GPU`` of each node.
        options: How to parse; says whether there is a model.
        jobs: How many workers; 0 or None: one per core without a model.
    """
    cpus = [int(node["CPU"]) for node in nodes if node.get("CPU", 0) >= 1]
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    if not cpus:
        raise GalleyError("the Ray cluster has no CPUs for workers")
    if options.model is None:
        return Capacity(jobs or sum(cpus))
    if gpus and options.device != "cpu":
        return Capacity(jobs or gpus, gpus=1)
    workers = jobs or len(cpus)
    return Capacity(workers, cpus=max(1, min(min(cpus), sum(cpus) // workers)))
