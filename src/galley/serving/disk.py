"""What is said when the server's disk is full."""

from __future__ import annotations

import errno

DISK_FULL_MESSAGE = "the server's disk is full; try again later"


def is_disk_full(error: BaseException) -> bool:
    """Whether there was no room left to write."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
