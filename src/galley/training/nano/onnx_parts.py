"""Parts of the exported graphs: a builder of ONNX nodes, and matrix products in integers.

Integers make drafting exact: their sums do not depend on the order in which they are taken, so a slot's numbers
are the same bit for bit whatever else is in its window. Weights have seven bits and their own step per output,
activations eight. AVX2 without VNNI adds pairs of products in sixteen bits, saturating: 2 · 255 · 63 fits,
eight-bit weights would not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import ArrayLike, NDArray
from onnx import helper, numpy_helper
from torch import Tensor

FUSED = "com.microsoft"
"""ONNX Runtime's own operators."""
OPSET = 18
WEIGHT_MOST, ACTIVATION_MOST = 63, 127
ZERO = np.uint8(128)
"""What 0 is in quantised activations."""

_TINY = 1e-12


class Builder:
    """Nodes and constants of a graph; values go by name."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], onnx.TensorProto] = {}

    def constant(self, value: NDArray[Any] | np.generic) -> str:
        """Name of a constant; equal ones are stored once."""
        array = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = numpy_helper.from_array(array, f"constant_{len(self._constants)}")
        return self._constants[key].name

    def op(
        self, kind: str, *inputs: str | NDArray[Any] | np.generic, domain: str = "", **attributes: Any
    ) -> str:
        """A node with one output; inputs are names, or arrays taken as constants."""
        return self.ops(1, kind, *inputs, domain=domain, **attributes)[0]

    def ops(
        self,
        outputs: int,
        kind: str,
        *inputs: str | NDArray[Any] | np.generic,
        domain: str = "",
        **attributes: Any,
    ) -> list[str]:
        """A node with several outputs."""
        names = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        made = [f"{kind}_{len(self._nodes)}_{number}" for number in range(outputs)]
        self._nodes.append(helper.make_node(kind, names, made, domain=domain, **attributes))
        return made

    def reshape(self, value: str, *shape: int) -> str:
        """0 keeps a dimension, -1 takes what is left."""
        return self.op("Reshape", value, ints(*shape))

    def quantised(self, value: str) -> str:
        """Activations given in steps, rounded and cut to ±127."""
        return self.op("QuantizeLinear", value, floats(1), ZERO)

    def quantised_rows(self, value: str) -> tuple[str, str]:
        """Rows (n, width) each in its own step, and the steps (n, 1)."""
        most = self.op("ReduceMax", self.op("Abs", value), ints(-1), keepdims=0)
        step = self.op("Add", self.op("Mul", most, floats(1 / ACTIVATION_MOST)), floats(_TINY))
        zeros = self.op("Expand", np.full(1, ZERO), self.op("Shape", step))
        return self.op("QuantizeLinear", value, step, zeros, axis=0), self.op("Unsqueeze", step, ints(1))

    def product(
        self, left: str, right: str | NDArray[np.int8], scale: ArrayLike, zero: np.uint8 = ZERO
    ) -> str:
        """Quantised (…, n, k) times (…, k, m) int8, in integers; each column's sums times its scale."""
        return self.op("MatMulIntegerToFloat", left, right, floats(1), floats(scale), zero, domain=FUSED)

    def linear(self, value: str, weight: Tensor, step: float = 1.0) -> str:
        """Quantised (n, k) through a weight (m, k); ``step`` is that of the activations."""
        small, scale = quantise(weight)
        return self.product(value, small.T, scale * step)

    def model(
        self, inputs: Mapping[str, tuple[int, Sequence[int | str]]], outputs: Mapping[str, tuple[str, int]]
    ) -> onnx.ModelProto:
        """The graph as a model.

        Args:
            inputs: Type and shape by name.
            outputs: Value and type by the name it gets.
        """
        for name, (value, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value], [name]))
        graph = helper.make_graph(
            self._nodes,
            "galley-nano",
            [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()],
            [helper.make_tensor_value_info(name, kind, None) for name, (_, kind) in outputs.items()],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def quantise(weight: Tensor) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A weight (m, k) as integers of seven bits and the step of each row (m,)."""
    array = weight.detach().double().numpy()
    step = np.maximum(np.abs(array).max(axis=1) / WEIGHT_MOST, _TINY)
    return np.rint(array / step[:, None]).astype(np.int8), step.astype(np.float32)


def ints(*values: int) -> NDArray[np.int64]:
    """An int64 array."""
    return np.array(values, np.int64)


def floats(values: ArrayLike) -> NDArray[np.float32]:
    """A float32 array."""
    return np.asarray(values, np.float32)
