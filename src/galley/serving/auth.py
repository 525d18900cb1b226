"""The API key: a middleware, so that no route can forget it."""

from __future__ import annotations

import hmac

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from galley.serving.refusal import Refusal, answer_refusal


class ApiKey:
    """Lets requests through that carry the key, as a bearer token or in ``X-API-Key``.

    Args:
        public: Paths served to anybody; one that ends in a slash stands for all below it.
    """

    def __init__(self, app: ASGIApp, key: str, public: tuple[str, ...]) -> None:
        self._app, self._key, self._public = app, key.encode(), public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on where it is public or brings the key; answer 401 otherwise."""
        if scope["type"] != "http" or self._is_public(scope["path"]) or self._is_right(Request(scope)):
            await self._app(scope, receive, send)
            return
        refusal = Refusal(401, "no-key", "this server wants an API key; send it as Authorization: Bearer KEY")
        response = await answer_refusal(Request(scope), refusal)
        response.headers["WWW-Authenticate"] = "Bearer"
        await response(scope, receive, send)

    def _is_public(self, path: str) -> bool:
        return any(
            path == public or (public != "/" and public[-1] == "/" and path.startswith(public))
            for public in self._public
        )

    def _is_right(self, request: Request) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")
        # Headers come decoded as Latin-1, whatever the client meant.
        return hmac.compare_digest(given.encode("latin-1"), self._key)
