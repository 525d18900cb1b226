import numpy as np
import pytest

from galley.drafters.ocr.onnx_cut import cut
from galley.drafters.ocr.onnx_denormals import flush_denormals
from galley.errors import ModelError
from galley.runtime import package_file, session

onnx = pytest.importorskip("onnx")
helper, numpy_helper, TensorProto = onnx.helper, onnx.numpy_helper, onnx.TensorProto


def chain_model(weights: np.ndarray) -> bytes:
    """x → Relu → hidden → MatMul(weights) → scaled → Add(1) → y"""
    nodes = [
        helper.make_node("Relu", ["x"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "weights"], ["scaled"]),
        helper.make_node("Add", ["scaled", "one"], ["y"]),
    ]
    constants = [
        numpy_helper.from_array(weights.astype(np.float32), "weights"),
        numpy_helper.from_array(np.ones(1, np.float32), "one"),
        numpy_helper.from_array(np.array([7], np.int64), "unused"),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, 3]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "chain", values[:1], values[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"character": "a\nb"})
    return model.SerializeToString()


def run(model: bytes, **inputs: np.ndarray) -> list[np.ndarray]:
    return session(model).run(None, inputs)


def test_cut_parts_compose_to_the_whole():
    rng = np.random.default_rng(0)
    model = chain_model(rng.normal(size=(3, 3)))
    x = rng.normal(size=(4, 3)).astype(np.float32)
    front, back = cut(model, ["x"], ["hidden"]), cut(model, ["hidden"], ["y"])
    (hidden,) = run(front, x=x)
    np.testing.assert_array_equal(hidden, np.maximum(x, 0))
    np.testing.assert_array_equal(run(back, hidden=hidden)[0], run(model, x=x)[0])


def test_cut_drops_what_it_does_not_need_and_keeps_metadata():
    front = onnx.load_model_from_string(cut(chain_model(np.eye(3)), ["x"], ["hidden"]))
    assert [node.op_type for node in front.graph.node] == ["Relu"]
    assert not front.graph.initializer
    assert front.metadata_props[0].value == "a\nb"


def test_cut_names_a_missing_tensor():
    with pytest.raises(ModelError, match="nowhere"):
        cut(chain_model(np.eye(3)), ["x"], ["nowhere"])


@pytest.mark.parametrize("size", [1, 50, -1])
def test_a_broken_file_is_said_to_be_broken(size):
    with pytest.raises(ModelError):
        cut(b"\xff" * 4 if size == 1 else chain_model(np.eye(3))[:size], ["x"], ["hidden"])


def test_denormal_weights_become_zero_and_others_stay():
    weights = np.array([[1e-40, 1, 0], [-2e-39, 1e-30, 0], [0, 0, 3]], np.float32)
    flushed = onnx.load_model_from_string(flush_denormals(chain_model(weights)))
    kept = {tensor.name: numpy_helper.to_array(tensor) for tensor in flushed.graph.initializer}
    np.testing.assert_array_equal(kept["weights"], [[0, 1, 0], [0, np.float32(1e-30), 0], [0, 0, 3]])
    np.testing.assert_array_equal(kept["unused"], [7])


def test_recogniser_cut_equals_the_stock_graph():
    path = package_file("rapidocr", "models/PP-OCRv6_rec_small.onnx")
    model = flush_denormals(path.read_bytes())
    x = np.random.default_rng(1).uniform(-1, 1, (1, 3, 48, 64)).astype(np.float32)
    (features,) = run(cut(model, ["x"], ["p2o.pd_op.transpose.8.0"]), x=x)
    assert features.shape == (1, 8, 120)
    (logits,) = run(
        cut(model, ["p2o.pd_op.transpose.8.0"], ["Add.209"]), **{"p2o.pd_op.transpose.8.0": features}
    )
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    (stock,) = session(path).run(None, {"x": x})
    np.testing.assert_allclose(odds / odds.sum(axis=-1, keepdims=True), stock, atol=1e-5)
