"""Where the user's code made a node: noted cheaply, formatted only when it is shown."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, NamedTuple

__all__ = [
    "Place",
    "Placed",
    "Source",
    "called",
    "describe",
    "here",
    "is_internal",
    "is_own",
    "place_at_callers",
    "source_of",
    "standing",
    "treat_as_internal",
]

Place = tuple[CodeType, int] | tuple[str, int] | tuple[None, int]

_CO_VARARGS: Final = 4
"""The flag of code of functions that take any number of arguments (`inspect.CO_VARARGS`)."""

_OWN: Final = frozenset(
    {
        *("weft", "weft_graph", "weft_jax", "weft_numba"),
        *("weft_rewrites", "weft_tensor", "weft_testing"),
    }
)
_packages = {*_OWN, "functools"}  # whose cached properties call our functions
_internal: dict[str, bool] = {}


class _Standing(threading.local):
    """Whose place new nodes take: that of the node they are made to stand for, if any."""

    place: Place | None = None


standing = _Standing()


def treat_as_internal(package: str) -> None:
    """Leave the frames of `package` out when noting where a node was made.

    A library that builds expressions for its users calls this once with its own name, or that
    of a part of it ("company.models"), so that errors point at its users' lines. For what
    methods of its Ops and of its variables make, that is so without it.

    >>> treat_as_internal("my_model_library")
    """
    _packages.add(package)
    _internal.clear()


def is_own(module: str | None) -> bool:
    """Whether a module of this name is one of Weft's.

    >>> is_own("weft_graph.core.nodes"), is_own("weft_and_more"), is_own(None)
    (True, False, False)
    """
    return (module or "").partition(".")[0] in _OWN


def here(depth: int) -> Place:
    """The innermost place outside Weft's packages, `depth` frames up or more.

    While a rewrite replaces a node, it is that node's place; while a method of a library's Op
    makes one, the place of the call.
    """
    if standing.place is not None:
        return standing.place
    frame = sys._getframe(depth)
    while True:
        name = frame.f_globals.get("__name__", "")
        internal = _internal.get(name)
        if internal is None:
            internal = _internal[name] = is_internal(name)
        if not internal:
            return frame.f_code, frame.f_lasti
        outer = frame.f_back
        if outer is None:
            return None, 0
        frame = outer


def called() -> str:
    """For messages: which function of Weft's the user's code called, and of which nodes.

    >>> called()
    ''
    """
    caller = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_own(module := frame.f_globals.get("__name__", "")):
        if ".front." not in module:  # what stands between NumPy's function and Weft's
            caller = frame
        frame = frame.f_back
    if caller is None or not caller.f_code.co_name.isidentifier():
        return ""
    code = caller.f_code
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _CO_VARARGS)
    arguments = [caller.f_locals.get(name) for name in code.co_varnames[:count]]
    items = [v for g in arguments for v in (g if isinstance(g, list | tuple) else [g])]
    return f", in {code.co_name}({', '.join([repr(v) for v in items if isinstance(v, Placed)])})"


def is_internal(module: str) -> bool:
    """Whether the frames of `module` are left out.

    >>> is_internal("weft_tensor.types.tensor_type"), is_internal("weft_tensors")
    (True, False)
    """
    parts = module.split(".")
    return any(".".join(parts[:n]) in _packages for n in range(1, len(parts) + 1))


def place_at_callers(cls: type, *names: str) -> None:
    """Let what methods of a library's class make be made where users call these.

    Of all methods that the class defines, if no `names` are given.
    """
    if is_internal(cls.__module__):
        return
    for name, method in list(vars(cls).items()):
        if isinstance(method, FunctionType) and (not names or name in names):
            setattr(cls, name, _at_callers_place(method))


def _at_callers_place(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def placed(*args: Any, **kwargs: Any) -> Any:
        outer = standing.place
        standing.place = here(2)
        try:
            return method(*args, **kwargs)
        finally:
            standing.place = outer

    return placed


class Placed:
    """What knows where the user's code made it."""

    __slots__ = ("__weakref__", "place")

    place: Place
    """Where the user's code first made this."""

    @property
    def made_at(self) -> str | None:
        """The same as text: file, line and the line itself."""
        return describe(self.place)


class Source(NamedTuple):
    """A line of a user's program."""

    file: str
    line: int
    function: str

    @property
    def text(self) -> str:
        """The line itself, empty if the file can't be read."""
        import linecache  # slow to import, and needed for messages only

        return linecache.getline(self.file, self.line).strip()


def source_of(place: Place) -> Source | None:
    """The line that `place` is on, None if it is not known.

    >>> source_of((None, 0)) is None
    True
    """
    code, offset = place
    if code is None or isinstance(code, str):
        return None
    from bisect import bisect_right  # needed for messages only

    ends, lines = _lines(code)
    return Source(code.co_filename, lines[bisect_right(ends, offset)], code.co_name)


@lru_cache(maxsize=64)
def _lines(code: CodeType) -> tuple[list[int], list[int]]:
    """Where the instructions of each line end, and the lines."""
    table = list(code.co_lines())
    return [end for _, end, _ in table], [line or code.co_firstlineno for _, _, line in table]


def describe(place: Place) -> str | None:
    """`place` as text: file, line, function and the line itself.

    >>> describe(("a model file", 0))
    'a model file'
    >>> describe((None, 0)) is None
    True
    """
    source = source_of(place)
    if source is None:
        return place[0] if isinstance(place[0], str) else None
    where = f"line {source.line} of {source.file}"
    if source.function != "<module>":
        where += f", in {source.function}"
    return f"{where}: {source.text}" if source.text else where
