"""Check that each package works alone: `python -m tools.check_isolated [NAME ...]`.

Each package is built, its wheel is installed into an empty environment with nothing but what it
declares, and imported there. Only then come the test tools, and its tests run from a copy, so
that nothing of the checkout is within reach.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.build import build, find_uv
from tools.workspace import ROOT, Package, closure, read_packages

TESTING = "weft_testing"


class Environment:
    """An empty virtual environment."""

    def __init__(self, directory: Path) -> None:
        scripts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        self.python = str(directory.joinpath(*scripts))
        self.uv("venv", "--python", sys.executable, str(directory))

    def uv(self, *arguments: str) -> None:
        """Run uv, from the root because the constraints on versions stand there."""
        subprocess.run([find_uv(), "--quiet", *arguments], cwd=ROOT, check=True)

    def install(self, *arguments: str) -> None:
        """Install distributions."""
        self.uv("pip", "install", "--python", self.python, *arguments)

    def installed(self) -> set[str]:
        """Return the names of the distributions that are installed."""
        command = [find_uv(), "pip", "list", "--format", "json", "--python", self.python]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
        return {entry["name"] for entry in json.loads(listed.stdout)}

    def run(self, *arguments: str, directory: Path) -> None:
        """Run Python without the paths and settings of this process."""
        subprocess.run([self.python, "-I", *arguments], cwd=directory, check=True)


def check_package(
    package: Package, packages: dict[str, Package], wheels: dict[str, Path], directory: Path
) -> None:
    """Install, import and test one package; raise if it does not work alone."""
    needed = closure(packages, package.name)
    environment = Environment(directory / "environment")
    environment.install(*(str(wheels[name]) for name in sorted(needed)))
    environment.run("-c", f"import {package.name}", directory=directory)
    environment.uv("pip", "check", "--python", environment.python)
    if not package.requires and len(installed := environment.installed()) > 1:
        raise SystemExit(f"{package.name} declares no dependency, but brings {sorted(installed)}")
    tests = directory / package.directory.relative_to(ROOT) / "tests"
    shutil.copytree(package.directory / "tests", tests)
    if any(tests.rglob("test_*.py")):
        environment.install("--group", "test", *test_helpers(needed, packages, wheels))
        settings = ("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(directory))
        quiet = ("-q", "-p", "no:cacheprovider")
        environment.run("-m", "pytest", *quiet, *settings, str(tests), directory=directory)


def test_helpers(
    needed: set[str], packages: dict[str, Package], wheels: dict[str, Path]
) -> list[str]:
    """Return the wheel with our own test tools if that brings no further package of ours."""
    brings_more = closure(packages, TESTING) - needed - {TESTING}
    return [] if brings_more else [str(wheels[TESTING])]


def main() -> None:
    """Check the packages named, or all."""
    packages = read_packages()
    parser = argparse.ArgumentParser(prog="python -m tools.check_isolated", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(packages))
    names = parser.parse_args().names or list(packages)
    if unknown := set(names) - packages.keys():
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    # Beside uv's cache, so that uv links files into the environments and copies none.
    scratch = ROOT / ".tools"
    scratch.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch, prefix="isolated-") as path:
        directory = Path(path)
        wheels = build(packages.values(), directory / "wheels")
        for name in names:
            start = time.perf_counter()
            (directory / name).mkdir()
            check_package(packages[name], packages, wheels, directory / name)
            print(f"{name}: works alone ({time.perf_counter() - start:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
