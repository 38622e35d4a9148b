"""Integrals on all backends: values against SciPy's, derivatives, batches, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.integrate
THEIRS: Any = scipy.integrate
MODES = ["py", "numba", "jax"]
RANDOM = np.random.default_rng(5)
LENGTHS = [1, 2, 3, 4, 5, 8]
NAMES = ["simpson", "cumulative_trapezoid", "trapezoid"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_samples_of_unknown_lengths_as_in_scipy(mode: str, name: str) -> None:
    y, x, xs = wt.matrix("y"), wt.vector("x"), wt.matrix("xs")
    ours, theirs = getattr(OURS, name), getattr(THEIRS, name)
    calls: list[Any] = [
        lambda f, y, x, xs: f(y, dx=0.3),
        lambda f, y, x, xs: f(y, x=x),
        lambda f, y, x, xs: f(y.T, x=x, axis=0),
        lambda f, y, x, xs: f(y, x=xs),
    ]
    f = wt.function([y, x, xs], [call(ours, y, x, xs) for call in calls], mode=mode)
    for n in LENGTHS:
        values = (RANDOM.normal(size=(3, n)), RANDOM.normal(size=n), RANDOM.normal(size=(3, n)))
        for found, call in zip(f(*values), calls, strict=True):
            wanted = call(theirs, *values)
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", LENGTHS)
def test_samples_of_known_lengths(n: int) -> None:
    y, x = RANDOM.normal(size=(2, n)), np.sort(RANDOM.normal(size=n))
    for made, wanted in (
        (OURS.simpson(y, x=x), THEIRS.simpson(y, x=x)),
        (OURS.simpson(y), THEIRS.simpson(y)),
        (OURS.cumulative_trapezoid(y, initial=0), THEIRS.cumulative_trapezoid(y, initial=0)),
        (OURS.simpson(y.astype("int32")), THEIRS.simpson(y.astype("int32"))),
        (OURS.simpson(y + 1j * y[::-1], x=x), THEIRS.simpson(y + 1j * y[::-1], x=x)),
    ):
        assert made.eval().shape == wanted.shape
        np.testing.assert_allclose(made.eval(), wanted, rtol=1e-9, atol=1e-12)


def test_equal_places_and_nothing() -> None:
    y, x = np.array([1.0, 2.0, 4.0, 3.0]), np.array([0.0, 1.0, 1.0, 1.0])
    for n in (3, 4):
        found = OURS.simpson(y[:n], x=x[:n]).eval()
        np.testing.assert_allclose(found, THEIRS.simpson(y[:n], x=x[:n]))
    empty = wt.vector("empty")
    f = wt.function([empty], [OURS.simpson(empty), OURS.cumulative_trapezoid(empty)], mode="py")
    total, areas = f([])
    assert (total, areas.shape) == (0, (0,))


@pytest.mark.parametrize("n", [2, 5, 6])
def test_derivatives_by_values_and_places(n: int) -> None:
    y, x = RANDOM.normal(size=n), np.arange(n) + RANDOM.uniform(0, 0.5, n)
    check_grad(lambda y, x: OURS.simpson(y, x=x), [y, x])
    check_grad(lambda y, x: OURS.cumulative_trapezoid(y, x=x, initial=0), [y, x])


@pytest.mark.parametrize("mode", MODES)
def test_quadrature_and_its_derivatives(mode: str) -> None:
    a, b, rate = wt.scalar("a"), wt.scalar("b"), wt.scalar("rate")

    def wave(x: Any, rate: Any, sin: Any = wt.sin) -> Any:
        return sin(rate * x) + x**2

    area, none = OURS.fixed_quad(wave, a, b, (rate,), n=12)
    slopes = wt.grad(area, [a, b, rate])
    value, low, high, by_rate = wt.function([a, b, rate], [area, *slopes], mode=mode)(0.5, 2.0, 1.5)
    assert none is None
    wanted, _ = THEIRS.fixed_quad(wave, 0.5, 2.0, (1.5, np.sin), n=12)
    np.testing.assert_allclose(value, wanted)
    np.testing.assert_allclose([low, high], [-wave(0.5, 1.5, np.sin), wave(2.0, 1.5, np.sin)])
    exact = [THEIRS.quad(lambda x: x * np.cos(1.5 * x), 0.5, 2.0)[0]]
    np.testing.assert_allclose([by_rate], exact)


def test_quadrature_of_many_intervals() -> None:
    b = wt.vector("b")
    area = OURS.fixed_quad(lambda x: x**3, 0, b, n=2)[0]
    each = wt.vmap(lambda b: OURS.fixed_quad(lambda x: x**3, 0, b, n=2)[0])(b)
    ends = np.array([1.0, 2.0, -1.0])
    for found in wt.function([b], [area, each], mode="py")(ends):
        np.testing.assert_allclose(found, ends**4 / 4)
    assert wt.function([b], area, mode="py")([]).shape == (0,)
    np.testing.assert_allclose(OURS.fixed_quad(lambda x: 3.0, 1, 5, n=1)[0].eval(), 12.0)


def test_single_precision() -> None:
    y = wt.vector("y", dtype="float32")
    made = [OURS.simpson(y), OURS.simpson(y, x=y), OURS.cumulative_trapezoid(y, dx=2.0)]
    made += [OURS.fixed_quad(wt.exp, y[0], y[1])[0]]
    assert {v.dtype for v in made} == {"float32"}
    assert {v.dtype for v in wt.function([y], made, mode="py")(np.arange(4, dtype="float32"))} == {
        np.dtype("float32")
    }


def test_bad_input() -> None:
    v, m = wt.vector("v"), wt.matrix("m")
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: OURS.simpson(v, x=m), ValueError, "simpson: x must be a vector or of y's rank"),
        (lambda: OURS.simpson(v, dx=v), ValueError, "simpson: dx must be a scalar"),
        (lambda: OURS.cumulative_trapezoid(v, initial=1), ValueError, "None or 0, not 1"),
        (lambda: OURS.cumulative_trapezoid(v, x=m), ValueError, "cumulative_trapezoid: x must"),
        (lambda: OURS.fixed_quad(wt.exp, 0, 1, n=0), ValueError, "n must be 1 or more"),
        (lambda: OURS.fixed_quad(wt.exp, 0, 1j), TypeError, "must be real"),
        (lambda: OURS.lebedev_rule, AttributeError, r"integrate\.lebedev_rule is not in Weft"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES[:2])
def test_other_lengths_of_places_are_an_error(mode: str, name: str) -> None:
    x, y = wt.vector("x"), wt.matrix("y")
    f = wt.function([x, y], getattr(OURS, name)(y, x=x), mode=mode)
    for n in (2, 5):
        with pytest.raises(ValueError, match=r"shape|length"):
            f(np.arange(float(n)), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"shape|length"):
        getattr(OURS, name)(np.ones((2, 3)), x=np.arange(5.0))
