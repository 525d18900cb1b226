"""``galley parse``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from galley.cli.formats import EXPORTERS, read_formats
from galley.cli.options import options_of

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH...", help="Files, folders, s3://… and the like; - is standard input."),
]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="DIR", help="Write into this folder, or s3://… or the like."),
]
Formats = Annotated[
    list[str] | None,
    typer.Option("--format", "-f", metavar="NAMES", help=f"Any of {','.join(EXPORTERS)}; md unless given."),
]
Pages = Annotated[str | None, typer.Option(metavar="RANGES", help="Only these pages, such as 1-3,7.")]
Dpi = Annotated[
    float | None, typer.Option(metavar="N", help="Resolution PDF pages are read at; 200 unless given.")
]
Ocr = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="auto (where no text layer can be trusted), always, never."),
]
Lang = Annotated[
    str | None,
    typer.Option(
        metavar="CODES", help="Languages of scans: ISO codes such as ru,en; auto (unless given) finds out."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES", help="Also show headers,footers,page-numbers; footnotes are shown, none hides them."
    ),
]
Images = Annotated[bool | None, typer.Option("--images/--no-images", help="Save figures beside the output.")]
MergeTables = Annotated[
    bool | None,
    typer.Option("--merge-tables/--no-merge-tables", help="Join tables that go on over a page break."),
]
Styles = Annotated[
    bool | None,
    typer.Option(
        "--styles/--no-styles", help="Mark bold, italic, struck and other text, links and footnotes."
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Read with this model: a checkpoint's folder, a hub id, or openai:http://host:port/v1#name.",
    ),
]
Family = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Ask a served model as this family is asked; by its name unless given."
    ),
]
Batch = Annotated[
    int | None,
    typer.Option(metavar="N", help="Blocks read, or requests to a server open, at a time; 16 unless given."),
]
Strategy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="draft (no model), regions, page, hierarchical; by the model unless given."
    ),
]
Decode = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="What drafts: auto, ar, self-spec, match, prompt-lookup, mtp, diffusion."
    ),
]
Tau = Annotated[
    float | None, typer.Option(metavar="P", help="1 (unless given) keeps exactly the model's own text.")
]
BlockSize = Annotated[int | None, typer.Option(metavar="N", help="Masks per block of --decode self-spec.")]
Device = Annotated[str | None, typer.Option(metavar="NAME", help="cpu, cuda, cuda:1; a GPU if there is one.")]
TrustRemoteCode = Annotated[
    bool | None, typer.Option("--trust-remote-code", help="Run code that comes with the model.")
]
Password = Annotated[str | None, typer.Option(metavar="TEXT", help="Password of encrypted PDFs.")]
DraftFrom = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH",
        help="Files of other tools as drafts (hOCR, ALTO, PP-StructureV3 JSON, Markdown), or a folder of them.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", metavar="N", min=0, help="Cores to use, each for other pages; all unless given."
    ),
]
Engine = Annotated[
    str,
    typer.Option(metavar="NAME", help="local, or ray: workers on a cluster, one on this machine by default."),
]
Address = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="The Ray cluster to use; auto finds one.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Skip what an earlier run into DIR has finished.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no notes; only what failed.")]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Settings; galley.toml of this folder unless given."),
]
TracePasses = Annotated[
    Path | None,
    typer.Option(
        "--trace-passes",
        metavar="DIR",
        help="Write what each step of parsing did to each page, as pictures and text, into this folder.",
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Print where unexpected errors come from.")]


def parse_command(
    context: typer.Context,
    paths: Paths,
    output: Output = None,
    formats: Formats = None,
    pages: Pages = None,
    dpi: Dpi = None,
    ocr: Ocr = None,
    lang: Lang = None,
    keep: Keep = None,
    images: Images = None,
    merge_tables: MergeTables = None,
    styles: Styles = None,
    password: Password = None,
    model: Model = None,
    family: Family = None,
    batch: Batch = None,
    strategy: Strategy = None,
    decode: Decode = None,
    tau: Tau = None,
    block_size: BlockSize = None,
    device: Device = None,
    trust_remote_code: TrustRemoteCode = None,
    draft_from: DraftFrom = None,
    jobs: Jobs = None,
    engine: Engine = "local",
    address: Address = None,
    resume: Resume = False,
    quiet: Quiet = False,
    config: Config = None,
    trace_passes: TracePasses = None,
    debug: Debug = False,
) -> int:
    """Parse documents: galley parse report.pdf prints Markdown, galley parse scans/ -o out/ fills a folder.

    Reads PDF, PNG, JPEG, WebP, BMP, TIFF, GIF and HEIC. What fails is said at the end and does not stop the
    rest; the exit code is 0 only when nothing failed.
    """
    from galley.cli.parse_run import Request, run_parse

    request = Request(
        paths,
        options_of(context.params),
        read_formats(formats or ["md"]),
        output=output,
        jobs=jobs,
        resume=resume,
        quiet=quiet,
        debug=debug,
        draft_from=draft_from or (),
        engine=engine,
        address=address,
    )
    return run_parse(request)
