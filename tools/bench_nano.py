"""How well and how fast galley-nano reads: held-out synthetic regions, and real pages where there are some.

    python tools/bench_nano.py --data .build/nano [--model MODEL] [--regions 24] [--pages ../shared/data/realset_dev]

Every decoder reads the same regions in turn, so that each speed-up is over plain decoding of the same model in the
same run; ids of all but direct diffusion are asserted to be those of plain decoding. For pages, word F1 and edit
similarity of the draft and of the verified text are compared by kind; pages without a region to verify are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from bench_ocr import f1, plain, words
from rapidfuzz.distance import Levenshtein

from galley.decoding import Decoder, Request, Result, Stats, diffuse
from galley.document import Document, Page
from galley.ingest.source import open_source
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.embedded import EmbeddedParser
from galley.runtime import set_threads, threads
from galley.targets.nano.load import EMBEDDED, load_nano
from galley.targets.nano.reading import make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.prompt import Task
from galley.training.nano.compose import Bank, Composed, Mixture, compose
from galley.training.nano.run import HELD_OUT

PROPOSERS = {"AR": "none", "self-speculation": "block_diffusion", "match": "match", "auto": "auto"}
TAUS = (0.5, 0.7, 0.9)
MIXTURES = {Task.TEXT: Mixture(1, 0, 0), Task.TABLE: Mixture(0, 1, 0), Task.PAGE: Mixture(0, 0, 1)}


@dataclass
class Tally:
    """Results of one decoder on the regions of one kind."""

    scores: list[float] = field(default_factory=list)
    ids: list[list[int]] = field(default_factory=list)
    stats: Stats = field(default_factory=Stats)
    seconds: float = 0.0
    """after the prefills"""

    @property
    def speed(self) -> float:
        decoded = self.stats.tokens - self.stats.prefill_forwards
        return decoded / self.seconds if self.seconds else 0.0


def regions(folder: Path, task: Task, count: int, longest: int) -> list[Composed]:
    """Held-out documents of a task with at most ``longest`` characters to write."""
    bank = Bank(folder, HELD_OUT, HELD_OUT + 999)
    rng = random.Random(f"bench {task.value}")
    bank.refresh(rng)
    fitting = (compose(bank, MIXTURES[task], rng) for _ in range(200 * count))
    return [next(one for one in fitting if len(one.target) <= longest) for _ in range(count)]


def reading_text(document: Composed) -> str:
    """The reading itself, lines joined by spaces."""
    return "\n\n".join(" ".join(line.text for line in group) for group in document.groups)


def similarity(text: str, truth: str) -> float:
    return float(Levenshtein.normalized_similarity(" ".join(text.split()), " ".join(truth.split())))


def decoders(target: NanoTarget) -> dict[str, Callable[[Request], Result]]:
    """What decodes one request, by the name it has in the table."""

    def speculative(name: str) -> Callable[[Request], Result]:
        decoder = Decoder(target, name, max_batch=1)
        return lambda request: decoder.run([request])[0]

    def direct(tau: float) -> Callable[[Request], Result]:
        return lambda request: diffuse(target, request.prompt, max_tokens=request.max_tokens, tau_c=tau)

    found = {name: speculative(proposer) for name, proposer in PROPOSERS.items()}
    return found | {f"diffusion, tau_c {tau}": direct(tau) for tau in TAUS}


def measure(target: NanoTarget, documents: Sequence[Composed]) -> dict[str, Tally]:
    """Every decoder on every document; all read one document before the next, and one to warm up."""
    methods = decoders(target)
    _measure(target, documents[0], methods, {name: Tally() for name in methods})
    tallies = {name: Tally() for name in methods}
    for document in documents:
        _measure(target, document, methods, tallies)
    for name in PROPOSERS:
        if tallies[name].ids != tallies["AR"].ids:
            raise AssertionError(f"{name} does not give the ids of plain decoding")
    return tallies


def _measure(
    target: NanoTarget,
    document: Composed,
    methods: dict[str, Callable[[Request], Result]],
    tallies: dict[str, Tally],
) -> None:
    reading = make_reading(target.vocabulary, document.groups, document.task)
    prompt = NanoPrompt(reading, document.task)
    for name, decode in methods.items():
        draft = target.encode(reading_text(document))
        limit = len(target.encode(document.target)) + 64
        start = time.perf_counter()
        target.release(target.prefill([prompt])[0][0])
        prefill = time.perf_counter() - start
        start = time.perf_counter()
        result = decode(Request(prompt, [draft], max_tokens=limit))
        elapsed = time.perf_counter() - start
        if result.error is not None:
            raise result.error
        tally = tallies[name]
        tally.seconds += max(elapsed - prefill, 1e-6)
        tally.stats.add(result.stats)
        tally.ids.append(result.ids)
        tally.scores.append(similarity(target.decode(result.ids), document.target))


def show_regions(task: Task, documents: Sequence[Composed], tallies: dict[str, Tally]) -> None:
    mean = np.mean([similarity(reading_text(one), one.target) for one in documents])
    print(
        f"\n{task.value}: {len(documents)} regions, {tallies['AR'].stats.tokens} tokens, {threads()} threads"
    )
    print("| decoder | edit similarity | TPF | AAL | tokens/s | speed-up |")
    print("|---|---|---|---|---|---|")
    print(f"| reading, no model | {mean:.4f} | | | | |")
    for name, tally in tallies.items():
        aal = f"{tally.stats.aal:.1f}" if name in PROPOSERS else ""
        ratio = tally.speed / tallies["AR"].speed
        score = np.mean(tally.scores)
        print(f"| {name} | {score:.4f} | {tally.stats.tpf:.1f} | {aal} | {tally.speed:.0f} | {ratio:.1f} × |")


def bench_pages(target: NanoTarget, folder: Path, per_kind: int, decode: str) -> None:
    """Draft and verified text of real pages against their truth, by kind."""
    options = ParseOptions(strategy="regions", decode=decode, ocr="always")
    parser = EmbeddedParser(options, DraftParser(options), target)
    table: dict[str, list[tuple[float, ...]]] = {}
    changes = {"taken": 0, "doubted": 0}
    for entry in json.loads((folder / "index.json").read_text()):
        rows = table.setdefault(entry["kind"], [])
        if len(rows) >= per_kind:
            continue
        truth = plain((folder / entry["truth"]).read_text(), entry["truth_type"])
        with open_source(folder / entry["image"]) as source:
            page = source.page(1)
        start = time.perf_counter()
        laid_out = parser.draft.lay_out(page)
        drafted = parser.draft.assemble(page, laid_out)
        middle = time.perf_counter()
        verified = parser.verified(drafted, laid_out.read)
        end = time.perf_counter()
        for block in verified.blocks:
            changes["taken"] += len(block.extra.get("corrected", ()))
            changes["doubted"] += len(block.extra.get("doubted", ()))
        scores = [score for one in (drafted, verified) for score in _scores(one, truth)]
        work = verified.work
        rows.append((*scores, middle - start, end - middle, work.tokens if work else 0))
    print(f"\npages ({decode}); corrections taken {changes['taken']}, doubted {changes['doubted']}")
    print("| kind | pages | word F1 draft | verified | edit similarity draft | verified |")
    print("|---|---|---|---|---|---|")
    everything = [row for rows in table.values() for row in rows]
    for kind, rows in [*table.items(), ("all", everything)]:
        if rows:
            a, b, c, d, *_ = np.mean(rows, axis=0)
            print(f"| {kind} | {len(rows)} | {a:.4f} | {c:.4f} | {b:.4f} | {d:.4f} |")
    if not everything:
        return
    draft, verify, tokens = np.sum(everything, axis=0)[-3:]
    count = len(everything)
    print(
        f"{count / draft:.3f} pages/s drafted, {count / (draft + verify):.3f} verified, {tokens:.0f} tokens"
    )


def _scores(page: Page, truth: str) -> tuple[float, float]:
    text = Document(pages=[page]).to_text(keep=("headers", "footers", "footnotes", "page-numbers"))
    return f1(words(text), words(truth)), similarity(text, truth)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with bank/; no synthetic regions without it")
    parser.add_argument("--model", type=Path, default=EMBEDDED)
    parser.add_argument("--regions", type=int, default=24, help="documents of each task")
    parser.add_argument("--longest", type=int, default=900, help="characters of a document")
    parser.add_argument("--tasks", default="text,table,page")
    parser.add_argument("--pages", type=Path, help="folder with index.json, images and their truth")
    parser.add_argument("--per-kind", type=int, default=1000, help="pages of each kind")
    parser.add_argument("--decode", default="auto", help="decoder for the pages")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    set_threads(options.threads)
    target = load_nano(options.model)
    for task in map(Task, filter(None, options.tasks.split(","))) if options.data else ():
        documents = regions(options.data / "bank", task, options.regions, options.longest)
        show_regions(task, documents, measure(target, documents))
    if options.pages:
        bench_pages(target, options.pages, options.per_kind, options.decode)


if __name__ == "__main__":
    main()
