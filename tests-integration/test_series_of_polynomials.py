"""Series of six families of polynomials, as NumPy has them, on all backends, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import numpy as np
import pytest
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt

OURS: Any = wt.polynomial
FAMILIES: Final = {
    "poly": "polynomial",
    "cheb": "chebyshev",
    "leg": "legendre",
    "herm": "hermite",
    "herme": "hermite_e",
    "lag": "laguerre",
}
RANDOM = np.random.default_rng(4)
X, Y = RANDOM.uniform(-0.9, 0.9, 9), RANDOM.normal(size=(9, 2))
C, COLUMNS, OTHER = RANDOM.normal(size=5), RANDOM.normal(size=(4, 2)), RANDOM.normal(size=3)
TABLE, BLOCK = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(3, 2, 2))


def rows(prefix: str) -> dict[str, Row]:
    def of(kind: str, *args: Any, **options: Any) -> Callable[..., Any]:
        return lambda m, *arrays: getattr(m, prefix + kind)(*arrays, *args, **options)

    return {
        "val2d": Row(lambda m, x, y: getattr(m, f"{prefix}val2d")(x, y, TABLE), [[X[:4], X[4:8]]]),
        "val3d": Row(
            lambda m, x, y: getattr(m, f"{prefix}val3d")(x, y, x, BLOCK), [[X[:4], X[4:8]]]
        ),
        "grid2d": Row(lambda m, x, y: getattr(m, f"{prefix}grid2d")(x, y, TABLE), [[X[:4], X[6:]]]),
        "grid3d": Row(
            lambda m, x, y: getattr(m, f"{prefix}grid3d")(x, y, x, BLOCK), [[X[:2], X[6:]]]
        ),
        "vander": Row(of("vander", 4), [[X], [X.astype("float32")], [X[:0]], [X + 1j]]),
        "vander2d": Row(of("vander2d", (2, 1)), [[X, X]]),
        "vander3d": Row(of("vander3d", [0, 2, 1]), [[X, X, X]]),
        "fit": Row(of("fit", 3), [[X, Y], [X, Y[:, 0]], [1j**np.arange(4), 1j**np.arange(4)]]),
        "fit of some degrees": Row(of("fit", [3, 0, 1]), [[X, Y], [X, Y[:, 0]]]),
        "weighted fit": Row(lambda m, x, y, w: getattr(m, f"{prefix}fit")(x, y, 2, w=w),
                            [[X, Y, 1 + X**2]]),
    }  # fmt: skip


def of_coefficients(m: Any, prefix: str, c: Any, columns: Any, other: Any) -> list[Any]:
    """All that takes series, whose number of terms is known."""
    kinds = ("der", "int", "add", "sub", "mul", "mulx", "div", "pow", "fromroots", "companion")
    f = {k: getattr(m, prefix + k) for k in kinds}
    conversions = () if prefix == "poly" else (f"poly2{prefix}", f"{prefix}2poly")
    return [
        *(f["der"](c), f["der"](columns, 2, scl=1.5), f["der"](columns.T, axis=1), f["der"](c, 7)),
        *(f["int"](c), f["int"](columns, 2, [1.0], 0.3, 2.0), f["int"](c, k=2.0, lbnd=-0.5)),
        *(f["int"](columns.T, axis=1), f["int"](c, 0), f["der"](c, 0)),
        *(f["add"](c, other), f["sub"](other, c), f["mul"](c, other), f["mul"](other, 2.0)),
        *(*f["div"](c, other), *f["div"](other, c), *f["div"](c, other[:1])),
        *(f["pow"](other, 3), f["pow"](c, 0), f["fromroots"](c), f["companion"](c)),
        *(f["mulx"](c), *(getattr(m, name)(c) for name in conversions)),
    ]


@pytest.mark.cases(2)
@pytest.mark.parametrize("prefix", FAMILIES)
def test_as_numpys(prefix: str) -> None:
    theirs = import_module(f"numpy.polynomial.{FAMILIES[prefix]}")
    for row in rows(prefix).values():
        for arrays in row.arrays:
            assert_as_scipy(OURS, theirs, row.call, arrays, 1e-8)
    results = of_coefficients(OURS, prefix, *(wt.as_tensor(v) for v in (C, COLUMNS, OTHER)))
    references = of_coefficients(theirs, prefix, C, COLUMNS, OTHER)
    for value, reference in zip(wt.function([], results, mode="py")(), references, strict=True):
        np.testing.assert_allclose(value, reference, 1e-10, 1e-10)
    for c in (C, OTHER[:2]):
        zeros = getattr(OURS, f"{prefix}roots")(c).eval()
        np.testing.assert_allclose(zeros, getattr(theirs, f"{prefix}roots")(c), 1e-8, 1e-10)
    assert getattr(OURS, f"{prefix}roots")([2.0]).eval().shape == (0,)
    if prefix != "poly":
        places, weights = (v.eval() for v in getattr(OURS, f"{prefix}gauss")(4))
        even = getattr(OURS, f"{prefix}weight")(X).eval()
        np.testing.assert_allclose(places, getattr(theirs, f"{prefix}gauss")(4)[0])
        np.testing.assert_allclose(weights, getattr(theirs, f"{prefix}gauss")(4)[1])
        np.testing.assert_allclose(even, getattr(theirs, f"{prefix}weight")(X))


@pytest.mark.cases(1)
@pytest.mark.parametrize("prefix", FAMILIES)
def test_derivatives(prefix: str) -> None:
    for row in rows(prefix).values():
        assert_slopes(OURS, row)


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("prefix", FAMILIES)
def test_backends(mode: str, prefix: str) -> None:
    def everything(m: Any, x: Any, y: Any, c: Any, columns: Any, other: Any) -> Any:
        sizes = ((c, 5), (columns, 4, 2), (other, 3))
        series = of_coefficients(m, prefix, *(wt.specify_shape(v, n) for v, *n in sizes))
        return [*series, rows(prefix)["fit"].call(m, x, y), getattr(m, f"{prefix}vander")(x, 3)]

    assert_as_on_python(OURS, Row(everything, [[X, Y, C, COLUMNS, OTHER]]), mode)


def test_roots_make_series() -> None:
    theirs: Any = np.polynomial.polynomial
    reference = theirs.polyfromroots([1.0, 2.0, -3.0])
    np.testing.assert_allclose(OURS.polyfromroots([1.0, 2.0, -3.0]).eval(), reference)
    assert OURS.chebfromroots([]).eval().tolist() == [1.0]
    for x, r in ((X, C), (X, COLUMNS), (0.5, COLUMNS), (X[:2], 1.5)):
        reference = theirs.polyvalfromroots(x, r)
        np.testing.assert_allclose(OURS.polyvalfromroots(x, r).eval(), reference)
    pairs = [f.polyvalfromroots(X[:2], COLUMNS, False) for f in (OURS, theirs)]
    np.testing.assert_allclose(pairs[0].eval(), pairs[1])


def test_places_of_chebyshev_and_what_goes_through_them() -> None:
    theirs: Any = np.polynomial.chebyshev
    for name in ("chebpts1", "chebpts2"):
        np.testing.assert_array_equal(getattr(OURS, name)(5).eval(), getattr(theirs, name)(5))
    for deg in (0, 4):
        found = OURS.chebinterpolate(lambda x, a: wt.exp(a * x), deg, (2.0,))
        reference = theirs.chebinterpolate(lambda x: np.exp(2 * x), deg)
        np.testing.assert_allclose(found.eval(), reference, atol=1e-14)
    a = wt.dscalar("a")
    last = OURS.chebinterpolate(lambda x: wt.exp(a * x), 3)[3]
    reference = theirs.chebinterpolate(lambda x: x * np.exp(2 * x), 3)[3]
    np.testing.assert_allclose(wt.grad(last, a).eval({a: 2.0}), reference)


ERRORS: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "legvander: deg must be 0 or more, not -1": (ValueError, lambda: OURS.legvander(X, -1)),
    "chebder: m must be 0 or more, not -2": (ValueError, lambda: OURS.chebder(C, -2)),
    "hermint: m must be 0 or more, and no less": (ValueError, lambda: OURS.hermint(C, 1, [1, 2])),
    "lagfit: deg is a degree, or some": (TypeError, lambda: OURS.lagfit(X, Y, 1.5)),
    "shape|length": (ValueError, lambda: OURS.lagfit(X[:1], Y[:1, 0], 0, w=[1.0, 1.0]).eval()),
    "legfit takes a degree of 0": (ValueError, lambda: OURS.legfit(X, Y, -1)),
    "hermefit takes places in a vector": (TypeError, lambda: OURS.hermefit(Y, Y, 1)),
    "legroots takes a vector": (ValueError, lambda: OURS.legroots(COLUMNS)),
    "legval: how many coefficients": (TypeError, lambda: OURS.legval(X, wt.vector("c"))),
    "legadd takes one coefficient at least": (IndexError, lambda: OURS.legadd([], C)),
    "chebpow: the power is 0 or more": (ValueError, lambda: OURS.chebpow(C, -1)),
    "legpow: the power is 0 or more": (ValueError, lambda: OURS.legpow(C, 5, 4)),
    "lagcompanion: a series has two terms": (ValueError, lambda: OURS.lagcompanion([1.0])),
    r"no legtrim: .* write c\[:n\]": (AttributeError, lambda: OURS.legtrim),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    kind, call = ERRORS[message]
    with pytest.raises(kind, match=message):
        call()
