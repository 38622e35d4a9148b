"""Statistics are NumPy's, on every backend: values, dtypes, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function

rng = np.random.default_rng(0)

ARRAYS: Final = [
    rng.normal(size=(3, 4)),
    rng.normal(size=5).astype("float32"),
    rng.integers(-9, 9, (2, 3, 2)),
    np.array([[True, False], [True, True]]),
    rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3)),
    np.array([1.0, np.nan, 2.0]),
    np.array([1.0, np.inf, 2.0]),
    np.zeros((0, 3)),
    np.array(2.5),
    rng.normal(size=(1, 3)),
    rng.integers(0, 200, 4).astype("uint8"),
]


def over_axes(**more: Any) -> list[Case]:
    """Each array over each kind of axis."""
    kinds: list[dict[str, Any]] = [{}, {"axis": -1}, {"axis": 0, "keepdims": True}, {"axis": ()}]
    return [case(x, **k, **more) for x in ARRAYS for k in kinds if x.ndim or "axis" not in k]


def weighted() -> list[Case]:
    some = [x for x in ARRAYS if x.size and x.ndim]
    m, _, t, *_ = some
    weights = [rng.uniform(0.5, 1.5, x.shape) for x in some]
    ways: list[dict[str, Any]] = [
        {},
        {"axis": 0},
        {"axis": -1, "returned": True},
        {"keepdims": True},
    ]
    return [
        *(case(x, weights=w, **way) for x, w in zip(some, weights, strict=True) for way in ways),
        *(case(x, axis=0) for x in ARRAYS if x.ndim),
        case(m, 1, weights=np.array([1, 2, 3, 4])),
        case(m, 1, weights=np.array([0, 0, 0, 0])),
        case(m, weights=np.ones(4)),
        case(t, (2, 0), weights=np.arange(4.0).reshape(2, 2)),
    ]


def of_variables() -> list[Case]:
    """Vectors, and matrices of several variables: of one, the rank would tell how many."""
    some = [x for x in ARRAYS if x.size and x.ndim in (1, 2) and x.shape[0] > 1]
    return [
        *(case(x, **way) for x in some for way in ({}, {"rowvar": False})),
        case(some[0], some[0] * 2 + 1),
        case(some[0], dtype="float32"),
        *(case(x * 3 + 1) for x in some[:3]),
        case(ARRAYS[2]),
    ]


def of_counted_variables() -> list[Case]:
    m = ARRAYS[0]
    counts, amounts = np.array([1, 2, 0, 3]), np.array([1, 2, 0.5, 3])
    return [
        *of_variables(),
        *(case(x, **way) for x in ARRAYS[:2] for way in ({"bias": True}, {"ddof": 2})),
        case(m, fweights=counts),
        case(m, aweights=amounts),
        case(m, fweights=counts, aweights=amounts, ddof=0),
        case(m, fweights=-counts),
    ]


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "average": weighted,
    "corrcoef": of_variables,
    "cov": of_counted_variables,
    "ptp": over_axes,
    "std": lambda: [*over_axes(), *over_axes(ddof=1), case(ARRAYS[2], dtype="float32")],
    "var": lambda: [*over_axes(), *over_axes(ddof=1), case(ARRAYS[2], dtype="float32")],
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str) -> None:
    assert check_function(getattr(wt, name), getattr(np, name), CASES[name]()) >= 20
