"""HEAD wherever there is GET, as HTTP has it."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

_ENDLESS = "/events"


class AnswerHead:
    """Middleware that answers HEAD as GET without a body.

    Routes see a GET; the HTTP server, which keeps the request's own method, leaves the body out. Streams of events
    have no end to wait for and keep refusing it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, a HEAD as a GET."""
        if scope["type"] == "http" and scope["method"] == "HEAD" and not scope["path"].endswith(_ENDLESS):
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)
