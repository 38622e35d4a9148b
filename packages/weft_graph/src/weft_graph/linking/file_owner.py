"""Who may have written a file or a directory, as far as the system tells."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

__all__ = ["written_by_others"]


def written_by_others(state: os.stat_result, trusted: Iterable[int] = ()) -> str | None:
    """Why others than this user may have written what `state` is of; None if they can't have.

    What belongs to root, or to users of the numbers `trusted`, is taken for this user's own.
    None as well where files have no owners, as on Windows.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> written_by_others(os.stat(folder)) is None
    True
    >>> os.chmod(folder, 0o777)
    >>> written_by_others(os.stat(folder))
    'others may write to it'
    """
    if not hasattr(os, "geteuid"):
        return None
    if state.st_uid not in {os.geteuid(), 0, *trusted}:
        return f"it belongs to another user, of number {state.st_uid}"
    if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others may write to it"
    return None
