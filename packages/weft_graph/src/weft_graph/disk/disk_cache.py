"""The cache on disk: entries by key, checked when they are read, the oldest dropped first.

It lies where the system keeps caches, or where the environment variable `WEFT_CACHE_DIR` says;
set to nothing or to "off", nothing is kept. Losing it costs time only. What is in a second
directory, `WEFT_SHARED_CACHE_DIR`, is read as well, and never changed.

Entries are unpickled and run, and a checksum is no signature: what others may have written is not
read. On Windows, whose files have no modes, that is what lies outside the user's own folder.
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

from weft_graph.linking.file_owner import written_by_others

__all__ = [
    "LIMIT",
    "Entry",
    "Info",
    "clear",
    "directory",
    "entries",
    "info",
    "load",
    "refused",
    "shared_directory",
    "shrink",
    "store",
]

LIMIT: Final = 2**30
"""How many bytes the cache may take: what was not used for longest goes first."""

_VARIABLE = "WEFT_CACHE_DIR"
_SHARED = "WEFT_SHARED_CACHE_DIR"
_SUFFIX = ".weft"
_UNFINISHED = ".part"
_CHECK = 16
_ABOUT = 400
"""How many bytes a description takes at most."""
_HOUR = 3600.0
_PART: Final = LIMIT // 64
"""How much a process writes until it looks anew at how much there is: to look reads all names."""
_UNITS = ((24 * _HOUR, "days"), (_HOUR, "hours"), (60.0, "minutes"), (1.0, "seconds"))


class Info(NamedTuple):
    """What the cache holds."""

    directory: Path | None
    """None: nothing is kept."""
    entries: int
    bytes: int

    def __str__(self) -> str:
        if self.directory is None:
            reason = f"{_VARIABLE} says so" if _VARIABLE in os.environ else "it needs platformdirs"
            return f"nothing is kept: {reason}"
        size = f"{self.bytes / 1e6:.1f} MB of at most {LIMIT / 1e6:.0f}"
        return f"{self.entries} compiled functions, {size}, in {self.directory}"


class Entry(NamedTuple):
    """A compiled function that is kept."""

    about: str
    """Its inputs and outputs."""
    bytes: int
    used: float
    """When it was last used, in seconds since 1970."""

    def __str__(self) -> str:
        seconds = max(0.0, time.time() - self.used)
        length, unit = next((u for u in _UNITS if seconds >= 2 * u[0]), _UNITS[-1])
        return f"{self.bytes / 1e3:8.1f} kB, {seconds / length:3.0f} {unit} ago: {self.about}"


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
    setting = os.environ.get(_VARIABLE)
    if setting is None:
        return _usual()
    return None if setting.strip().lower() in {"", "off"} else Path(setting)


def _usual() -> Path | None:
    """Where the system keeps what programs could make anew; None if nothing here knows."""
    try:
        from platformdirs import user_cache_path  # of linkers: the graph core alone has none
    except ImportError:
        return None
    return user_cache_path("weft", appauthor=False)


def shared_directory() -> Path | None:
    """A directory of a team, or of an image, whose entries are read and never changed.

    To name it is to trust whom it belongs to: nobody else may write to it or to its files.

    >>> from unittest.mock import patch
    >>> with patch.dict("os.environ", WEFT_SHARED_CACHE_DIR="some/where"):
    ...     print(shared_directory())
    some/where
    """
    setting = os.environ.get(_SHARED, "").strip()
    return Path(setting) if setting else None


def refused(folder: Path) -> str | None:
    """Why what is in `folder`, the own or the shared directory, is not used; None if it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     refused(Path(folder)) is None
    True
    """
    try:
        state = folder.stat()
    except OSError:
        return None  # there is nothing to be used
    if folder == shared_directory():
        return written_by_others(state, [state.st_uid])
    return written_by_others(state) or _outside(folder)


def _outside(folder: Path) -> str | None:
    """On Windows: whether anyone but the user may write to a folder is told by where it is."""
    if hasattr(os, "geteuid") or folder == _usual():
        return None
    is_inside = folder.resolve().is_relative_to(Path.home().resolve())
    return None if is_inside else f"it is not in {Path.home()}, where others may not write"


def info() -> Info:
    """Directory, number of entries and their size.

    >>> from unittest.mock import patch
    >>> with patch.dict("os.environ", WEFT_CACHE_DIR=""):
    ...     info()
    Info(directory=None, entries=0, bytes=0)
    >>> print(Info(Path("some/where"), 3, 45_678))
    3 compiled functions, 0.0 MB of at most 1074, in some/where
    """
    sizes = [size for _, size, _ in _entries(_SUFFIX)]
    return Info(directory(), len(sizes), sum(sizes))


def entries() -> list[Entry]:
    """What is kept, the last used first.

    >>> import tempfile
    >>> from unittest.mock import patch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with patch.dict("os.environ", WEFT_CACHE_DIR=folder):
    ...         store("some key", b"some bytes", "x -> exp")
    ...         print(*entries())
         0.0 kB,   0 seconds ago: x -> exp
    """
    records = sorted(_entries(_SUFFIX), reverse=True)
    return [Entry(_about(path), size, used) for used, size, path in records]


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
    own = directory()
    if own is not None and (content := _content(own, key)) is not None:
        path = own / (key + _SUFFIX)
        if (data := _data(content)) is not None:
            with suppress(OSError):  # root may own it, or another process have dropped it
                os.utime(path)
            return data
        _drop(path)
    shared = shared_directory()
    content = None if shared is None else _content(shared, key)
    return None if content is None else _data(content)


def _content(folder: Path, key: str) -> bytes | None:
    """The bytes of an entry; None if there is none, or if others may have written them."""
    try:
        with (folder / (key + _SUFFIX)).open("rb") as file:
            state = os.fstat(file.fileno())
            trusted = [folder.stat().st_uid] if folder == shared_directory() else []
            reason = refused(folder) or written_by_others(state, trusted)
            if reason is None:
                return file.read()
    except OSError:
        return None
    _refuse(folder, reason)
    return None


def _data(content: bytes) -> bytes | None:
    """What was stored; None if it is damaged."""
    check, described = content[:_CHECK], content[_CHECK:]
    return described.partition(b"\n")[2] if check == _checksum(described) else None


def store(key: str, data: bytes, about: str = "") -> None:
    """Keep `data` under `key`; where that is not possible, say so once and go on.

    `about` is a line for those who look at `entries`.
    """
    folder = directory()
    if folder is None or len(data) > LIMIT // 8:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if reason := refused(folder):
            _refuse(folder, reason)
            return
        line = " ".join(about.split()).encode()[:_ABOUT]
        described = line + b"\n" + data
        _write(folder / (key + _SUFFIX), _checksum(described) + described)
    except OSError as error:
        reason = error.strerror or str(error)
        _complain(
            f"compiled functions can't be kept in {folder} ({reason}): they are compiled anew in "
            f"each process; set {_VARIABLE} to another directory, or to 'off'"
        )
        return
    written = _written.get(folder, _PART) + len(described)
    _written[folder] = written % _PART
    if written >= _PART:
        shrink()


_written: Final[dict[Path, int]] = {}
"""How many bytes this process has written into each directory since it looked."""


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
    records = []
    with suppress(OSError):  # no directory, or no right to look
        for entry in os.scandir(folder) if folder is not None else ():
            if entry.name.endswith(suffix):
                with suppress(OSError):  # another process has dropped it meanwhile
                    state = entry.stat()
                    records.append((state.st_mtime, state.st_size, Path(entry)))
    return records


def _about(path: Path) -> str:
    """The description of an entry, as far as it can be read."""
    try:
        with path.open("rb") as file:
            start = file.read(_CHECK + _ABOUT + 1)[_CHECK:]
    except OSError:
        return "?"
    text = start.partition(b"\n")[0].decode(errors="replace")
    return text if text.isprintable() else "?"


def _drop(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECK, person=b"weft cache 2").digest()


def _refuse(folder: Path, reason: str) -> None:
    """Say why what is in `folder` is not used, and what to do."""
    remedy = (
        f"let its owner take that from them, or unset {_SHARED}"
        if folder == shared_directory()
        else f"set {_VARIABLE} to a directory of your own, which only you may write to, or to "
        f"'off'; one that you share with others on purpose is named by {_SHARED}"
    )
    _complain(
        f"compiled functions in {folder} are not used ({reason}), since they run as parts of "
        f"your programs: {remedy}"
    )


@cache
def _complain(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)
