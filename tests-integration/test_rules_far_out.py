"""Rules whose left sides have no right digits for tiny and huge numbers: right sides have."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import mpmath
import numpy as np
import pytest

import weft.tensor as wt
from weft import Mode, function
from weft_graph.extend import filled, wildcards_of
from weft_rewrites import stabilize

RULES: Final = {r.name: r for r in stabilize}
PLACES: Final = {
    "float64": (-1e200, -38.0, -0.3, -1e-9, 3e-308, 1e-20, 3e-5, 0.3, 2.5, 36.0, 709.0, 1e200),
    "float32": (-1e30, -38.0, -0.3, -1e-9, 2e-38, 1e-20, 3e-5, 0.3, 2.5, 36.0, 88.0, 1e30),
}
DIGITS: Final = {"float64": 1e-12, "float32": 1e-5}
PRECISION: Final = 750
"""Digits of the reference: squares of 1e-308 beside 1 are seen."""


def _powers(sign: int) -> Callable[[Any, Any], Any]:
    return lambda x, y: (1 + sign * x) ** y - 1


def _langevin(x: Any) -> Any:
    return mpmath.coth(x) - 1 / x


def _planck(x: Any) -> Any:
    return 1 / x - 1 / mpmath.expm1(x)


REFERENCES: Final[dict[str, Callable[..., Any]]] = {
    "cosh(x)² - sinh(x)² = 1": lambda x: mpmath.mpf(1),
    "exp(x) ** y = exp(x * y)": lambda x, y: mpmath.exp(x * y),
    "exp(x) / y - reciprocal(y) = expm1(x) / y": lambda x, y: mpmath.expm1(x) / y,
    "(1 + 1 / x) ** x = exp(x * log1p(1 / x))": lambda x: (1 + 1 / x) ** x,
    "(1 + x) ** (1 / x) = exp(log1p(x) / x)": lambda x: (1 + x) ** (1 / x),
    "(1 + x) ** y - 1 = pow1pm1(x, y)": _powers(1),
    "1 - (1 + x) ** y = -pow1pm1(x, y)": lambda x, y: -_powers(1)(x, y),
    "1 - (1 - x) ** y = -pow1pm1(-x, y)": lambda x, y: -_powers(-1)(x, y),
    "(x ** y - 1) / y = boxcox(x, y) where x >= 0": lambda x, y: (x**y - 1) / y,
    "(exprel(x) - 1) / x = exprel2(x)": lambda x: (mpmath.expm1(x) / x - 1) / x,
    "cosh(x) / sinh(x) - reciprocal(x) = langevin(x)": _langevin,
    "reciprocal(tanh(x)) - reciprocal(x) = langevin(x)": _langevin,
    "reciprocal(x) - reciprocal(expm1(x)) by langevin(0.5 * x) where x <= 2": _planck,
    "reciprocal(expm1(x)) - reciprocal(x) by langevin(0.5 * x) where x <= 2": lambda x: -_planck(x),
}


def _is_in_range(exact: Any, dtype: str) -> bool:
    if isinstance(exact, mpmath.mpc) or not mpmath.isfinite(exact):
        return False
    limits = np.finfo(dtype)
    return bool(exact == 0 or float(limits.tiny) <= abs(exact) <= float(limits.max))


@pytest.mark.cases(6)
@pytest.mark.parametrize("dtype", DIGITS)
@pytest.mark.parametrize("name", REFERENCES)
def test_right_sides_have_right_digits(name: str, dtype: str) -> None:
    rule = RULES[name]
    assert isinstance(rule.left, wt.TensorVariable)
    letters = sorted(w.name or "" for w in wildcards_of(rule.left))
    inputs = {x: wt.vector(x, dtype=dtype) for x in letters}
    leaves = {x: wt.abs(v) if "x >= 0" in name and x == "x" else v for x, v in inputs.items()}
    right: Any = rule(filled(rule.left, leaves))
    f = function([*inputs.values()], right, mode=Mode("py", books=[]))
    places = np.array(list(product(np.array(PLACES[dtype], dtype), repeat=len(letters)))).T
    with np.errstate(all="ignore"):
        found = np.broadcast_to(f(*places), places.shape[1])
    wrong = []
    with mpmath.workdps(PRECISION):
        for result, place in zip(found, places.T, strict=True):
            point = [mpmath.mpf(float(v)) for v in place]
            if "x >= 0" in name:
                point[0] = abs(point[0])
            if name.startswith("exp(x) / y") and point[0] > np.log(np.finfo(dtype).max):
                continue  # as the exponential does
            try:
                exact = REFERENCES[name](*point)
            except (OverflowError, ValueError, ZeroDivisionError):
                continue
            if _is_in_range(exact, dtype) and abs(float(result) - exact) > DIGITS[dtype] * abs(
                exact
            ):
                wrong.append((*place, result, float(exact)))
    assert not wrong
