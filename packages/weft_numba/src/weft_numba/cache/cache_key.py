"""The key under which what a graph compiles to is kept: everything that it depends on.

That is the graph, the books, the lowerings that users have registered and the kinds of their Ops,
the source files behind all of these, the versions of what compiles, and the processor.
"""

from __future__ import annotations

import marshal
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy
import scipy

from weft_graph import FunctionGraph, Input, RuleBook
from weft_graph.extend import CompileRequest, Linker, book_modules, encoded, installed_books
from weft_numba.lowering.dispatch import numba_funcify

__all__ = ["cache_key"]

_WEFT: Final = ("weft_graph", "weft_tensor", "weft_numba")
_INSIDE: Final = tuple([f"{name}." for name in _WEFT])
_COMPILERS: Final = {m.__name__: m.__version__ for m in (numba, llvmlite, numpy, scipy)}
_ELSEWHERE: Final = frozenset(sys.stdlib_module_names) - {"__main__"} | {*_COMPILERS}
"""Modules whose version is in the key already."""
_STARTED: Final = time.time()


class UnknownError(Exception):
    """Something has no identity that another process could compare."""


def cache_key(linker: Linker, request: CompileRequest) -> str | None:
    """A text that is equal, in any process, exactly if the machine code of `request` is the same.

    None if something in it is defined where no other process can find it, in an interactive
    session for instance, or has changed since this process has begun.

    >>> from weft_graph import Mode, rewrite_graph
    >>> from weft_tensor import exp, vector
    >>> x, y = vector("x"), vector("y")
    >>> one, two = (CompileRequest(FunctionGraph([v], [exp(v)]), [], rewrite_graph) for v in (x, y))
    >>> linker = Mode("numba").linker
    >>> cache_key(linker, one) == cache_key(linker, two)
    True
    """
    graph = request.written
    if not all(isinstance(v.op, Input) for v in graph.inputs):
        return None  # what is assumed of such an input is not in the digest
    try:
        classes = {*_classes(graph), *_classes(type(linker))}
        owners = {_top(c.__module__) for c in classes}
        books = book_modules() if request.books else ()  # what is not applied need not be imported
        modules = {*_WEFT, *map(_top, books), *owners}
        lowerings = [
            (f"{kind.__module__}.{kind.__qualname__}", *_described(function, modules))
            for kind, function in numba_funcify.registry.items()
            if not (function.__module__ or "").startswith(_INSIDE)
            and _top(kind.__module__) in {*_WEFT, *owners}
        ]
        kinds = [
            (f"{c.__module__}.{c.__qualname__}", name, *_described(getattr(c, name), modules))
            for c in classes
            for name in ("kind", "expansion")
            if _top(c.__module__) not in _WEFT and hasattr(c, name)
        ]
        parts = [
            graph.digest,
            (type(linker), vars(linker)),
            _machine(),
            [(name, value) for name, value in sorted(os.environ.items()) if name[:6] == "NUMBA_"],
            [_book(book) for book in request.books],
            sorted(lowerings),
            sorted(kinds),
            "".join([f"{name} {_stamp(name)} " for name in sorted(modules)]),
        ]
        return blake2b(encoded(parts), digest_size=20).hexdigest()
    except (TypeError, UnknownError, OSError):
        return None


@cache
def _machine() -> str:
    """What compiles, and for which processor."""
    features = llvm.get_host_cpu_features().flatten()
    names = getattr(os, "confstr_names", {})
    library = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in names else None
    versions = [f"{name} {version}" for name, version in _COMPILERS.items()]
    where = (sys.version, platform.platform(), library or "", llvm.get_host_cpu_name(), features)
    return "\n".join([*versions, *where])


def _book(book: Any) -> Any:
    """Books and rules that are installed, by place, and passes of Weft's own, by name.

    Others have no identity.
    """
    number = _installed().get(id(book))
    if number is not None:
        return number
    is_plain = isinstance(book, FunctionType) and book.__name__ == book.__qualname__
    if is_plain and _top(book.__module__) in _WEFT:
        return f"{book.__module__}.{book.__name__}"
    if not isinstance(book, RuleBook):
        raise UnknownError
    return book.name, [_book(part) for part in book.parts]


@cache
def _installed() -> dict[int, str]:
    """Numbers for the books and passes that are installed, and what is in them."""
    numbers: dict[int, str] = {}
    todo: list[Any] = list(installed_books())
    for part in todo:
        numbers.setdefault(id(part), f"{len(numbers)}")
        todo.extend(part.parts if isinstance(part, RuleBook) else ())
    return numbers


def _classes(owned: object) -> Iterator[Any]:
    """A class, or those of the Ops and types of a graph, and functions among their parameters."""
    visits: set[Any] = set()
    todo: list[Any] = [owned]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple | list):
            todo.extend(part)
        elif isinstance(part, FunctionGraph):
            todo.extend({v.op for v in part.order} | {v.type for v in part.order})
        elif isinstance(part, type | FunctionType):
            yield part
        elif hasattr(part, "__props__") and part not in visits:
            visits.add(part)
            yield type(part)
            todo.extend(
                getattr(part, name) for name in part.__props__ if name not in part._uncounted
            )


def _described(function: Callable[..., Any], modules: set[str]) -> tuple[bytes, ...]:
    """The code of a user's function and what it encloses; its modules are added to `modules`."""
    todo: list[Any] = [function]
    visits: set[Any] = set()
    texts: list[bytes] = []
    for part in todo:
        plain = getattr(part, "py_func", part)
        if not isinstance(plain, FunctionType):
            raise UnknownError
        if plain in visits:
            continue
        visits.add(plain)
        modules.add(_top(plain.__module__))
        texts.append(marshal.dumps(plain.__code__, 2))  # later versions count references
        enclosed = [cell.cell_contents for cell in plain.__closure__ or ()]
        enclosed += [*(plain.__defaults__ or ()), *(plain.__kwdefaults__ or {}).values()]
        mentioned = [plain.__globals__.get(name) for name in plain.__code__.co_names]
        for value in enclosed:
            if _is_function(value):
                todo.append(value)
            else:
                texts.append(encoded(value))
        todo += [v for v in mentioned if _is_function(v) and _top(v.__module__) not in _KNOWN]
        modules.update(_top(v.__name__) for v in mentioned if isinstance(v, ModuleType))
    return tuple(texts)


_KNOWN: Final = (*_WEFT, *_COMPILERS)


def _is_function(value: Any) -> bool:
    return isinstance(getattr(value, "py_func", value), FunctionType)


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]


@cache
def _stamp(name: str) -> str:
    """The source files of a top-level module: their names, sizes and times.

    Raises UnknownError where there are none, or one is younger than this process.
    """
    if name in _ELSEWHERE:
        return ""
    place = getattr(sys.modules.get(name), "__file__", None)
    if place is None:
        raise UnknownError
    path = Path(place)
    files = _sources(path.parent) if path.name == "__init__.py" else [(path.name, path.stat())]
    if any(state.st_mtime > _STARTED for _, state in files):
        raise UnknownError
    parts = [(where, state.st_size, state.st_mtime_ns) for where, state in files]
    return blake2b(repr(sorted(parts)).encode(), digest_size=20).hexdigest()


def _sources(folder: Path) -> list[tuple[str, os.stat_result]]:
    """The Python files of a package, and what the system knows of them."""
    files = []
    todo: list[str] = [str(folder)]
    for place in todo:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    files.append((os.path.relpath(entry.path, folder), entry.stat()))
                elif entry.is_dir() and entry.name != "__pycache__":
                    todo.append(entry.path)
    return files


for _name in _WEFT:  # now, when they are loaded: someone may edit them later
    with suppress(UnknownError, OSError):
        _stamp(_name)
