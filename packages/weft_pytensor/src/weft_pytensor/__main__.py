"""`python -m weft_pytensor` compares a model on Weft and on PyTensor, and changes imports.

`check FILE[:NAME]` takes a PyMC model, a variable or a function that gives one, from a file: that
of the name, or the only model there. It ends with 1 if something differs. `imports PATH...` has
files, and all below directories, import Weft, and ends with 1 if something has to be done by hand.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

from weft_pytensor.commands.check import UncheckedError, check
from weft_pytensor.commands.imports import changed

__all__ = ["main"]


def _target(place: str) -> Any:
    """What is to be checked.

    Errors: SystemExit where it is not clear.
    """
    file, colon, name = place.partition(":")
    if not Path(file).is_file():
        sys.exit(f"there is no file {file}")
    names = runpy.run_path(file)
    models = [key for key, value in names.items() if hasattr(value, "value_vars")]
    if not colon:
        if not models:
            sys.exit(
                f"{file} has no model outside of functions: name a function without arguments "
                f"that gives one, as {file}:NAME"
            )
        if len(set(map(id, map(names.get, models)))) > 1:
            sys.exit(f"{file} has {', '.join(models)}: say which, as {file}:NAME")
        name = models[0]
    if name not in names:
        own = [key for key, value in names.items() if _is_own(value)]
        sys.exit(f"{file} has no {name}, but {', '.join([*models, *own]) or 'nothing to check'}")
    return names[name]


def _is_own(value: object) -> bool:
    """Whether `value` is a function of the file that was run."""
    return isinstance(value, FunctionType) and value.__module__ == "<run_path>"


def _check(options: argparse.Namespace) -> int:
    try:
        report = check(_target(options.target), points=options.points, mode=options.mode)
    except UncheckedError as error:
        sys.exit(str(error))
    print(report)
    return 0 if report.equal else 1


def _imports(options: argparse.Namespace) -> int:
    left = 0
    for path in map(Path, options.paths):
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            text = file.read_text(encoding="utf-8")
            new, notes = changed(text, str(file))
            print(*[f"{file}:{note}" for note in notes], sep="\n", end="\n" * bool(notes))
            left += len(notes)
            if new != text:
                print(f"{'would change' if options.dry else 'changed'} {file}")
                if not options.dry:
                    file.write_text(new, encoding="utf-8")
    return 1 if left else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that is given, by default what the command line says; return its code.

    Errors: SystemExit for arguments that are none.
    """
    parser = argparse.ArgumentParser("python -m weft_pytensor", description=__doc__)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("check", help="compare values, slopes and times with PyTensor's")
    one.add_argument("target", metavar="FILE[:NAME]")
    one.add_argument("--points", type=int, default=20, help="how many drawn points")
    one.add_argument("--mode", default="numba", help="Weft's mode")
    one.set_defaults(run=_check)
    other = commands.add_parser("imports", help="have files import Weft")
    other.add_argument("paths", nargs="+", metavar="PATH")
    other.add_argument("--dry", action="store_true", help="only tell")
    other.set_defaults(run=_imports)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
