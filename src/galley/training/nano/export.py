"""Export a trained decoder to the folder that Galley ships.

It holds ``decoder.onnx`` and ``encoder.onnx`` (weights of seven bits), configuration and tokenizer.

python -m galley.training.nano.export --run .build/nano/run --out .build/nano/export

Of several runs with the same start the mean of their weights is exported, which often reads better than either
(Wortsman et al. 2022, model soups). The exported model that they began with (``--from``) can be one of them.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import onnx
import torch

from galley.errors import ModelError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import CONFIG, DECODER, ENCODER, TOKENIZER
from galley.training.checkpoint import read_checkpoint
from galley.training.nano.imported import import_model
from galley.training.nano.model import Nano
from galley.training.nano.onnx_decoder import decoder_graph
from galley.training.nano.onnx_encoder import encoder_graph


def load_run(run: Path) -> Nano:
    """The decoder of a training run, or of an exported model, in evaluation mode.

    Raises:
        ModelError: There is none.
    """
    if (run / DECODER).is_file():
        return import_model(run).eval()
    nano = Nano(NanoConfig.load(run / CONFIG))
    nano.load_state_dict(read_checkpoint(run / "checkpoint.pt")["model"])
    return nano.eval()


def mean_of(runs: Sequence[Path]) -> Nano:
    """A decoder with the mean of the runs' weights.

    Raises:
        ModelError: For runs of different shapes.
    """
    decoders = [load_run(run) for run in runs]
    nano = decoders[0]
    if any(_shape(other.config) != _shape(nano.config) for other in decoders):
        raise ModelError("only runs of one shape have a mean; their config.json differ")
    states = [decoder.state_dict() for decoder in decoders]
    nano.load_state_dict({name: torch.stack([one[name] for one in states]).mean(0) for name in states[0]})
    return nano


def _shape(config: NanoConfig) -> NanoConfig:
    """Without what says how a model is used."""
    return replace(config, reach=0, least_odds=0.0)


def export(nano: Nano, tokenizer: Path, out: Path) -> None:
    """Write the model's folder."""
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(decoder_graph(nano), str(out / DECODER))
    onnx.save(encoder_graph(nano), str(out / ENCODER))
    nano.config.save(out / CONFIG)
    shutil.copy(tokenizer, out / TOKENIZER)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--run",
        type=Path,
        required=True,
        nargs="+",
        help="folder of a training run or an exported model, or several",
    )
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    export(mean_of(options.run), options.run[0] / TOKENIZER, options.out)
    size = sum((options.out / name).stat().st_size for name in (DECODER, ENCODER)) / 1e6
    print(f"{options.out}: {size:.1f} MB")


if __name__ == "__main__":
    main()
