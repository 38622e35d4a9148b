"""Polynomials, histograms and whole numbers are NumPy's, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function, check_grad

rng = np.random.default_rng(0)

FLOATS: Final = rng.normal(size=6)
WHOLE: Final = np.array([3, -1, 2, 5])
STRANGE: Final = np.array([1.0, np.nan, np.inf, -np.inf])
DTYPES: Final = ("float64", "float32", "int64", "int8", "uint8", "complex128", "complex64")
VECTORS: Final = [
    *(np.array([3, 1, 2]).astype(dtype) for dtype in DTYPES),
    FLOATS,
    WHOLE,
    STRANGE,
    np.array([2.0]),
    rng.normal(size=2) + 1j,
]


def values() -> list[Case]:
    places = [FLOATS, WHOLE, rng.normal(size=(2, 3)), np.array(2.5), np.zeros(0), FLOATS[:2] + 1j]
    known: list[Any] = [[1.0, 2.0, 3.0], [2, -1, 0, 4], [1j, 2.0]]
    return [
        *(case(p, x) for p in known for x in [*places, STRANGE, VECTORS[1], VECTORS[4]]),
        *(case(p, x) for p in (FLOATS, WHOLE, VECTORS[1]) for x in places),
        case(3, FLOATS),
        case(np.array(3.0), FLOATS),
    ]


def pairs() -> list[Case]:
    return [
        *(
            case(a, b)
            for a in VECTORS[:7:3]
            for b in VECTORS
            if b is not STRANGE or a.dtype != "complex64"
        ),
        *(case(STRANGE, b) for b in VECTORS if b.dtype.kind != "c"),
        *(case(a, np.array(3)) for a in VECTORS),
    ]


def derived() -> list[Case]:
    return [
        *(case(p) for p in VECTORS),
        *(case(p, m) for p in VECTORS[:9] for m in (0, 2, 3)),
        case(FLOATS, -1),
        case(np.array(3.0)),
    ]


def counted() -> list[Case]:
    data = [
        FLOATS,
        rng.normal(size=(3, 4)).astype("float32"),
        rng.integers(-5, 5, 30),
        rng.integers(0, 200, 12).astype("uint8"),
        np.array([2.0, 2.0]),
        np.zeros(0),
        np.array([0.1, 0.2, 0.3, 0.7, 1.0]),
    ]
    edges = np.array([-2.0, -0.5, 0.0, 0.7, 1.0])
    return [
        *(case(x, **way) for x in data for way in ({}, {"bins": 3}, {"range": (-1, 1)})),
        *(case(x, edges) for x in data),
        *(case(x, [0, 1, 3]) for x in data),
        case(STRANGE, bins=edges),
        case(STRANGE, bins=3, range=(0.0, 2.0)),
        case(STRANGE),
        case(FLOATS, 0),
        case(FLOATS, -edges),
        case(FLOATS, 2.5),
        case(FLOATS, 3, (1.0, -1.0)),
    ]


def weighted() -> list[Case]:
    x, w = rng.normal(size=(3, 4)), rng.uniform(size=(3, 4))
    return [
        *counted(),
        *(case(x, b, density=d) for b in (4, [-1.0, 0.0, 3.0]) for d in (False, True)),
        *(case(x, b, weights=w, density=d) for b in (4, [-1.0, 0.0, 3.0]) for d in (False, True)),
        case(x, weights=np.ones((3, 4), "int64")),
        case(x, weights=w.astype("float32")),
        case(x, weights=w[0]),
    ]


def in_two() -> list[Case]:
    x, y, w = rng.normal(size=(3, 20))
    edges = np.array([-2.0, 0.0, 1.0])
    ways: list[Any] = [3, (2, 4), edges, [edges, 3], [edges, edges + 0.5], [2, edges]]
    whole = rng.integers(0, 5, 20)
    return [
        *(case(x, y, b, **way) for b in ways for way in ({}, {"density": True}, {"weights": w})),
        *(case(a, b, 3) for a in (x, whole) for b in (y, whole)),
        *(case(a, b, 4, [[-1, 1], [0, 2]]) for a in (x, whole) for b in (y, whole)),
        *(case(a, a, edges) for a in (x, whole, x.astype("float32"), np.zeros(0))),
        case(x.reshape(4, 5), y),
    ]


def in_space() -> list[Case]:
    three = rng.normal(size=(3, 25))
    edges = np.array([-2.0, 0.0, 1.0])
    ways: list[Any] = [{}, {"density": True}, {"weights": rng.uniform(size=25)}]
    bins: list[Any] = [2, [2, 3, 4], [edges, 2, edges + 0.5]]
    return [
        *(case(list(v), b, **way) for v in (three, three[::-1]) for b in bins for way in ways),
        *(case([v], b, **way) for v in three[:2] for b in (3, [edges]) for way in ways),
        case(list(three), 2, [[-1, 1]] * 3),
        case(list(three), [2, 2]),
        case(list(three[:, :0]), [edges, edges, edges]),
    ]


def _boxes(compute: Any) -> Any:
    """The edges beside the counts."""
    return lambda *args, **kwargs: (found := compute(*args, **kwargs)) and (found[0], *found[1])


def test_points_of_a_space_are_counted(few: Any) -> None:
    compute, reference = _boxes(wt.histogramdd), _boxes(np.histogramdd)
    assert check_function(compute, reference, in_space(), ["py"]) >= 30
    check_function(compute, reference, few(in_space(), 3), few(["numba", "jax"], 1))
    points = wt.matrix("points", shape=(None, 2))
    sample = rng.normal(size=(9, 2))
    found = wt.histogramdd(points, 3)[0].eval({points: sample})
    np.testing.assert_array_equal(found, np.histogramdd(sample, 3)[0])
    with pytest.raises(TypeError, match="must be known"):
        wt.histogramdd(wt.matrix("m"))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_ends_of_intervals_and_their_neighbours_are_counted_where_they_belong(mode: str) -> None:
    doubles = [("float64", limits) for limits in ((0.1, 0.7), (0, 5e-323))]
    for dtype, limits in (*doubles, ("float32", (-3, 0.7))):
        x = wt.vector("x", dtype)
        f = wt.function([x], wt.histogram(x, 49, limits), mode=mode)
        with np.errstate(all="ignore"):
            ends = f(np.zeros(0, dtype))[1]
        near = np.concatenate([np.nextafter(ends, -9), ends, np.nextafter(ends, 9), [np.nan]])
        with np.errstate(all="ignore"):
            counts, _ = f(near.astype(dtype))
        assert counts.sum() == np.sum((near >= ends[0]) & (near <= ends[-1]))
        if limits[1] > 1e-300:
            np.testing.assert_array_equal(counts, np.histogram(near, ends)[0])


def test_intervals_whose_number_over_their_length_is_none() -> None:
    x, limits = np.array([-9e-309, -3e-309]), (-1e-308, -2e-313)
    np.testing.assert_array_equal(wt.histogram(x, 2, limits)[0].eval(), [1, 1])


def test_edges_have_the_dtype_of_what_they_are_made_of() -> None:
    x = np.array([1.0, 3.0], "float32")
    above: Any = np.array([np.nextafter(1.0, 2.0), 2.0])  # the first is 1 in float32
    for ours, theirs in (
        (wt.histogram(x, 1, above), np.histogram(x, 1, above)),
        (_boxes(wt.histogram2d)(x, x, 2), _boxes(np.histogram2d)(x, x, 2)),
        (_boxes(wt.histogramdd)([x, x], [[1, 2], [0, 2, 4]]),
         _boxes(np.histogramdd)([x, x], [[1, 2], [0, 2, 4]])),
    ):  # fmt: skip
        for mine, other in zip(ours, theirs, strict=True):
            assert mine.dtype == other.dtype
            np.testing.assert_array_equal(mine.eval(), other)


def numbers() -> list[Case]:
    dtypes = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
    least = [np.array([np.iinfo(d).min, np.iinfo(d).max], d) for d in dtypes[:-1]]
    return [
        *(case(rng.integers(0, 99, 5).astype(d)) for d in dtypes),
        *(case(rng.integers(-99, 99, (2, 3)).astype(d)) for d in dtypes[:4]),
        *(case(x) for x in least),
        *(case(x) for x in (np.array(5), np.zeros(0, int), np.zeros((2, 0), "uint8"), FLOATS)),
        *(case(x) for x in (7, [1, 2], np.arange(256), -np.arange(256), np.array([2**62 - 1]))),
    ]


def powers() -> list[Case]:
    return [case(a, b) for a in VECTORS[:9] for b in (2, -1, 0.5, VECTORS[1][:1])] + [
        case(STRANGE, 2),
        case(2, STRANGE),
    ]


def signed() -> list[Case]:
    return [*(case(x) for x in VECTORS * 2), *numbers()[:8], case(np.array([True]))]


def equal() -> list[Case]:
    some = [*VECTORS[:7], STRANGE, np.array(3), np.zeros((2, 0))]
    return [
        *(case(x, x) for x in some),
        *(case(x, x[:1] if x.ndim else x) for x in some),
        *(case(x, 3) for x in some),
        case([1, 2], [1, 2, 3]),
        case(np.ones((2, 3)), np.ones(3)),
    ]


def quotients() -> list[Case]:
    """Divisors that do not make much of small differences."""
    some = [VECTORS[k] for k in (0, 1, 2, 3, 5, 7, 8, 10)]
    by = [[2.0, 1.0], [4, 1, -1], [3.0], np.array([5.0, 1, 0.5, 2, 1, 0.25, 1])]
    more = [case(np.array(3.0), [2.0]), case(np.array([1.0, 2]), np.ones((2, 2)))]
    return [*(case(a, b) for a in some for b in by), *more]


def _quotient(u: Any, v: Any) -> tuple[Any, Any]:
    """NumPy's, with zeros in front of the remainder."""
    quotient, rest = np.polydiv(u, v)
    long = np.zeros(max(np.size(v) - 1, 1), rest.dtype)
    long[len(long) - len(rest) :] = rest
    return quotient, long


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "array_equiv": equal,
    "bitwise_count": numbers,
    "float_power": powers,
    "histogram": weighted,
    "histogram2d": in_two,
    "histogram_bin_edges": counted,
    "polyadd": pairs,
    "polyder": derived,
    "polydiv": quotients,
    "polyint": derived,
    "polymul": pairs,
    "polysub": pairs,
    "polyval": values,
    "positive": signed,
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30, {"polydiv": _quotient}.get(name))


def test_both_derivatives() -> None:
    check_grad(wt.polyval, [FLOATS[:3], FLOATS])
    check_grad(lambda x: wt.polyval([1.0, 2.0, 3.0], x), [FLOATS])
    for compute in (wt.polyadd, wt.polysub, wt.polymul):
        check_grad(compute, [FLOATS[:3], FLOATS[:2]])
    check_grad(lambda p: wt.polyder(p, 2), [FLOATS])
    check_grad(lambda p, k: wt.polyint(p, 2, wt.specify_shape(k, 2)), [FLOATS, FLOATS[:2]])
    check_grad(lambda w: wt.histogram(FLOATS, 3, weights=w)[0], [FLOATS])
    check_grad(lambda x, y: wt.float_power(x, y), [np.abs(FLOATS), FLOATS])


def test_coefficients_of_zeros(few: Any) -> None:
    for dtype, count, mode in few(list(product(DTYPES, range(4), ("py", "numba", "jax"))), 5):
        values = np.array([2, 1, 3])[:count].astype(dtype)
        known = wt.tensor("known", dtype, (count,))
        expected = np.atleast_1d(np.poly(values))
        found = wt.function([known], wt.poly(known), mode=mode)(values)
        np.testing.assert_allclose(found, expected)
        assert found.dtype == (dtype if dtype[0] in "fc" else "float64")


def fitted() -> list[Case]:
    x = np.linspace(-1, 2, 7)
    several = np.stack([FLOATS[0] * x, x**2 - FLOATS[1], np.sin(3 * x)], 1)
    w = np.array([1, 2, 0.5, 1, 1, 3, 1])
    columns = [several[:, k] for k in range(3)]
    return [
        *(case(x, y, d, w=v) for y in (*columns, several) for d in (0, 1, 3) for v in (None, w)),
        *(case(x, y, 2, cov=c) for y in (*columns, several) for c in (True, "unscaled")),
        *(case(x, y, 2, full=True) for y in (*columns, several)),
        case(np.arange(5), np.arange(5) ** 2, 2),
        case(x.astype("float32"), columns[2].astype("float32"), 2),
        case(x, columns[0], -1),
        case(several, columns[0], 1),
        case(x, columns[0], 6, cov=True),
    ]


def test_polynomials_are_fitted(few: Any) -> None:
    assert check_function(wt.polyfit, np.polyfit, fitted(), ["py"]) >= 30
    check_function(wt.polyfit, np.polyfit, few(fitted(), 3), few(["numba", "jax"], 1))
    check_grad(lambda y: wt.polyfit(np.arange(5.0), y, 2), [FLOATS[:5]])


def test_zeros_of_polynomials(few: Any) -> None:
    p, c = wt.vector("p"), wt.zvector("c")
    for mode in few(("py", "numba", "jax"), 2):
        f = wt.function([p], wt.roots(p), mode=mode)
        g = wt.function([c], wt.roots(c), mode=mode)
        for values in ([1.0, -3, 2], [2.0, 0, 0, 1], FLOATS, [1.0, 0.0], [4.0, 2.0, 0.0]):
            wanted = np.sort_complex(np.roots(values))
            np.testing.assert_allclose(np.sort_complex(f(values)), wanted, atol=1e-12)
        zeros = np.array([1 + 2j, 3.0, -1j])
        np.testing.assert_allclose(
            np.sort_complex(g(np.poly(zeros))), np.sort_complex(zeros), atol=1e-12
        )
    with pytest.raises(ValueError, match="coefficients in a vector"):
        wt.roots(wt.matrix("m"))


def series() -> list[Case]:
    places = [*VECTORS[:8], rng.normal(size=(2, 3)), np.array(2.5), STRANGE]
    given: list[Any] = [[1.0, 2.0, 3.0], [2, -1, 0, 4], [5], [1j, 2.0], 3.0]
    columns = rng.normal(size=(3, 2)).tolist()
    return [
        *(case(x, c) for c in given for x in places if x is not STRANGE or 1j not in np.ravel(c)),
        *(case(x, columns) for x in places[-4:]),
        *(case(x, columns, tensor=False) for x in (FLOATS[:2], np.array(1.5))),
        case(FLOATS, []),
    ]


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("polyval", np.polynomial.polynomial.polyval),
        ("chebval", np.polynomial.chebyshev.chebval),
        ("legval", np.polynomial.legendre.legval),
        ("hermval", np.polynomial.hermite.hermval),
        ("hermeval", np.polynomial.hermite_e.hermeval),
    ],
)
@pytest.mark.cases(3)
def test_series_are_numpys(name: str, reference: Any, few: Any) -> None:
    compute = getattr(wt.polynomial, name)
    assert check_function(compute, reference, series(), ["py"]) >= 30
    check_function(compute, reference, few(series(), 4), few(["numba", "jax"], 1))
    check_grad(lambda x, c: compute(x, wt.specify_shape(c, 4)), [FLOATS, FLOATS[:4]])
    with pytest.raises(TypeError, match="specify_shape"):
        compute(FLOATS, wt.vector("c"))
    with pytest.raises(AttributeError, match="how many terms are left"):
        getattr(wt.polynomial, name.replace("val", "trim"))


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_polyval_of_any_number_of_coefficients(mode: str) -> None:
    p, x = wt.vector("p"), wt.vector("x")
    y = wt.polyval(p, x)
    f = wt.function([p, x], [y, *wt.grad(wt.sum(y**2), [p, x])], mode=mode)
    for n, k in ((0, 3), (1, 2), (5, 0), (4, 3), (8, 2), (9, 3), (17, 1)):
        c, at = np.arange(1.0, n + 1), np.linspace(-1.0, 1.0, k)
        value = np.polyval(c, at)
        by_c = [np.sum(2 * value * at ** (n - 1 - j)) for j in range(n)]
        by_x = 2 * value * np.polyval(np.polyder(c) if n > 1 else [0.0], at)
        for found, expected in zip(f(c, at), (value, by_c, by_x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("count", [None, 11])
def test_polyval_of_several_polynomials(count: int | None) -> None:
    c, at = np.arange(1.0, 34).reshape(11, 3, 1), np.linspace(-1.0, 1.0, 4)
    p = wt.tensor("p", "float64", (count, None, None))
    for a, b in ((c, at), (c[:, :, 0], at[2])):
        values = wt.polyval(p if a is c else p[:, :, 0], b)
        np.testing.assert_allclose(values.eval({p: c}), np.polyval(a, b))
    with pytest.raises(TypeError, match="polyval takes coefficients in a vector"):
        wt.polyval(2.0, at)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_zeros_in_front_of_coefficients_of_unknown_number_change_nothing(mode: str) -> None:
    for dtype in ("float32", "int32", "complex128"):
        p, x = wt.tensor("p", dtype, (None,)), wt.vector("x")
        f = wt.function([p, x], wt.polyval(p, x), mode=mode)
        for coefficients in ([-0.0], [3, -2], list(range(1, 12))):
            c = np.array(coefficients, dtype)
            at = np.array([-1.5, 0.0, -0.0, np.nan, np.inf, 2.0])
            with np.errstate(invalid="ignore"):
                found, value = f(c, at), np.polyval(c, at)
            np.testing.assert_allclose(found, value, rtol=1e-13)
            if dtype == "float32":
                np.testing.assert_array_equal(np.signbit(found)[:3], np.signbit(value)[:3])


def test_the_characteristic_polynomial_of_a_matrix() -> None:
    a = np.array([[1.0, 2.0, 0.5], [-1.0, 3.0, 1.0], [0.2, 0.0, -2.0]])
    for values in (a, a + 1j * a.T):
        x = wt.tensor("x", str(values.dtype), (3, 3))
        np.testing.assert_allclose(wt.poly(x).eval({x: values}), np.poly(values), atol=1e-12)
