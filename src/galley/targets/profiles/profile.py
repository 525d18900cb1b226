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

    Attributes:
        name: as users say it.
        model_types: ``model_type`` of its ``config.json``.
        prompts: the words of each task it was trained for; it cannot do a missing task.
        tables: the markup of its tables, in pages too. Pages are Markdown, formulas LaTeX.
        stop: stop tokens besides those of the checkpoint's generation config.
        longest_side: pixels to which a larger image is shrunk before the processor sees it; None for no limit but the
            processor's own.
        batch_prefill: whether several prompts may be read in one forward. False where the positions of a row depend on
            its neighbours.
        own_code: whether the family runs code that comes with the checkpoint, which needs the user's consent.
        also: other names of checkpoints of the family, as users say them.
        mtp_tensors: how the names of the tensors of its multi-token-prediction head begin, with ``{layers}`` for the
            number of decoder layers; None for a family without such a head. The head has the parts that
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
        """The prompt of a task.

        Args:
            image: (height, width, 3) uint8 RGB.
            task: what to read.

        Raises:
            ModelError: the family was not trained for the task.
        """
        if task not in self.prompts:
            able = ", ".join(known.value for known in self.prompts)
            raise ModelError(f"{self.name} cannot read a {task.value}; it reads {able}")
        return Prompt(image, self.prompts[task], task)
