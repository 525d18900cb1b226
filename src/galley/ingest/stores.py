"""Stores behind URLs: which there are, reaching them, and what they say when they cannot be reached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from galley.errors import GalleyError, InputError, UsageError, one_line

WEB = ("http", "https")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_OWN_EXTRA = ("fsspec", "s3fs")


def is_remote(path: str) -> bool:
    """Whether ``path`` is the URL of a store and not the name of a file; ``file://`` is one of a file."""
    return _URL.match(path) is not None and protocol(path) != "file"


def local_path(path: str) -> str:
    """The path that a ``file://`` URL stands for; anything else as it is. Raises ``UsageError``."""
    if _URL.match(path) is None or protocol(path) != "file":
        return path
    parts = urlsplit(path)
    if parts.netloc not in ("", "localhost"):
        raise UsageError(f"{path} is on another machine; write file:///… for one on this machine")
    return url2pathname(parts.path)


def protocol(url: str) -> str:
    """``s3`` of ``S3://…``."""
    return url.partition("://")[0].lower()


def shown_url(url: str) -> str:
    """A URL without the password or token it may carry."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def file_system(url: str) -> tuple[Any, str]:
    """The store of a URL and the path in it. Raises ``UsageError`` where a package for it is missing."""
    try:
        from fsspec.core import url_to_fs
        from fsspec.registry import known_implementations
    except ImportError as error:
        raise UsageError(f"{shown_url(url)} needs fsspec: pip install 'galley-ocr[cloud]'") from error
    kind = protocol(url)
    try:
        system, path = url_to_fs(url)
    except ImportError as error:
        raise UsageError(f"{shown_url(url)} needs {_missing(known_implementations[kind], error)}") from error
    except ValueError as error:
        if kind in known_implementations:
            raise
        raise UsageError(f"{kind}:// is no store that fsspec knows") from error
    system.invalidate_cache()  # a listing from before may be out of date
    return system, path


def _missing(known: dict[str, str], error: ImportError) -> str:
    """The package that a store needs, and how to get it."""
    package = known["class"].partition(".")[0]
    if package == "fsspec":  # its own class, which needs some other package
        return f"another package: {known.get('err') or one_line(error)}"
    return f"{package}: pip install " + ("'galley-ocr[cloud]'" if package in _OWN_EXTRA else package)


@contextmanager
def reaching(url: str, kind: type[GalleyError]) -> Iterator[None]:
    """Turn what a store says into an error of ``kind`` that names the URL."""
    name = shown_url(url)
    cannot = f"{name} cannot be {'read' if kind is InputError else 'written'}"
    try:
        yield
    except GalleyError:
        raise
    except FileNotFoundError as error:
        raise kind(f"{name} does not exist" if kind is InputError else f"{cannot}: {_said(error)}") from error
    except PermissionError as error:
        raise kind(f"{cannot}: {_said(error)}; your credentials do not allow it") from error
    except NotImplementedError as error:
        raise kind(f"{cannot}: {protocol(url)}:// does not allow it") from error
    except Exception as error:  # stores raise whatever their libraries do
        raise kind(f"{cannot}: {_said(error)}") from error


def _said(error: Exception) -> str:
    """Errors of stores carry the path, or nothing, where a file's would carry a sentence."""
    return getattr(error, "strerror", None) or one_line(error)
