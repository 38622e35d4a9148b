"""Check that each package works alone: `python -m tools.check_isolated [NAME ...]`.

Each package is built, its wheel is installed into an empty environment with nothing but what it
declares, and imported there. Only then come the test tools, and the examples of its docstrings and
one test of each file run, from a copy, so that nothing of the checkout is within reach. What else
the tests say does not depend on what is absent; with `--all` they all run, as every night.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.build import build, find_uv
from tools.workspace import ROOT, Package, closure, read_packages

TESTING = "weft_testing"
AT_ONCE = 4


class NotAlone(Exception):
    """A package needs more than it declares, or fails."""


def call(command: list[str], directory: Path) -> str:
    """Run a command, which keeps nothing on disk; return its output, raise NotAlone if it fails."""
    own = {**os.environ, "WEFT_CACHE_DIR": "off"}
    own.pop("PYTHONPYCACHEPREFIX", None)  # bytecode goes where its environment does
    done = subprocess.run(command, cwd=directory, env=own, capture_output=True, text=True)
    if done.returncode:
        raise NotAlone(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Environment:
    """An empty virtual environment."""

    def __init__(self, directory: Path, is_constrained: bool = True) -> None:
        self.options = ("--quiet",) if is_constrained else ("--quiet", "--no-config")
        scripts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        self.python = str(directory.joinpath(*scripts))
        self.uv("venv", "--python", sys.executable, str(directory))

    def uv(self, *arguments: str) -> None:
        """Run uv, from the root because the constraints on versions stand there."""
        call([find_uv(), *self.options, *arguments], ROOT)

    def install(self, *arguments: str) -> None:
        """Install distributions."""
        self.uv("pip", "install", "--python", self.python, *arguments)

    def installed(self) -> set[str]:
        """Return the names of the distributions that are installed."""
        command = [find_uv(), "pip", "list", "--format", "json", "--python", self.python]
        return {entry["name"] for entry in json.loads(call(command, ROOT))}

    def run(self, *arguments: str, directory: Path) -> None:
        """Run Python without the paths and settings of this process."""
        call([self.python, "-I", *arguments], directory)


def check_package(
    package: Package,
    packages: dict[str, Package],
    wheels: dict[str, Path],
    directory: Path,
    extent: str,
) -> None:
    """Install, import and test one package; raise NotAlone if one of these fails."""
    needed = closure(packages, package.name)
    environment = Environment(directory / "environment", package.is_constrained)
    environment.install(*(str(wheels[name]) for name in sorted(needed)))
    environment.run("-c", f"import {package.name}", directory=directory)
    environment.uv("pip", "check", "--python", environment.python)
    if not package.requires:
        brought = environment.installed()
        if len(brought) > 1:
            raise NotAlone(f"it declares no dependency, but brings {', '.join(sorted(brought))}")
    tests = directory / package.directory.relative_to(ROOT) / "tests"
    shutil.copytree(package.directory / "tests", tests)
    # What tests start looks no further up, but for tools.
    (directory / "pytest.ini").write_text(f"[pytest]\npythonpath = {shlex.quote(str(ROOT))}\n")
    if any(tests.rglob("test_*.py")):
        environment.install("--group", "test", *testing_wheel(needed, packages, wheels))
        settings: tuple[str, ...] = ("-c", str(ROOT / "pyproject.toml"), f"--rootdir={directory}")
        settings = (*settings, f"--confcutdir={directory}")  # without the checkout's conftest.py
        shutil.copy(ROOT / "tools" / "cases.py", directory / "conftest.py")
        quiet = ("-q", "-p", "no:cacheprovider", extent)
        what = (str(tests), "--pyargs", package.name)
        environment.run("-m", "pytest", *quiet, *settings, *what, directory=directory)


def testing_wheel(
    needed: set[str], packages: dict[str, Package], wheels: dict[str, Path]
) -> list[str]:
    """Return the wheel with our own test tools if that brings no further package of ours."""
    brings_more = closure(packages, TESTING) - needed - {TESTING}
    return [] if brings_more else [str(wheels[TESTING])]


def main() -> int:
    """Check the packages named, or all, and say which do not work alone."""
    packages = read_packages()
    parser = argparse.ArgumentParser(prog="python -m tools.check_isolated", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(packages))
    parser.add_argument("--all", action="store_true", help="run all tests of each package")
    arguments = parser.parse_args()
    names = arguments.names or list(packages)
    extent = "--all" if arguments.all else "--one"
    if unknown := set(names) - packages.keys():
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    # Beside uv's cache, so that uv links files into the environments and copies none.
    scratch = ROOT / ".tools"
    scratch.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch, prefix="isolated-") as path:
        directory = Path(path)
        wheels = build(packages.values(), directory / "wheels")

        def check(name: str) -> bool:
            start = time.perf_counter()
            (directory / name).mkdir()
            problem = ""
            try:
                check_package(packages[name], packages, wheels, directory / name, extent)
            except NotAlone as error:
                problem = str(error)
            outcome = f"DOES NOT WORK ALONE: {problem}" if problem else "works alone"
            print(f"{name}: {outcome} ({time.perf_counter() - start:.1f} s)", flush=True)
            return not problem

        with ThreadPoolExecutor(min(os.cpu_count() or 1, AT_ONCE)) as pool:
            works = list(pool.map(check, names[::-1]))  # the last need most, so take longest
    return not all(works)


if __name__ == "__main__":
    sys.exit(main())
