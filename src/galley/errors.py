"""Errors a user can meet. Each has a message of one line that says what to do, and an exit code."""

from __future__ import annotations


class GalleyError(Exception):
    """Base of every error Galley raises on purpose. ``str(error)`` is one line fit for a user."""

    exit_code = 1


class InputError(GalleyError):
    """The document cannot be read: missing, encrypted, truncated, empty, too large, not a document."""

    exit_code = 3


class OutputError(GalleyError):
    """The result cannot be written: folder not writable, disk full."""

    exit_code = 4


class ModelError(GalleyError):
    """A model cannot be used: missing files, wrong family, unsuitable settings, no network."""

    exit_code = 5


class UsageError(GalleyError):
    """An option has a value that makes no sense."""

    exit_code = 2


def one_line(error: BaseException) -> str:
    """An exception's message as one line; the name of its type where it has no message."""
    return " ".join(str(error).split()) or type(error).__name__


def unexpected(error: BaseException) -> str:
    """The message for an error that was not foreseen."""
    return f"unexpected {type(error).__name__}: {one_line(error)}; please report it"
