"""What odds a correction of galley-nano's must have to be taken: measured on held-out lines of the dataset.

    python tools/calibrate_nano.py --data .build/nano --model MODEL --count 200

Each correction that the model proposes to a drafted text is tried alone against the truth. For every level of the
logarithm of the odds (the model's times those of what is printed) the table shows the corrections taken, those that
helped and harmed, each correction counting once however many regions hold its line, and the edit similarity of the
texts; ``draft`` is what lines joined without a model give, ``model`` what the model wrote. ``--write`` stores the
lowest level from which on at least ``--odds`` corrections helped for each that harmed.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
from rapidfuzz.distance import Levenshtein

from galley.decoding import Decoder, Request
from galley.drafters.ocr.recognition import Recogniser
from galley.parsing.strategies.print_evidence import PrintEvidence
from galley.parsing.strategies.reconcile import SureWord, reconcile, sure_words
from galley.parsing.text.hyphenation import Vocabulary, join_lines
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import CONFIG, load_nano
from galley.targets.nano.reading import make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.prompt import Reader, Task
from galley.training.nano.compose import Composed, LineDataset, Mixture, compose
from galley.training.nano.run import HELD_OUT

LEVELS = [-20.0, -15.0, -12.0, -10.0, -9.0, -8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, 0.0, 2.0, 4.0]


@dataclass(frozen=True)
class Read:
    """A held-out text: its draft, the truth, the model's words, and what is printed."""

    draft: str
    truth: str
    words: list[SureWord]
    ink: PrintEvidence


def held_out_texts(folder: Path, count: int, seed: int, longest: int) -> list[Composed]:
    """Text regions of the held-out shards in which no line runs on into the next paragraph."""
    dataset = LineDataset(folder, HELD_OUT, HELD_OUT + 999)
    rng = random.Random(seed)
    dataset.refresh(rng)
    found: list[Composed] = []
    while len(found) < count:
        document = compose(dataset, Mixture(1, 0, 0), rng)
        if len(document.groups) == 1 and len(document.target) < longest:
            found.append(document)
    return found


def drafted(document: Composed) -> str:
    """A region's lines joined as the drafter joins them."""
    texts = [line.text for line in document.groups[0]]
    return join_lines(texts, Vocabulary(texts))


def read(target: NanoTarget, documents: Sequence[Composed]) -> list[Read]:
    """What the model writes for each region, drafted from its reading."""
    requests = []
    for document in documents:
        reading = make_reading(target.vocabulary, document.groups, Task.TEXT)
        draft = target.encode(" ".join(line.text for line in document.groups[0]))
        requests.append(
            Request(NanoPrompt(reading, Task.TEXT), drafts=[draft], max_tokens=2 * len(reading) + 32)
        )
    results = Decoder(target, "match", max_batch=1).run(requests)
    spell = Recogniser().log_likelihoods
    found = []
    for document, result in zip(documents, results, strict=True):
        if result.error is None:
            text, truth = drafted(document), " ".join(document.target.split())
            words = sure_words(result, cast(Reader, target))
            found.append(Read(text, truth, words, PrintEvidence(text, document.groups[0], spell)))
    return found


def similarity(text: str, truth: str) -> float:
    return float(Levenshtein.normalized_similarity(" ".join(text.split()), truth))


def judged(one: Read, level: float) -> tuple[set[tuple[str, str, int]], float]:
    """Corrections taken at a level with what each alone changes in the distance to the truth (-1, 0, 1), and the text's
    similarity."""
    taken = reconcile(one.draft, one.words, one.ink.log_ratio, level)
    before = Levenshtein.distance(one.draft, one.truth)
    changes = [Levenshtein.distance(one.draft.replace(*pair, 1), one.truth) - before for pair in taken.taken]
    effects = {(*pair, int(np.sign(change))) for pair, change in zip(taken.taken, changes, strict=True)}
    return effects, similarity(taken.text, one.truth)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with lines/")
    parser.add_argument("--model", type=Path, required=True, help="folder of an exported model")
    parser.add_argument("--count", type=int, default=200, help="regions")
    parser.add_argument("--longest", type=int, default=900, help="characters of a region")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--odds", type=float, default=9.0, help="corrections that help for each that harms")
    parser.add_argument("--write", action="store_true", help="store the level in the model's configuration")
    options = parser.parse_args()
    target = load_nano(options.model)
    texts = read(target, held_out_texts(options.data / "lines", options.count, options.seed, options.longest))
    print(f"{len(texts)} regions; draft {np.mean([similarity(t.draft, t.truth) for t in texts]):.4f}")
    print(f"model {np.mean([similarity(' '.join(w.text for w in t.words), t.truth) for t in texts]):.4f}")
    print("least odds  taken  helped  harmed  similarity")
    chosen, within = LEVELS[-1], True
    for level in reversed(LEVELS):
        effects, scores = zip(*(judged(text, level) for text in texts), strict=True)
        changes = [change for *_, change in set().union(*effects)]
        helped, harmed = changes.count(-1), changes.count(1)
        print(f"{level:10.1f}  {len(changes):5}  {helped:6}  {harmed:6}  {np.mean(scores):10.4f}")
        within = within and helped >= options.odds * harmed
        if within and helped:
            chosen = level
    print(f"chosen: {chosen}")
    if options.write:
        path = options.model / CONFIG
        replace(NanoConfig.load(path), least_odds=chosen).save(path)


if __name__ == "__main__":
    main()
