"""How many annotations say nothing: `python -m tools.any_share`.

Prints, per package, the share of parameters and of returns whose annotation mentions `Any`, and
fails where it is above the limit: 20 % and 15 %, or what the package's pyproject.toml says in
`[tool.weft.any]` for as long as it is not there yet. `self` and `cls` do not count.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.workspace import ROOT, Package, read_packages


class Share(NamedTuple):
    """How many of the annotations of a package mention `Any`."""

    any: int
    all: int

    @property
    def percent(self) -> float:
        """The share in percent."""
        return 100 * self.any / max(self.all, 1)


def _mentions_any(annotation: ast.expr | None) -> bool:
    """Whether an annotation mentions `Any`; one in quotes is looked into, too."""
    for node in ast.walk(annotation) if annotation else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                if _mentions_any(ast.parse(node.value, mode="eval").body):
                    return True
            except SyntaxError:
                continue  # the text of a Literal
        if "Any" in (getattr(node, "id", None), getattr(node, "attr", None)):
            return True
    return False


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.arg]:
    given = function.args
    listed = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    yield from (p for p in listed if p is not None and p.arg not in ("self", "cls"))


def shares(source: Path) -> tuple[Share, Share]:
    """Return the shares of parameters and of returns in all modules below a directory."""
    parameters: list[bool] = []
    returns: list[bool] = []
    for file in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), filename=str(file))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                parameters += (_mentions_any(p.annotation) for p in _parameters(node))
                returns.append(_mentions_any(node.returns))
    return Share(sum(parameters), len(parameters)), Share(sum(returns), len(returns))


def report(package: Package) -> tuple[str, bool]:
    """Return a line about a package, and whether its limits hold."""
    found = shares(package.source)
    parts = zip(("parameters", "returns"), found, package.any_limits, strict=True)
    said = [f"{s.percent:5.1f} % of {s.all} {what} (at most {n} %)" for what, s, n in parts]
    holds = all(s.percent <= n for s, n in zip(found, package.any_limits, strict=True))
    return f"{package.name:14} {', '.join(said)}{'' if holds else '  TOO MANY'}", holds


def main(root: Path = ROOT) -> int:
    """Print the shares of all packages."""
    print("Annotations that mention Any:")
    lines = [report(package) for package in read_packages(root).values()]
    print(*(line for line, _ in lines), sep="\n")
    return not all(holds for _, holds in lines)


if __name__ == "__main__":
    sys.exit(main())
