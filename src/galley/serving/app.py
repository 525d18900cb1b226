"""The application: routes, limits and the scheduler behind them."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from galley import __version__
from galley.errors import GalleyError
from galley.serving.auth import ApiKey
from galley.serving.disk import NO_ROOM, is_full
from galley.serving.head import AnswerHead
from galley.serving.metrics import Metrics
from galley.serving.refusal import Refusal, answer_refusal, error_body
from galley.serving.routes import formats, glmocr, jobs, metrics, openai, parse
from galley.serving.scheduler import Scheduler
from galley.serving.settings import Settings
from galley.serving.uploads import BodyLimit
from galley.serving.web import PUBLIC_PATHS, add_web_page

_ROOM_S = 60
"""Seconds after which a full disk may have room again."""


def make_app(settings: Settings) -> FastAPI:
    """An application that serves with these settings; its workers live as long as it runs."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as stack:
            folder = settings.state_dir or Path(stack.enter_context(tempfile.TemporaryDirectory("-galley")))
            root = folder / "galley-jobs"  # of its own: whatever is no job in it is removed
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            scheduler = Scheduler(settings, root, app.state.metrics)
            app.state.scheduler = scheduler
            try:
                await scheduler.start()
                yield
            except GalleyError as error:
                app.state.start_error = error
                raise
            finally:
                await scheduler.close()

    app = FastAPI(title="Galley", version=__version__, lifespan=lifespan)
    app.state.settings, app.state.metrics, app.state.start_error = settings, Metrics(), None
    app.add_middleware(BodyLimit, limits=settings.limits)
    app.add_middleware(AnswerHead)
    if settings.api_key is not None:
        app.add_middleware(ApiKey, key=settings.api_key, public=("/health", *PUBLIC_PATHS))
    app.add_exception_handler(Refusal, answer_refusal)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(OSError, _answer_no_room)
    for router in (parse.router, formats.router, jobs.router, glmocr.router, openai.router, metrics.router):
        app.include_router(router)
    add_web_page(app)
    return app


async def _answer_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    body = error_body(f"http-{error.status_code}", str(error.detail))
    return JSONResponse(body, error.status_code, headers=error.headers)


async def _answer_no_room(request: Request, error: Exception) -> JSONResponse:
    """507 where the disk is full; any other ``OSError`` goes on as it was."""
    if not is_full(error):
        raise error
    return await answer_refusal(request, Refusal(507, "disk-full", NO_ROOM, _ROOM_S))
