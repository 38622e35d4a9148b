"""Write the files of a new Op, with blanks to fill: `new-op NAME --family F --kind K`.

A pointwise function is a row of a table: the family is the module that it goes into. Any other Op
has a module of its name in the family's folder, and a test; an opaque one has lowerings for Numba
and JAX besides. `weft_testing.check_op` names what is still blank.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tools.layout import MODULES
from tools.new_op_texts import BACKENDS, KINDS, ROW, class_name, folder, lowering, module, test
from tools.workspace import ROOT

__all__ = ["main", "new_op"]

_TABLE: Final = "# fmt: off\n"
"""What the rows of a module with functions of numbers come after."""


def new_op(name: str, family: str, kind: str, root: Path = ROOT) -> list[Path]:
    """Write the files, and return them, those with a line more included.

    Raises ValueError, and writes nothing, if the name is taken, or the family does not fit.
    """
    ops = _source(root, "weft_tensor") / "ops"
    _check_name(name, ops.parent)
    if kind == "pointwise":
        return _write({}, {_table(family, ops): _with_row(name, _table(family, ops))})
    places = {
        package: _source(root, package) / "ops" / _folder(family, ops)
        for package in ("weft_tensor", *(BACKENDS if kind == "opaque" else ()))
    }
    for place in places.values():
        if len(list(place.glob("*.py"))) > MODULES:
            where = place.relative_to(root).as_posix()
            raise ValueError(f"{where} has {MODULES} modules, and may have no more")
    new = {root / "packages" / "weft_tensor" / "tests" / f"test_{name}.py": test(name)}
    changed = {}
    for package, place in places.items():
        face = _source(root, package) / "__init__.py"
        if package in BACKENDS:
            new[place / f"{name}.py"] = lowering(name, package)
            if package == "weft_jax":  # weft_numba imports by name what an Op needs
                changed[face] = _with_lowering(name, family, package, face.read_text("utf-8"))
            if not place.exists():
                new[place / "__init__.py"] = folder(family, package)
        else:
            new[place / f"{name}.py"] = module(name, kind)
            changed[face] = _with_names(name, family, face.read_text("utf-8"))
    return _write(new, changed)


def _source(root: Path, package: str) -> Path:
    return root / "packages" / package / "src" / package


def _check_name(name: str, source: Path) -> None:
    if not (name.isidentifier() and name == name.lower()) or keyword.iskeyword(name):
        raise ValueError(
            f"{name!r} is no name for an Op: say its function's, as in `cumulative_max`"
        )
    taken = re.compile(rf"^(?:(?:def|class) )?(?:{name}|{class_name(name)})\b", re.MULTILINE)
    for file in sorted(source.rglob("*.py")):
        is_namesake = file.stem == name and "ops" in file.parts
        if is_namesake or taken.search(file.read_text("utf-8")):
            raise ValueError(f"{name} is in {file.relative_to(source.parent).as_posix()} already")


def _table(family: str, ops: Path) -> Path:
    """The module of rows that is meant."""
    files = sorted((ops / "elementwise").glob("*.py"))
    tables = {f.stem: f for f in files if " = unary(" in f.read_text("utf-8").partition(_TABLE)[2]}
    return tables[_one_of(family, tables, "of pointwise functions")]


def _folder(family: str, ops: Path) -> str:
    """The family, if it is one of structured Ops."""
    folders = [f.parent.name for f in sorted(ops.glob("*/__init__.py"))]
    return _one_of(family, folders, "of Ops")


def _one_of(family: str, families: Iterable[str], what: str) -> str:
    if family not in families:
        raise ValueError(
            f"there is no family {family!r} {what}: it is one of {', '.join(families)}"
        )
    return family


def _with_row(name: str, table: Path) -> str:
    """The module with one row more, which it exports."""
    text = table.read_text("utf-8")
    text = _with_line(text, "__all__ = [\n", f'    "{name}",\n')
    if "import blank\n" not in text:
        text = _with_import(text, "from weft_tensor.build.blank import blank\n")
    return text.rstrip("\n") + "\n" + ROW.format(name=name)


def _with_names(name: str, family: str, text: str) -> str:
    """The face of weft_tensor, with the Op and its function."""
    place = f"ops.{family}.{name}"
    text = _in_order(text, f"    from weft_tensor.{place} import *\n", "    from weft_tensor.")
    return _in_order(text, f'        "{place}": "{class_name(name)} {name}",\n', '        "')


def _in_order(text: str, line: str, start: str) -> str:
    """`text` with a line more, before the first of those that start so which comes later."""
    lines = text.splitlines(keepends=True)
    places = [k for k, other in enumerate(lines) if other.startswith(start)]
    at = next(k for k in places if lines[k] > line)
    return "".join([*lines[:at], line, *lines[at:]])


def _with_lowering(name: str, family: str, package: str, text: str) -> str:
    """The face of a backend, which imports the lowering."""
    start = f"from {package}.ops.{family} import "
    line = next((line for line in text.splitlines(keepends=True) if _imports(line, start)), "")
    names = [*line.removeprefix(start).split(), name]
    wanted = start + ", ".join(sorted(n.strip(",") for n in names)) + "\n"
    text = text.replace(line, wanted) if line else _with_import(text, wanted)
    return _with_line(text, "_LOWERINGS = (\n", f"    {name},\n")


def _imports(line: str, start: str) -> bool:
    return line.startswith(start) and " as " not in line


def _with_import(text: str, line: str) -> str:
    """`text` with an import more, where it belongs by its module's name."""
    block = re.search(r"(?:^from weft_\S+ import (?:\([^)]*\)|.*)\n)+", text, re.MULTILINE)
    assert block is not None
    module = line.split()[1]
    lines = re.findall(r"^from (?:.*\([^)]*\)|.*)\n", block[0], re.MULTILINE)
    at = next((k for k, other in enumerate(lines) if other.split()[1] > module), len(lines))
    lines.insert(at, line)
    return text[: block.start()] + "".join(lines) + text[block.end() :]


def _with_line(text: str, start: str, line: str) -> str:
    """`text` with a line more in the list from `start` on, before the first that comes later."""
    head, start, rest = text.partition(start)
    listed, after = re.split(r"(?=^[])])", rest, maxsplit=1, flags=re.MULTILINE)
    lines = listed.splitlines(keepends=True)
    at = next((k for k, other in enumerate(lines) if _key(other) > _key(line)), len(lines))
    return "".join([head, start, *lines[:at], line, *lines[at:], after])


def _key(line: str) -> list[tuple[int, str]]:
    parts = re.findall(r"(\d+)|(\D+)", line.strip(' ",\n'))
    return [(int(number or 0), text) for number, text in parts]


def _write(new: dict[Path, str], changed: dict[Path, str]) -> list[Path]:
    for file in new:
        if file.exists():
            raise ValueError(f"{file.name} exists already, and is left as it is")
    for file, text in (new | changed).items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [*new, *changed]


def main(arguments: list[str] | None = None) -> int:
    """Write the files, and print their names."""
    parser = argparse.ArgumentParser(prog="new-op", description=__doc__)
    parser.add_argument("name", help="that of the function, as in `softcap`")
    parser.add_argument("--family", required=True, help="the folder; for pointwise, the module")
    parser.add_argument("--kind", required=True, choices=KINDS, help="what the Op is")
    said = parser.parse_args(arguments)
    try:
        files = new_op(said.name, said.family, said.kind)
    except ValueError as error:
        print(f"new-op: {error}", file=sys.stderr)
        return 1
    print(*[file.relative_to(ROOT) for file in files], sep="\n")
    what = f'Elemwise("{said.name}")' if said.kind == "pointwise" else class_name(said.name)
    print(f"Fill the blanks, examples first: `check_op({what})` names them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
