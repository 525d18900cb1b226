"""Running the server: signals, the end, and what is said about it."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from types import FrameType

import uvicorn

from galley.errors import GalleyError
from galley.serving.app import make_app
from galley.serving.scheduler import Scheduler
from galley.serving.settings import Settings

_CONNECTIONS = 1024
_ANSWER_S = 5
"""Seconds that answers under way get after the jobs have ended."""


def run_server(settings: Settings, host: str, port: int, say: Callable[[str], None]) -> int:
    """Serve until a signal ends it.

    Args:
        settings: How the server works.
        host: The address to listen at.
        port: The port to listen at.
        say: Takes lines about what the server does.

    Returns:
        An exit code: 0 when nothing accepted was left undone.

    Raises:
        GalleyError: It cannot start.
    """
    app = make_app(settings)
    config = uvicorn.Config(
        app,
        log_level="critical",  # until it runs: what keeps it from running is raised below
        access_log=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_ANSWER_S,
    )
    server = _Server(config, settings, say)
    with _listen(host, port) as listener, suppress(SystemExit):
        server.run([listener])
    if app.state.start_error:
        raise app.state.start_error
    return server.code


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listener = socket.socket(found[0][0], socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(found[0][4])
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise GalleyError(f"cannot listen at {host}, port {port}: {why}") from error
    return listener


class _Server(uvicorn.Server):
    """A server that finishes accepted jobs before it goes. A second signal ends it at once."""

    def __init__(self, config: uvicorn.Config, settings: Settings, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self.code = 0
        self._settings, self._say = settings, say
        self._shutdown_task: asyncio.Task[None] | None = None
        self._stop_requested = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # the client is told
        for listener in sockets or []:
            host, port = listener.getsockname()[:2]
            self._say(f"serving at http://{f'[{host}]' if ':' in host else host}:{port}")
            if self._settings.api_key is None and not ip_address(host.partition("%")[0]).is_loopback:
                self._say("whoever reaches this address can use the server; --api-key KEY keeps others out")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._stop_requested:
            self.should_exit = self.force_exit = True
        self._stop_requested = True

    async def on_tick(self, counter: int) -> bool:
        if self._stop_requested and self._shutdown_task is None:
            self._shutdown_task = asyncio.ensure_future(self._finish_jobs())
        return await super().on_tick(counter)

    async def _finish_jobs(self) -> None:
        scheduler: Scheduler = self.config.app.state.scheduler  # type: ignore[union-attr]
        grace = self._settings.grace
        if scheduler.load:
            self._say(f"finishing {scheduler.load} requests, {grace:g} seconds at most")
        left = await scheduler.drain(grace)
        for job in left:
            kept = "will be resumed" if self._settings.state_dir else "is lost"
            done = f"{len(job.read)} of {len(job.pages or [])} pages read"
            self._say(f"not finished: {job.id} ({job.name}), {done}; it {kept}")
        if left and not self._settings.state_dir:
            self.code = 1
        scheduler.stop_waiting()
        self.should_exit = True
