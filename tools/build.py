"""Build each package's source archive, and from it the wheel: `python -m tools.build [DIR]`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.workspace import ROOT, Package, read_packages


def find_uv() -> str:
    """Return the path of uv: the one that hatch runs, or the one on PATH."""
    uv = os.environ.get("HATCH_UV") or shutil.which("uv")
    if uv is None:
        raise SystemExit("uv was not found: call this through `python tools/dev.py`")
    return uv


def build(packages: Iterable[Package], directory: Path) -> dict[str, Path]:
    """Build the packages into the directory and return their wheels, by import name."""
    wheels = {}
    for package in packages:
        command = [find_uv(), "build", "--quiet", "--out-dir", str(directory)]
        subprocess.run([*command, str(package.directory)], cwd=ROOT, check=True)
        (wheels[package.name],) = directory.glob(f"{package.name}-{package.version}-*.whl")
    return wheels


def main() -> None:
    """Build every package and print the wheels' paths."""
    parser = argparse.ArgumentParser(prog="python -m tools.build", description=__doc__)
    parser.add_argument("directory", nargs="?", default="dist", type=Path)
    wheels = build(read_packages().values(), parser.parse_args().directory.resolve())
    print(*wheels.values(), sep="\n")


if __name__ == "__main__":
    main()
