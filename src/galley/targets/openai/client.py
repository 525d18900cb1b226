"""Requests to one server: limits, time-outs, repeats."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx2

from galley.errors import ModelError
from galley.targets.openai.address import Address
from galley.targets.openai.chat import Unusable, complaint

Value = TypeVar("Value")

_CONNECT_SECONDS = 10.0
_MOST_BYTES = 64 << 20
_LONGEST_WAIT = 60.0
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LOCKED = frozenset({401, 403})


@dataclass(frozen=True)
class Settings:
    """Limits of requests.

    Attributes:
        seconds: longest time of one request.
        retries: how often a failed request is repeated.
        concurrency: most requests open at a time.
        first_wait: seconds before the first repetition, doubled for each further one.
    """

    seconds: float = 300.0
    retries: int = 4
    concurrency: int = 16
    first_wait: float = 1.0


class RequestFailed(ModelError):
    """One request failed.

    Attributes:
        again: whether it may be repeated.
        wait: seconds that the server asked to wait.
        fails_all: whether every other request would fail too.
        missing: whether there is nothing at the address.
    """

    def __init__(
        self,
        message: str,
        *,
        again: bool = False,
        wait: float | None = None,
        fails_all: bool = False,
        missing: bool = False,
    ) -> None:
        super().__init__(message)
        self.again, self.wait, self.fails_all, self.missing = again, wait, fails_all, missing


class Client:
    """Sends requests to a server; all methods belong to one event loop. No message it raises holds the key."""

    def __init__(self, address: Address, settings: Settings, key: str | None) -> None:
        self.address, self.settings = address, settings
        self._key = key
        self._places = asyncio.Semaphore(settings.concurrency)
        self._http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx2.Timeout(settings.seconds, connect=_CONNECT_SECONDS, pool=None),
            limits=httpx2.Limits(max_connections=settings.concurrency),
        )

    async def post(self, path: str, make: Callable[[], bytes], read: Callable[[bytes], Value]) -> Value:
        """Send a request, repeating it after failures that may pass.

        Args:
            path: of the address.
            make: gives the body.
            read: reads the answer; an answer that it calls ``Unusable`` is asked for again.

        Returns:
            What ``read`` made of the answer.

        Raises:
            RequestFailed: it failed for good.
        """
        # Not with tenacity: its part would be the loop below alone, and what to repeat and how long to wait
        # (the server's ``Retry-After``) would stay ours.
        async with self._places:  # also while waiting to repeat: a server that is too busy gets less to do
            body = await asyncio.to_thread(make)
            attempt = 0
            while True:
                try:
                    return await self._once("POST", path, body, read, self.settings.seconds)
                except RequestFailed as error:
                    if not error.again or attempt == self.settings.retries:
                        raise
                    await asyncio.sleep(self._pause(attempt, error.wait))
                attempt += 1

    async def get(self, path: str, read: Callable[[bytes], Value]) -> Value:
        """Ask once and return what ``read`` makes of the answer.

        Raises:
            RequestFailed: there is no usable answer.
        """
        async with self._places:
            return await self._once("GET", path, None, read, min(_CONNECT_SECONDS, self.settings.seconds))

    def _pause(self, attempt: int, asked: float | None) -> float:
        """Seconds before the next attempt: never less than the server asked for, within reason."""
        doubled = self.settings.first_wait * 2**attempt * random.uniform(0.5, 1.0)
        return min(_LONGEST_WAIT, max(doubled, asked or 0.0))

    async def _once(
        self, method: str, path: str, body: bytes | None, read: Callable[[bytes], Value], seconds: float
    ) -> Value:
        try:
            response, content = await asyncio.wait_for(self._fetch(method, path, body), seconds)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise self._failed("cannot be reached; is it running?", again=True, fails_all=True) from error
        except (asyncio.TimeoutError, httpx2.TimeoutException) as error:
            raise self._failed(f"did not answer within {seconds:g} s", again=True) from error
        except httpx2.RequestError as error:
            raise self._failed("broke off the connection", again=True) from error
        except (httpx2.InvalidURL, ValueError) as error:
            raise self._failed(
                "cannot be asked: its address or key makes no sense", fails_all=True
            ) from error
        if not response.is_success:
            raise self._refused(response, content)
        try:
            return read(content)
        except Unusable as error:
            raise self._failed(str(error), again=True) from error

    async def _fetch(self, method: str, path: str, body: bytes | None) -> tuple[httpx2.Response, bytes]:
        content = bytearray()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        url = self.address.url(path)
        async with self._http.stream(method, url, content=body, headers=headers) as response:
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > _MOST_BYTES:
                    raise httpx2.ReadError("endless answer")
        return response, bytes(content)

    def _refused(self, response: httpx2.Response, content: bytes) -> RequestFailed:
        code = response.status_code
        if response.is_redirect:
            return self._failed(
                f"sends elsewhere (HTTP {code}); give the address it leads to", fails_all=True
            )
        said = f"answers HTTP {code}: {complaint(content)}"
        if code in _LOCKED:
            return self._failed(f"{said}; set OPENAI_API_KEY to a key it takes", fails_all=True)
        if code == httpx2.codes.NOT_FOUND:
            return self._failed(
                f"{said}; check the address and the model's name", fails_all=True, missing=True
            )
        return self._failed(said, again=code in _TRANSIENT, wait=_retry_after(response))

    def _failed(self, what: str, **kind: Any) -> RequestFailed:
        message = f"the server at {self.address} {what}"
        if self._key:
            message = message.replace(self._key, "…")
        return RequestFailed(message, **kind)


def _retry_after(response: httpx2.Response) -> float | None:
    """Seconds of a ``Retry-After`` header, given as such or as a date."""
    value = response.headers.get("Retry-After", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - datetime.now(timezone.utc)).total_seconds())
