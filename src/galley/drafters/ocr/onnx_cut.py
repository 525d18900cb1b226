"""Cut a part out of a serialized ONNX model.

ONNX Runtime can neither name an inner tensor as an output nor start from one.
"""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.ocr import onnx_wire as wire
from galley.errors import ModelError


def cut(model: bytes, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
    """The part of ``model`` that computes ``outputs`` from ``inputs``, names of float tensors in its graph.

    Shapes of the new inputs and outputs are left open. Raises ``ModelError`` if an output cannot be computed.
    """
    parts = []
    for number, kind, value in wire.fields(model):
        kept = _cut_graph(value, inputs, outputs) if number == wire.MODEL_GRAPH else value
        parts.append(wire.field(number, kind, kept))
    return b"".join(parts)


def _cut_graph(graph: bytes, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
    fields = list(wire.fields(graph))
    nodes = [value for number, _, value in fields if number == wire.GRAPH_NODE]
    needed, used = _needed(nodes, inputs, outputs)
    parts = []
    for number, kind, value in fields:
        if number in (wire.GRAPH_INPUT, wire.GRAPH_OUTPUT):
            continue
        if number == wire.GRAPH_NODE and id(value) not in used:
            continue
        if number == wire.GRAPH_INITIALIZER and _names(value, wire.TENSOR_NAME)[0] not in needed:
            continue
        parts.append(wire.field(number, kind, value))
    parts += [wire.field(wire.GRAPH_INPUT, wire.BYTES, _value_info(name)) for name in inputs]
    parts += [wire.field(wire.GRAPH_OUTPUT, wire.BYTES, _value_info(name)) for name in outputs]
    return b"".join(parts)


def _needed(nodes: list[bytes], inputs: Sequence[str], outputs: Sequence[str]) -> tuple[set[str], set[int]]:
    """Names of all tensors the outputs depend on, and the ids of the nodes that make them."""
    producer = {name: node for node in nodes for name in _names(node, wire.NODE_OUTPUT)}
    if missing := [name for name in outputs if name not in producer]:
        raise ModelError(f"the model has no tensor {missing[0]}; it is not the version Galley knows")
    needed: set[str] = set(inputs)
    used: set[int] = set()
    todo = list(outputs)
    while todo:
        name = todo.pop()
        if name in needed:
            continue
        needed.add(name)
        if (node := producer.get(name)) is not None and id(node) not in used:
            used.add(id(node))
            todo += _names(node, wire.NODE_INPUT)
    return needed, used


def _names(message: bytes, field: int) -> list[str]:
    return [value.decode() for number, _, value in wire.fields(message) if number == field]


def _value_info(name: str) -> bytes:
    """``ValueInfoProto`` of a shapeless float tensor: name = 1, type = 2, its tensor_type = 1, elem_type = 1."""
    tensor = wire.field(1, wire.VARINT, wire.varint(wire.FLOAT))
    return wire.field(1, wire.BYTES, name.encode()) + wire.field(
        2, wire.BYTES, wire.field(1, wire.BYTES, tensor)
    )
