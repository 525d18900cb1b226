"""Requests that are not served, and why, as every route answers them."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse

CLIENT_DISCONNECTED = 499
"""The status of requests whose client is gone; nobody reads it."""


class Refusal(Exception):
    """A request the server will not serve. ``message`` is one line that says what to do.

    Args:
        status: The HTTP status.
        code: A short name programs can test.
        retry_after: Seconds after which it is worth trying again.
    """

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry_after = status, code, message, retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers that go with the answer."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}


def error_body(code: str, message: str) -> dict[str, dict[str, str]]:
    """The body of an error, in the shape OpenAI's clients know."""
    return {"error": {"message": message, "type": code, "code": code}}


async def answer_refusal(request: Request, error: Exception) -> JSONResponse:
    """The answer to a refused request; GLM-OCR's clients want the message alone."""
    assert isinstance(error, Refusal)
    body: object = error_body(error.code, error.message)
    if request.url.path.startswith("/glmocr/"):
        body = {"error": error.message}
    return JSONResponse(body, error.status, headers=error.headers)
