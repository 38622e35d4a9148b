"""How a package's modules lie in folders, and which of them import which.

A package's pyproject.toml declares its folders, lowest first: `[tool.weft] folders = [...]`. A
module imports from its own folder and from those before it; modules beside the folders come last.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from tools.workspace import Package

LINES, MODULES = 400, 15
"""A module has at most so many lines, a folder so many modules beside its `__init__`."""


class Arrow(NamedTuple):
    """An import of one module of a package by another."""

    source: str
    line: int
    target: str


def modules(package: Package) -> dict[str, Path]:
    """Return the files of all modules by full name; a folder stands for its `__init__`."""
    files = sorted(package.source.rglob("*.py"))
    places = [file.relative_to(package.source.parent).with_suffix("").parts for file in files]
    names = (".".join(p[:-1] if p[-1] == "__init__" else p) for p in places)
    return dict(zip(names, files, strict=True))


_LONG = re.compile(r'("""|\'\'\')(?s:.*?)\1')
_STATEMENT = re.compile(
    r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import\b(?:[^\n(]*\((?s:.*?)\)|.*))", re.MULTILINE
)


@cache
def import_statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Return all imports in a source, each of which begins a line, outside of long strings.

    To make a tree of all else would take eight times as long.

    >>> [ast.unparse(statement) for statement in import_statements("if a:\\n    from b import c")]
    ['from b import c']
    """
    text = _LONG.sub(lambda string: "\n" * string[0].count("\n"), text)
    found: list[ast.Import | ast.ImportFrom] = []
    for match in _STATEMENT.finditer(text):
        for statement in ast.parse(match[1]).body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                statement.lineno += text.count("\n", 0, match.start(1))
                found.append(statement)
    return found


def imports(text: str, importer: str, is_folder: bool) -> Iterator[tuple[int, str, list[str]]]:
    """Yield line, full name and names taken from it for each import, type-checking ones too."""
    for node in import_statements(text):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, []) for alias in node.names)
        else:
            above = importer.split(".")[: None if is_folder else -1]
            above = above[: len(above) - node.level + 1] if node.level else []
            full = ".".join([*above, *filter(None, [node.module])])
            yield node.lineno, full, [alias.name for alias in node.names]


def arrows(package: Package, files: Mapping[str, Path]) -> list[Arrow]:
    """Return the imports inside a package."""
    found = []
    for importer, file in files.items():
        text = file.read_text(encoding="utf-8")
        for line, full, names in imports(text, importer, file.name == "__init__.py"):
            inner = [f"{full}.{name}" for name in names if f"{full}.{name}" in files]
            outer = [full] if full in files and len(inner) < max(1, len(names)) else []
            found += [Arrow(importer, line, t) for t in (*inner, *outer) if t != importer]
    return found


def folder(module: str, files: Mapping[str, Path]) -> str | None:
    """Return the folder of the package that a module lies in; None for those beside the folders."""
    parts = module.split(".")
    is_inside = len(parts) > 2 or (len(parts) == 2 and files[module].name == "__init__.py")
    return parts[1] if is_inside else None


def check_layout(package: Package, tensor_ops: Path, graph_ops: Path) -> list[str]:
    """Return what contradicts the declared folders; nothing for a package that declares none."""
    if not package.folders:
        return []
    files = modules(package)
    inside = arrows(package, files)
    root = package.directory.parent.parent
    places = {name: file.relative_to(root).as_posix() for name, file in files.items()}
    return [
        *_undeclared(package, files, places),
        *_against_the_order(package, files, inside, places),
        *_circles(inside, places),
        *_large(files, places),
        *_without_namesake(package, files, places, tensor_ops, graph_ops),
    ]


def _undeclared(
    package: Package, files: Mapping[str, Path], places: Mapping[str, str]
) -> Iterator[str]:
    lying = {folder(name, files): places[name] for name in sorted(files, reverse=True)}
    for name, place in lying.items():
        if name is not None and name not in package.folders:
            yield f"{place}: the folder {name} is not among those declared: {_order(package)}"
    for name in package.folders:
        if name not in lying:
            yield f"{package.name} declares the folder {name}, and has none of that name"


def _order(package: Package) -> str:
    return " < ".join([*package.folders, "modules beside them"])


def _against_the_order(
    package: Package, files: Mapping[str, Path], inside: list[Arrow], places: Mapping[str, str]
) -> Iterator[str]:
    rank = {name: number for number, name in enumerate((*package.folders, None))}
    for source, line, target in inside:
        lower, upper = folder(source, files), folder(target, files)
        if {lower, upper} <= rank.keys() and rank[lower] < rank[upper]:
            where = f"{places[source]}:{line}"
            yield f"{where}: imports {places[target]}, against the order {_order(package)}"


def _circles(inside: list[Arrow], places: Mapping[str, str]) -> Iterator[str]:
    """One circle at a time: without its last import there may be others."""
    needs: dict[str, set[str]] = defaultdict(set)
    for source, _, target in inside:
        needs[source].add(target)
    while True:
        try:
            TopologicalSorter(needs).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]  # each imports the next
            needs[circle[0]].discard(circle[1])
            yield "a circle of imports: " + " -> ".join(places[name] for name in circle)
        else:
            return


def _large(files: Mapping[str, Path], places: Mapping[str, str]) -> Iterator[str]:
    counts: dict[str, int] = defaultdict(int)
    for name, file in files.items():
        lines = len(file.read_text(encoding="utf-8").splitlines())
        if lines > LINES:
            yield f"{places[name]}: has {lines} lines, of at most {LINES}"
        if file.name != "__init__.py":
            counts[places[name].rpartition("/")[0]] += 1
    for place, number in counts.items():
        if number > MODULES:
            yield f"{place}: has {number} modules, of at most {MODULES}"


def _without_namesake(
    package: Package,
    files: Mapping[str, Path],
    places: Mapping[str, str],
    tensor_ops: Path,
    graph_ops: Path,
) -> Iterator[str]:
    """A backend's modules lie where the Ops do: `ops/FAMILY/NAME.py`; in the core `ops/NAME.py`.

    Of Ops that stand in no family, as those in `build`, the name is the same.
    """
    ops = package.source / "ops"
    for name, file in files.items():
        if not package.is_backend or ops not in file.parents or file.name == "__init__.py":
            continue
        homes = (
            tensor_ops / file.relative_to(ops),
            tensor_ops.parent / "build" / file.name,
            graph_ops / file.name,
        )
        if not any(home.exists() for home in homes):
            wanted = f"{tensor_ops.parent.name}/ops/{file.relative_to(ops).as_posix()}"
            yield f"{places[name]}: there is no {wanted} of which it could be the lowering"
