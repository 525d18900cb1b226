"""Just enough of the protobuf wire format to edit serialized ONNX models without the ``onnx`` package.

A message is a run of fields: a tag (field number and wire type), for byte fields a length, and the payload, which
may be a message again. ONNX's field numbers are those of its ``onnx.proto``.

The models come with the wheel of ``rapidocr`` and are edited when they are loaded. Shipping edited copies would double
the download, and ``onnx`` with its protobuf would be one more compiled package for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator

from galley.errors import ModelError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MODEL_GRAPH = 7
GRAPH_NODE, GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_OUTPUT = 1, 5, 11, 12
NODE_INPUT, NODE_OUTPUT = 1, 2
TENSOR_TYPE, TENSOR_NAME, TENSOR_RAW = 2, 8, 9
FLOAT = 1
"""``TensorProto.DataType`` of float32."""


def fields(message: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Field number, wire type and payload (without tag and length) of each field."""
    at = 0
    while at < len(message):
        tag, at = _read(message, at)
        number, wire = tag >> 3, tag & 7
        start = at
        if wire == BYTES:
            length, start = _read(message, at)
            at = start + length
        elif wire == VARINT:
            _, at = _read(message, at)
        elif wire in (FIXED64, FIXED32):
            at += 8 if wire == FIXED64 else 4
        else:
            raise ModelError("not an ONNX model")
        if at > len(message):
            raise ModelError("the ONNX model is truncated")
        yield number, wire, message[start:at]


def field(number: int, wire: int, value: bytes) -> bytes:
    """A field of a message: its key, and its value with its length where that is needed."""
    head = varint(number << 3 | wire)
    return head + (varint(len(value)) if wire == BYTES else b"") + value


def _read(message: bytes, at: int) -> tuple[int, int]:
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


def varint(value: int) -> bytes:
    """A number in base 128, the least significant seven bits first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
