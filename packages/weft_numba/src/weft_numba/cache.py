"""The cache on disk: entries by key, checked when they are read, the oldest dropped first.

It lies where the system keeps caches, or where the environment variable `WEFT_CACHE_DIR` says;
set to nothing or to "off", nothing is kept. Losing it costs time only.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import platformdirs

__all__ = ["LIMIT", "Info", "clear", "directory", "info", "load", "shrink", "store"]

LIMIT: Final = 2**30
"""How many bytes the cache may take: what was not used for longest goes first."""

_VARIABLE = "WEFT_CACHE_DIR"
_SUFFIX = ".weft"
_UNFINISHED = ".part"
_CHECK = 16
_HOUR = 3600.0


class Info(NamedTuple):
    """What the cache holds."""

    directory: Path | None
    """None: nothing is kept."""
    entries: int
    bytes: int

    def __str__(self) -> str:
        if self.directory is None:
            return f"nothing is kept: {_VARIABLE} says so"
        size = f"{self.bytes / 1e6:.1f} MB of at most {LIMIT / 1e6:.0f}"
        return f"{self.entries} compiled functions, {size}, in {self.directory}"


def directory() -> Path | None:
    """Where compiled functions are kept; None if they are not.

    >>> from unittest.mock import patch
    >>> with patch.dict("os.environ", WEFT_CACHE_DIR="some/where"):
    ...     print(directory())
    some/where
    >>> with patch.dict("os.environ", WEFT_CACHE_DIR="off"):
    ...     print(directory())
    None
    """
    chosen = os.environ.get(_VARIABLE)
    if chosen is None:
        return Path(platformdirs.user_cache_dir("weft", appauthor=False))
    return None if chosen.strip().lower() in {"", "off"} else Path(chosen)


def info() -> Info:
    """Directory, number of entries and their size.

    >>> from unittest.mock import patch
    >>> with patch.dict("os.environ", WEFT_CACHE_DIR=""):
    ...     info()
    Info(directory=None, entries=0, bytes=0)
    >>> print(Info(Path("some/where"), 3, 45_678))
    3 compiled functions, 0.0 MB of at most 1074, in some/where
    """
    found = [size for _, size, _ in _entries(_SUFFIX)]
    return Info(directory(), len(found), sum(found))


def clear() -> None:
    """Remove all entries.

    >>> import tempfile
    >>> from unittest.mock import patch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with patch.dict("os.environ", WEFT_CACHE_DIR=folder):
    ...         store("some key", b"some bytes")
    ...         clear()
    ...         print(load("some key"))
    None
    """
    for _, _, path in [*_entries(_SUFFIX), *_entries(_UNFINISHED)]:
        _drop(path)


def load(key: str) -> bytes | None:
    """What was stored under `key`; None if nothing was, or if it is damaged, and so dropped."""
    folder = directory()
    if folder is None:
        return None
    path = folder / (key + _SUFFIX)
    try:
        content = path.read_bytes()
    except OSError:
        return None
    check, data = content[:_CHECK], content[_CHECK:]
    if check != _checksum(data):
        _drop(path)
        return None
    with suppress(OSError):  # others may own it, or have dropped it
        os.utime(path)
    return data


def store(key: str, data: bytes) -> None:
    """Keep `data` under `key`; where that is not possible, say so once and go on."""
    folder = directory()
    if folder is None or len(data) > LIMIT // 8:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(folder / (key + _SUFFIX), _checksum(data) + data)
    except OSError as error:
        _complain(str(folder), error.strerror or str(error))
    else:
        shrink()


def shrink(limit: int = LIMIT) -> None:
    """Drop what was not used for longest until the cache takes at most `limit` bytes.

    >>> import tempfile
    >>> from unittest.mock import patch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with patch.dict("os.environ", WEFT_CACHE_DIR=folder):
    ...         store("some key", b"some bytes")
    ...         shrink(0)
    ...         print(load("some key"))
    None
    """
    entries = sorted(_entries(_SUFFIX))
    excess = sum(size for _, size, _ in entries) - limit
    for _, size, path in entries:
        if excess <= 0:
            break
        _drop(path)
        excess -= size
    for used, _, path in _entries(_UNFINISHED):
        if used < time.time() - _HOUR:  # whoever was writing it is gone
            _drop(path)


def _write(path: Path, content: bytes) -> None:
    """Write beside `path`, then rename: readers see all of it or nothing."""
    number, name = tempfile.mkstemp(suffix=_UNFINISHED, dir=path.parent)
    try:
        with open(number, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        _drop(Path(name))
        raise


def _entries(suffix: str) -> list[tuple[float, int, Path]]:
    """When each was last used, its size, and where it is."""
    folder = directory()
    found = []
    with suppress(OSError):  # no directory, or no right to look
        for path in folder.iterdir() if folder is not None else ():
            if path.suffix == suffix:
                with suppress(OSError):  # another process has dropped it meanwhile
                    state = path.stat()
                    found.append((state.st_mtime, state.st_size, path))
    return found


def _drop(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECK, person=b"weft cache 1").digest()


@cache
def _complain(folder: str, reason: str) -> None:
    warnings.warn(
        f"compiled functions can't be kept in {folder} ({reason}): they are compiled anew in each "
        f"process; set {_VARIABLE} to another directory, or to 'off'",
        RuntimeWarning,
        stacklevel=2,
    )
