"""Fetching documents from the web, and only from the web: never from the server's own network."""

from __future__ import annotations

import http.client
import ipaddress
import shutil
import socket
import ssl
from pathlib import Path
from urllib.parse import SplitResult, urljoin, urlsplit

from galley.serving.refusal import Refusal
from galley.serving.settings import MEGABYTE, Limits
from galley.serving.uploads import too_large

_PORTS = {"http": 80, "https": 443}
_REDIRECTS = 5
_REDIRECTED = (301, 302, 303, 307, 308)
_TIMEOUT_S = 30.0


def fetch(url: str, target: Path, limits: Limits) -> str:
    """Fetch a document to a file and return a name for it. Blocks.

    Every host on the way, redirects included, has to have public addresses alone, and the connection goes to the
    address that was checked. Refused otherwise.
    """
    for _ in range(_REDIRECTS + 1):
        parts = _checked(url)
        connection = _connect(parts, public_address(parts.hostname or ""))
        try:
            response = _ask(connection, parts)
            if response.status in _REDIRECTED:
                url = urljoin(url, response.headers.get("Location", ""))
                continue
            if response.status != 200:
                raise Refusal(422, "bad-url", f"{parts.hostname} answered {response.status}")
            _save(response, target, limits)
            return parts.path.rsplit("/", 1)[-1] or "document"
        finally:
            connection.close()
    raise Refusal(422, "bad-url", f"more than {_REDIRECTS} redirects")


def public_address(host: str) -> str:
    """An address of a host, all of whose addresses are public; refused otherwise."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refusal(422, "bad-url", f"{host or 'the address'} is not known") from error
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if not _is_public(address):
            raise Refusal(422, "bad-url", f"{host} is not on the public internet")
    return addresses[0]


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(ip, "ipv4_mapped", None) or getattr(ip, "sixtofour", None)
    return ip.is_global and not ip.is_multicast and (inner is None or inner.is_global)


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Refusal(422, "bad-url", "this is no web address") from error
    if parts.scheme not in _PORTS or not parts.hostname or parts.username or parts.password:
        raise Refusal(
            422, "bad-url", "an address begins with http:// or https:// and a host, without a password"
        )
    if port not in (None, *_PORTS.values()):
        raise Refusal(422, "bad-url", "only ports 80 and 443 are asked")
    return parts


def _connect(parts: SplitResult, address: str) -> http.client.HTTPConnection:
    """A connection to exactly this address; certificates are checked against the host's name."""
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    try:
        sock: socket.socket = socket.create_connection((address, port), _TIMEOUT_S)
        if parts.scheme == "https":
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=host)
    except OSError as error:
        raise Refusal(422, "bad-url", f"{host} cannot be reached: {error.strerror or error}") from error
    connection.sock = sock
    return connection


def _ask(connection: http.client.HTTPConnection, parts: SplitResult) -> http.client.HTTPResponse:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("GET", path, headers={"User-Agent": "galley", "Accept": "*/*"})
        return connection.getresponse()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Refusal(422, "bad-url", f"{parts.hostname} did not answer: {error}") from error


def _save(response: http.client.HTTPResponse, target: Path, limits: Limits) -> None:
    with target.open("wb") as file:
        try:
            shutil.copyfileobj(_Limited(response, limits.max_bytes), file, MEGABYTE)
        except (OSError, http.client.HTTPException) as error:
            raise Refusal(422, "bad-url", f"the document broke off: {error}") from error


class _Limited:
    """Reads no more than so many bytes."""

    def __init__(self, response: http.client.HTTPResponse, max_bytes: int) -> None:
        self._response, self._left, self._max_bytes = response, max_bytes, max_bytes

    def read(self, size: int = -1, /) -> bytes:
        data = self._response.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise too_large(self._max_bytes)
        return data
