"""Train the byte-level BPE of the embedded model on prose, records, HTML tables and LaTeX.

python tools/data/train_tokenizer.py --corpus FOLDER --out .build/nano/tokenizer.json
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from texts import Texts
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from galley.targets.nano.tokens import CONTROL, MARKUP

WORDS = r" ?\\\p{L}+| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}\\]+| ?\\|\s+(?!\S)|\s+"
"""A TeX command, a word, one digit (so that figures are compared digit by digit), or a run of signs."""


def examples(corpus: Path, count: int) -> Iterator[str]:
    texts = Texts(corpus, held_out=False)
    texts.seed(7)
    for sample in islice(texts, count):
        yield from sample.lines or (cell.text for cell in sample.cells)
    with gzip.open(corpus / "formulas.jsonl.gz", "rt", encoding="utf-8") as rows:
        formulas = [json.loads(row)["latex"] for row in rows]
    yield from random.Random(7).sample(formulas, min(len(formulas), count // 3))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--samples", type=int, default=60_000)
    options = parser.parse_args()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=options.size - len(MARKUP),
        special_tokens=CONTROL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(examples(options.corpus, options.samples), trainer)
    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in MARKUP])
    options.out.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(options.out))
    print(f"{tokenizer.get_vocab_size()} tokens in {options.out}")


if __name__ == "__main__":
    main()
