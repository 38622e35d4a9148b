"""Write docs/accuracy.md, how right special functions are: `python -m tools.accuracy [NAME ...]`.

With names, rows of these alone are measured, and the others stay.

Errors are in units in the last place of the right result, which mpmath computes with 50 digits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import mpmath as mp
import numpy as np
import scipy.special

import weft.tensor as wt
from tools.accuracy_cases import CASES, Case, Numbers
from tools.accuracy_inverses import INVERSES
from tools.workspace import ROOT

PAGE: Final = ROOT / "docs" / "accuracy.md"
BACKENDS: Final = ("py", "numba", "jax")
_HEAD = """\
# Accuracy of special functions

The largest error over ordinary, tiny and huge arguments, and such next to poles, zeros and ends of
the domain, in units in the last place (at most 2.2e-16 of the result in float64, 1.2e-7 in
float32), against mpmath with 50 digits. SciPy's and JAX's own functions are measured with the same
arguments; *wrong* is an error above 1e9. Written by `python -m tools.accuracy`.

In float64, the bound is 4 units for functions that are like elementary ones, and 4500, which is
1e-12 of the result, for the others. Python and Numba compute by SciPy's functions where these are
as fast; what is **bold** is above the bound, and is SciPy's own error.

Next to zeros of functions that oscillate only the error over their amplitude is small: with J and Y
it is that over hypot(J, Y), for arguments above the order. The zeros of `gammaln` and
`digamma` at negative numbers are left out. So are numbers below the smallest normal one: XLA takes
them for 0.

"""
_ENDLESS: Final = ("exp1", "expi", "expn")
"""Functions of JAX that are not measured: for some of these arguments they don't return."""


def right(case: Case, points: Numbers) -> Any:
    """The result for one combination of arguments."""
    with mp.workdps(50):
        return case.right(*[mp.mpf(x) for x in points])


def _size(case: Case, points: Numbers, result: Any) -> Any:
    with mp.workdps(50):
        return max(abs(result), case.size(*map(mp.mpf, points)) if case.size else 0)


def errors(case: Case, dtype: str, computed: dict[str, Callable[..., Any]]) -> dict[str, float]:
    """The largest error of each way to compute it.

    >>> sine = Case("sin", mp.sin, ([0.5, 1.0],), 4)
    >>> errors(sine, "float64", {"NumPy": np.sin})["NumPy"] < 2
    True
    """
    limits = np.finfo(np.dtype(dtype).type)
    wide = [g.ravel() for g in np.meshgrid(*case.places, indexing="ij")]
    with np.errstate(over="ignore"):
        grids = [g.astype(dtype) for g in wide]
    normal = [(np.abs(g) >= limits.tiny) & np.isfinite(g) for g in grids]
    usable = np.all([n | (g == 0) for n, g in zip(normal, wide, strict=True)], axis=0)
    grids = [g[usable] for g in grids]
    exact = [right(case, [float(x) for x in point]) for point in zip(*grids, strict=True)]
    counted = [k for k, r in enumerate(exact) if limits.tiny < abs(r) < limits.max]
    sizes = [_size(case, [float(g[k]) for g in grids], exact[k]) for k in counted]
    spacing = [float(np.spacing(np.abs(np.asarray(float(size), dtype)))) for size in sizes]
    found = {}
    for way, function in computed.items():
        with np.errstate(all="ignore"):
            result = np.asarray(function(*grids))
        with mp.workdps(50):
            apart = [
                float(abs(mp.mpf(float(result[k])) - exact[k]) / unit)
                if np.isfinite(result[k])
                else np.inf
                for k, unit in zip(counted, spacing, strict=True)
            ]
        found[way] = max(apart)
    return found


def ours(case: Case, dtype: str, backend: str) -> Callable[..., Any]:
    """Weft's function, compiled for a backend."""
    inputs = [wt.vector(f"x{k}", dtype=dtype) for k in range(len(case.places))]
    expression = case.of(wt.special)
    assert expression is not None
    compiled = wt.function(inputs, expression(*inputs), mode=backend)
    return lambda *values: compiled(*values)


def scipys(case: Case) -> dict[str, Callable[..., Any]]:
    """SciPy's function, if there is one.

    >>> [list(scipys(case)) for case in CASES if case.name in ("gamma", "logerfc")]
    [[], ['SciPy']]
    """
    other = {"trigamma": partial(scipy.special.polygamma, 1)}
    function = other.get(case.name) or case.of(scipy.special)
    return {"SciPy": function} if function else {}


def _jaxs(case: Case) -> dict[str, Callable[..., Any]]:
    import jax.scipy.special  # slow, and not needed by the test

    function = None if case.name in _ENDLESS else case.of(jax.scipy.special)
    return {"JAX": _in_x64(function)} if function else {}


def _in_x64(function: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    def compute(*values: Any) -> Any:
        with jax.enable_x64(True):
            return np.asarray(jax.jit(function)(*values))

    return compute


def main(*names: str) -> None:
    """Measure all, or what has these names, and write the page."""
    lines, older = [], PAGE.read_text().split("## float32") if names else ["", ""]
    for dtype, part in zip(("float64", "float32"), older, strict=True):
        kept = {line.split(" |")[0]: line for line in part.splitlines() if line.startswith("| `")}
        lines += [f"## {dtype}", "", "| function | py | Numba | JAX | SciPy | jax.scipy |"]
        lines += ["| --- | --- | --- | --- | --- | --- |"]
        for case in (*CASES, *INVERSES):
            first = f"| `{case.name}`"
            if first in kept and case.name not in names:
                lines.append(kept[first])
                continue
            ways = {b: ours(case, dtype, b) for b in BACKENDS} | scipys(case) | _jaxs(case)
            found = errors(case, dtype, ways)
            bound = case.bound if dtype == "float64" else np.inf
            cells = [_cell(found.get(way), bound) for way in BACKENDS]
            cells += [_cell(found.get(way)) for way in ("SciPy", "JAX")]
            lines.append(f"{first} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr)
        lines.append("")
    PAGE.write_text(_HEAD + "\n".join(lines))


def _cell(error: float | None, bound: float = np.inf) -> str:
    if error is None:
        return ""
    text = "wrong" if error > 1e9 else f"{error:.1f}" if error < 100 else f"{error:.0f}"
    return f"**{text}**" if error > bound else text


if __name__ == "__main__":
    main(*sys.argv[1:])
