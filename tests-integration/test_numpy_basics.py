"""What NumPy's users type most is NumPy's: creation, axes, orders, scans, products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case

rng = np.random.default_rng(0)

DTYPES: Final = ("bool", "int8", "uint8", "int32", "int64", "float32", "float64", "complex128")
MATRIX: Final = rng.normal(size=(3, 4))
STRANGE: Final = np.array([[1.0, np.nan, -np.inf], [np.inf, 0.0, -0.0]])
ARRAYS: Final = [
    *(np.asarray(rng.integers(0, 5, (2, 3)) - 2).astype(d) for d in DTYPES),
    MATRIX,
    STRANGE,
    rng.integers(-9, 9, (2, 3, 2)),
    np.zeros((0, 3)),
    np.zeros((2, 0), "float32"),
    np.array(2.5),
    np.array(3, "int8"),
    rng.normal(size=5),
]
WITH_AXES: Final = [x for x in ARRAYS if x.ndim]
COUNT: Final = np.array(4)
"""As an array, it is an input: a length that is known at the call."""


def each(*ways: dict[str, Any], least: int = 0) -> Callable[[], list[Case]]:
    """All arrays of so many axes at least, in each of these ways."""
    return lambda: [case(x, **way) for x in ARRAYS for way in ways or ({},) if x.ndim >= least]


def along(*axes: Any, **more: Any) -> Callable[[], list[Case]]:
    """All arrays along each of these axes, which not all have."""
    return lambda: [case(x, axis=a, **more) for x in ARRAYS for a in axes]


def orders() -> list[Case]:
    """Sorts of complex numbers are compared where no two are equal."""
    some = [x for x in ARRAYS if x.dtype.kind != "c"]
    kinds = ("quicksort", "heapsort", "stable", "none")
    return [
        *(case(x, axis=a) for x in some for a in (-1, 0, None) if x.ndim or a is None),
        *(case(MATRIX, kind=kind) for kind in kinds),
        case(MATRIX, stable=True),
        case(MATRIX, axis=2),
    ]


def places_in_order() -> list[Case]:
    """Equal elements keep their order, which NumPy does if it is told to."""
    return [case(*c.args, **{**c.kwargs, "kind": "stable"}) for c in orders()[:-2]]


def made(*others: Any) -> Callable[[], list[Case]]:
    shapes = [3, (2, 3), (0, 2), (), (COUNT, 2), -1, (2, -1)]
    dtypes = (None, "bool", "int8", "float32", "complex64")
    return lambda: [case(s, *others, dtype=d) for s in shapes for d in dtypes]


def filled() -> list[Case]:
    shapes = [(2, 2), (COUNT, 2), 2, (0, 2), ()]
    values = [7, 2.5, True, np.array(3, "int8")]
    rows = np.array([1.0, 2.0])
    return [
        *(case(s, v, d) for s in shapes for v in values for d in (None, "float64")),
        *(case(s, v) for s in ((3, 2), (3, 3), (COUNT, 2)) for v in (rows, 1j)),
    ]


def with_ones() -> list[Case]:
    return [
        *(case(n, m, k) for n in (0, 1, 3, COUNT) for m in (None, 2, 4) for k in (-1, 0, 2)),
        *(case(3, dtype=d) for d in DTYPES),
    ]


def pairs() -> list[Case]:
    vectors = [x for x in (*ARRAYS[:8], MATRIX) if x.dtype != "bool"]
    return [
        *(case(a[0], b[1]) for a in vectors for b in vectors[::2]),
        *(case(a, b) for a in vectors[:4] for b in (2, np.array(1.5), np.ones(2))),
        case(STRANGE, np.ones(2)),
        case(np.zeros((0, 2)), np.ones(3)),
    ]


def matrix_pairs() -> list[Case]:
    some = [*(rng.integers(-3, 4, (2, 3)).astype(d) for d in DTYPES), rng.normal(size=(2, 3))]
    return [
        *(case(a, b.T) for a in some for b in some[::3]),
        *(case(a, b[0]) for a in some for b in some[::4]),
        case(rng.normal(size=(4, 2, 3)), rng.normal(size=(3, 2))),
        case(np.zeros((0, 3)), np.ones((3, 2))),
        case(np.ones((2, 0)), np.ones((0, 2))),
        case(MATRIX, MATRIX),
        case(MATRIX, np.ones(3)),
    ]


def vectors_pairs() -> list[Case]:
    return [*matrix_pairs(), case(2.0, MATRIX), case(MATRIX, 3), case(np.ones(3), np.ones(3))]


def diagonals() -> list[Case]:
    return [case(x, k) for x in WITH_AXES for k in (0, 1, -2, 5)]


def diagonals_of_axes() -> list[Case]:
    ways: list[dict[str, Any]] = [{}, {"axis1": 1, "axis2": 0}, {"axis1": 0, "axis2": 3}]
    return [case(x, k, **way) for x in WITH_AXES for k in (0, -1) for way in ways]


def turned() -> list[Case]:
    orders = [None, (1, 0), (0, 1), (2, 0, 1), (-1, 0), (0, 0)]
    return [case(x, axes) for x in ARRAYS for axes in orders]


def exchanged() -> list[Case]:
    return [case(x, a, b) for x in ARRAYS for a, b in ((0, 1), (-1, 0), (2, 0), (0, 0))]


def moved() -> list[Case]:
    ways = ((0, -1), ([0, 1], [1, 0]), (2, 0), ([0, 0], [0, 1]))
    return [case(x, a, b) for x in ARRAYS for a, b in ways]


def repeated() -> list[Case]:
    some = [2, 0, np.array(3), [1, 2], np.array([2, 0]), -1]
    full = [x for x in ARRAYS if x.size and x.ndim]
    return [case(x, r, axis=a) for x in full for r in some for a in (None, 0)]


def rolled() -> list[Case]:
    ways = [(1, None), (-2, 0), (1, (0, 1)), ((1, 2), (0, -1)), (7, -1), (1, 5)]
    return [case(x, s, axis=a) for x in ARRAYS for s, a in ways]


def tiled() -> list[Case]:
    return [case(x, r) for x in ARRAYS for r in (2, (2, 1), (1, 2, 2), 0, ())]


def broadcast() -> list[Case]:
    shapes = [(2, 3), (4, 2, 3), (2, 2, 3, 2), (5,), (COUNT, 2, 3)]
    return [case(x, s) for x in ARRAYS for s in shapes]


def compressed() -> list[Case]:
    conditions = [[True, False], np.array([False, True]), [0, 1], np.array([True] * 9)]
    return [case(c, x, axis=a) for x in ARRAYS[:11] for c in conditions for a in (None, 0)]


def counted() -> list[Case]:
    some = [rng.integers(0, 6, 9).astype(d) for d in ("int8", "uint8", "int32", "int64", "bool")]
    return [
        *(case(x, minlength=m) for x in some for m in (0, 3, 12)),
        *(case(x, weights=rng.normal(size=9)) for x in some),
        *(case(x, np.arange(9), 8) for x in some),
        case(np.zeros(0, int)),
        case(np.zeros(0, int), minlength=2),
        case(np.array([1, -1])),
        case(np.array([1.5, 2.0])),
        case(np.ones((2, 2), int)),
        case(some[0], minlength=-1),
        case(some[0], weights=np.ones(3)),
    ]


def with_zeros() -> list[Case]:
    ways: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}]
    return [case(x, **way) for x in ARRAYS for way in ways if x.ndim or not way]


def extreme_places() -> list[Case]:
    some = [x for x in ARRAYS if x.dtype.kind != "c"]
    ways: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": 4}]
    return [case(x, **way) for x in some for way in ways if x.ndim or not way]


def scanned() -> list[Case]:
    return [
        *(case(x, axis=a) for x in ARRAYS for a in (None, 0, -1) if x.ndim or a is None),
        *(case(x, dtype="float64") for x in ARRAYS if x.dtype.kind != "c"),
        case(MATRIX, 2),
    ]


def middles() -> list[Case]:
    some = [x for x in ARRAYS if x.dtype.kind not in "bc" and x.size]
    ways: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}]
    return [case(x, **way) for x in some for way in ways if x.ndim >= 2 or way != ways[3]]


def squeezed() -> list[Case]:
    some = [x[:1] for x in WITH_AXES] + [x[..., :1] for x in WITH_AXES]
    return [
        *(case(x.tolist(), **way) for x in some[:5] for way in ({}, {"axis": 0})),
        *(case(x, axis=a) for x in some for a in (0, -1)),
    ]


def taken() -> list[Case]:
    return [
        *(case(x, np.argsort(x, a), a) for x in WITH_AXES if x.size for a in (0, -1)),
        *(case(x, np.zeros(x.shape, "int8"), 0) for x in WITH_AXES if x.size),
        case(MATRIX, np.array([[0], [3], [1]]), axis=1),
        case(MATRIX, np.array([[3, 0, 0, 0]]), axis=0),
        case(MATRIX, np.array([0]), axis=0),
        case(MATRIX, np.array([[0.5]]), axis=0),
    ]


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "argmax": extreme_places,
    "argmin": extreme_places,
    "argsort": places_in_order,
    "array": each({}, {"dtype": "float64"}, {"dtype": "complex128", "copy": True}),
    "bincount": counted,
    "broadcast_arrays": lambda: [
        case(x, y) for x in ARRAYS for y in (MATRIX[:2, :3], 2, MATRIX[:1, :1])
    ],
    "broadcast_to": broadcast,
    "compress": compressed,
    "count_nonzero": with_zeros,
    "cumprod": scanned,
    "cumsum": scanned,
    "diag": diagonals,
    "diagonal": diagonals_of_axes,
    "divmod": pairs,
    "dot": vectors_pairs,
    "expand_dims": along(0, -1, (0, 2), 5),
    "eye": with_ones,
    "flatnonzero": each({}, {}),
    "flip": along(None, 0, -1, (0, 1), 3),
    "fliplr": each({}, {}),
    "flipud": each({}, {}),
    "full": filled,
    "full_like": lambda: [case(x, v) for x in ARRAYS for v in (2, np.array(1, "int8"))],
    "identity": lambda: [case(n, dtype=d) for n in (0, 1, 3, COUNT) for d in DTYPES],
    "kron": pairs,
    "matmul": matrix_pairs,
    "matrix_transpose": each({}, {}),
    "median": middles,
    "moveaxis": moved,
    "nonzero": each({}, {}),
    "ones": made(),
    "ones_like": each({}, {"dtype": "int8"}),
    "outer": pairs,
    "repeat": repeated,
    "roll": rolled,
    "size": lambda: [case(x, axis=a) for x in ARRAYS for a in (None, 0)],
    "sort": orders,
    "squeeze": squeezed,
    "swapaxes": exchanged,
    "take_along_axis": taken,
    "tile": tiled,
    "transpose": turned,
    "tri": with_ones,
    "tril": lambda: [case(x, k) for x in WITH_AXES[:-1] for k in (0, 1, -1)],
    "triu": lambda: [case(x, k) for x in WITH_AXES[:-1] for k in (0, 1, -1)],
    "zeros": made(),
    "zeros_like": each({}, {"dtype": "int8"}),
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30)


@pytest.mark.cases("py", "jax")
@pytest.mark.parametrize("backend", ["py", "numba", "jax"])
def test_functions_over_axes(backend: str) -> None:
    for values in WITH_AXES[:10]:
        x = wt.TensorType(values.dtype, (None, None))("x")
        for name, axes in (("sum", 0), ("sum", [0, 1]), ("max", [-1]), ("any", [1, 0])):
            found = wt.apply_over_axes(getattr(wt, name), x, axes)
            wanted = np.apply_over_axes(getattr(np, name), values, axes)
            np.testing.assert_allclose(wt.function([x], found, mode=backend)(values), wanted)


def test_dtypes_and_axes_of_arrays() -> None:
    x = wt.vector("x")
    assert wt.array(x, "int8", ndmin=2).eval({x: [1.5]}).tolist() == [[1]]
    assert wt.astype(x, "int8").eval({x: [1.5]}).dtype == "int8"
    assert x.astype("float64", copy=True) is x is wt.astype(x, x.dtype, copy=False)
    assert [wt.empty(3, "int8").dtype, wt.empty_like(x).dtype] == ["int8", "float64"]
