"""The systems compared, each a callable from a sample to its plain output; rivals are optional."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from galley import __version__
from galley.errors import ModelError, UsageError
from galley.evaluation.realset.data import Sample

if TYPE_CHECKING:
    from galley.document import Document


@dataclass
class Output:
    """What a system gave for one sample.

    Attributes:
        text: Text or Markdown in the system's own order.
        tables: Its tables as HTML.
        formulas: Its formulas as LaTeX.
    """

    text: str
    tables: list[str] = field(default_factory=list)
    formulas: list[str] = field(default_factory=list)


class System(ABC):
    """A reader of samples. ``tasks`` are those it has an answer for; making one loads its models."""

    tasks: tuple[str, ...] = ("page", "line")

    @abstractmethod
    def __init__(self, threads: int) -> None: ...

    @classmethod
    @abstractmethod
    def version(cls) -> str:
        """Name and version for the report; raises ``ModelError`` with the install line when it is missing."""

    @abstractmethod
    def read(self, sample: Sample) -> Output:
        """Read one sample."""


class Galley(System):
    """``galley.parse(image, ocr="always")``: the pixels only."""

    tasks: tuple[str, ...] = ("page", "line", "table", "formula")

    def __init__(self, threads: int) -> None:
        from galley.runtime import set_threads

        set_threads(threads)

    @classmethod
    def version(cls) -> str:
        """Name and version of the system."""
        return f"Galley {__version__}"

    def read(self, sample: Sample) -> Output:
        """Read one sample."""
        import galley

        return document_output(galley.parse(sample.image, ocr="always"), figure_text=sample.figure_text)


class GalleyPdf(Galley):
    """``galley.parse(pdf)`` on born-digital pages, cut to a one-page file so that only it is paid for."""

    tasks = ("pdf",)

    def read(self, sample: Sample) -> Output:
        """Read one sample."""
        import galley

        assert sample.pdf and sample.pdf_page
        with one_page_pdf(sample.pdf, sample.pdf_page) as path:
            return document_output(galley.parse(path), figure_text=sample.figure_text)


class RapidOcr(System):
    """RapidOCR's plain output: its lines in its order; line crops without detection."""

    def __init__(self, threads: int) -> None:
        from rapidocr import RapidOCR

        params = {
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
        self._engine = RapidOCR(params=params)

    @classmethod
    def version(cls) -> str:
        """Name and version of the system."""
        if importlib.util.find_spec("rapidocr") is None:
            raise ModelError("RapidOCR is not installed; pip install rapidocr")
        return f"RapidOCR {importlib.metadata.version('rapidocr')}"

    def read(self, sample: Sample) -> Output:
        """Read one sample."""
        options: dict[str, Any] = {"use_det": False} if sample.task == "line" else {}
        result = self._engine(str(sample.image), **options)
        return Output("\n".join(getattr(result, "txts", None) or ()))


class Tesseract(System):
    """The ``tesseract`` program with its defaults; line crops in its single-line mode."""

    def __init__(self, threads: int) -> None:
        self._environment = {"OMP_THREAD_LIMIT": str(threads), "PATH": str(Path(_tesseract()).parent)}

    @classmethod
    def version(cls) -> str:
        """Name and version of the system."""
        said = subprocess.run([_tesseract(), "--version"], capture_output=True, text=True, check=True)
        return (said.stdout or said.stderr).splitlines()[0]

    def read(self, sample: Sample) -> Output:
        """Read one sample."""
        mode = ["--psm", "7"] if sample.task == "line" else []
        said = subprocess.run(
            [_tesseract(), str(sample.image), "stdout", *mode], capture_output=True, env=self._environment
        )
        if said.returncode:
            raise RuntimeError(said.stderr.decode(errors="replace").strip())
        return Output(said.stdout.decode("utf-8", errors="replace"))


SYSTEMS: dict[str, type[System]] = {
    "galley": Galley,
    "galley-pdf": GalleyPdf,
    "rapidocr": RapidOcr,
    "tesseract": Tesseract,
}


def system(name: str) -> type[System]:
    """Find a system by its name on the command line.

    Raises:
        UsageError: There is no such system; names those there are.
    """
    if name not in SYSTEMS:
        raise UsageError(f"no system {name}; known: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def answers(kind: type[System], sample: Sample) -> bool:
    """Whether a system of this kind has an answer for the sample."""
    return sample.task in kind.tasks or ("pdf" in kind.tasks and sample.pdf is not None)


def document_output(document: Document, *, figure_text: bool = False) -> Output:
    """A parsed document as benchmark output.

    Block contents are in reading order, page headers and footers kept as the truth keeps them.

    Args:
        document: What Galley read.
        figure_text: Text that was read in figures counts too.

    Returns:
        The text, tables as HTML, and the formulas that were read as LaTeX.
    """
    from galley.document import Label

    if document.failures and not any(page.blocks for page in document.pages):
        raise RuntimeError(document.failures[0].message)
    blocks = [block for page in document.pages for block in page.blocks]
    tables = [block.content for block in blocks if block.label == Label.TABLE]
    formulas = [
        block.content
        for block in blocks
        if block.label == Label.FORMULA and not {"unverified", "failed"} & set(block.flags)
    ]
    texts = [block.content for block in blocks if figure_text or block.label != Label.FIGURE]
    return Output("\n\n".join(texts), tables, formulas)


@contextmanager
def one_page_pdf(path: Path, number: int) -> Iterator[Path]:
    """A temporary PDF that holds page ``number`` (1-based) of ``path``."""
    import pypdfium2

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / path.name
        source, target = pypdfium2.PdfDocument(path), pypdfium2.PdfDocument.new()
        target.import_pages(source, [number - 1])
        target.save(out)
        target.close()
        source.close()
        yield out


def _tesseract() -> str:
    found = shutil.which("tesseract")
    if not found:
        raise ModelError("tesseract is not installed; apt install tesseract-ocr")
    return found
