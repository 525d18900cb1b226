"""Export a trained decoder to the folder that Galley ships: ``nano.onnx`` (weights in float16),
configuration, tokenizer.

python -m galley.training.nano.export --run .build/nano/run --out .build/nano/export
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import CONFIG, GRAPH, TOKENIZER
from galley.targets.nano.reading import BINS, CHANNELS
from galley.training.nano.graph import Graph
from galley.training.nano.model import Nano

INPUTS = ["ids", "positions", "sees", "seen", "features", "boxes", "reads", "looks", "keys", "values"]
INPUTS += ["length", "wanted"]
OUTPUTS = ["logits", "new_keys", "new_values"]


def load_run(run: Path) -> Nano:
    """The decoder of a training run, in evaluation mode."""
    nano = Nano(NanoConfig.load(run / CONFIG))
    nano.load_state_dict(torch.load(run / "checkpoint.pt", weights_only=False)["model"])
    return nano.eval()


def export(nano: Nano, tokenizer: Path, out: Path) -> None:
    """Write the model's folder."""
    out.mkdir(parents=True, exist_ok=True)
    nano.eval()
    program = torch.onnx.export(
        Graph(nano).eval(),
        _example(nano.config),
        dynamo=True,
        input_names=INPUTS,
        output_names=OUTPUTS,
        dynamic_shapes=_shapes(),
        verbose=False,
    )
    assert program is not None
    model = halved(program.model_proto)
    onnx.checker.check_model(model)
    onnx.save(model, str(out / GRAPH))
    nano.config.save(out / CONFIG)
    shutil.copy(tokenizer, out / TOKENIZER)


def _example(config: NanoConfig) -> tuple[torch.Tensor, ...]:
    slots, past = 7, 11
    buffer = torch.zeros(config.layers, config.kv_heads, past, config.head_dim)
    return (
        torch.zeros(slots, dtype=torch.long),
        torch.arange(slots),
        torch.ones(slots, slots, dtype=torch.bool),
        torch.zeros(slots, dtype=torch.long),
        torch.zeros(slots, BINS * CHANNELS),
        torch.zeros(slots, 4),
        torch.ones(slots, dtype=torch.bool),
        torch.ones(slots, dtype=torch.bool),
        buffer,
        buffer.clone(),
        torch.tensor(3),
        torch.arange(2),
    )


def _shapes() -> tuple[dict[int, torch.export.Dim], ...]:
    slots, past, wanted = (torch.export.Dim(name) for name in ("slots", "capacity", "wanted"))
    per_slot, buffer = {0: slots}, {2: past}
    return per_slot, per_slot, {0: slots, 1: slots}, *[per_slot] * 5, buffer, buffer, {}, {0: wanted}


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """Large float weights stored as float16 behind a cast, which ONNX Runtime folds once when it loads the
    model: half the file, and computation in float32."""
    graph = model.graph
    kept, casts = [], []
    for initializer in graph.initializer:
        array = numpy_helper.to_array(initializer)
        if array.dtype == np.float32 and array.ndim >= 2:
            name = initializer.name
            kept.append(numpy_helper.from_array(array.astype(np.float16), name + ".half"))
            casts.append(helper.make_node("Cast", [name + ".half"], [name], to=TensorProto.FLOAT))
        else:
            kept.append(initializer)
    nodes = [*casts, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(kept)
    graph.node.extend(nodes)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True, help="folder of a training run")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    export(load_run(options.run), options.run / TOKENIZER, options.out)
    size = (options.out / GRAPH).stat().st_size / 1e6
    print(f"{options.out / GRAPH}: {size:.1f} MB")


if __name__ == "__main__":
    main()
