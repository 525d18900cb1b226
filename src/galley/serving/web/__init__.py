"""The web page: static files with a strict content security policy, added to any Starlette or FastAPI app."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PUBLIC_PATHS = ("/", "/web/")
"""The page itself and where its files live. They hold no data and are served without an API key."""

_STATIC = Path(__file__).parent / "static"

_CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types galley",
    ]
)
_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Revalidated by ETag, so that a page and scripts of different versions never meet.
    "Cache-Control": "no-cache",
}


class _Assets(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_HEADERS)
        return response


async def _index(_request: object) -> Response:
    return FileResponse(_STATIC / "index.html", headers=_HEADERS)


def add_web_page(app: Starlette) -> None:
    """Serve the page at ``/`` and its files under ``/web/``.

    The page talks to ``/v1/…`` of the same origin only; nothing it loads comes from elsewhere.
    """
    app.router.routes += [
        Route("/", _index, methods=["GET", "HEAD"], include_in_schema=False),
        Mount("/web", _Assets(directory=_STATIC), name="web"),
    ]
