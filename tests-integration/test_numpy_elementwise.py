"""Functions of single numbers that are Ops are NumPy's, of all dtypes and on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function

rng = np.random.default_rng(0)

DTYPES: Final = (
    *("bool", "int8", "uint8", "int32", "int64", "uint64", "float32", "float64"),
    *("complex64", "complex128"),
)
SHAPES: Final = ((), (3,), (2, 1, 2), (0, 2))
SPECIAL: Final = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 0.5, -2.5, 1e-30, -1.0])
UNARY: Final = [
    *("absolute", "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh"),
    *("asin", "asinh", "atan", "atanh", "bitwise_invert", "bitwise_not", "cbrt", "ceil", "conj"),
    *("conjugate", "cos", "cosh", "deg2rad", "degrees", "exp", "exp2", "expm1", "floor", "imag"),
    *("invert", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not"),
    *("negative", "rad2deg", "radians", "real", "reciprocal", "rint", "sign", "sin", "sinh"),
    *("sqrt", "square", "tan", "tanh", "trunc"),
]
BINARY: Final = [
    *("add", "arctan2", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or"),
    *("bitwise_right_shift", "bitwise_xor", "copysign", "divide", "equal", "floor_divide", "fmod"),
    *("greater", "greater_equal", "hypot", "left_shift", "less", "less_equal", "logaddexp"),
    *("logaddexp2", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "mod"),
    *("multiply", "nextafter", "not_equal", "pow", "power", "remainder", "right_shift"),
    *("subtract", "true_divide"),
]
NOT_OF_COMPLEX: Final = {"arctanh", "atanh", "acosh", "arccosh", "exp2", "reciprocal", "sign"}
"""Whose complex values near branch points and 0 are compared by `check_op`, with wider bounds."""


def drawn(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Small numbers, of either sign where there are signs."""
    if dtype == "bool":
        return rng.integers(0, 2, shape) > 0
    if dtype[0] in "iu":
        return rng.integers(0 if dtype[0] == "u" else -4, 5, shape).astype(dtype)
    values = rng.uniform(-0.9, 0.9, shape)
    if dtype[0] == "c":
        values = values + 1j * rng.uniform(0.1, 0.9, shape)
    return np.asarray(values).astype(dtype)


def wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function, of float32 where it would compute in float16, which tensors have not."""

    def compute(*values: Any) -> Any:
        found = function(*values)
        if found.dtype != "float16":
            return found
        return function(*[np.asarray(v, "float32") for v in values])

    return compute


def of_one(name: str) -> list[Case]:
    dtypes = [d for d in DTYPES if d[0] != "c" or name not in NOT_OF_COMPLEX]
    special = [SPECIAL, SPECIAL.astype("float32")]
    return [*(case(drawn(d, s)) for d in dtypes for s in SHAPES), *map(case, special)]


def of_two(name: str) -> list[Case]:
    """Of equal and of mixed dtypes, broadcast; bits are shifted by no negative number."""
    dtypes = [d for d in DTYPES if d[0] != "c" or name not in ("power", "pow")]
    pairs = [(d, d) for d in dtypes] + list(zip(dtypes, dtypes[1:] + dtypes[:1], strict=True))
    cases = []
    for one, other in pairs:
        for shape in SHAPES[:3]:
            x, y = drawn(one, shape), drawn(other, (2,) if shape == (2, 1, 2) else shape)
            if other[0] == "i" and ("shift" in name or "pow" in name):
                y = np.abs(y)
            if "divide" in name and "complex" in one + other:  # by 0, XLA gives NaN
                y = y + (y == 0).astype(y.dtype)
            cases.append(case(x, y))
    cases.append(case(drawn("float64", (0, 2)), drawn("float32", (1, 2))))
    if "pow" not in name:
        cases += [case(SPECIAL, v) for v in (SPECIAL[::-1].copy(), np.array(0.5), SPECIAL[:, None])]
    return [*cases, case(drawn("float64", (3,)), drawn("float64", (2,)))]


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", UNARY + BINARY)
def test_they_are_numpys(name: str, few: Any) -> None:
    cases = of_one(name) if name in UNARY else of_two(name)
    compute, reference = getattr(wt, name), wide(getattr(np, name))
    assert check_function(compute, reference, cases, ["py"]) >= 30
    check_function(compute, reference, few(cases, 2))


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater"])
def test_integers_that_no_dtype_reaches_compare_as_numpys(name: str) -> None:
    compute, reference = getattr(wt, name), getattr(np, name)
    for dtype, beyond in (("uint8", 256), ("uint8", -1), ("int64", 2**70), ("uint64", -5)):
        x = np.array([0, 100], dtype)
        for args in ((x, beyond), (beyond, x)):
            np.testing.assert_array_equal(compute(*map(as_tensor, args)).eval(), reference(*args))
    with pytest.raises(OverflowError):
        compute(2**70, 1)


def as_tensor(x: Any) -> Any:
    return wt.constant(x) if isinstance(x, np.ndarray) else x
