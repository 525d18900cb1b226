"""``galley eval ocean-ocr-bench``: edit distance by language."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field
from rapidfuzz.distance import Levenshtein

from galley.errors import InputError
from galley.evaluation.prediction_texts import stem_of
from galley.evaluation.records import FileName, read_json
from galley.evaluation.report import Report
from galley.evaluation.samples import Benchmark, Column, Metrics, Sample, make_report, score_samples
from galley.evaluation.settings import Settings
from galley.evaluation.text_metrics import character_similarity

_SETS = ("document_en", "document_zh")


def score(pair: tuple[str, str]) -> Metrics:
    """Edit distances of (prediction, truth), 0 to 1: of the texts as they are, and of what they say."""
    return {"edit": Levenshtein.normalized_distance(*pair), "plain": 1.0 - character_similarity(*pair)}


OCEAN = Benchmark(
    "Ocean-OCR-Bench",
    (
        Column("Edit ↓", "edit", lower_is_better=True),
        Column("Edit of plain text ↓", "plain", lower_is_better=True),
    ),
    score,
)


def benchmark(settings: Settings) -> Report:
    """Read the crops and score the text.

    Args:
        settings: ``data`` is the folder with ``document_en.json``, ``document_zh.json`` and the folders of
            pictures of the same names, or one of these files.
    """
    samples = load(settings.data)
    return make_report(OCEAN, score_samples(OCEAN, samples, settings), settings)


def load(data: Path) -> list[Sample]:
    """Pages of both languages, or of the one file named."""
    files = [data] if data.is_file() else [data / f"{name}.json" for name in _SETS]
    found = [file for file in files if file.is_file()]
    if not found:
        raise InputError(f"{data} holds neither {_SETS[0]}.json nor {_SETS[1]}.json")
    return [sample for file in found for sample in _pages(file)]


class _Turn(BaseModel):
    speaker: str = Field(alias="from")
    value: str


class _Record(BaseModel):
    image: FileName
    conversations: list[_Turn]


def _pages(file: Path) -> list[Sample]:
    name = file.stem
    records = read_json(file, list[_Record], "a list of images with conversations")
    return [
        Sample(
            f"{name}/{stem_of(record.image)}", _answer(record, file), file.parent / name / record.image, name
        )
        for record in records
    ]


def _answer(record: _Record, file: Path) -> str:
    for turn in record.conversations:
        if turn.speaker == "gpt":
            return turn.value.strip()
    raise InputError(f"{file}: the conversation about {record.image} holds no answer of gpt")
