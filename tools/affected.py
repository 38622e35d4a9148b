"""Print, as a JSON list, the packages that a change may break: `python -m tools.affected BASE`.

These are the packages with changed files and all that depend on them, extras included. A change
outside `packages` and the documentation may break every package. With `--test` their tests run,
and those of several packages and the documentation, with what more is said as pytest's arguments.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
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
    """Return the files that differ between the checkout and where it left the base."""
    command = ["git", "diff", "--name-only", "--merge-base", base]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    return listed.stdout.splitlines()


def paths(names: Iterable[str], packages: dict[str, Package], root: Path = ROOT) -> list[str]:
    """Return what to test if these packages may be broken."""
    own = [packages[name].directory.relative_to(root).as_posix() for name in names]
    return [*own, *(["tests-integration", "tools/tests"] if own else []), "docs", "README.md"]


def main() -> int:
    """Print the affected packages, or test them."""
    parser = argparse.ArgumentParser(prog="python -m tools.affected", description=__doc__)
    parser.add_argument("base", nargs="?", help="a commit; without it, all packages are listed")
    parser.add_argument("--test", action="store_true", help="run the tests; the base is main then")
    arguments, others = parser.parse_known_args()
    packages = read_packages()
    base = arguments.base or ("main" if arguments.test else None)
    names = affected(changed_files(base), packages) if base else sorted(packages)
    if arguments.test:
        command = ["pytest", "--numprocesses=logical", "--maxprocesses=8", *others]
        return subprocess.call([*command, *paths(names, packages)], cwd=ROOT)
    print(json.dumps(names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
