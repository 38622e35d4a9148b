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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

from weft_graph.compile.mode import book_modules, installed_books
from weft_graph.core.encoding import encoded
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Input
from weft_graph.disk import disk_cache
from weft_graph.linking.compile_request import CompileRequest
from weft_graph.linking.linker import Linker
from weft_graph.rewriting.rulebook import RuleBook

__all__ = ["Compiler", "about", "note_sources"]

_STARTED: Final = time.time()


class UnknownError(Exception):
    """Something has no identity that another process could compare."""


@dataclass(frozen=True)
class Compiler:
    """What compiles for a linker, as far as keys of its requests tell."""

    packages: tuple[str, ...]
    """Weft's, whose source files count."""
    versions: dict[str, str]
    """Those of modules from elsewhere."""
    table: Any
    """The lowerings: its `registry` has them by classes of Ops."""
    machine: Callable[[], str]
    """What is told of the processor."""
    prefixes: tuple[str, ...]
    """How the names of environment variables begin that count."""

    def key_of(self, linker: Linker, request: CompileRequest) -> str | None:
        """Under which key `request` is kept, if anything is: `key`, once for each."""
        if disk_cache.directory() is None and disk_cache.shared_directory() is None:
            return None
        if request not in _keys:
            _keys[request] = self.key(linker, request)
        return _keys[request]

    def key(self, linker: Linker, request: CompileRequest) -> str | None:
        """A text that is equal, in any process, exactly if `request` is compiled to the same.

        None if something in it is defined where no other process can find it, in an interactive
        session for instance, or has changed since this process has begun.

        >>> from weft_graph import FunctionGraph, Type, rewrite_graph
        >>> from weft_graph.linking.python_linker import PythonLinker, py_funcify
        >>> compiler = Compiler(("weft_graph",), {}, py_funcify, lambda: "processor", ())
        >>> x, y = Type()("x"), Type()("y")
        >>> one, two = (CompileRequest(FunctionGraph([v], [v]), [], rewrite_graph) for v in (x, y))
        >>> compiler.key(PythonLinker(), one) == compiler.key(PythonLinker(), two)
        True
        """
        graph = request.written
        if not all(isinstance(v.op, Input) for v in graph.inputs):
            return None  # what is assumed of such an input is not in the digest
        try:
            classes = {*_classes(graph), *_classes(type(linker))}
            owners = {_top(c.__module__) for c in classes}
            books = book_modules() if request.books else ()  # what is not applied is not imported
            modules = {*self.packages, *map(_top, books), *owners}
            inside = tuple([f"{name}." for name in self.packages])
            lowerings = [
                (f"{kind.__module__}.{kind.__qualname__}", *self._described(function, modules))
                for kind, function in self.table.registry.items()
                if not (function.__module__ or "").startswith(inside)
                and _top(kind.__module__) in {*self.packages, *owners}
            ]
            kinds = [
                (
                    f"{c.__module__}.{c.__qualname__}",
                    name,
                    *self._described(getattr(c, name), modules),
                )
                for c in classes
                for name in ("kind", "expansion")
                if _top(c.__module__) not in self.packages and hasattr(c, name)
            ]
            parts = [
                graph.digest,
                (type(linker), vars(linker)),
                _environment(self.prefixes),
                sorted(self.versions.items()),
                self.machine(),
                [self._book(book, linker) for book in request.books],
                sorted(lowerings),
                sorted(kinds),
                [(name, _stamp(name)) for name in sorted(modules - self.versions.keys())],
            ]
            return blake2b(encoded(parts), digest_size=20).hexdigest()
        except (TypeError, UnknownError, OSError):
            return None

    def _book(self, book: Any, linker: Linker) -> Any:
        """Books and rules that are installed, or a linker's of Weft's own, by place; its passes
        by name.

        Others have no identity.
        """
        number = _installed().get(id(book))
        if number is not None:
            return number
        if book in linker.books and _top(type(linker).__module__) in self.packages:
            return f"{linker.name} {linker.books.index(book)}"
        is_plain = isinstance(book, FunctionType) and book.__name__ == book.__qualname__
        if is_plain and _top(book.__module__) in self.packages:
            return f"{book.__module__}.{book.__name__}"
        if not isinstance(book, RuleBook):
            raise UnknownError
        return book.name, [self._book(part, linker) for part in book.parts]

    def _described(self, function: Callable[..., Any], modules: set[str]) -> tuple[bytes, ...]:
        """The code of a user's function and what it encloses; its modules come to `modules`."""
        todo: list[Any] = [function]
        visits: set[Any] = set()
        texts: list[bytes] = []
        for part in todo:
            plain = _plain(part)
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
                if isinstance(_plain(value), FunctionType):
                    todo.append(value)
                else:
                    texts.append(encoded(value))
            todo += [
                v
                for v in mentioned
                if isinstance(_plain(v), FunctionType)
                and _top(v.__module__) not in {*self.packages, *self.versions}
            ]
            modules.update(_top(v.__name__) for v in mentioned if isinstance(v, ModuleType))
        return tuple(texts)


_keys: Final[WeakKeyDictionary[CompileRequest, str | None]] = WeakKeyDictionary()
"""Those of requests that have been asked for."""


def note_sources(packages: Iterable[str]) -> None:
    """Look at source files now, when they are loaded: someone may edit them later."""
    for name in packages:
        with suppress(UnknownError, OSError):
            _stamp(name)


def about(request: CompileRequest) -> str:
    """The inputs and outputs of a request in a line."""
    graph = request.written
    sources, targets = (", ".join(map(str, part)) for part in (graph.inputs, graph.outputs))
    return f"{sources} -> {targets}"


def _environment(prefixes: tuple[str, ...]) -> list[Any]:
    """The system and its Python, and the settings that count."""
    names = getattr(os, "confstr_names", {})
    library = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in names else None
    settings = [item for item in sorted(os.environ.items()) if item[0].startswith(prefixes)]
    system = [platform.system(), platform.release(), platform.version(), platform.machine()]
    return [sys.version, *system, library, settings]  # `platform.platform` starts a process


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


def _plain(value: Any) -> Any:
    """The function that a compiler's object stands for."""
    if isinstance(value, FunctionType):
        return value
    return getattr(value, "py_func", getattr(value, "__wrapped__", value))


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]


@cache
def _stamp(name: str) -> str:
    """The source files of a top-level module: their names, sizes and times.

    Raises UnknownError where there are none, or one is younger than this process.
    """
    if name in sys.stdlib_module_names and name != "__main__":
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
    start = len(todo[0]) + 1
    for place in todo:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    files.append((entry.path[start:], entry.stat()))
                elif entry.is_dir() and entry.name != "__pycache__":
                    todo.append(entry.path)
    return files
