"""What Galley must know about a model family that its checkpoint does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from galley.errors import ModelError
from galley.targets.prompt import Prompt, TableFormat, Task


@dataclass(frozen=True)
class Profile:
    """A family of checkpoints.

    name: as users say it. model_types: ``model_type`` of its ``config.json``.
    prompts: the words of each task it was trained for; a missing task is one it cannot do.
    tables: the markup of its tables, in pages too. Pages are Markdown, formulas LaTeX.
    stop: stop tokens besides the checkpoint's own generation config.
    longest_side: pixels; a larger image is shrunk to it before the processor sees it. None: no limit but the
        processor's own.
    batch_prefill: whether several prompts may be read in one forward; not where a row's positions depend
        on its
        neighbours.
    own_code: the family runs code shipped with the checkpoint, only with the user's consent.
    also: other names of checkpoints of the family, as users say them.
    mtp_tensors: how the names of its multi-token-prediction head begin in a checkpoint, ``{layers}`` standing for
        the number of decoder layers; None for a family without such a head. The head has the parts that
        ``targets.transformers.mtp_head`` names.
    """

    name: str
    model_types: frozenset[str]
    prompts: Mapping[Task, str]
    tables: TableFormat = TableFormat.HTML
    stop: tuple[str, ...] = ()
    longest_side: int | None = None
    batch_prefill: bool = True
    own_code: bool = False
    also: tuple[str, ...] = ()
    mtp_tensors: str | None = None

    def prompt(self, image: NDArray[np.uint8], task: Task) -> Prompt:
        """The prompt of a task; ``ModelError`` for one the family was not trained for."""
        if task not in self.prompts:
            able = ", ".join(known.value for known in self.prompts)
            raise ModelError(f"{self.name} cannot read a {task.value}; it reads {able}")
        return Prompt(image, self.prompts[task], task)
