"""Write docs/structure.md, what is left of expressions: `python -m tools.tables.structure`.

PyTensor is asked in the environment whose interpreter `PYTENSOR_PYTHON` names, if there is one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

import numpy as np

from tools.tables.remains import BLOCKS, Left, left, left_of_models, weft_names
from tools.tables.structures import NOTES, Note
from tools.workspace import ROOT
from weft_graph import Mode, function

PAGE: Final = ROOT / "docs" / "structure.md"
_HEAD: Final = """\
# What is left of expressions

The Ops that are computed of expressions that take more than they need, after all rules. Lower
letters are vectors, `s` is a number, upper letters are square matrices. Views are not counted. The
weight of an elementwise function of a vector is 1, of a number 0.1, of a matrix 5, of a product of
matrices 30, of a factorisation 100, of a triangular system for a vector 5. Written by
`python -m tools.tables.structure`.

"""
_MODELS: Final = """
## Log-densities with their gradients

What is left of the models of `python -m tools.bench` on rewriting, before backends fuse it. An Op
of PyTensor adds or multiplies any number of operands, so Weft's are counted joined as well: sums
and products within sums and products as one.
"""

Table = Mapping[str, Left]


def _foreign() -> list[dict[str, Left]]:
    """Of expressions and of models."""
    python = os.environ.get("PYTENSOR_PYTHON")
    if not python:
        return [{}, {}]
    command = [python, "-m", "tools.tables.remains", "pytensor"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        {text: Left(tuple(ops), *figures) for text, (ops, *figures) in table.items()}
        for table in json.loads(done.stdout)
    ]


def result(text: str, note: Note) -> str:
    """What an expression is at the values of a note."""
    names = weft_names()
    inputs = [names[name] for name in note.values]
    values = [np.asarray(value) for value in note.values.values()]
    run = function(inputs, eval(text, names), mode=Mode("py", books=[]), on_unused_input="ignore")
    try:
        with np.errstate(all="ignore"):
            return str(run(*values).tolist())
    except (IndexError, ValueError):
        return "an error"


def _notes() -> str:
    lines = [
        f"- `{text}`: `{note.shorter}` is {result(note.shorter, note)} at "
        + ", ".join(f"{name} = {value}" for name, value in note.values.items())
        + f", where the result is {result(text, note)}."
        for text, note in NOTES.items()
    ]
    return "\n".join(lines)


def of_models(ours: Table, theirs: Table) -> str:
    """How much is left of log-densities with their gradients."""
    lines = [_MODELS, "| model | Weft | PyTensor | weights |", "| --- | --- | --- | --- |"]
    for name, own in ours.items():
        other = theirs.get(name)
        counts = [f"{v.joined} Ops, {v.steps} of two" if v else "" for v in (own, other)]
        weights = " and ".join(f"{v.weight:.0f}" for v in (own, other) if v)
        lines.append(f"| {name}, {BLOCKS[name]} blocks | {' | '.join(counts)} | {weights} |")
    return "\n".join(lines) + "\n"


def page(ours: Table, theirs: Table) -> str:
    """The table, and in how many rows which of them leaves less."""
    lines = [
        "| expression | Weft | weight | PyTensor | weight |",
        "| --- | --- | --- | --- | --- |",
    ]
    for text, own in ours.items():
        other = theirs.get(text)
        end = f"{' '.join(other.ops)} | {other.weight:g} |" if other else " | |"
        lines.append(f"| `{text}` | {' '.join(own.ops)} | {own.weight:g} | {end}")
    both = [(own.weight, theirs[text].weight) for text, own in ours.items() if text in theirs]
    less, more = sum(a < b - 1e-9 for a, b in both), sum(a > b + 1e-9 for a, b in both)
    said = (
        f"Of {len(both)} rows, Weft leaves less in {less}, more in {more}. In "
        f"{len(NOTES)} of the latter what PyTensor leaves is another result at some values:\n\n"
        f"{_notes()}\n\n"
        if both
        else ""
    )
    return f"{_HEAD}{said}" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    expressions, models = _foreign()
    text = page(left("weft"), expressions) + of_models(left_of_models("weft"), models)
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
