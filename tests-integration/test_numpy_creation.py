"""Tensors are made as NumPy's arrays are, on every backend: values, dtypes, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case

rng = np.random.default_rng(0)

MATRIX: Final = rng.normal(size=(3, 4))
ARRAYS: Final = [
    MATRIX,
    np.array([1.5, np.nan, -np.inf], "float32"),
    np.array([3, -1, 2, 5]),
    rng.integers(-9, 9, (2, 3, 2)).astype("int32"),
    np.array([[True, False], [True, True]]),
    np.array([[1j, 2.0, 3.5]]),
    np.zeros((0, 3)),
    np.array(2.5),
    np.array([0, 255, 1], "uint8"),
    rng.normal(size=(2, 2)),
    np.array([np.inf]),
    np.array([True, False]),
    rng.integers(-9, 9, (1, 3)),
]
COUNT: Final = np.array(4)
NUMBERS: Final = [
    0,
    1,
    2,
    5,
    -1,
    COUNT,
    np.array(0),
    np.array(1),
    np.array(-2),
    np.array(3, "int32"),
]


def spaced(*more: dict[str, Any]) -> list[Case]:
    """Between pairs of numbers and of arrays."""
    pairs = [(1.0, 4.0), (3, 1), (np.array(2.0, "float32"), np.array(3.0, "float32")), (2, 2)]
    arrays = (np.array([1.0, 2.0, 3.0]), np.array([[4.0], [9.0]]))
    return [
        *(case(*p, n) for p in pairs for n in (5, 1, 0, COUNT)),
        *(case(*p, 4, endpoint=False) for p in (*pairs, arrays)),
        *(case(*arrays, 3, axis=axis) for axis in (0, 1, -1)),
        *(case(*p, 3, **way) for p in (pairs[0], arrays) for way in more),
        case(1.0, 2.0, -1),
        case(1.0, 2.0, 1.5),
        case(*arrays, 3, axis=3),
    ]


def with_diagonals() -> list[Case]:
    return [
        *(case(x, k) for x in ARRAYS for k in (0, 1, -2)),
    ]


def triangles() -> list[Case]:
    return [
        *(case(n, k) for n in (0, 1, 3, 5, 6, COUNT) for k in (0, 1, -2, 4)),
        *(case(3, k, m) for k in (0, -1, np.array(2)) for m in (2, 5, np.array(3))),
    ]


def _filled(a: Any, val: Any, wrap: bool = False) -> Any:
    a = a.copy()
    np.fill_diagonal(a, val, wrap)
    return a


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "arange": lambda: [
        *(case(n) for n in NUMBERS),
        *(case(n, 9, 2) for n in NUMBERS),
        *(case(np.array(n, d)) for n in (0, 3) for d in ("int8", "int32", "uint8", "float32")),
        *(case(np.array(1, "int32"), b, s) for b in (7, np.array(9, "int32")) for s in (1, 3)),
        case(0.5, 3),
        case(5, 1, -2),
        case(3, dtype="float32"),
    ],
    "asarray": lambda: [
        *(case(x) for x in ARRAYS),
        *(case(x, "complex128") for x in ARRAYS),
        *(case(v, "int32") for v in (1, 2.5, [], [1], [[1.5]])),
    ],
    "ascontiguousarray": lambda: [
        *(case(x) for x in ARRAYS),
        *(case(x, "complex64") for x in ARRAYS),
        *(case(v) for v in (1, 2.5, [[1]], [])),
    ],
    "bartlett": lambda: [case(n) for n in (*NUMBERS, *range(6, 27))],
    "blackman": lambda: [case(n) for n in (*NUMBERS, *range(6, 27))],
    "copy": lambda: [
        *(case(x) for x in ARRAYS),
        *(case(x[None]) for x in ARRAYS),
        *(case(v) for v in (1, 2.5, [[1]], [])),
    ],
    "diag_indices": lambda: [
        case(n, k) for n in (0, 1, 2, 3, 5, 6, 7, COUNT) for k in (1, 2, 3, 4)
    ],
    "diag_indices_from": lambda: [
        *(case(np.ones((n,) * k)) for n in (0, 1, 3) for k in (2, 3)),
        *(case(x) for x in ARRAYS),
        *(case(x[None]) for x in ARRAYS),
    ],
    "diagflat": with_diagonals,
    "fill_diagonal": lambda: [
        *(case(x, 7, wrap) for x in ARRAYS for wrap in (False, True)),
        *(
            case(np.ones((5, 2)), v, w)
            for v in (0, [1, 2, 3], np.array([[4.0], [5.0]]))
            for w in (False, True)
        ),
        case(np.ones((3, 3, 3)), [4, 5]),
        case(np.ones((2, 5)), 3),
    ],
    "geomspace": lambda: [
        *spaced({"dtype": "float32"}),
        case(-8, -1, 4),
        case(1, 1j, 4),
        case(1 + 2j, np.array([-3 + 4j, -1]), 5, endpoint=False),
        case(-1, 0, 3),
        case(0, 1),
    ],
    "hamming": lambda: [case(n) for n in (*NUMBERS, *range(6, 27))],
    "hanning": lambda: [case(n) for n in (*NUMBERS, *range(6, 27))],
    "kaiser": lambda: [case(n, beta) for n in range(9) for beta in (0.0, 2.0, 14, 200.0)],
    "indices": lambda: [
        *(
            case(d, **way)
            for d in ((2, 3), (4,), (0, 2), (2, 1, 3), (COUNT, 2), (1,), (0,), (3, COUNT))
            for way in (
                {},
                {"sparse": True},
                {"dtype": "float32"},
                {"dtype": "int32", "sparse": True},
            )
        ),
        case(()),
    ],
    "ix_": lambda: [
        *(
            case(*xs)
            for n in range(4)
            for xs in [(np.arange(2), [4, 5, 6], np.array([True, False]))[:n]]
        ),
        *(case(x) for x in ARRAYS),
        *(case(x, [0, 1]) for x in ARRAYS),
        case([]),
    ],
    "linspace": lambda: spaced(
        {"retstep": True},
        {"dtype": "int32"},
        {"retstep": True, "endpoint": False},
    ),
    "logspace": lambda: [
        *spaced({"base": 2.0}, {"dtype": "float32"}),
        case(0.0, 2.0, 3, base=np.array([2.0, 3.0]), axis=-1),
    ],
    "meshgrid": lambda: [
        *(
            case(*xs, **way)
            for n in range(4)
            for xs in [(np.arange(2), [4.5, 5.0, 6.0], np.array([True, False]))[:n]]
            for way in (
                {},
                {"indexing": "ij"},
                {"sparse": True},
                {"sparse": True, "indexing": "ij"},
            )
        ),
        *(case(x, x[:1]) for x in ARRAYS if x.ndim),
        case(1, 2),
        case([1], indexing="nonesuch"),
    ],
    "tril_indices": triangles,
    "tril_indices_from": with_diagonals,
    "triu_indices": triangles,
    "triu_indices_from": with_diagonals,
    "vander": lambda: [
        *(case(x, n) for x in ARRAYS for n in (None, 3)),
        *(case(ARRAYS[2], n, increasing=i) for n in (0, 1, 4, COUNT) for i in (False, True)),
    ],
}
REFERENCES: Final = {"fill_diagonal": _filled}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30, REFERENCES.get(name))


@pytest.mark.parametrize("backend", ["py", "numba", "jax"])
def test_index_tricks_take_slices(backend: str) -> None:
    n, v = wt.lscalar("n"), wt.vector("v")
    values = {"n": 3, "v": np.array([1.5, 2.5])}

    def tricks(of: Any, n: Any, v: Any) -> list[Any]:
        return [
            of.mgrid[0:n],
            of.mgrid[0:n, 1:4:2],
            of.mgrid[0:1:5j, 0:2],
            *of.ogrid[0:n, 0.5:2],
            of.r_[0:n, 7, v],
            of.r_["1,2,0", [1, 2], [3, 4]],
            of.r_["0,2", v, [1, 2]],
            of.r_["-1", v, 0:1:3j],
            of.c_[v, [5, 6]],
            of.c_[[[1, 2]], [[3, 4]]],
            of.c_[1, 2],
        ]

    f = wt.function([n, v], tricks(wt, n, v), mode=backend)
    for found, expected in zip(f(**values), tricks(np, **values), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype
    assert wt.s_[1:, ::2] == np.s_[1:, ::2]
    with pytest.raises(ValueError, match="no matrices"):
        wt.r_["r", v]
    with pytest.raises(TypeError, match="needs an end"):
        wt.mgrid[1:]


def test_what_has_no_values_has_the_shape() -> None:
    assert wt.empty((2, 3), "int32").eval().dtype == "int32"
    assert wt.empty_like(MATRIX).eval().shape == (3, 4)
    assert wt.stacklists([[wt.constant(1), 2], [3, 4]]).eval().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("part", ["triu", "tril"])
def test_where_a_function_leaves_something(part: str, few: Any) -> None:
    n, k = wt.lscalar("n"), wt.lscalar("k")
    rows, columns = wt.mask_indices(n, getattr(wt, part), k)
    for mode in few(("py", "numba", "jax"), 1):
        f = wt.function([n, k], [rows, columns], mode=mode)
        for values in [(4, 1), (3, -1), (1, 0), (0, 0)]:
            wanted = np.mask_indices(values[0], getattr(np, part), values[1])
            np.testing.assert_array_equal(f(*values), wanted)
