"""Nonlinear regression on all backends: against SciPy's, derivatives, batches, bad input."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

import weft.tensor as wt

OURS: Any = wt.optimize
THEIRS: Any = scipy.optimize
MODES = ["py", "numba", "jax"]
T = np.linspace(0, 5, 40)
y, s = wt.vector("y"), wt.scalar("s")

CURVES: dict[str, tuple[Any, list[float], list[float]]] = {
    "decay": (lambda t, a, b, c, m=wt: a * m.exp(-b * t) + c, [3, 0.8, 0.5], [1.0, 1.0, 0.0]),
    "growth": (lambda t, a, b, c, m=wt: a / (1 + m.exp(-b * (t - c))), [10, 2, 2.5], [5.0, 1, 1]),
    "saturation": (lambda t, a, b, m=wt: a * t / (b + t), [4, 1.5], [1.0, 1.0]),
    "wave": (lambda t, a, b, c, m=wt: a * m.sin(b * t + c), [2, 3, 0.5], [1.0, 2.8, 0.0]),
}


def points(name: str, noise: float = 0.1) -> Any:
    curve, true, _ = CURVES[name]
    return curve(T, *true, m=np) + noise * np.random.default_rng(3).normal(size=T.size)


def with_outliers() -> Any:
    values = points("decay", 0.05)
    values[[3, 20]] += [4.0, -3.0]
    return values


def exact(**options: Any) -> dict[str, Any]:
    return {"xtol": 1e-13, "ftol": 1e-13, "gtol": 1e-13} | options


def residuals(name: str, module: Any, values: Any) -> Any:
    curve = CURVES[name][0]
    count = len(CURVES[name][2])
    return lambda x: curve(T, *(x[i] for i in range(count)), m=module) - values


def slope(f: Any, at: Any, direction: Any, h: float = 1e-4) -> Any:
    return (np.asarray(f(at + h * direction)) - f(at - h * direction)) / (2 * h)


def slope_of_the_fit(name: str, x: Any, values: Any, direction: Any) -> Any:
    """By the theorem of implicit functions: differences of searches show where these end."""

    def cost(x: Any, values: Any) -> Any:
        return (residuals(name, jnp, values)(x) ** 2).sum()

    with jax.enable_x64(True):
        by_x = np.asarray(jax.jit(jax.hessian(cost))(x, values))
        by_values = np.asarray(jax.jit(jax.jacobian(jax.grad(cost), 1))(x, values))
    return -np.linalg.solve(by_x, by_values @ direction)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("mode", MODES)
def test_the_least_sum_of_squares_and_its_derivatives(mode: str, name: str) -> None:
    start = CURVES[name][2]
    fit = OURS.least_squares(residuals(name, wt, y), start)
    f = wt.function([y], [*fit, wt.jacobian(fit.x, y)], mode=mode)
    values = points(name)
    x, cost, fun, jac, grad, mask, nit, nfev, status, success, by_y = f(values)
    theirs = THEIRS.least_squares(residuals(name, np, values), start, **exact())
    np.testing.assert_allclose(x, theirs.x, rtol=2e-7)
    np.testing.assert_allclose([cost, *fun], [theirs.cost, *theirs.fun], rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(jac, theirs.jac, rtol=1e-5, atol=1e-5)
    assert abs(grad).max() < 1e-5
    assert (success, status, mask.tolist()) == (True, 0, [0] * len(start))
    assert 0 < nit < nfev < 40
    direction = np.cos(T)
    expected = slope_of_the_fit(name, theirs.x, values, direction)
    np.testing.assert_allclose(by_y @ direction, expected, rtol=1e-5, atol=2e-6)


@pytest.mark.cases("py-soft_l1", "py-cauchy")
@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan"])
@pytest.mark.parametrize("mode", MODES)
def test_losses_that_outliers_pull_less(mode: str, loss: str) -> None:
    values, start = with_outliers(), [2.0, 1.0, 0.0]
    fit = OURS.least_squares(residuals("decay", wt, y), start, loss=loss, f_scale=s)
    f = wt.function([y, s], [fit.x, fit.cost, fit.success, wt.jacobian(fit.x, s)], mode=mode)
    x, cost, success, by_scale = f(values, 0.2)
    options = exact(loss=loss, f_scale=0.2)
    theirs = THEIRS.least_squares(residuals("decay", np, values), start, **options)
    assert success
    np.testing.assert_allclose(x, theirs.x, rtol=1e-6)
    np.testing.assert_allclose(cost, theirs.cost, rtol=1e-9)
    expected = slope(lambda v: f(values, v)[0], 0.2, 1.0)
    np.testing.assert_allclose(by_scale, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_bounds_hold_and_move_what_they_hold(mode: str) -> None:
    values, start = points("decay"), [1.0, 1.0, 5.0]
    high = wt.stack([s, 10.0, 2.0])
    fit = OURS.least_squares(residuals("decay", wt, values), start, bounds=([0, 0, 0], high))
    outputs = [fit.x, fit.active_mask, fit.success, wt.jacobian(fit.x, s)]
    f = wt.function([s], outputs, mode=mode)
    x, mask, success, by_bound = f(2.5)
    bounds = ([0, 0, 0], [2.5, 10, 2])
    theirs = THEIRS.least_squares(
        residuals("decay", np, values), [1, 1, 1], bounds=bounds, **exact()
    )
    assert success
    assert mask.tolist() == [1, 0, 0] == theirs.active_mask.tolist()
    np.testing.assert_allclose(x, theirs.x, rtol=1e-6)
    np.testing.assert_allclose(by_bound, slope(lambda v: f(v)[0], 2.5, 1.0), rtol=1e-4)


@pytest.mark.cases("py", "jax")
@pytest.mark.parametrize("mode", MODES)
def test_many_fits_at_once(mode: str) -> None:
    rows = wt.matrix("rows")
    fit = wt.vmap(lambda r: OURS.curve_fit(CURVES["decay"][0], T, r, p0=[1.0, 1.0, 0.0]).popt)
    f = wt.function([rows], fit(rows), mode=mode)
    many = np.stack([points("decay", noise) for noise in (0.0, 0.1, 0.2)])
    one = wt.function(
        [y], OURS.curve_fit(CURVES["decay"][0], T, y, p0=[1.0, 1.0, 0.0]).popt, mode="py"
    )
    np.testing.assert_allclose(f(many), [one(row) for row in many], rtol=1e-7)


SPREAD = np.linspace(0.1, 0.3, T.size)
KINSHIP = 0.01 * np.exp(-abs(T[:, None] - T) / 0.3)


@pytest.mark.cases("py-options0", "py-options4")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sigma": SPREAD},
        {"sigma": SPREAD, "absolute_sigma": True},
        {"sigma": KINSHIP, "absolute_sigma": True},
        {"sigma": KINSHIP},
        {"bounds": ([0.0, 0.0, 0.0], [2.5, 2.0, 2.0])},
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_curve_fit_is_scipys(mode: str, options: Any) -> None:
    curve, values = CURVES["decay"][0], points("decay")
    start = [1.0, 1.0, 0.1]
    popt, pcov = wt.function([y], OURS.curve_fit(curve, T, y, p0=start, **options), mode=mode)(
        values
    )
    theirs = THEIRS.curve_fit(
        lambda t, a, b, c: curve(t, a, b, c, m=np), T, values, p0=start, **options, **exact()
    )
    np.testing.assert_allclose(popt, theirs[0], rtol=1e-6)
    np.testing.assert_allclose(pcov, theirs[1], rtol=1e-5, atol=1e-12)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_arguments_are_counted_and_derivatives_of_the_covariance_are_there(mode: str) -> None:
    fit = OURS.curve_fit(lambda t, a, b: a * wt.exp(-b * t), T, y)
    f = wt.function([y], [fit.popt, wt.grad(fit.pcov[0, 0], y)], mode=mode)
    g = wt.function([y], fit.pcov[0, 0], mode=mode)
    values = 2 * np.exp(-0.7 * T) + 0.1 * np.sin(7 * T)
    popt, by_y = f(values)
    assert popt.shape == (2,)
    direction = np.cos(3 * T)
    np.testing.assert_allclose(by_y @ direction, slope(g, values, direction), rtol=1e-4)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_single_precision_and_other_shapes(mode: str) -> None:
    fit = OURS.least_squares(lambda x: wt.ravel(x @ x.T) - 4, np.ones((2, 2), "float32"))
    x, jac, success = wt.function([], [fit.x, fit.jac, fit.success], mode=mode)()
    assert x.dtype == "float32"
    assert (x.shape, jac.shape, bool(success)) == ((2, 2), (4, 2, 2), True)
    np.testing.assert_allclose(x @ x.T, np.full((2, 2), 4), rtol=1e-5)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_nothing_to_fit_and_one_number(mode: str) -> None:
    none = OURS.least_squares(lambda x: y[:2] + x.sum(), np.ones(0))
    f = wt.function([y], [none.x, none.cost, none.success], mode=mode)
    assert [v.tolist() for v in f([3, 4.0])] == [[], 12.5, True]
    one = OURS.least_squares(lambda x: wt.stack([x - 1, x - 3]), 7.0)
    np.testing.assert_allclose(wt.function([], [one.x, one.cost], mode=mode)(), [2.0, 1.0])


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_searches_that_fail_say_so(mode: str) -> None:
    outside = OURS.least_squares(lambda x: wt.log(x), [-1.0, 2.0])
    f = wt.function([], [outside.status, outside.success], mode=mode)
    with np.errstate(all="ignore"):
        assert [v.item() for v in f()] == [3, False]
    short = OURS.least_squares(residuals("decay", wt, points("decay")), [1.0, 1.0, 0.0], maxiter=2)
    assert [v.item() for v in wt.function([], [short.status, short.nit], mode=mode)()] == [1, 2]
    nowhere = OURS.curve_fit(lambda t, a: wt.log(-(a**2)) + t, T, y, p0=[1.0])
    with np.errstate(all="ignore"):
        popt, pcov = wt.function([y], nowhere, mode=mode)(points("decay"))
    assert np.isnan(popt).all()
    assert np.isnan(pcov).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: OURS.least_squares(lambda x: x.sum(), [1.0, 2.0]), "must return a vector"),
        (lambda: OURS.least_squares(lambda x: x, [1.0], loss="l1"), "linear, soft_l1"),
        (lambda: OURS.least_squares(lambda x: x, [1.0], bounds=3.0), "bounds is a pair"),
        (lambda: OURS.curve_fit(lambda t, *p: t, T, y), "give p0"),
        (lambda: OURS.curve_fit(lambda t, a: a * t, T, np.ones((2, 3))), "ydata must be a vector"),
        (lambda: OURS.curve_fit(lambda t, a: a * t, T, y, p0=y), "p0 must be a vector of known"),
        (lambda: OURS.curve_fit(lambda t, a: a * t, T, y, sigma=np.ones((1, 2, 2))), "sigma is"),
    ],
)
def test_bad_input_is_told(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_complex_numbers_are_no_start() -> None:
    with pytest.raises(TypeError, match="real numbers"):
        OURS.least_squares(lambda x: x, [1j])
