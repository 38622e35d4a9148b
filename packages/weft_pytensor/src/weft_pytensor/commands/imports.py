"""`changed`: code for PyTensor that uses Weft instead, and the lines that need a human."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Final, NamedTuple

import weft_graph
import weft_tensor
from weft import tensor as wt

__all__ = ["changed"]

_ROOTS: Final = ("pytensor", "aesara", "theano")
_PARTS: Final[dict[str, str]] = {
    "nlinalg": "linalg",
    "slinalg": "linalg",
    "nnet": "nn",
    **{name: name for name in ("linalg", "special", "random", "fft")},
}
"""PyTensor's modules, and what is Weft's; what is in others is in `weft.tensor` itself."""
_FLAT: Final = (
    *("tensor", "math", "basic", "extra_ops", "subtensor", "shape", "sort", "elemwise", "type"),
    *("gradient", "graph", "replace", "compile", "ifelse", "printing", "raise_op", "variable"),
)
_HOMES: Final[dict[str, ModuleType]] = {
    "weft.tensor": wt,
    **{f"weft_tensor.{part}": getattr(weft_tensor, part) for part in sorted({*_PARTS.values()})},
    "weft_graph": weft_graph,
}
_MODES: Final = {"NUMBA": "numba", "JAX": "jax", "FAST_COMPILE": "py", "FAST_RUN": None}
_LOOPS: Final = ("scan", "map", "reduce", "foldl", "foldr")


class Edit(NamedTuple):
    """A piece of a file, by bytes, and what comes in its place."""

    begin: int
    end: int
    text: str


def changed(text: str, file: str = "<text>") -> tuple[str, list[str]]:
    """The text with imports, names of modules and modes that are Weft's, and notes.

    A note begins with the number of its line, which is the line in what was given, and tells what
    Weft has nothing for. Names that a variable has, as `x.owner`, are not looked at.

    Errors: SyntaxError for what is no Python.

    >>> new, notes = changed("import pytensor.tensor as pt\\ny = pt.math.exp(pt.typed_list(0))")
    >>> print(new)
    import weft.tensor as pt
    y = pt.exp(pt.typed_list(0))
    >>> notes
    ["2: weft.tensor has no name 'typed_list'"]
    """
    work = _File(text, file)
    for node in ast.walk(work.tree):
        if isinstance(node, ast.Import):
            work.plain_import(node)
        elif isinstance(node, ast.ImportFrom):
            work.names_import(node)
    for node in ast.walk(work.tree):
        if isinstance(node, ast.Attribute):
            work.attribute(node)
        elif isinstance(node, ast.Call):
            work.mode_of(node)
        elif isinstance(node, ast.Assign):
            work.pair_of(node)
    return work.result(), [f"{line}: {note}" for line, note in sorted(work.notes)]


class _File:
    """A file that is being changed."""

    def __init__(self, text: str, file: str) -> None:
        self.tree = ast.parse(text, file)
        self.bytes = text.encode()
        lines = self.bytes.splitlines(keepends=True)
        self.starts = [0, *(sum(map(len, lines[: k + 1])) for k in range(len(lines)))]
        self.edits: list[Edit] = []
        self.notes: set[tuple[int, str]] = set()
        self.modules: dict[str, str] = {}
        """Names that stand for modules of Weft's, and for which."""
        self.inner: set[ast.Attribute] = set()
        """What was looked at as a part of something longer."""

    def result(self) -> str:
        """The text with all edits."""
        out, done = b"", 0
        for edit in sorted(self.edits):
            out += self.bytes[done : edit.begin] + edit.text.encode()
            done = edit.end
        return (out + self.bytes[done:]).decode()

    def _replace(self, node: ast.expr | ast.stmt | ast.alias, text: str) -> None:
        assert node.end_lineno is not None
        begin = self.starts[node.lineno - 1] + node.col_offset
        self.edits.append(Edit(begin, self._end(node), text))

    def _end(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def plain_import(self, node: ast.Import) -> None:
        """`import pytensor`, `import pytensor.tensor as pt`."""
        for alias in node.names:
            root, *parts = alias.name.split(".")
            if root not in _ROOTS:
                continue
            home = _module(parts) if alias.asname else "weft.tensor"
            if home is None:
                self.notes.add((node.lineno, f"Weft has nothing like the module {alias.name}"))
                continue
            name = alias.asname or root
            self.modules[name] = home
            self._replace(alias, f"import {home} as {name}".removeprefix("import "))

    def names_import(self, node: ast.ImportFrom) -> None:
        """`from pytensor.tensor import exp, linalg as la`."""
        root, *parts = (node.module or "").split(".")
        if node.level or root not in _ROOTS:
            return
        first = _module(parts)
        lines: dict[str, list[str]] = {}
        for alias in node.names:
            home = _home(alias.name, first)
            is_module = alias.name in _FLAT and (home is None or not parts)
            if alias.name in _PARTS or is_module:
                name, module = alias.asname or alias.name, _module([*parts, alias.name])
                self.modules[name] = module or "weft.tensor"
                lines[f"import {self.modules[name]} as {name}"] = []
            elif home is None:
                self.notes.add((node.lineno, f"Weft has no {alias.name} of {node.module}"))
                lines.setdefault(f"from {node.module} import ", []).append(_alias(alias))
            else:
                lines.setdefault(f"from {home} import ", []).append(_alias(alias))
        indent = "\n" + " " * node.col_offset
        self._replace(node, indent.join(line + ", ".join(names) for line, names in lines.items()))

    def attribute(self, node: ast.Attribute) -> None:
        """`pt.math.exp`: what is not there is left as it is."""
        root, chain = _chain(node)
        if node in self.inner or not isinstance(root, ast.Name) or root.id not in self.modules:
            return
        home = self.modules[root.id]
        for v in chain:
            if v is not chain[-1] and (within := _module_within(home, v.attr)):
                self._short(v)
                home = within
                self.inner.add(v)
            elif not hasattr(_HOMES[home], v.attr):
                self.notes.add((node.lineno, f"{home} has no name {v.attr!r}"))
                return
            else:
                return

    def _short(self, node: ast.Attribute) -> None:
        """A module within a module, by Weft's name, or by none."""
        text = "" if node.attr in _FLAT else f".{_PARTS[node.attr]}"
        if text != f".{node.attr}":
            self.edits.append(Edit(self._end(node.value), self._end(node), text))

    def mode_of(self, node: ast.Call) -> None:
        """`mode="NUMBA"`."""
        for keyword in node.keywords:
            value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            if keyword.arg == "mode" and isinstance(value, str) and value in _MODES:
                if mode := _MODES[value]:
                    self._replace(keyword.value, f'"{mode}"')
                else:
                    self.notes.add((node.lineno, f'mode "{value}" is "numba", "jax" or "py" here'))

    def pair_of(self, node: ast.Assign) -> None:
        """`results, updates = pytensor.scan(...)`."""
        call, target = node.value, node.targets[0]
        if not isinstance(call, ast.Call) or not isinstance(target, ast.Tuple):
            return
        root, rest = _chain(call.func)
        name = rest[-1].attr if rest else None
        ours = isinstance(root, ast.Name) and root.id in self.modules
        if ours and name in _LOOPS and not any(k.arg == "return_updates" for k in call.keywords):
            self.notes.add((node.lineno, f"{name} gives the results alone, and no updates"))


def _chain(node: ast.expr) -> tuple[ast.expr, list[ast.Attribute]]:
    """`a`, and `a.b` and `a.b.c`, of `a.b.c`."""
    chain = []
    while isinstance(node, ast.Attribute):
        chain.append(node)
        node = node.value
    return node, chain[::-1]


def _module(parts: list[str]) -> str | None:
    """Weft's module for one of PyTensor's, by its path below the root."""
    home: str | None = "weft.tensor"
    for part in parts:
        home = _module_within(home, part) if home else None
    return home


def _module_within(home: str, part: str) -> str | None:
    if part in _FLAT:
        return home
    own = f"weft_tensor.{_PARTS.get(part)}"
    return own if own in _HOMES and home == "weft.tensor" else None


def _home(name: str, first: str | None) -> str | None:
    """Where Weft has a name: in the module that it is looked for in, or in another."""
    for home in (first or "weft.tensor", *_HOMES):
        if hasattr(_HOMES[home], name):
            return home
    return None


def _alias(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name
