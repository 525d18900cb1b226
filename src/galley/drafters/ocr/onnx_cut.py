"""Cut a part out of a serialized ONNX model, at the level of the protobuf wire format.

ONNX Runtime can neither name an inner tensor as an output nor start from one, and the ``onnx`` package is too heavy a
dependency for that. A model is a tree of length-delimited fields; only a handful of field numbers matter here
(onnx.proto3: ``ModelProto.graph`` = 7; ``GraphProto`` node = 1, initializer = 5, input = 11, output = 12).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from galley.errors import ModelError

_GRAPH = 7
_NODE, _INITIALIZER, _INPUT, _OUTPUT = 1, 5, 11, 12
_NODE_INPUT, _NODE_OUTPUT = 1, 2
_INITIALIZER_NAME = 8
_FLOAT = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def cut(model: bytes, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
    """The part of ``model`` that computes ``outputs`` from ``inputs``, both names of float tensors in its graph.

    Shapes of the new inputs and outputs are left open. Raises ``ModelError`` if an output cannot be computed.
    """
    parts = []
    for number, wire, value in _fields(model):
        kept = _cut_graph(value, inputs, outputs) if number == _GRAPH else value
        parts.append(_field(number, wire, kept))
    return b"".join(parts)


def _cut_graph(graph: bytes, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
    fields = list(_fields(graph))
    nodes = [value for number, _, value in fields if number == _NODE]
    needed, used = _needed(nodes, inputs, outputs)
    parts = []
    for number, wire, value in fields:
        if number in (_INPUT, _OUTPUT):
            continue
        if number == _NODE and id(value) not in used:
            continue
        if number == _INITIALIZER and _names(value, _INITIALIZER_NAME)[0] not in needed:
            continue
        parts.append(_field(number, wire, value))
    parts += [_field(_INPUT, _BYTES, _value_info(name)) for name in inputs]
    parts += [_field(_OUTPUT, _BYTES, _value_info(name)) for name in outputs]
    return b"".join(parts)


def _needed(nodes: list[bytes], inputs: Sequence[str], outputs: Sequence[str]) -> tuple[set[str], set[int]]:
    """Names of all tensors the outputs depend on, and the ids of the nodes that make them."""
    producer = {name: node for node in nodes for name in _names(node, _NODE_OUTPUT)}
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
            todo += _names(node, _NODE_INPUT)
    return needed, used


def _names(message: bytes, field: int) -> list[str]:
    return [value.decode() for number, _, value in _fields(message) if number == field]


def _value_info(name: str) -> bytes:
    """``ValueInfoProto`` of a float tensor without a shape: name = 1, type = 2 → tensor_type = 1 → elem_type = 1."""
    tensor = _field(1, _VARINT, _varint(_FLOAT))
    return _field(1, _BYTES, name.encode()) + _field(2, _BYTES, _field(1, _BYTES, tensor))


def _fields(message: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Field number, wire type and payload (without tag and length) of each field."""
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        number, wire = tag >> 3, tag & 7
        start = at
        if wire == _BYTES:
            length, start = _read_varint(message, at)
            at = start + length
        elif wire == _VARINT:
            _, at = _read_varint(message, at)
        elif wire in (_FIXED64, _FIXED32):
            at += 8 if wire == _FIXED64 else 4
        else:
            raise ModelError("not an ONNX model")
        if at > len(message):
            raise ModelError("the ONNX model is truncated")
        yield number, wire, message[start:at]


def _field(number: int, wire: int, value: bytes) -> bytes:
    head = _varint(number << 3 | wire)
    return head + (_varint(len(value)) if wire == _BYTES else b"") + value


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(message):
            raise ModelError("the ONNX model is truncated")
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
