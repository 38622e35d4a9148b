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
        (lambda: OURS.ode, AttributeError, r"integrate\.ode is not in Weft"),
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


@pytest.mark.parametrize("order", [3, 21, 41])
def test_the_sphere(order: int) -> None:
    points, weights = OURS.lebedev_rule(order)
    for value, reference in zip((points, weights), THEIRS.lebedev_rule(order), strict=True):
        np.testing.assert_array_equal(value.eval(), reference)
    with pytest.raises(ValueError, match=r"an odd number from 3 to 31, or 35, 41, .* not 33"):
        OURS.lebedev_rule(33)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["Halton", "Sobol", "LatinHypercube"])
def test_boxes_filled_evenly(kind: str, mode: str) -> None:
    """The integral of a product, logarithms and slopes of it, and what limits that fall change."""
    a, b, rate = wt.vector("a"), wt.vector("b"), wt.scalar("rate")
    points = getattr(wt.stats.qmc, kind)(2, rng=wt.random.key(5))
    how: dict[str, Any] = {"n_points": 512, "n_estimates": 4, "qrng": points}
    found = OURS.qmc_quad(lambda x: wt.exp(x[0] - rate * x[1]), a, b, **how)
    logs = OURS.qmc_quad(lambda x: x[0] - rate * x[1], a, b, log=True, **how)
    slopes = wt.grad(found.integral, [rate, a, b])
    f = wt.function([a, b, rate], [*found, *logs, *slopes], mode=mode)
    total, error, log_total, log_error, by_rate, by_low, by_high = f([0.0, 0.5], [1.0, 2.0], 0.7)
    across, up = np.e - 1, (np.exp(-0.35) - np.exp(-1.4)) / 0.7
    assert 0 < error < 4e-3
    np.testing.assert_allclose(total, across * up, atol=5 * error)
    np.testing.assert_allclose([log_total, log_error], np.log([total, error]), 1e-9)
    slope = (2 * np.exp(-1.4) - 0.5 * np.exp(-0.35) - up) / 0.7
    np.testing.assert_allclose(by_rate, across * slope, rtol=2e-2)
    np.testing.assert_allclose(by_low, [-up, -across * np.exp(-0.35)], rtol=2e-2)
    np.testing.assert_allclose(by_high, [np.e * up, across * np.exp(-1.4)], rtol=2e-2)
    back = f([1.0, 0.5], [0.0, 2.0], 0.7)
    np.testing.assert_allclose(back[:2], [-total, error], 1e-9)
    assert np.isnan(back[2])
    np.testing.assert_array_equal(f([1.0, 0.5], [1.0, 2.0], 0.7)[0], 0.0)


def test_what_boxes_filled_evenly_do_not_take() -> None:
    v, points = wt.vector("v"), wt.stats.qmc.Halton(2, rng=wt.random.key(5))
    f: Any = OURS.qmc_quad
    cases: list[tuple[Any, str]] = [
        (lambda: f(wt.exp, v, v), "give points with a key"),
        (lambda: f(wt.exp, v, v, qrng=wt.stats.qmc.Halton(2, scramble=False)), "with a key"),
        (lambda: f(wt.exp, v, v, qrng=points, n_points=0), "8 estimates of 0 points"),
        (lambda: f(wt.exp, 1j * v, v, qrng=points), "a and b are real vectors"),
        (lambda: f(wt.exp, v, v, qrng=points), "a real value for each point"),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()
