"""Print, as a JSON list, the packages that a change may break: `python -m tools.affected BASE`.

These are the packages with changed files and all that depend on them, extras included. A change
outside `packages` and the documentation may break every package.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.workspace import ROOT, Package, read_packages

HARMLESS = ("docs/", ".github/ISSUE_TEMPLATE/")


def affected(changed: Iterable[str], packages: dict[str, Package], root: Path = ROOT) -> list[str]:
    """Return the names of the packages that changes to these files may break, sorted."""
    by_directory = {
        package.directory.relative_to(root).as_posix(): name for name, package in packages.items()
    }
    found: set[str] = set()
    for path in changed:
        name = by_directory.get("/".join(path.split("/")[:2]))
        if name is not None:
            found.add(name)
        elif not path.startswith(HARMLESS) and not path.endswith(".md"):
            return sorted(packages)
    return sorted(with_dependents(found, packages))


def with_dependents(names: set[str], packages: dict[str, Package]) -> set[str]:
    """Return the packages and those that require one of them, directly or not."""
    users = {
        name
        for name, package in packages.items()
        if names & {requirement.name for requirement in package.requires + package.optional}
    }
    return names if users <= names else with_dependents(names | users, packages)


def changed_files(base: str) -> list[str]:
    """Return the files that differ between HEAD and where it left the base."""
    command = ["git", "diff", "--name-only", f"{base}...HEAD"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    return listed.stdout.splitlines()


def main() -> None:
    """Print the affected packages."""
    parser = argparse.ArgumentParser(prog="python -m tools.affected", description=__doc__)
    parser.add_argument("base", nargs="?", help="a commit; without it, all packages are listed")
    base = parser.parse_args().base
    packages = read_packages()
    print(json.dumps(affected(changed_files(base), packages) if base else sorted(packages)))


if __name__ == "__main__":
    main()
