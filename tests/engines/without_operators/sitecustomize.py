"""On ``PYTHONPATH`` where torchvision was built for another torch, so that its compiled operators do not load.

Its Python half asks for two of them at import, and no model here ever calls them: they are declared without
a body. Found by every process of an engine.
"""

import sys
from types import ModuleType


class _Declaring:
    """Declares the operators right before torchvision is imported."""

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> None:
        if name != "torchvision":
            return
        sys.meta_path.remove(self)
        import torch

        library = torch.library.Library("torchvision", "FRAGMENT")
        for operator in ("nms", "qnms"):
            library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _kept.append(library)


_kept: list = []
sys.meta_path.insert(0, _Declaring())
