"""Reductions without NaN take the keywords that those with NaN take."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_grad

rng = np.random.default_rng(0)

ARRAYS: Final = [
    np.array([[1.0, np.nan, np.inf, -np.inf], [np.nan, np.nan, 2.0, 1.0], [0.0, -0.0, 3.0, 1.0]]),
    np.array([[np.nan, 1.5, np.nan, -2.5]], "float32"),
    rng.normal(size=(3, 4)),
    rng.integers(-9, 9, (2, 4)),
    np.array([[1 + 2j, np.nan, 3j, 2.0]]),
    np.full((2, 4), np.nan),
    np.zeros((0, 4)),
]
ROW: Final = np.array([True, False, True, True])
WAYS: Final[list[dict[str, Any]]] = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}]


def left(*more: dict[str, Any]) -> list[Case]:
    keywords: list[dict[str, Any]] = [{"where": ROW}, *more]
    return [case(x, **way, **k) for x in ARRAYS for way in WAYS for k in keywords]


def begun() -> list[Case]:
    return [
        *left({"initial": 3}, {"initial": 2.5, "where": ROW}),
        case(ARRAYS[0], where=np.array([1, 0, 1, 1]), initial=1),
    ]


def extremes() -> list[Case]:
    whole = [x for x in ARRAYS if x.dtype.kind != "c"]
    ways: list[dict[str, Any]] = [{"initial": 1}, {"initial": 0, "where": ROW}]
    return [
        *(case(x, **way, **k) for x in whole for way in WAYS for k in ways),
        case(ARRAYS[5], initial=np.nan),
        case(ARRAYS[0], initial=np.nan),
        case(ARRAYS[0], where=ROW),
    ]


def spread() -> list[Case]:
    middle = np.array([[1.0, 2.0, 0.5, 0.0]])
    some = [x for x in ARRAYS if x.dtype.kind == "f" and x.dtype.itemsize == 8]
    return [
        *left({"ddof": 1, "where": ROW}, {"correction": 1}),
        *(case(x, 0, mean=middle) for x in some),
        case(ARRAYS[0], ddof=1, correction=1),
    ]


CASES: Final[dict[str, Any]] = {
    "nanmax": extremes,
    "nanmean": lambda: [*left({}), case(ARRAYS[0], where=np.ones(3, bool))],
    "nanmin": extremes,
    "nanprod": begun,
    "nanstd": spread,
    "nansum": begun,
    "nanvar": spread,
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30)


@pytest.mark.parametrize("name", ["nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum"])
def test_both_derivatives_of_what_is_left(name: str) -> None:
    extremes: dict[str, Any] = {"initial": 0.3} if name in ("nanmax", "nanmin") else {}
    check_grad(lambda x: getattr(wt, name)(x, 1, where=ROW, **extremes), [ARRAYS[2]])
