"""Write docs/formulas.md, how right typed formulas are: `python -m tools.tables.accuracy`.

What is right, mpmath says, from values so exact that differences of them have 50 digits. PyTensor
is asked in the environment whose interpreter `PYTENSOR_PYTHON` names, if there is one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import mpmath as mp
import numpy as np

from tools.tables.formulas import FORMULAS, Formula
from tools.tables.peers import NAMES, results
from tools.workspace import ROOT

__all__ = ["Errors", "errors", "truth"]

PAGE: Final = ROOT / "docs" / "formulas.md"
RIGHT: Final = 1e-12
_DIGITS: Final = 1000
_STEP: Final = 100
_MOST, _LEAST = np.finfo(float).max, np.finfo(float).tiny
_HEAD: Final = """\
# Formulas as they are typed

What comes of formulas from textbooks, statistics and machine learning that lose their digits,
overflow or divide zero by zero if they are computed as they are written: the largest relative error
in float64 at ordinary and extreme arguments, wherever the right result can be represented, against
mpmath with 50 digits. *wrong* is an error above 1e-3, a NaN or an infinity; an error of at most
1e-12 counts as right. Written by `python -m tools.tables.accuracy`.

What keeps more of its last digits as it is typed: `exp(x)/exp(y)` runs as `exp(x - y)`, whose
exponent is rounded, so that it is 3e-15 off at a difference of 40 and 6e-14 at 700. That must be:
typed, it is NaN where both are above 709 or below -745. The slope of `1 - (1 - x)**y` by y has its
power as `exp(y*log1p(-x))`, for the digits at small x, and is 3e-14 off at an exponent of -276.
That of `maximum(x, 0) - x*y + ...` by x is a sum of three numbers, and no order is best for all.

"""


class Errors(NamedTuple):
    """The largest relative error of the value, the gradient and the second derivative."""

    value: float
    gradient: float
    second: float


def _name(name: str) -> Any:
    if name in ("sum", "prod", "mean"):
        return getattr(np, name)
    special: dict[str, Any] = {
        "abs": abs,
        "arcsin": mp.asin,
        "gammaln": mp.loggamma,
        "maximum": max,
    }
    function: Any = special.get(name, getattr(mp, name, None))
    return np.frompyfunc(function, 2 if name == "maximum" else 1, 1)


_NAMES: Final = {**{name: _name(name) for name in NAMES}, "pi": mp.pi}


def truth(formula: Formula) -> list[list[Any]]:
    """What is right, in the order of `results`; None where there is no real number."""
    code = compile(formula.text, formula.text, "eval")

    def value(*values: Any) -> Any:
        return eval(code, _NAMES, dict(zip(formula.letters, values, strict=True)))

    with mp.workdps(_DIGITS):
        return [_at(value, point) for point in formula.points]


def _at(value: Any, point: Sequence[Any]) -> list[Any]:
    exact = [np.array([*map(mp.mpf, p)]) if isinstance(p, tuple) else mp.mpf(p) for p in point]
    middle = _real(value, exact)
    found = [middle]
    for place, p in enumerate(exact):
        found += [_slope(value, exact, place, k, middle)[0] for k in range(np.size(p))]
    if len(exact) == 1 and np.size(exact[0]) == 1:
        found.append(_slope(value, exact, 0, 0, middle)[1])
    return found


def _slope(value: Any, point: list[Any], place: int, k: int, middle: Any) -> tuple[Any, Any]:
    """The first and the second derivative by one number."""
    ends = []
    at = np.ravel(point[place])[k]
    step = (abs(at) or 1) * mp.mpf(10) ** -_STEP
    for moved in (at + step, at - step):
        new = list(point)
        if np.size(point[place]) > 1:
            new[place] = point[place].copy()
            new[place][k] = moved
        else:
            new[place] = moved
        ends.append(_real(value, new))
    if middle is None or None in ends:
        return None, None
    above, below = ends
    first, second = (above - below) / (2 * step), (above - 2 * middle + below) / step**2
    is_zero = abs(first) < abs(second) * step * mp.mpf(10) ** -(_STEP // 2)  # but for the step
    return (mp.mpf(0) if is_zero else first), second


def _real(value: Any, point: Sequence[Any]) -> Any:
    try:
        found = mp.mpmathify(value(*point))
    except (ValueError, ZeroDivisionError):
        return None
    return found if isinstance(found, mp.mpf) else None


def errors(formula: Formula, right: list[list[Any]], computed: list[list[float]]) -> Errors:
    """The largest errors of what a library computed."""
    count = sum(3 if letter == "v" else 1 for letter in formula.letters)
    spans = (slice(0, 1), slice(1, 1 + count), slice(1 + count, None))
    worst = []
    for span in spans:
        pairs = [
            _error(r, c)
            for rights, numbers in zip(right, computed, strict=True)
            for r, c in zip(rights[span], numbers[span], strict=False)
            if r is not None and _LEAST <= abs(r) <= _MOST
        ]
        worst.append(max(pairs, default=float("nan")))
    return Errors(*worst)


def _error(right: Any, computed: float) -> float:
    return float(abs(mp.mpf(computed) - right) / abs(right)) if np.isfinite(computed) else np.inf


def _from_pytensor(wanted: Sequence[Formula]) -> dict[str, list[list[float]]]:
    python = os.environ.get("PYTENSOR_PYTHON")
    if not python:
        return {}
    command = [python, "-m", "tools.tables.peers", "pytensor"]
    texts = json.dumps([f.text for f in wanted])
    done = subprocess.run(
        command, input=texts, cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: dict[str, list[list[float]]] = json.loads(done.stdout)
    return found


def table(formulas: Sequence[Formula] = FORMULAS) -> dict[str, dict[str, Errors]]:
    """Per formula and library the largest errors."""
    foreign = _from_pytensor(formulas)
    found = {}
    for f in formulas:
        right = truth(f)
        computed = {peer: results(peer, f) for peer in ("numpy", "jax", "weft")}
        if f.text in foreign:
            computed["pytensor"] = foreign[f.text]
        found[f.text] = {peer: errors(f, right, c) for peer, c in computed.items()}
    return found


def _shown(error: float) -> str:
    if np.isnan(error):
        return ""
    return "wrong" if error > 1e-3 else f"{error:.0e}"


COLUMNS: Final = (
    ("numpy", "value"),
    ("pytensor", "value"),
    ("pytensor", "gradient"),
    ("pytensor", "second"),
    ("jax", "value"),
    ("jax", "gradient"),
    ("jax", "second"),
    ("weft", "value"),
    ("weft", "gradient"),
    ("weft", "second"),
)
_TITLES: Final = {"numpy": "NumPy", "pytensor": "PyTensor", "jax": "jax.jit", "weft": "Weft"}


def page(found: dict[str, dict[str, Errors]]) -> str:
    """The table, and how many of its rows are right."""
    columns = [c for c in COLUMNS if all(c[0] in row for row in found.values())]
    titles = [f"{_TITLES[peer]} {what}" for peer, what in columns]
    lines = [f"| formula | {' | '.join(titles)} |", f"|{' --- |' * (1 + len(titles))}"]
    for text, row in found.items():
        cells = [_shown(getattr(row[peer], what)) for peer, what in columns]
        lines.append(f"| `{text}` | {' | '.join(cells)} |")
    right = [
        f"{title}: {sum(_is_right(getattr(row[peer], what)) for row in found.values())}"
        for title, (peer, what) in zip(titles, columns, strict=True)
    ]
    return f"{_HEAD}Right, of {len(found)}: {'; '.join(right)}.\n\n" + "\n".join(lines) + "\n"


def _is_right(error: float) -> bool:
    return bool(np.isnan(error)) or error <= RIGHT


if __name__ == "__main__":
    text = page(table())
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
