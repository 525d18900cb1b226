"""``galley serve``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from galley.cli.options import options_of
from galley.cli.parse import (
    BlockSize,
    Config,
    Decode,
    Device,
    Dpi,
    Keep,
    Lang,
    MergeTables,
    Model,
    Ocr,
    Strategy,
    Styles,
    Tau,
    TrustRemoteCode,
)
from galley.errors import ModelError

Host = Annotated[
    str, typer.Option(metavar="NAME", help="Address to listen at; only this machine's own unless given.")
]
Port = Annotated[
    int, typer.Option(metavar="N", min=0, max=65535, help="Port to listen at; 0 takes a free one.")
]
ApiKey = Annotated[
    str | None,
    typer.Option(metavar="KEY", envvar="GALLEY_API_KEY", help="Only serve clients that send this key."),
]
AllowUrls = Annotated[bool, typer.Option("--allow-urls", help="Fetch documents from public web addresses.")]
StateDir = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Keep jobs here, so that a restart goes on with them.")
]
Grace = Annotated[
    float, typer.Option(metavar="S", min=0, help="Seconds accepted jobs get when the server is told to stop.")
]
Workers = Annotated[
    int, typer.Option("--jobs", "-j", metavar="N", min=0, help="Worker processes; 0 is one per core.")
]
Queue = Annotated[int, typer.Option(metavar="N", min=1, help="Requests under way or waiting, at most.")]
MaxMegabytes = Annotated[
    int, typer.Option("--max-mb", metavar="N", min=1, help="Megabytes of a document, at most.")
]
MaxPages = Annotated[int, typer.Option(metavar="N", min=1, help="Pages of a document, at most.")]
PageSeconds = Annotated[float, typer.Option(metavar="S", min=1, help="Seconds after which a page fails.")]
JobSeconds = Annotated[float, typer.Option(metavar="S", min=1, help="Seconds a document may take.")]
WaitSeconds = Annotated[
    float, typer.Option(metavar="S", min=0, help="Seconds a request waits before it is given a job.")
]
KeepSeconds = Annotated[float, typer.Option(metavar="S", min=1, help="Seconds finished jobs are kept.")]

_NEEDS_PACKAGES = "serving needs more packages: pip install 'galley-ocr[serve]'"


def serve_command(
    context: typer.Context,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    api_key: ApiKey = None,
    allow_urls: AllowUrls = False,
    state_dir: StateDir = None,
    grace: Grace = 30.0,
    jobs: Workers = 0,
    queue: Queue = 64,
    max_mb: MaxMegabytes = 100,
    max_pages: MaxPages = 2000,
    page_seconds: PageSeconds = 180.0,
    job_seconds: JobSeconds = 14400.0,
    wait_seconds: WaitSeconds = 60.0,
    keep_seconds: KeepSeconds = 3600.0,
    dpi: Dpi = None,
    ocr: Ocr = None,
    lang: Lang = None,
    keep: Keep = None,
    merge_tables: MergeTables = None,
    styles: Styles = None,
    model: Model = None,
    strategy: Strategy = None,
    decode: Decode = None,
    tau: Tau = None,
    block_size: BlockSize = None,
    device: Device = None,
    trust_remote_code: TrustRemoteCode = None,
    config: Config = None,
) -> int:
    """Serve over HTTP: a web page, a REST interface, and those of GLM-OCR's server and of OpenAI's API.

    Listens on this machine alone unless --host says otherwise. SIGTERM lets accepted jobs finish.
    """
    from galley.runtime import cores

    options = options_of(context.params)
    try:
        from galley.serving.server import run_server
        from galley.serving.settings import MEGABYTE, Limits, Settings
    except ImportError as error:
        raise ModelError(f"{_NEEDS_PACKAGES} ({error.name})") from error
    limits = Limits(
        max_bytes=max_mb * MEGABYTE,
        max_pages=max_pages,
        queue=queue,
        page_seconds=page_seconds,
        job_seconds=job_seconds,
        wait_seconds=wait_seconds,
        keep_seconds=keep_seconds,
    )
    settings = Settings(
        options,
        limits,
        jobs or cores(),
        state_dir=state_dir,
        grace=grace,
        api_key=api_key,
        allow_urls=allow_urls,
    )
    return run_server(settings, host, port, _say)


def _say(line: str) -> None:
    print(f"galley: {line}", file=sys.stderr, flush=True)
