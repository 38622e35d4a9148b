"""Where the user's code made a node: noted cheaply, formatted only when it is shown."""

from __future__ import annotations

import linecache
import sys
import threading
from types import CodeType

__all__ = ["Place", "describe", "here", "standing", "treat_as_internal"]

Place = tuple[CodeType, int] | tuple[str, int] | tuple[None, int]

_packages = {
    "weft",
    "weft_graph",
    "weft_jax",
    "weft_numba",
    "weft_rewrites",
    "weft_tensor",
    "weft_testing",
}
_internal: dict[str, bool] = {}


class _Standing(threading.local):
    """Whose place new nodes take: that of the node they are made to stand for, if any."""

    place: Place | None = None


standing = _Standing()


def treat_as_internal(package: str) -> None:
    """Leave the frames of `package` out when noting where a node was made.

    A library that builds expressions for its users calls this once with its own name, so
    that errors point at its users' lines.

    >>> treat_as_internal("my_model_library")
    """
    _packages.add(package)
    _internal.clear()


def here(depth: int) -> Place:
    """The innermost place outside Weft's packages, `depth` frames up or more.

    While a rewrite replaces a node, it is that node's place.
    """
    if standing.place is not None:
        return standing.place
    frame = sys._getframe(depth)
    while True:
        name = frame.f_globals.get("__name__", "")
        internal = _internal.get(name)
        if internal is None:
            internal = _internal[name] = name.partition(".")[0] in _packages
        if not internal:
            return frame.f_code, frame.f_lasti
        outer = frame.f_back
        if outer is None:
            return None, 0
        frame = outer


def describe(place: Place) -> str | None:
    """`place` as text: file, line, function and the line itself.

    >>> describe(("a model file", 0))
    'a model file'
    >>> describe((None, 0)) is None
    True
    """
    code, offset = place
    if code is None or isinstance(code, str):
        return code
    positions = list(code.co_positions())
    line = positions[offset // 2][0] or code.co_firstlineno
    where = f"line {line} of {code.co_filename}"
    if code.co_name != "<module>":
        where += f", in {code.co_name}"
    text = linecache.getline(code.co_filename, line).strip()
    return f"{where}: {text}" if text else where
