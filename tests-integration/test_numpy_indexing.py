"""Choosing, searching and sets are NumPy's, on every backend: values, dtypes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_op

rng = np.random.default_rng(0)

MATRIX: Final = rng.normal(size=(3, 4))
FLOATS: Final = np.array([1.5, np.nan, -np.inf, 0.5, np.nan, 1.5], "float32")
COUNTS: Final = np.array([3, -1, 2, 3, 0, 2])
CUBE: Final = rng.integers(-3, 3, (2, 3, 2)).astype("int32")
FLAGS: Final = np.array([[True, False], [True, True]])
NOTHING: Final = np.zeros((0, 3))
NUMBER: Final = np.array(2.5)
BYTES: Final = np.array([2, 0, 255, 2], "uint8")
ARRAYS: Final = [
    *(MATRIX, FLOATS, COUNTS, CUBE, FLAGS, NOTHING, NUMBER, BYTES),
    *(MATRIX[:, :1], np.array([1.5]), np.array([[np.inf, -np.inf, 0.0]]), -COUNTS.reshape(2, 3)),
]
WAVES: Final = np.array([1j, 2.0, 1j, 2 + 1j])
SORTED: Final = [
    np.array([-1.0, 0.0, 0.0, 2.5]),
    np.array([1, 3, 3, 7], "int32"),
    np.array([0.5, np.inf, np.nan], "float32"),
    np.array([], "float64"),
]


def of_pairs(*ways: dict[str, Any]) -> list[Case]:
    """Of each array and of others."""
    others = [np.array([2, 3, 9]), np.array([1.5, np.nan]), np.array([], "int64"), [3], [[0.0, 2]]]
    return [case(x, y, **way) for x in ARRAYS[:6] for y in others for way in ways or ({},)]


def searched() -> list[Case]:
    sides: list[dict[str, Any]] = [{}, {"side": "right"}]
    return [
        *(case(a, v, **way) for a in SORTED for v in ARRAYS for way in sides),
        case(np.array([3, 1, 2]), COUNTS, sorter=np.array([1, 2, 0])),
        case(np.array([3, 1, 2]), COUNTS, "right", np.array([1, 2, 0])),
        case(SORTED[0], 2),
        case(SORTED[0], 2, "middle"),
        case(MATRIX, 2),
        case(SORTED[0], 2, sorter=np.array([0.5, 1, 2, 3])),
        case(SORTED[0], 2, sorter=np.array([0, 1])),
    ]


def points() -> list[Case]:
    xp, fp = np.array([-1.0, 0.0, 1.5]), np.array([2.0, -1.0, 4.0])
    x = np.array([-2.0, -1.0, -0.5, 0.0, 1.0, 1.5, 7.0, np.nan, np.inf, -np.inf])
    return [
        *(case(v, xp, fp) for v in (*ARRAYS, x, x[None])),
        *(case(v, xp, fp, left=-9, right=9.5) for v in (*ARRAYS, x)),
        *(case(v, xp[::-1], fp, period=2.0) for v in (x[:7], x[:7] * 3, MATRIX)),
        case(x, xp, fp + 1j),
        case(x, xp[:1], fp[:1]),
        case(x, xp, np.array([1.0, np.inf, 2.0])),
        case(x, np.array([0, 0, 2]), np.array([1, 2, 3])),
        case(0.25, [0, 1], [1, 2]),
        case(x, xp[:0], fp[:0]),
        case(x, xp, fp[:2]),
        case(x, MATRIX, MATRIX),
        case(x, xp, fp, period=0),
    ]


def chosen() -> list[Case]:
    a = np.array([[0, 2], [1, 1]])
    choices = [np.ones((2, 2)), np.array([5, 6]), 7]
    far = a * 3 - 2
    return [
        *(case(a, choices, mode=m) for m in ("raise", "wrap", "clip")),
        *(case(far, choices, mode=m) for m in ("raise", "wrap", "clip")),
        *(case(v, [x, x], mode=m) for x in ARRAYS for v in (0, 1, np.array(1)) for m in ("clip",)),
        case(np.array([2, 0]), np.arange(8).reshape(4, 2)),
        case(np.array([2, 0]), np.arange(4)),
        case(np.array([[2], [0]]), np.arange(8).reshape(4, 2), mode="wrap"),
        case(FLAGS, [1, 2]),
        case(a * 1.5, choices),
        case(a, choices, mode="nonesuch"),
    ]


def taken() -> list[Case]:
    far = np.array([[-9, 7], [1, -1]])
    return [
        *(case(x, far, mode=m) for x in ARRAYS for m in ("wrap", "clip", "raise")),
        *(case(x, [1, -1, 5], -1, mode=m) for x in ARRAYS[:5] for m in ("wrap", "clip")),
        case(COUNTS, 1, mode="nonesuch"),
    ]


def keyed() -> list[Case]:
    return [
        *(
            case((x, y), axis=axis)
            for x in (MATRIX, CUBE[0], CUBE[1] * 1.5)
            for y in (x, -x, np.round(x))
            for axis in (0, -1)
        ),
        *(case([x]) for x in ARRAYS if x.ndim),
        *(case((COUNTS, v)) for v in (FLOATS, COUNTS[::-1], COUNTS % 2, COUNTS.astype("uint8"))),
        case((FLOATS, COUNTS % 2, COUNTS % 3)),
        case((COUNTS, COUNTS[:2])),
        case([]),
    ]


def pieces() -> list[Case]:
    x, n = MATRIX, COUNTS
    return [
        *(case(v, [v < 0, v > 1], [-1, 2.5]) for v in ARRAYS if v.dtype.kind in "if" and v.ndim),
        *(case(v, [v < 0, v > 1], [np.negative, 2, 7]) for v in ARRAYS[:6] if v.dtype != bool),
        *(case(v, [v > 1], [3]) for v in ARRAYS[-4:]),
        *(case(v, [v < 0], [lambda y: y * 0, lambda y: y * 2]) for v in ARRAYS[:6]),
        *(case(v, v < 1, [3, 4]) for v in (n, FLOATS, -n)),
        *(case(v, [v < 2, v < 3], [lambda y, k: y * k, lambda y, k: y + k], 4) for v in (x, n)),
        case(x, [x < 0], [1, 2, 3]),
    ]


def conditions() -> list[Case]:
    return [
        *(case([x > 0, x < 1], [x, 2]) for x in ARRAYS if x is not BYTES),
        *(case([x > 0, x < 1], [1, x], np.array(0.5, "float32")) for x in ARRAYS),
        *(case([x > 0], [x], default=7) for x in ARRAYS),
        case([COUNTS], [1]),
        case([COUNTS > 0], [1, 2]),
        case([], []),
    ]


def _put(a: Any, *rest: Any) -> Any:
    a = a.copy()
    np.put_along_axis(a, *rest)
    return a


def _placed(a: Any, *rest: Any) -> Any:
    a = a.copy()
    np.place(a, *rest)
    return a


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "apply_along_axis": lambda: [
        *(
            case(f, axis, x)
            for f in (lambda v: v[::-1], lambda v: v.sum(), lambda v: v[:1] * v[:, None])
            for x in (MATRIX, CUBE, FLAGS * 1, MATRIX.astype("float32"), MATRIX[:1])
            for axis in (0, -1)
        ),
        case(lambda v, k: v * k, 0, MATRIX, 3),
        case(lambda v: v, 2, MATRIX),
        case(lambda v: v, 0, NUMBER),
    ],
    "argpartition": lambda: [
        *(case(x, 0) for x in ARRAYS if x.ndim and x.size),
        *(case(x, 1, None) for x in ARRAYS if x.size),
        *(case(x, -1, 0) for x in ARRAYS if x.ndim and x.size),
        case(COUNTS, 6),
        case(COUNTS, [1, 2]),
        case(COUNTS, 1.5),
        case(MATRIX, 0, 2),
    ],
    "argwhere": lambda: [
        *(case(x) for x in ARRAYS),
        *(case(x > 0) for x in ARRAYS),
        *(case(x[None]) for x in ARRAYS),
        case(0),
        case([]),
    ],
    "choose": chosen,
    "digitize": lambda: [
        *(case(x, b, right) for x in ARRAYS[:4] for b in SORTED[:2] for right in (False, True)),
        *(case(x, SORTED[0][::-1], True) for x in ARRAYS),
        case(COUNTS, [3, 1, 2]),
        case(WAVES, [1, 2]),
        case(COUNTS, MATRIX),
    ],
    "extract": lambda: [
        *(case(x > 0, x) for x in ARRAYS),
        *(case(x, x) for x in ARRAYS),
        *(case(x[None] < 1, x) for x in ARRAYS),
    ],
    "interp": points,
    "intersect1d": lambda: [
        *of_pairs({"return_indices": True}),
        *(case(x, [2, 3]) for x in ARRAYS[:3]),
        case([3, 1, 2], [2, 3], assume_unique=True, return_indices=True),
    ],
    "isin": lambda: [*of_pairs({}, {"invert": True}), case(WAVES, [2.0, 1j]), case(3, [1, 3])],
    "lexsort": keyed,
    "partition": lambda: [
        *(case(x, 0) for x in ARRAYS if x.ndim and x.size),
        *(case(x, 1, None) for x in ARRAYS if x.size),
        *(case(x, -1, 0) for x in ARRAYS if x.ndim and x.size),
        case(COUNTS, 6),
        case(COUNTS, [1, 2]),
        case(COUNTS, 1.5),
        case(MATRIX, 0, 2),
    ],
    "piecewise": pieces,
    "place": lambda: [
        *(case(x, x > 0, [7, 8]) for x in ARRAYS),
        *(case(x, x, [1, 0, 1]) for x in ARRAYS),
        *(case(x, x < 9, np.array([1.0])) for x in ARRAYS),
        case(COUNTS, COUNTS > 0, []),
        case(COUNTS, COUNTS > 9, []),
        case(COUNTS, [True], 1),
    ],
    "put_along_axis": lambda: [
        *(case(x, np.argsort(x, axis), 7, axis) for x in ARRAYS if x.ndim for axis in (0, -1)),
        *(
            case(x, np.argmax(x, axis, keepdims=True), x[:1] * 0, axis)
            for x in ARRAYS[:4]
            for axis in (0,)
        ),
        *(case(x, np.array([0, -1]), [5, 6], None) for x in ARRAYS[:6]),
        case(MATRIX, np.array([0, 1]), 1, 0),
        case(MATRIX, np.array([[9]]), 1, 0),
    ],
    "searchsorted": searched,
    "select": conditions,
    "setdiff1d": lambda: [*of_pairs(), case([3, 1, 2, 3], [2], assume_unique=True), case([], [])],
    "setxor1d": lambda: [*of_pairs(), case([3, 1], [2, 3], assume_unique=True), case([], [])],
    "take": taken,
    "union1d": lambda: [*of_pairs(), case(1, [2]), case([], [])],
    "unique": lambda: [
        *(case(x, equal_nan=e) for x in (*ARRAYS[:6], WAVES) for e in (False, True)),
        *(case(x, True, True, True) for x in (*ARRAYS, WAVES)),
        *(case(x, axis=0) for x in (COUNTS, FLOATS, BYTES)),
    ],
    "unique_all": lambda: [
        *(case(x) for x in (*ARRAYS, WAVES)),
        *(case(x[None]) for x in ARRAYS),
        *(case(v) for v in (1, [], [2, 2], [[1]], 1.5)),
    ],
    "unique_counts": lambda: [
        *(case(x) for x in (*ARRAYS, WAVES)),
        *(case(x[None]) for x in ARRAYS),
        *(case(v) for v in (1, [], [2, 2], [[1]], 1.5)),
    ],
    "unique_inverse": lambda: [
        *(case(x) for x in (*ARRAYS, WAVES)),
        *(case(x[None]) for x in ARRAYS),
        *(case(v) for v in (1, [], [2, 2], [[1]], 1.5)),
    ],
    "unique_values": lambda: [
        *(case(x) for x in ARRAYS),
        *(case(x[None]) for x in ARRAYS),
        *(case(v) for v in (1, [], [2, 2], [[1]], 1.5, True)),
    ],
    "where": lambda: [
        *(case(x) for x in ARRAYS),
        *(case(x > 0, x, 1) for x in ARRAYS),
        *(case(x > 0, 0, x) for x in ARRAYS),
        case(COUNTS, 1),
    ],
}


def _parting(x: Any, k: Any, axis: int | None) -> tuple[Any, Any]:
    """Positions and elements: what is before the element k, what equals it, what is behind."""
    parted = np.partition(x, k, axis)
    x, axis = (x.ravel(), 0) if axis is None else (x, axis)
    key = x
    if not np.ndim(k) and not np.iscomplexobj(x):
        pivot = np.take(parted, [k], axis)
        nan, none = np.isnan(x), np.isnan(pivot)
        key = ((x > pivot) | nan & ~none) * 1 - ((x < pivot) | none & ~nan)
    order = np.argsort(key, axis, stable=True)
    return order, np.take_along_axis(x, order, axis)


REFERENCES: Final[dict[str, Callable[..., Any]]] = {
    "argpartition": lambda x, k, axis=-1: _parting(x, k, axis)[0],
    "partition": lambda x, k, axis=-1: _parting(x, k, axis)[1],
    "place": _placed,
    "put_along_axis": _put,
    "unique_values": lambda x: np.unique(x, equal_nan=False),
}
"""What NumPy does in place; and what it leaves open, as we have it."""


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30, REFERENCES.get(name))


@pytest.mark.cases(0)  # the backends test it among all Ops
def test_searchsorted_is_an_op() -> None:
    check_op(wt.SearchSorted)


def test_the_slope_of_interpolation_is_that_of_the_lines() -> None:
    x, xp, fp = wt.dvectors("x xp fp")
    slopes = wt.grad(wt.interp(x, xp, fp).sum(), [x, fp])
    values = {x: [0.5, 1.5, 9.0], xp: [0.0, 1.0, 2.0], fp: [0.0, 2.0, 3.0]}
    assert slopes[0].eval(values).tolist() == [2.0, 1.0, 0.0]
    assert slopes[1].eval(values | {x: [0.5, 1.5, 9.0]}).tolist() == [0.5, 1.0, 1.5]


def test_slices_are_distinct_if_their_size_is_known() -> None:
    rows = np.array([[1, 0], [0, 1], [1, 0], [0, 0]])
    x = wt.lmatrix("x")
    known = wt.specify_shape(x, None, 2)
    found = wt.unique(known, True, True, True, axis=0)
    for own, expected in zip(found, np.unique(rows, True, True, True, axis=0), strict=True):
        np.testing.assert_array_equal(own.eval({x: rows}), expected)
    with pytest.raises(TypeError, match="use specify_shape"):
        wt.unique(x, axis=0)


def test_the_largest_are_found() -> None:
    x = np.array([[3.0, 1.0, np.nan], [2.0, 2.0, 5.0]])
    np.testing.assert_array_equal(wt.topk(x, 2).eval(), [[np.nan, 3.0], [5.0, 2.0]])
    assert wt.argtopk(x, -2).eval().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="fewer elements"):
        wt.topk(x, 4).eval()


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_few_are_found_without_sorting_as_with_it(mode: str) -> None:
    """Equal ones in order, NaN as the largest, where only infinities are left, too."""
    ends = np.random.default_rng(5).choice([np.nan, np.inf, -np.inf, 1.0], (40, 7))
    for values in (ends, ends.astype("float32"), np.isnan(ends), np.isnan(ends) * np.uint8(255)):
        x = wt.matrix("x", dtype=str(values.dtype))
        every = [wt.argtopk(x, k, axis=1) for k in (2, -5, 6, -6)]
        most, least, all_most, all_least = wt.function([x], every, mode=mode)(values)
        np.testing.assert_array_equal(most, all_most[:, :2])
        np.testing.assert_array_equal(least, all_least[:, :5])


def test_functions_over_axes() -> None:
    found = wt.apply_over_axes(wt.sum, MATRIX, [0, -1]).eval()
    np.testing.assert_allclose(found, np.apply_over_axes(np.sum, MATRIX, [0, -1]))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_what_numbers_are_unique_and_where_in_one_function(mode: str) -> None:
    z = wt.scalar("z")
    f = wt.function([z], [wt.unique(z), *wt.unique(z, return_inverse=True)], mode=mode)
    assert [r.tolist() for r in f(3.0)] == [[3.0], [3.0], 0]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_positions_of_a_given_number(mode: str) -> None:
    x, v = wt.matrix("x"), wt.vector("v")
    outputs = [*wt.nonzero(x, size=4), *wt.nonzero(x, size=3, fill_value=(7, -2))]
    outputs += [wt.argwhere(x, size=5, fill_value=-1), wt.flatnonzero(v, size=2)]
    f = wt.function([x, v], outputs, mode=mode)
    none = f(np.zeros((0, 3)), [])  # where JAX has 0, whatever fill_value says
    assert [v.tolist() for v in none[2:4]] == [[7] * 3, [-2] * 3]
    assert none[5].tolist() == [0, 0]

    @jax.jit
    def theirs(value: Any, given: Any) -> list[Any]:
        return [
            *jnp.nonzero(value, size=4),
            *jnp.nonzero(value, size=3, fill_value=(7, -2)),
            jnp.argwhere(value, size=5, fill_value=-1),
            jnp.flatnonzero(given, size=2),
        ]

    for value in (np.array([[0.0, 2.0, 0.0], [3.0, 0.0, 1.0]]), np.zeros((2, 2))):
        given = np.append(value.ravel(), [5.0, 0.0, 6.0, 7.0])
        for found, other in zip(f(value, given), theirs(value, given), strict=True):
            np.testing.assert_array_equal(found, other)
    first = v[wt.nonzero(v > 1, size=2, fill_value=0)[0]]
    slope = wt.function([v], wt.grad((first**2).sum(), v), mode=mode)
    assert slope([0.5, 3.0, 0.0, 4.0]).tolist() == [0.0, 6.0, 0.0, 8.0]
    with pytest.raises(ValueError, match="nonzero: 1 fill values for 2 axes"):
        wt.nonzero(x, size=2, fill_value=(1,))
