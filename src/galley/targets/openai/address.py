"""Where a served model is: ``openai:http://host:port/v1#name``."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

from galley.errors import UsageError

_FORM = "a served model is named as openai:http://host:port/v1#model"


@dataclass(frozen=True)
class Address:
    """A server and a model on it.

    Attributes:
        base: the address before ``/chat/completions``, without user information.
        query: what follows every address, such as ``?api-version=1``.
        model: name of the model; None where none is given.
        key: API key from the address, if it holds one.
    """

    base: str
    query: str = field(default="", repr=False)
    model: str | None = None
    key: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.base

    def url(self, path: str) -> str:
        """The address of ``/chat/completions`` and the like."""
        return f"{self.base}{path}{self.query}"

    @classmethod
    def of(cls, text: str) -> Address:
        """Read an address.

        The path is ``/v1`` where none is given. A key stands before the host as ``key@`` or ``user:key@``.

        Raises:
            UsageError: it is no address. The message never repeats the text, which may hold a key.
        """
        try:
            parts = urlsplit(text.removeprefix("openai:"))
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise UsageError(f"the server's address makes no sense; {_FORM}") from error
        if parts.scheme not in ("http", "https") or not host:
            raise UsageError(f"the server's address has to begin with http:// or https://; {_FORM}")
        name = f"[{host}]" if ":" in host else host
        place = name if port is None else f"{name}:{port}"
        path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
        base = urlunsplit((parts.scheme, place, path, "", ""))
        key = unquote(parts.password or parts.username or "") or None
        query = f"?{parts.query}" if parts.query else ""
        return cls(base, query, unquote(parts.fragment) or None, key)
