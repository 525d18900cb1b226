"""Exit codes that are no error's own."""

from __future__ import annotations

import signal

INTERRUPTED = 128 + signal.SIGINT
PIPE_CLOSED = 141
"""What a shell shows for a program that a closed pipe ended."""
