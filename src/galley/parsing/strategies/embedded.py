"""The ``regions`` strategy with the model that ships with Galley.

It reads what the OCR encoder saw, so a page is encoded once and used twice, for the draft and for the verifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from galley.decoding import Committed, Finish, Request, Result
from galley.document import BBox, Block, Label, Line, Page
from galley.drafters.line import TextLine
from galley.errors import UsageError, one_line
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.strategies.carry_spans import carried_spans
from galley.parsing.strategies.decoders import make_acceptance, make_decoder
from galley.parsing.strategies.drafts import UNREAD
from galley.parsing.strategies.evidence import weigh
from galley.parsing.strategies.file_drafts import FileDrafts
from galley.parsing.strategies.page_reading import PageReading, read_with_model
from galley.parsing.strategies.print_evidence import PrintEvidence
from galley.parsing.strategies.reconcile import Reconciled, reconcile, sure_words
from galley.parsing.strategies.work import work_of
from galley.parsing.text.markers import bullet, without_bullet
from galley.targets.nano.load import DECODER, load_embedded, load_nano
from galley.targets.nano.reading import RecognisedLine, make_reading, seen
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.prompt import Reader, Runner, Task

_LEFT = UNREAD | {Label.TABLE, Label.FORMULA, Label.CODE}
"""Blocks whose draft stands: nothing to read, or not among what the model reads well."""
_HYPHENS = "-‐\u00ad"
_LATIN_END = 0x250
"""First code point after the Latin letters of Europe's languages."""


def is_nano(model: str) -> bool:
    """Whether a model's name is the folder of an exported galley-nano."""
    return (Path(model) / DECODER).is_file()


def read_by_embedded(options: ParseOptions) -> bool:
    """Whether the options ask for the embedded model, or for one like it that ``model`` names the folder of.

    ``UsageError`` for what it cannot do.
    """
    if options.model is not None and not is_nano(options.model):
        return False
    if options.strategy == "draft":
        return False
    if options.strategy not in ("regions", "auto"):
        raise UsageError(
            f"the embedded model reads regions; name another one for --strategy {options.strategy} with --model"
        )
    if options.decode == "mtp":
        raise UsageError(
            "the embedded model has no multi-token-prediction head; use --decode auto, match or ar"
        )
    return True


def embedded_target(model: str | None) -> NanoTarget:
    """The model of a folder, or the one that ships with Galley.

    Raises:
        ModelError: It is missing or damaged.
    """
    return load_embedded() if model is None else load_nano(Path(model))


@dataclass(frozen=True, eq=False)
class _Piece:
    """A run of lines of one block, and the request for it."""

    index: int
    lines: Sequence[TextLine]
    request: Request


class EmbeddedParser:
    """Verifies the text blocks of a page that were read by OCR, in pieces of at most ``reach`` reading tokens.

    Blocks from a text layer, tables, formulas, code and figures keep their draft.
    """

    def __init__(self, options: ParseOptions, draft: DraftParser, target: NanoTarget | None = None) -> None:
        self.options, self.draft = options, draft
        draft.features = True
        self.target = target or embedded_target(options.model)
        # Its windows run one after another, so that a batch saves nothing and would be priced as if it did.
        self.decoder = make_decoder(cast(Reader, self.target), options.model_copy(update={"batch": 1}))

    def parse_page(self, page: PageImage) -> Page:
        """One page's blocks in reading order."""
        return self.read_page(page).page

    def read_page(self, page: PageImage, runner: Runner | None = None) -> PageReading:
        """Parse a page, with traces and results.

        Args:
            page: Its image and what the file says of it.
            runner: Decodes in place of ``decoder``.
        """
        return read_with_model(self.draft, page, self.verify_lines, runner or self.decoder)

    def verify_lines(self, page: PageState, more: FileDrafts, runner: Runner) -> PageReading:
        """Verify the text blocks that were read by OCR.

        Reads: ocr_lines, blocks, warnings, failures.
        Changes: blocks, failures, work.
        """
        return self.verified(page.as_page(), page.ocr_lines, runner, more)

    def verified(
        self,
        drafted: Page,
        recognised: Sequence[TextLine],
        runner: Runner | None = None,
        more: FileDrafts | None = None,
    ) -> PageReading:
        """A drafted page with its text blocks verified.

        Args:
            drafted: The page; it stays as it is.
            recognised: The page's lines as OCR read them, with their features.
            runner: Decodes in place of ``decoder``.
            more: Drafts besides, of files.
        """
        runner = runner or self.decoder
        parsed = drafted.model_copy(deep=True)
        pieces = [
            piece
            for index, block in enumerate(parsed.blocks)
            for piece in self._pieces(index, block, recognised, more)
        ]
        results = runner.run([piece.request for piece in pieces])
        answers: dict[int, tuple[list[Result], list[TextLine]]] = {}
        for piece, result in zip(pieces, results, strict=True):
            found, lines = answers.setdefault(piece.index, ([], []))
            found.append(result)
            lines += piece.lines
        traces: dict[int, list[Committed]] = {}
        for index, (found, lines) in answers.items():
            block = parsed.blocks[index] = self.answered(parsed.blocks[index], found, lines)
            if block.source == self.target.name:
                traces[index] = [entry for result in found for entry in result.trace]
        for error in dict.fromkeys(one_line(result.error) for result in results if result.error is not None):
            parsed.failures.append(f"{self.target.name} could not read some blocks, drafts are kept: {error}")
        parsed.work = work_of(self.target.name, results, runner)
        return PageReading(parsed, traces, results)

    def _pieces(
        self, index: int, block: Block, recognised: Sequence[TextLine], more: FileDrafts | None = None
    ) -> list[_Piece]:
        if block.label in _LEFT or block.source != "ocr" or not _is_latin(block.content):
            return []
        lines = lines_of(block, recognised)
        if block.label is Label.LIST_ITEM:
            lines = _unmarked(lines)
        return [_Piece(index, run, self._request(run, more)) for run in self._runs(lines)]

    def _runs(self, lines: Sequence[TextLine]) -> list[list[TextLine]]:
        """The lines in runs short enough for the model, none of which ends in the middle of a word."""
        runs: list[list[TextLine]] = []
        size = 0
        for line in lines:
            tokens = len(self.target.encode(line.text))
            if not runs or (size + tokens > self.target.reach and runs[-1][-1].text[-1:] not in _HYPHENS):
                runs.append([])
                size = 0
            runs[-1].append(line)
            size += tokens
        return runs

    def _request(self, lines: Sequence[TextLine], more: FileDrafts | None) -> Request:
        group = [seen(cast(RecognisedLine, line)) for line in lines]
        around = BBox.around(line.bbox for line in lines)
        others = more.ids(cast(Reader, self.target), around) if more else []
        reading = make_reading(self.target.vocabulary, [group], Task.TEXT)
        return Request(
            NanoPrompt(reading, Task.TEXT),
            drafts=[self.target.encode(" ".join(line.text for line in lines)), *others],
            max_tokens=min(self.options.max_tokens, 2 * len(reading) + 32),
            acceptance=make_acceptance(self.options),
        )

    def answered(self, block: Block, results: Sequence[Result], lines: Sequence[TextLine]) -> Block:
        """The block, read from ``lines``, with the corrections that the model and what is printed bear out.

        Its draft where reading failed.
        """
        read = block.model_copy(deep=True)
        failed = next((result for result in results if result.finish is not Finish.STOP), None)
        if failed is not None:
            read.flags.append("loop" if failed.finish is Finish.LOOP else "failed")
            read.flags.append("draft-kept")
            return read
        reader = cast(Reader, self.target)
        words = [word for result in results for word in sure_words(result, reader)]
        printed = PrintEvidence(block.content, lines, self.draft.ocr.recogniser.log_likelihoods)
        found = reconcile(block.content, words, printed.log_ratio, self.target.least_odds)
        read.spans = carried_spans(block.spans, block.content, found.text)
        read.content = found.text
        self._note_changes(read, found, results)
        return read

    def _note_changes(self, block: Block, found: Reconciled, results: Sequence[Result]) -> None:
        """What became of the draft: who stands for the block, what was changed and what was doubted."""
        if found.taken:
            block.extra = block.extra | {"corrected": [list(pair) for pair in found.taken]}
        if found.doubted:
            block.extra = block.extra | {"doubted": [list(pair) for pair in found.doubted]}
            block.flags.append("draft-kept")
            return
        evidence = weigh([entry for result in results for entry in result.trace])
        block.source, block.confidence = self.target.name, evidence.confidence
        block.flags = [flag for flag in block.flags if flag != "low-confidence"] + evidence.flags


def _is_latin(text: str) -> bool:
    """Whether most letters are of the script that the model was taught; it would only guess at others, at length."""
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(ord(letter) < _LATIN_END for letter in letters) >= len(letters)


def lines_of(block: Block, recognised: Sequence[TextLine]) -> list[TextLine]:
    """The recognised lines, with features, that a block's lines were made of.

    None where they do not account for all of its text.
    """
    found: list[TextLine] = []
    for line in block.lines:
        parts = [one for one in recognised if one.features is not None and _is_part(one, line)]
        parts.sort(key=lambda one: one.bbox.x0)
        if _letters("".join(one.text for one in parts)) != _letters(line.text):
            return []
        found += parts
    return found


def _unmarked(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines of a list item from after its bullet, which is no part of its text."""
    if not lines or bullet(lines[0].text + " .") is None:
        return list(lines)
    if bullet(lines[0].text) is None:
        return list(lines[1:])  # the bullet was read as a line of its own
    line, text = lines[0], without_bullet(lines[0].text)
    assert line.char_frames is not None and line.features is not None
    mark = len(line.text) - len(text)
    start = int(line.char_frames[mark - 1] + line.char_frames[mark] + 1) // 2
    box = line.bbox
    x0 = box.x0 + start / len(line.features) * (box.x1 - box.x0)
    rest = replace(
        line,
        text=text,
        bbox=BBox(x0=x0, y0=box.y0, x1=box.x1, y1=box.y1),
        char_frames=line.char_frames[mark:] - start,
        features=line.features[start:],
    )
    return [rest, *lines[1:]]


def _is_part(read: TextLine, line: Line) -> bool:
    return read.bbox.inside(line.bbox) > 0.9


def _letters(text: str) -> str:
    return "".join(text.split())
