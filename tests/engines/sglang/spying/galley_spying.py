"""A plugin of SGLang's that writes down what drafting windows predict, one JSON list a line.

Found on ``PYTHONPATH`` by the engine's processes, which no test can reach into.
"""

import json
import os
from pathlib import Path
from typing import Any

from galley.engines.chain import ChainDrafter


def register() -> None:
    log, take = Path(os.environ["GALLEY_SPYING"]), ChainDrafter.take

    def spied(self: ChainDrafter, predicted: Any) -> None:
        assert self.window is not None
        with log.open("a") as lines:
            print(
                json.dumps([list(self._committed), self.window.tokens.tolist(), predicted.tolist()]),
                file=lines,
            )
        take(self, predicted)

    ChainDrafter.take = spied  # type: ignore[method-assign]
