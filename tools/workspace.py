"""The packages of this repository, as their pyproject.toml files declare them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENT = re.compile(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?\s*([^;]*)")


@dataclass(frozen=True)
class Requirement:
    """One dependency: its normalised name, its extras and its version specifier."""

    name: str
    extras: frozenset[str]
    specifier: str

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read a requirement as pyproject.toml writes it."""
        match = REQUIREMENT.match(text)
        if match is None:
            raise ValueError(f"not a requirement: {text!r}")
        name, extras, specifier = match.groups(default="")
        names = frozenset(extra.strip() for extra in extras.split(",") if extra.strip())
        return cls(import_name(name), names, specifier.strip())


@dataclass(frozen=True)
class Package:
    """One member of the workspace."""

    directory: Path
    name: str
    version: str
    requires: tuple[Requirement, ...]
    optional: tuple[Requirement, ...]
    folders: tuple[str, ...] = ()
    """Those of its modules, lowest first; none where it does not declare them."""
    is_backend: bool = False
    """Whether it brings a linker."""
    is_constrained: bool = True
    """Whether its dependencies are of the versions that the root's constraints name."""
    any_limits: tuple[float, float] = (20, 15)
    """In percent: how many of its parameters, and returns, may be annotated with `Any`."""

    @property
    def source(self) -> Path:
        """The directory of the import package."""
        return self.directory / "src" / self.name


def import_name(distribution: str) -> str:
    """Return the name under which a distribution is imported here: `weft-graph` as `weft_graph`."""
    return re.sub(r"[-_.]+", "_", distribution).lower()


def read_package(directory: Path) -> Package:
    """Read one package's declarations."""
    read: dict[str, Any] = tomllib.loads((directory / "pyproject.toml").read_text(encoding="utf-8"))
    project = read["project"]
    own = read.get("tool", {}).get("weft", {})
    limits = {"parameters": 20, "returns": 15} | own.get("any", {})
    extras = project.get("optional-dependencies", {}).values()
    return Package(
        directory=directory,
        name=import_name(project["name"]),
        version=project["version"],
        requires=tuple(map(Requirement.parse, project.get("dependencies", ()))),
        optional=tuple(Requirement.parse(text) for texts in extras for text in texts),
        folders=tuple(own.get("folders", ())),
        is_backend="weft.linkers" in project.get("entry-points", {}),
        is_constrained=own.get("constrained", True),
        any_limits=(limits["parameters"], limits["returns"]),
    )


def read_packages(root: Path = ROOT) -> dict[str, Package]:
    """Read every package of the workspace, by import name, in alphabetical order."""
    files = sorted((root / "packages").glob("*/pyproject.toml"))
    packages = (read_package(file.parent) for file in files)
    return {package.name: package for package in packages}


def closure(packages: dict[str, Package], name: str) -> set[str]:
    """Return the package and all packages of the workspace that it needs, directly or not."""
    found, todo = {name}, [name]
    while todo:
        needed = {requirement.name for requirement in packages[todo.pop()].requires}
        new = needed & packages.keys() - found
        found |= new
        todo += new
    return found
