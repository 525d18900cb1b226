"""Running the server: signals, the end, and what is said about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import FrameType

import uvicorn

from galley.serving.app import make_app
from galley.serving.scheduler import Scheduler
from galley.serving.settings import Settings

_CONNECTIONS = 1024
_LAST_WORDS_S = 5
"""Seconds that answers under way get after the jobs have ended."""


def run_server(settings: Settings, host: str, port: int, say: Callable[[str], None]) -> int:
    """Serve until a signal ends it. Returns an exit code: 0 when nothing accepted was left undone."""
    app = make_app(settings)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_LAST_WORDS_S,
    )
    server = _Server(config, settings, say)
    server.run()
    return server.code


class _Server(uvicorn.Server):
    """A server that finishes accepted jobs before it goes. A second signal ends it at once."""

    def __init__(self, config: uvicorn.Config, settings: Settings, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self.code = 0
        self._settings, self._say = settings, say
        self._ending: asyncio.Task[None] | None = None
        self._wanted = False

    async def startup(self, sockets: list | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            for listening in self.servers:
                for socket in listening.sockets:
                    host, port = socket.getsockname()[:2]
                    self._say(f"serving at http://{f'[{host}]' if ':' in host else host}:{port}")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._wanted:
            self.should_exit = self.force_exit = True
        self._wanted = True

    async def on_tick(self, counter: int) -> bool:
        if self._wanted and self._ending is None:
            self._ending = asyncio.ensure_future(self._end())
        return await super().on_tick(counter)

    async def _end(self) -> None:
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
