"""Check that all packages carry one version, or set it: `python -m tools.version [X.Y.Z]`.

Each package states its version in pyproject.toml and, where it has a `__version__`, in its
`__init__.py`; packages pin one another to the same minor version (`==X.Y.*`).
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from tools.workspace import ROOT, Package, read_packages

VERSION = re.compile(r'^(version = ")[^"]*(")', re.MULTILINE)
DUNDER = re.compile(r'^(__version__ = ")([^"]*)(")', re.MULTILINE)
RELEASE = re.compile(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?")


def pin(version: str) -> str:
    """Return the specifier by which packages of this version require one another."""
    major, minor, *_ = version.split(".")
    return f"=={major}.{minor}.*"


def check_package(package: Package, packages: dict[str, Package], version: str) -> list[str]:
    """Return what contradicts the version in one package."""
    problems = []
    if package.version != version:
        problems.append(f"{package.name}: version {package.version}, not {version}")
    for requirement in package.requires + package.optional:
        inside = requirement.name in packages and requirement.name != package.name
        if inside and requirement.specifier != pin(version):
            found = requirement.specifier or "any version"
            problems.append(f"{package.name}: {requirement.name} {found}, not {pin(version)}")
    match = DUNDER.search(init_text(package))
    if match and match[2] != version:
        problems.append(f"{package.name}: __version__ {match[2]}, not {version}")
    return problems


def check(root: Path = ROOT) -> list[str]:
    """Return what contradicts the version of the first package."""
    packages = read_packages(root)
    version = next(iter(packages.values())).version
    return [
        problem
        for package in packages.values()
        for problem in check_package(package, packages, version)
    ]


def set_version(version: str, root: Path = ROOT) -> None:
    """Write the version and the pins that follow from it into every package."""
    packages = read_packages(root)
    names = "|".join(name.replace("_", "[-_]") for name in packages)
    pins = re.compile(rf'"((?:{names})(?:\[[^\]]*\])?)==[^"]*"')
    for package in packages.values():
        project = package.directory / "pyproject.toml"
        text = VERSION.sub(rf"\g<1>{version}\g<2>", project.read_text(encoding="utf-8"), count=1)
        project.write_text(pins.sub(rf'"\g<1>{pin(version)}"', text), encoding="utf-8")
        if DUNDER.search(text := init_text(package)):
            new = DUNDER.sub(rf"\g<1>{version}\g<3>", text)
            (package.source / "__init__.py").write_text(new, encoding="utf-8")


def init_text(package: Package) -> str:
    """Return the source of the package's `__init__.py`."""
    return (package.source / "__init__.py").read_text(encoding="utf-8")


def main() -> int:
    """Set the version if one is given; check in either case."""
    parser = argparse.ArgumentParser(prog="python -m tools.version", description=__doc__)
    parser.add_argument("version", nargs="?", help="the version to set")
    version = parser.parse_args().version
    if version is not None:
        if not RELEASE.fullmatch(version):
            parser.error(f"{version!r} is not of the form 1.2.3, 1.2.3rc1 or 1.2.3.dev1")
        set_version(version)
    problems = check()
    print(*problems, sep="\n", file=sys.stderr, end="\n" if problems else "")
    if not problems:
        print(next(iter(read_packages().values())).version)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
