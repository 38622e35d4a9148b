"""Check each package's imports against its declarations: `python -m tools.check_imports`.

A package may import the standard library, itself, and what its pyproject.toml declares, extras
included; other packages of the workspace by a public face only: the package itself, or its
`extend`. Imports for type checkers count: whoever reads the types needs them too. Inside a package
they go by the order of folders that its pyproject.toml declares (tools/layout.py).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.layout import check_layout, import_statements
from tools.workspace import ROOT, Package, read_packages


def imported(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and full name of each module that is imported absolutely."""
    for node in import_statements(text):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif node.module and not node.level:
            yield node.lineno, node.module


def check_package(package: Package, workspace: frozenset[str]) -> list[str]:
    """Return the imports of one package that it does not declare, or that reach too deep."""
    declared = {requirement.name for requirement in package.requires + package.optional}
    allowed = declared | {package.name} | sys.stdlib_module_names
    problems = []
    for file in sorted(package.source.rglob("*.py")):
        for line, module in imported(file.read_text(encoding="utf-8")):
            top = module.partition(".")[0]
            place = f"{file.relative_to(package.directory.parent.parent).as_posix()}:{line}"
            if top not in allowed:
                problems.append(f"{place}: imports {module}, which {package.name} does not declare")
            elif top in workspace - {package.name} and module not in (top, f"{top}.extend"):
                problems.append(f"{place}: imports {module}; import from {top} itself")
    return problems


def check(root: Path = ROOT) -> list[str]:
    """Return what is wrong with the imports of all packages."""
    packages = read_packages(root)
    workspace = frozenset(packages)
    ops = [
        root / "packages" / name / "src" / name / "ops" for name in ("weft_tensor", "weft_graph")
    ]
    return [
        line
        for package in packages.values()
        for line in (*check_package(package, workspace), *check_layout(package, *ops))
    ]


def main() -> int:
    """Print each import that is not allowed."""
    problems = check()
    print(*problems, sep="\n", end="\n" if problems else "")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
