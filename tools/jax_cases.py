"""Write docs/jax_cases.md, shapes that depend on values: `python -m tools.jax_cases`."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tools.workspace import ROOT

PAGE: Final = ROOT / "docs" / "jax_cases.md"
TESTS: Final = ROOT / "tests-integration" / "test_jax_dynamic_cases.py"

_HEAD = """\
# Cases of shapes that depend on values

Each of these is compiled for JAX with all lengths unknown, and its gradient with it where there
is one. It is called with the values in turn: what Python gives and which errors it raises is what
JAX gives and raises. Then it is called with all of them again, and nothing more is compiled. This
table is what the test counts; n and m are integers, x is a vector, v one of integers, and X a
matrix.

| expression | gradient by | called with | compiled |
| --- | --- | --- | --- |
"""


def _shown(values: Sequence[Any]) -> str:
    arrays = [np.asarray(value) for value in values]
    parts = [
        str(a[()]) if a.ndim == 0 else f"{a.dtype}[{', '.join(map(str, a.shape))}]" for a in arrays
    ]
    return ", ".join(parts)


def page() -> str:
    """Return the page that the test makes."""
    found = runpy.run_path(str(TESTS))
    lines = []
    for name, (inputs, made, cases) in found["CASES"].items():
        output = made[0] if isinstance(made, list) else made
        wrt = [i.name for i in inputs if i.type.differentiable and output.type.differentiable]
        called = "; ".join(map(_shown, cases))
        gradient = ", ".join(wrt) or "none"
        lines.append(f"| `{name}` | {gradient} | {called} | {found['COMPILES'][name]} |")
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
