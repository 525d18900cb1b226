"""How well and how fast galley-nano reads: held-out synthetic regions, and real pages where there are some.

    python tools/bench_nano.py --data .build/nano [--model MODEL] [--regions 24] [--pages ../shared/data/realset_dev]

One Markdown table. Every decoder reads the same regions in turn, so that each speed-up is over plain decoding of the
same model in the same run; ids of all but direct diffusion are asserted to be those of plain decoding, on real pages
the text. Seconds are those of this process on its cores, so that other processes change them little; one thread
unless asked otherwise. On synthetic regions the similarity is that of what the model wrote, for text also that of the
reading with the corrections taken; on real pages it is that of the page with the corrections taken, and seconds include
reading the prompts. Below the table: by kind of page, word F1 and edit similarity of the draft and of the verified
text, quotes and dashes being of one kind: the pages' truths differ in how they write them.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from bench_ocr import f1, plain, words
from rapidfuzz.distance import Levenshtein

from galley.decoding import Decoder, DraftPool, Request, Result, Stats, diffuse
from galley.document import Document, Page, Work
from galley.drafters.ocr.recognition import Recogniser
from galley.evaluation.text_metrics import normalise
from galley.ingest.page import PageImage
from galley.ingest.source import open_source
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.embedded import EmbeddedParser
from galley.parsing.strategies.print_evidence import LineScorer, PrintEvidence
from galley.parsing.strategies.reconcile import reconcile, sure_words
from galley.runtime import set_threads, threads
from galley.targets.nano.load import EMBEDDED, load_nano
from galley.targets.nano.reading import SeenLine, make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.prompt import Reader, Task, text_key
from galley.training.nano.compose import Composed, LineDataset, Mixture, compose
from galley.training.nano.run import HELD_OUT

DRAFTERS = {"AR": "ar", "self-speculation": "self-spec", "match": "match", "auto": "auto"}
TAUS = (0.5, 0.7, 0.9)
REGIONS, HSD = "HSD, regions only", "HSD, regions then page"
MIXTURES = {Task.TEXT: Mixture(1, 0, 0), Task.TABLE: Mixture(0, 1, 0), Task.PAGE: Mixture(0, 0, 1)}


@dataclass
class Tally:
    """Results of one decoder on the regions of one kind."""

    scores: list[float] = field(default_factory=list)
    stats: Stats = field(default_factory=Stats)
    seconds: float = 0.0
    """after the prefills"""
    written: list[Result] = field(default_factory=list)

    @property
    def ids(self) -> list[list[int]]:
        return [result.ids for result in self.written]

    @property
    def speed(self) -> float:
        decoded = self.stats.tokens - self.stats.prefill_forwards
        return decoded / self.seconds if self.seconds else 0.0


def regions(folder: Path, task: Task, count: int, longest: int) -> list[Composed]:
    """Held-out documents of a task with at most ``longest`` characters to write."""
    dataset = LineDataset(folder, HELD_OUT, HELD_OUT + 999)
    rng = random.Random(f"bench {task.value}")
    dataset.refresh(rng)
    fitting = (compose(dataset, MIXTURES[task], rng) for _ in range(200 * count))
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

    found = {name: speculative(drafter) for name, drafter in DRAFTERS.items()}
    return found | {f"diffusion, tau_c {tau}": direct(tau) for tau in TAUS}


def measure(target: NanoTarget, documents: Sequence[Composed]) -> dict[str, Tally]:
    """Every decoder on every document; all read one document before the next, and one to warm up."""
    methods = decoders(target)
    paged = documents[0].task is Task.PAGE
    names = [*methods, REGIONS, HSD] if paged else list(methods)

    def read(document: Composed, tallies: dict[str, Tally]) -> None:
        _measure(target, document, methods, tallies)
        if paged:
            _measure_hierarchical(target, document, tallies)

    read(documents[0], {name: Tally() for name in names})
    tallies = {name: Tally() for name in names}
    for document in documents:
        read(document, tallies)
    for name in [*DRAFTERS, HSD] if paged else DRAFTERS:
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
    draft = target.encode(reading_text(document))
    limit = len(target.encode(document.target)) + 64
    for name, decode in methods.items():
        start = time.process_time()
        target.release(target.prefill([prompt])[0][0])
        prefill = time.process_time() - start
        start = time.process_time()
        result = decode(Request(prompt, [draft], max_tokens=limit))
        elapsed = time.process_time() - start
        if result.error is not None:
            raise result.error
        score = similarity(target.decode(result.ids), document.target)
        _add(tallies[name], [result], max(elapsed - prefill, 1e-6), score)


def _measure_hierarchical(target: NanoTarget, document: Composed, tallies: dict[str, Tally]) -> None:
    """HSD: every region alone with its reading as draft, then the page with what was read in all as an unordered
    pool. The regions' prompts count as decoding: plain decoding of the page has none."""
    decoder = Decoder(target, "match", max_batch=1)
    start = time.process_time()
    regions = decoder.run([_region_request(target, group) for group in document.groups if group])
    first_stage = time.process_time() - start
    prompt = NanoPrompt(make_reading(target.vocabulary, document.groups, document.task), document.task)
    start = time.process_time()
    target.release(target.prefill([prompt])[0][0])
    prefill = time.process_time() - start
    start = time.process_time()
    pool = DraftPool((region.ids for region in regions), text_key(target))
    limit = len(target.encode(document.target)) + 64
    page = decoder.run([Request(prompt, pool, max_tokens=limit)])[0]
    second_stage = max(time.process_time() - start - prefill, 1e-6)
    if page.error is not None:
        raise page.error
    text = "\n\n".join(target.decode(region.ids) for region in regions)
    _add(tallies[REGIONS], regions, first_stage, similarity(text, document.target))
    _add(
        tallies[HSD], [page], first_stage + second_stage, similarity(target.decode(page.ids), document.target)
    )


def _region_request(target: NanoTarget, group: Sequence[SeenLine]) -> Request:
    reading = make_reading(target.vocabulary, [group], Task.TEXT)
    draft = target.encode(" ".join(line.text for line in group))
    return Request(NanoPrompt(reading, Task.TEXT), [draft], max_tokens=2 * len(reading) + 32)


def _add(tally: Tally, results: Sequence[Result], seconds: float, score: float) -> None:
    tally.seconds += seconds
    tally.scores.append(score)
    tally.written += results
    for result in results:
        tally.stats.add(result.stats)


HEAD = ["what", "decoder", "edit similarity", "TPF", "AAL", "tokens/s", "speed-up", "pages/s"]


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def corrected(target: NanoTarget, document: Composed, result: Result, spell: LineScorer) -> str:
    """The reading of a text with those of the model's corrections taken that a parse would take."""
    draft = reading_text(document)
    ink = PrintEvidence(draft, [line for group in document.groups for line in group], spell)
    written = sure_words(result, cast(Reader, target))
    return reconcile(draft, written, ink.log_ratio, target.least_odds).text


def show_corrected(target: NanoTarget, documents: Sequence[Composed], written: Sequence[Result]) -> None:
    spell = Recogniser().log_likelihoods
    scores = [
        similarity(corrected(target, document, result, spell), document.target)
        for document, result in zip(documents, written, strict=True)
    ]
    row("", "reading, corrections taken", f"{np.mean(scores):.4f}", "", "", "", "", "")


def show_regions(task: Task, documents: Sequence[Composed], tallies: dict[str, Tally]) -> None:
    mean = np.mean([similarity(reading_text(one), one.target) for one in documents])
    what = f"{task.value}, {len(documents)} regions, {tallies['AR'].stats.tokens} tokens"
    row(what, "reading, no model", f"{mean:.4f}", "", "", "", "", "")
    for name, tally in tallies.items():
        aal = "" if name.startswith("diffusion") else f"{tally.stats.aal:.1f}"
        ratio = tally.speed / tallies["AR"].speed
        score, tpf = f"{np.mean(tally.scores):.4f}", f"{tally.stats.tpf:.1f}"
        row("", name, score, tpf, aal, f"{tally.speed:.0f}", f"{ratio:.1f} ×", "")


@dataclass
class Read:
    """One real page: word F1 and edit similarity of its draft and of its verified text; seconds of drafting; and
    per decoder seconds of verifying and the work done."""

    kind: str
    draft: tuple[float, float]
    verified: tuple[float, float]
    drafting: float
    verifying: dict[str, float]
    work: dict[str, Work]
    changes: tuple[int, int]


DECODES: dict[str, Any] = {"AR": "ar", "self-speculation": "self-spec", "match": "match", "auto": "auto"}


def read_pages(target: NanoTarget, folder: Path, per_kind: int) -> list[Read]:
    """Real pages, drafted once and verified with every decoder; all give the same text."""
    parsers = {name: _parser(target, decode) for name, decode in DECODES.items()}
    found: list[Read] = []
    for entry in json.loads((folder / "index.json").read_text()):
        if sum(one.kind == entry["kind"] for one in found) < per_kind:
            with open_source(folder / entry["image"]) as source:
                page = source.page(1)
            truth = plain((folder / entry["truth"]).read_text(), entry["truth_type"])
            found.append(_read(parsers, page, entry["kind"], truth))
    return found


def _parser(target: NanoTarget, decode: Any) -> EmbeddedParser:
    options = ParseOptions(strategy="regions", decode=decode, ocr="always")
    return EmbeddedParser(options, DraftParser(options), target)


def _read(parsers: dict[str, EmbeddedParser], page: PageImage, kind: str, truth: str) -> Read:
    start = time.process_time()
    draft = parsers["auto"].draft
    state = draft.run(page)
    drafted = state.as_page()
    drafting = time.process_time() - start
    seconds, pages = {}, {}
    for name, parser in parsers.items():
        start = time.process_time()
        pages[name] = parser.verified(drafted, state.ocr_lines).page
        seconds[name] = time.process_time() - start
    texts = {name: _text(one) for name, one in pages.items()}
    if len(set(texts.values())) > 1:
        raise AssertionError("decoders give different texts")
    taken = sum(len(block.extra.get("corrected", ())) for block in pages["AR"].blocks)
    doubted = sum(len(block.extra.get("doubted", ())) for block in pages["AR"].blocks)
    work = {name: one.work for name, one in pages.items() if one.work is not None}
    scores = _scores(_text(drafted), truth), _scores(texts["AR"], truth)
    return Read(kind, *scores, drafting, seconds, work, (taken, doubted))


def _text(page: Page) -> str:
    return Document(pages=[page]).to_text(keep=("headers", "footers", "footnotes", "page-numbers"))


def _scores(text: str, truth: str) -> tuple[float, float]:
    return f1(words(text), words(truth)), similarity(normalise(text), normalise(truth))


def show_pages(pages: Sequence[Read]) -> None:
    count, drafting = len(pages), sum(page.drafting for page in pages)
    before, after = (np.mean([scores[1] for scores in part]) for part in _both(pages))
    what = f"real pages, {count}, {sum(page.work['AR'].tokens for page in pages if page.work)} tokens"
    row(what, "draft, no model", f"{before:.4f}", "", "", "", "", f"{count / drafting:.2f}")
    spent = {name: sum(page.verifying[name] for page in pages) for name in DECODES}
    for name in DECODES:
        work = [page.work[name] for page in pages if page.work]
        tokens = sum(one.tokens - one.prefills for one in work)
        tpf = f"{tokens / max(sum(one.forwards for one in work), 1):.1f}"
        speeds = f"{tokens / spent[name]:.0f}", f"{spent['AR'] / spent[name]:.1f} ×"
        row("", name, f"{after:.4f}", tpf, "", *speeds, f"{count / (drafting + spent[name]):.2f}")


def _both(pages: Sequence[Read]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    return [page.draft for page in pages], [page.verified for page in pages]


def show_kinds(pages: Sequence[Read]) -> None:
    taken, doubted = np.sum([page.changes for page in pages], axis=0)
    print(f"\nreal pages; corrections taken {taken}, doubted {doubted}")
    print("| kind | pages | word F1 draft | verified | edit similarity draft | verified |")
    print("|---|---|---|---|---|---|")
    for kind in [*dict.fromkeys(page.kind for page in pages), "all"]:
        chosen = [page for page in pages if kind in (page.kind, "all")]
        (f1_before, before), (f1_after, after) = (np.mean(part, axis=0) for part in _both(chosen))
        row(kind, str(len(chosen)), *(f"{score:.4f}" for score in (f1_before, f1_after, before, after)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with lines/; no synthetic regions without it")
    parser.add_argument("--model", type=Path, default=EMBEDDED)
    parser.add_argument("--regions", type=int, default=24, help="documents of each task")
    parser.add_argument("--longest", type=int, default=900, help="characters of a document")
    parser.add_argument("--tasks", default="text,table,page")
    parser.add_argument("--pages", type=Path, help="folder with index.json, images and their truth")
    parser.add_argument("--per-kind", type=int, default=1000, help="pages of each kind")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    set_threads(options.threads)
    target = load_nano(options.model)
    print(f"{threads()} threads\n\n| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for task in map(Task, filter(None, options.tasks.split(","))) if options.data else ():
        documents = regions(options.data / "lines", task, options.regions, options.longest)
        tallies = measure(target, documents)
        show_regions(task, documents, tallies)
        if task is Task.TEXT:
            show_corrected(target, documents, tallies["AR"].written)
    if options.pages:
        pages = read_pages(target, options.pages, options.per_kind)
        show_pages(pages)
        show_kinds(pages)


if __name__ == "__main__":
    main()
