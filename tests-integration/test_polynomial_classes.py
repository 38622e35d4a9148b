"""Polynomials as values, of six classes, as NumPy has them: on all backends, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.polynomial
import pytest

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.polynomial
THEIRS: Any = numpy.polynomial
NAMES: Final = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")
RANDOM = np.random.default_rng(6)
C, OTHER, X = RANDOM.normal(size=4), RANDOM.normal(size=3), np.linspace(-0.5, 1.5, 6)


def everything(m: Any, name: str, c: Any, other: Any, x: Any) -> list[Any]:
    """Of a module with NumPy's classes."""
    kind = getattr(m, name)
    results: list[Any] = []
    for domain in (None, [0.0, 2.0]):
        p, q = kind(c, domain), kind(other, domain)
        results += [p, p + q, p - q, p * q, p**2, p**0, *divmod(p, q), *divmod(q, p), p // q, p % q]
        results += [
            2.0 - p,
            p + 1,
            -p,
            +p,
            p / 2,
            2 * p,
            X[:2] + p,
            p * other,
            p.deriv(),
            p.integ(),
        ]
        results += [p.deriv(2), p.integ(2, [1.0], 0.3), p.cutdeg(1), p.truncate(2), p.copy()]
        results += [p(x), p(q), *p.mapparms(), *p.linspace(3), *p.linspace(4, [0.0, 1.0]), *p]
        results += [p.convert(kind=m.Legendre), p.convert([-2.0, 1.0]), kind.cast(m.Hermite(other))]
    results += [kind.fit(x, x**3, 2), kind.fit(x, x**3, [0, 2], []), kind.fit(x, x, 1, w=x + 1)]
    results += [kind.fit(x[:1], x[:1], 0), kind.fit(x, x**2, 2, [0, 1], window=[0, 2])]
    results += [kind.fromroots(x[:3]), kind.fromroots(x[:3], None), kind.fromroots(x[:2], [0, 3])]
    return [*results, kind.basis(3), kind.basis(0, [0, 2]), kind.identity([0.0, 3.0])]


def parts(results: list[Any]) -> list[Any]:
    """Values, and coefficients, domain and window of series."""
    series = [(v.coef, v.domain, v.window) if hasattr(v, "coef") else (v,) for v in results]
    return [part for each in series for part in each]


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", NAMES)
def test_as_numpys(name: str, mode: str) -> None:
    references = parts(everything(THEIRS, name, C, OTHER, X))
    c, other, x = wt.vector("c", shape=4), wt.vector("other", shape=3), wt.vector("x", shape=6)
    results = parts(everything(OURS, name, c, other, x))
    values = wt.function([c, other, x], results, mode=mode)(C, OTHER, X)
    for place, (value, reference) in enumerate(zip(values, references, strict=True)):
        whole = np.zeros(value.shape)  # zeros at the end stay
        whole[tuple([slice(n) for n in np.shape(reference)])] = reference
        np.testing.assert_allclose(value, whole, 1e-9, 1e-9, err_msg=str(place))


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", NAMES)
def test_zeros_and_more_of_fits(name: str) -> None:
    ours, theirs = (getattr(m, name)(C, [0.0, 2.0]) for m in (OURS, THEIRS))
    zeros = np.sort_complex(theirs.roots().astype(complex))
    np.testing.assert_allclose(np.sort_complex(ours.roots().eval()), zeros, 1e-9)
    assert (len(ours), ours.degree(), ours.symbol) == (4, 3, "x")
    fits = [getattr(m, name).fit(X, np.exp(X), 2, full=True)[1] for m in (OURS, THEIRS)]
    for value, reference in zip(fits[0], fits[1], strict=True):
        np.testing.assert_allclose(value.eval(), reference, 1e-8)
    assert repr(ours).startswith(f"{name}(<[")


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name: str) -> None:
    kind = getattr(OURS, name)

    def reached(c: Any, x: Any) -> Any:
        p = kind(wt.specify_shape(c, 4), [0.0, 3.0])
        return (
            (p * p).deriv()(x)
            + kind.fit(x, wt.exp(x), 2)(0.3)
            + (p // kind([1.0, 2.0], [0.0, 3.0]))(x)
        )

    check_grad(reached, [C, X])


ERRORS: Final[dict[str, tuple[type[Exception], Callable[[], Any]]]] = {
    "a Chebyshev with a Legendre: convert one": (
        TypeError, lambda: OURS.Chebyshev(C) + OURS.Legendre(C),
    ),
    "have other domains or windows": (
        TypeError, lambda: OURS.Chebyshev(C) * OURS.Chebyshev(C, [0, 1]),
    ),
    "write p // q": (TypeError, lambda: OURS.Polynomial(C) / OURS.Polynomial(C)),
    "Laguerre takes a vector": (ValueError, lambda: OURS.Laguerre(np.eye(2))),
    "Hermite: how many coefficients": (TypeError, lambda: OURS.Hermite(wt.vector("c"))),
    "one term at least": (ValueError, lambda: OURS.Hermite(C).truncate(0)),
}  # fmt: skip


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    kind, call = ERRORS[message]
    with pytest.raises(kind, match=message):
        call()
