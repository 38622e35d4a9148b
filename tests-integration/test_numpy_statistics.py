"""Statistics are NumPy's, on every backend: values, dtypes, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from weft_testing import Case, case

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
    rng.integers(-9, 9, (4, 2)).astype("int32"),
    rng.normal(size=(2, 3, 2)).astype("float32"),
    np.array([[np.nan, 1.0], [-np.inf, 2.0]]),
    np.array([7.5]),
    rng.integers(-9, 9, 6).astype("int8"),
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
        *(case(x, x * 2 + 1) for x in some if x.dtype.kind in "fi" and x.dtype != "int8"),
        *(case(x, dtype="float64") for x in some if x.dtype.kind == "f"),
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


WITH_NAN: Final = [
    np.array([[1, np.nan, 3, 0], [np.nan] * 4, [4, 5, 6, np.nan]]),
    np.array([1, np.nan, -np.inf], "float32"),
    np.array([np.nan, np.inf]),
    np.array([np.nan + 1j, 2 - 3j, 1]),
    rng.integers(-9, 9, (2, 3, 2)),
    np.array([[True, False], [True, True]]),
    np.zeros((0, 3)),
    np.array(np.nan),
    np.array(1.5),
    np.array([[1.0, np.nan], [2.0, np.inf]]).astype("float32"),
    rng.normal(size=(2, 2, 3)),
    np.array([[np.nan], [1.0], [np.nan]]),
    rng.integers(0, 9, 5).astype("uint8"),
    np.array([[1.0, 2 + 1j], [np.nan, 0.5j]]),
]

QS: Final = np.array([0, 0.1, 0.5, 0.77, 1.0])
METHODS: Final = (
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf"),
    *("hazen", "weibull", "linear", "median_unbiased", "normal_unbiased"),
    *("lower", "higher", "midpoint", "nearest"),
)


def without_nan(*ways: dict[str, Any]) -> list[Case]:
    return [case(x, **way) for x in WITH_NAN for way in ({}, *ways) if x.ndim or not way]


def reduced() -> list[Case]:
    return without_nan({"axis": 0}, {"axis": -1, "keepdims": True})


def scanned() -> list[Case]:
    return without_nan({"axis": 0}, {"axis": -1})


def spread() -> list[Case]:
    return [*reduced(), *(case(*c.args, **c.kwargs, ddof=1) for c in reduced())]


def quantiles() -> list[Case]:
    real = [x for x in ARRAYS if x.dtype.kind not in "bc"]
    m, t, v = ARRAYS[0], ARRAYS[2], ARRAYS[1]
    weights = np.array([1, 2, 0, 3.0])
    return [
        *(case(x, 0.3) for x in real),
        *(case(m, QS, axis=0, method=method) for method in METHODS),
        *(case(t, QS, method=method) for method in METHODS),
        case(m, np.array([[0.2, 0.4]]), axis=1, keepdims=True),
        case(m, 0.5, axis=(0, 1), keepdims=True),
        case(v, QS),
        case(m, QS, axis=1, method="inverted_cdf", weights=weights),
        case(m, 0.4, method="inverted_cdf", weights=np.abs(m)),
        case(np.arange(5, dtype="float32"), 0.4, method="inverted_cdf", weights=np.ones(5)),
        case(m, 0.4, 1, method="inverted_cdf", weights=-weights),
        case(m, 0.4, 1, weights=weights),
        case(m, 1.5),
        case(m, QS + 0.5),
        case(m, 0.5, method="median"),
    ]


def quantiles_without_nan() -> list[Case]:
    m, v, *_ = WITH_NAN
    ways = ("linear", "hazen", "inverted_cdf", "midpoint", "averaged_inverted_cdf")
    arrays = (m, v, ARRAYS[0])
    return [
        *(case(x, q, 0, method=w) for x in arrays for q in (0.3, QS) for w in ways),
        *(case(m, QS, method=w) for w in ways),
        case(m, 0.2, 1, keepdims=True),
        *(
            case(x, q, axis, method="inverted_cdf", weights=w)
            for x, w in ((m, np.array([[1, 2, 0.5, 1]] * 3)), (ARRAYS[0], np.abs(ARRAYS[0])))
            for q in (0.3, QS)
            for axis in (None, 0, 1)
        ),
        case(m, QS, 1, method="inverted_cdf", weights=np.array([1, 2, -0.5, 1])),
    ]


def neighbours() -> list[Case]:
    m = ARRAYS[0]
    ways: list[dict[str, Any]] = [{}, {"n": 2}, {"axis": 0}, {"n": 0}]
    return [
        *(case(x, **way) for x in ARRAYS if x.ndim for way in ways),
        case(m, prepend=0),
        case(m, append=m),
        case(m, axis=0, append=np.ones((1, 4))),
        case(m, n=-1),
        case(ARRAYS[8]),
        case(m, axis=5),
    ]


def slopes() -> list[Case]:
    m, t = ARRAYS[0], rng.normal(size=(4, 3, 5))
    arrays = [
        m,
        t,
        np.ones((3, 3), "int8"),
        np.arange(6) ** 2,
        np.arange(5.0).astype("float32"),
        ARRAYS[4].T.copy(),
    ]
    rows, columns = np.array([0, 1, 3.0]), np.array([0, 0.5, 2, 2.5])
    each = [(x, a, o) for x in arrays for a in (0, -1) for o in (1, 2) if x.shape[a] > o]
    return [
        *(case(x, axis=a, edge_order=o) for x, a, o in each),
        case(m),
        case(t),
        case(m, 2.0),
        case(m, 2.0, 0.5),
        case(m, rows, columns),
        case(m, columns, axis=1, edge_order=2),
        case(t, axis=(2, 0)),
        case(m, rows),
        case(m, 1.0, 2.0, 3.0),
        case(m, edge_order=3),
    ]


def ends() -> list[Case]:
    m, t = ARRAYS[0], ARRAYS[2]
    return [
        *(case(x) for x in ARRAYS),
        *(case(x, to_begin=x.ravel()[:2]) for x in ARRAYS if x.size),
        case(m, to_end=1.5),
        case(m, np.array([1.0, 2]), np.array([3.0])),
        case(t, to_end=1.5),
        case(t, to_begin=np.array([7])),
        *(case(x * 2, to_begin=np.array([1, 2])) for x in ARRAYS[:3]),
        case(m, to_end=m),
        case(m[0], to_begin=0),
    ]


def areas() -> list[Case]:
    m, t, v = ARRAYS[0], ARRAYS[2], ARRAYS[1]
    return [
        *(case(x, axis=a) for x in ARRAYS if x.ndim and x.dtype != bool for a in (0, -1)),
        *(case(x, dx=np.array(0.25)) for x in ARRAYS[:3]),
        case(m, np.array([0, 1.0, 3, 4])),
        case(m, m * 2),
        case(m, dx=0.5, axis=0),
        case(m, np.array([0, 1.0, 3]), axis=0),
        case(t, np.array([0, 2.0])),
        case(v, dx=2),
    ]


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "diff": neighbours,
    "ediff1d": ends,
    "gradient": slopes,
    "nanargmax": reduced,
    "nanargmin": reduced,
    "nancumprod": scanned,
    "nancumsum": scanned,
    "nanmax": reduced,
    "nanmean": reduced,
    "nanmedian": lambda: [
        *(c for c in reduced() if c.args[0].dtype.kind not in "bc"),
        case(WITH_NAN[0], axis=(0, 1)),
    ],
    "nanmin": reduced,
    "nanpercentile": lambda: [case(x, q) for x in WITH_NAN[:3] for q in (*range(0, 90, 10), QS)],
    "nanprod": reduced,
    "nanquantile": quantiles_without_nan,
    "nanstd": spread,
    "nansum": reduced,
    "nanvar": spread,
    "percentile": lambda: [case(x, q) for x in ARRAYS[:3] for q in (*range(0, 90, 10), QS * 100)],
    "quantile": quantiles,
    "trapezoid": areas,
    "average": weighted,
    "corrcoef": of_variables,
    "cov": of_counted_variables,
    "ptp": over_axes,
    "std": lambda: [*over_axes(), *over_axes(ddof=1), case(ARRAYS[2], dtype="float32")],
    "var": lambda: [*over_axes(), *over_axes(ddof=1), case(ARRAYS[2], dtype="float32")],
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30)
