"""Minima and roots on all backends: values against SciPy's, derivatives, batches, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import weft.tensor as wt

OURS: Any = wt.optimize
THEIRS: Any = scipy.optimize
MODES = ["py", "numba", "jax"]
METHODS = ["BFGS", "L-BFGS", "Newton", "gradient"]
a, v = wt.scalar("a"), wt.vector("v")
START = np.array([-1.2, 1.0, 0.5])


def valley(x: Any, a: Any = 1.0) -> Any:
    """Rosenbrock's function with its minimum at (a, a**2, ...) for two numbers."""
    return (10 * (x[1:] - x[:-1] ** 2) ** 2).sum() + ((a - x[:-1]) ** 2).sum()


def slope(f: Any, at: float, h: float = 1e-4) -> Any:
    return (np.asarray(f(at + h)) - f(at - h)) / (2 * h)


def flags(found: Any, *given: Any, inputs: Any = ()) -> list[Any]:
    return [r.tolist() for r in wt.function(list(inputs), list(found), mode="py")(*given)]


@pytest.mark.cases("jax-Newton", "py-BFGS")
@pytest.mark.parametrize("method", METHODS[:3])
@pytest.mark.parametrize("mode", MODES)
def test_a_minimum_and_its_derivatives(mode: str, method: str) -> None:
    found = OURS.minimize(valley, START, a, method=method, tol=1e-8)
    by_a = wt.grad(found.x.sum(), a)
    outputs = [*found, by_a, wt.pushforward(found.x, a, wt.as_tensor(1.0)), wt.grad(by_a, a)]
    f = wt.function([a], outputs, mode=mode)
    x, fun, jac, nit, nfev, status, success, down, forward, second = f(1.1)
    theirs = THEIRS.minimize(valley, START, 1.1, tol=1e-8)
    np.testing.assert_allclose(x, theirs.x, rtol=1e-5)
    np.testing.assert_allclose(fun, theirs.fun, rtol=1e-8, atol=1e-12)
    assert (success, status) == (True, 0)
    assert abs(jac).max() <= 1e-8
    assert 0 < nit < nfev < 120
    np.testing.assert_allclose(forward, slope(lambda v: f(v)[0], 1.1), rtol=1e-5)
    np.testing.assert_allclose(down, forward.sum(), rtol=1e-9)
    np.testing.assert_allclose(second, slope(lambda v: f(v)[7], 1.1), rtol=1e-4)


@pytest.mark.cases("numba-Newton", "py-BFGS")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", MODES)
def test_the_minimum_of_a_quadratic_form(mode: str, method: str) -> None:
    """x = inv(m) v, whose derivatives are known."""
    m = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    found = OURS.minimize(lambda x: x @ m @ x / 2 - v @ x, np.zeros(3), method=method)
    f = wt.function(
        [v], [found.x, wt.jacobian(found.x, v), found.fun, wt.grad(found.fun, v)], mode=mode
    )
    side = np.array([1.0, -2.0, 0.5])
    x, slopes, fun, envelope = f(side)
    inverse = np.linalg.inv(m)
    np.testing.assert_allclose(x, inverse @ side, rtol=1e-6)
    np.testing.assert_allclose(slopes, inverse, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(fun, -side @ inverse @ side / 2)
    np.testing.assert_allclose(envelope, -x, rtol=1e-6)


@pytest.mark.cases("numba-Newton", "py-BFGS")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", MODES)
def test_bounds_hold_and_move_what_they_hold(mode: str, method: str) -> None:
    high = wt.scalar("high")
    bounds = [(-1, high), (None, None), (0.5, None), (2.0, 3.0)]
    found = OURS.minimize(valley, np.zeros(4), a, method=method, bounds=bounds)
    slopes = [wt.jacobian(found.x, v) for v in (a, high)]
    forward = wt.pushforward(found.x, high, wt.as_tensor(1.0))
    f = wt.function([a, high], [found.x, found.success, *slopes, forward], mode=mode)
    x, success, by_a, by_high, down = f(1.1, 0.9)
    limits = [(-1, 0.9), *bounds[1:]]
    theirs = THEIRS.minimize(valley, np.zeros(4), 1.1, "L-BFGS-B", bounds=limits, tol=1e-12)
    assert success
    assert (x[0], x[3]) == (0.9, 2.0)
    np.testing.assert_allclose(x, theirs.x, rtol=1e-5)
    np.testing.assert_allclose(by_a, slope(lambda v: f(v, 0.9)[0], 1.1), rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(by_high, slope(lambda v: f(1.1, v)[0], 0.9), rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(down, by_high, rtol=1e-9)


def test_random_bounds_hold_a_minimum() -> None:
    """Of a convex function, of which there is one."""
    rng = np.random.default_rng(3)
    m, side, low = wt.matrix("m", shape=(6, 6)), wt.vector("side"), wt.vector("low", shape=(6,))
    found = OURS.minimize(
        lambda x: x @ m @ x / 2 + (x**4).sum() - side @ x,
        wt.zeros(6),
        bounds=THEIRS.Bounds(low, low + 0.5),
    )
    f = wt.function([m, side, low], [found.x, found.success], mode="py")
    for _ in range(20):
        factor = rng.normal(size=(6, 6))
        values = factor @ factor.T, 3 * rng.normal(size=6), rng.normal(size=6)
        x, success = f(*values)
        gradient = values[0] @ x + 4 * x**3 - values[1]
        stays = np.clip(x - gradient, values[2], values[2] + 0.5)
        assert success
        np.testing.assert_allclose(stays, x, atol=1e-6)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_batches_of_minima(mode: str) -> None:
    def solved(a: Any, start: Any) -> Any:
        found = OURS.minimize(valley, start, a)
        return found.x, found.success, wt.grad(found.x[1], a)

    starts = wt.matrix("starts", shape=(3, 2))
    f = wt.function([v, starts], wt.vmap(solved)(v, starts), mode=mode)
    points = np.array([0.5, 1.0, 2.0])
    x, success, slopes = f(points, np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 3.0]]))
    assert success.all()
    np.testing.assert_allclose(x, np.stack([points, points**2], 1), rtol=1e-6)
    np.testing.assert_allclose(slopes, 2 * points, rtol=1e-5)


@pytest.mark.cases("py-BFGS")
@pytest.mark.parametrize("method", METHODS[:3])
@pytest.mark.parametrize("mode", MODES)
def test_single_precision(mode: str, method: str) -> None:
    x0 = wt.vector("x0", dtype="float32")
    found = OURS.minimize(valley, x0, np.float32(1.0), method=method)
    x, fun, jac, *_, success = wt.function([x0], list(found), mode=mode)(
        START[:2].astype("float32")
    )
    assert (x.dtype, fun.dtype, jac.dtype, success) == ("float32", "float32", "float32", True)
    np.testing.assert_allclose(x, 1, rtol=2e-3)


@pytest.mark.cases("jax-Newton", "py-BFGS", "py-L-BFGS", "py-gradient")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", MODES)
def test_nothing_one_number_and_other_shapes(mode: str, method: str) -> None:
    x0 = wt.vector("x0")
    searches = [
        OURS.minimize(lambda x: ((x - 2.0) ** 2).sum(), start, method=method)
        for start in (x0, wt.as_tensor(1), wt.as_tensor([[5.0], [7.0]]))
    ]
    outputs = [part for s in searches for part in (s.x, s.jac, s.success)]
    f = wt.function([x0], outputs, mode=mode)
    for length in (0, 1):
        for k, (x, jac, success) in enumerate(zip(*[iter(f([0.0] * length))] * 3, strict=True)):
            assert x.shape == jac.shape == [(length,), (), (2, 1)][k]
            assert success
            np.testing.assert_allclose(x, 2.0, rtol=1e-6)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_what_fun_uses_of_x0_is_not_where_it_begins(mode: str) -> None:
    x0 = wt.vector("x0")
    found = OURS.minimize(lambda x: ((x - 3 * x0) ** 2).sum(), x0)
    x, slopes = wt.function([x0], [found.x, wt.grad(found.x.sum(), x0)], mode=mode)([1.0, 2.0])
    np.testing.assert_allclose(x, [3.0, 6.0], rtol=1e-6)
    np.testing.assert_allclose(slopes, [3.0, 3.0])


@pytest.mark.cases(0)
@pytest.mark.parametrize("method", METHODS)
def test_searches_that_fail_say_so(method: str) -> None:
    minimize = OURS.minimize
    short = minimize(valley, START, method=method, maxiter=2)
    assert flags(short[3:])[0] == 2
    assert flags(short[5:]) == [1, False]
    endless = minimize(lambda x: x.sum(), [1.0, 2.0], method=method)
    assert flags(endless[5:]) == [2, False]
    outside = minimize(lambda x: wt.log(x).sum(), [-1.0], method=method)
    with np.errstate(invalid="ignore"):
        assert flags(outside[5:]) == [3, False]
    walled = minimize(lambda x: (x - wt.log(x)).sum(), [1e-3], method=method)
    np.testing.assert_allclose(flags(walled[:1])[0], [1.0], rtol=1e-6)
    assert flags(walled[6:]) == [True]


def test_sums_over_much_data_end_though_values_are_rounded() -> None:
    data = np.random.default_rng(1).normal(3.0, 2.0, 10_000)

    def cost(p: Any) -> Any:
        return (p[1] + ((data - p[0]) * wt.exp(-p[1])) ** 2 / 2).sum()

    found = OURS.minimize(cost, [0.0, 0.0])
    x, success = flags([found.x, found.success])
    assert success
    np.testing.assert_allclose(x, [data.mean(), np.log(data.std())], rtol=1e-6)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_a_root_of_a_system(mode: str) -> None:
    def equations(x: Any, a: Any, stack: Any = wt.stack, cos: Any = wt.cos) -> Any:
        return stack([x[0] + cos(x[1]) * x[2] - a, x[1] ** 3 + x[0] - 1, x[2] - cos(x[0])])

    found = OURS.root(equations, [1.0, 0.5, 1.0], a)
    by_a = wt.grad(found.x[0], a)
    forward = wt.pushforward(found.x, a, wt.as_tensor(1.0))
    f = wt.function([a], [*found, by_a, forward, wt.grad(by_a, a)], mode=mode)
    x, fun, jac, nit, _, status, success, down, ahead, second = f(1.5)
    theirs = THEIRS.root(lambda x: equations(x, 1.5, np.stack, np.cos), [1.0, 0.5, 1.0], tol=1e-12)
    assert (theirs.success, success, status) == (True, True, 0)
    np.testing.assert_allclose(x, theirs.x, rtol=1e-9)
    np.testing.assert_allclose(fun, 0, atol=1e-12)
    assert jac.shape == (3, 3)
    assert nit < 30
    np.testing.assert_allclose(ahead, slope(lambda v: f(v)[0], 1.5, 1e-5), rtol=1e-6)
    np.testing.assert_allclose(down, ahead[0])
    np.testing.assert_allclose(second, slope(lambda v: f(v)[7], 1.5), rtol=1e-5)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_roots_of_all_shapes(mode: str) -> None:
    x0 = wt.matrix("x0")
    found = OURS.root(lambda x: x**3 - a, x0)
    f = wt.function(
        [x0, a], [found.x, found.jac, found.success, wt.grad(found.x.sum(), a)], mode=mode
    )
    for shape in ((2, 3), (1, 1), (0, 2)):
        x, jac, success, by_a = f(np.ones(shape), 8.0)
        assert (x.shape, jac.shape, bool(success)) == (shape, shape * 2, True)
        np.testing.assert_allclose(x, 2.0)
        np.testing.assert_allclose(by_a, np.prod(shape) / 12)
    single = OURS.root(lambda x: x**2 - 2, wt.as_tensor(np.float32(1)))
    assert single.x.eval().dtype == "float32"
    np.testing.assert_allclose(single.x.eval(), 2**0.5, rtol=1e-6)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_batches_of_roots(mode: str) -> None:
    def solved(a: Any) -> Any:
        system = OURS.root(lambda x: x**2 - a, wt.as_tensor([1.0, 5.0]))
        bracketed = OURS.root_scalar(lambda x: x**2 - a, bracket=(0.0, 9.0))
        stepped = OURS.root_scalar(lambda x: x**2 - a, x0=5.0)
        xs = [system.x[0], system.x[1], bracketed.root, stepped.root]
        flags = [system.success, bracketed.converged, stepped.converged]
        return wt.stack(xs), wt.stack(flags), wt.stack([wt.grad(x, a) for x in xs])

    x, converged, slopes = wt.function([v], wt.vmap(solved)(v), mode=mode)([1.0, 4.0, 9.0])
    assert converged.all()
    np.testing.assert_allclose(x, [[1.0] * 4, [2.0] * 4, [3.0] * 4], rtol=1e-9)
    np.testing.assert_allclose(slopes, 1 / (2 * x), rtol=1e-8)


def test_systems_without_a_root_say_so() -> None:
    root = OURS.root
    assert flags(root(lambda x: x**2 + 1, [1.0, 2.0])[6:]) == [False]
    assert flags(root(lambda x: x**3 - 8, [100.0], maxiter=2)[5:]) == [1, False]
    assert flags(root(wt.log, [-1.0])[5:]) == [3, False]
    assert flags(root(lambda x: x**2, [0.0])[5:]) == [0, True]


FUNCTIONS: dict[str, tuple[Any, Any, tuple[float, float]]] = {
    "cubic": (lambda x: x**3 - 2 * x - 5, lambda x: x**3 - 2 * x - 5, (2.0, 3.0)),
    "flat": (lambda x: (x - 1) ** 9, lambda x: (x - 1) ** 9, (-3.0, 4.0)),
    "steep": (lambda x: wt.exp(x) - 1e-3, lambda x: np.exp(x) - 1e-3, (-200.0, 200.0)),
    "at an end": (lambda x: x, lambda x: x, (0.0, 1.0)),
    "backwards": (wt.tanh, np.tanh, (5.0, -1.0)),
}


@pytest.mark.parametrize("mode", MODES)
def test_brackets_as_scipy_has_them(mode: str) -> None:
    searches = [OURS.root_scalar(f, bracket=b) for f, _, b in FUNCTIONS.values()]
    found = wt.function([], [part for s in searches for part in s], mode=mode)()
    for k, (_, theirs, bracket) in enumerate(FUNCTIONS.values()):
        root, steps, calls, converged = found[4 * k : 4 * k + 4]
        expected = THEIRS.root_scalar(theirs, bracket=bracket, method="bisect").root
        assert converged
        assert steps < calls < 80
        np.testing.assert_allclose(root, expected, rtol=1e-10, atol=2e-2 if k == 1 else 1e-11)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_scalar_roots_that_are_not_found(mode: str) -> None:
    find = OURS.root_scalar
    nowhere = wt.function([], list(find(lambda x: x**2 + 1, bracket=(-1.0, 2.0))), mode=mode)()
    assert np.isnan(nowhere[0])
    assert not nowhere[3]
    assert not find(lambda x: x**3 - 2, bracket=(0.0, 2.0), maxiter=3).converged.eval()
    assert not find(lambda x: x**2 + 1, x0=1.0).converged.eval()
    assert not find(lambda x: wt.sqrt(x) + x - 5, bracket=(-1.0, 4.0)).converged.eval()
    ends = np.array([0, 3], "float32")
    low, high = (find(wt.cos, bracket=ends, xtol=t).root for t in (0.1, 0))
    assert abs(low.eval() - np.pi / 2) < 0.1
    np.testing.assert_allclose(high.eval(), np.pi / 2, rtol=1e-6)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_minima_of_one_number(mode: str) -> None:
    def wave(x: Any, a: Any, cos: Any = wt.cos) -> Any:
        return cos(a * x) + x**2 / 10

    options: list[dict[str, Any]] = [
        {},
        {"bracket": (1.0, 1.5)},
        {"bracket": (0.5, 2.5, 4.0)},
        {"bounds": (0.0, 4.0)},
    ]
    found = [OURS.minimize_scalar(wave, args=(a,), **given) for given in options]
    slopes = [wt.grad(s.x, a) for s in found]
    f = wt.function([a], [part for s in found for part in s] + slopes, mode=mode)
    values = f(1.2)
    by_difference = slope(lambda v: np.stack([f(v)[5 * k] for k in range(4)]), 1.2, 1e-3)
    np.testing.assert_allclose(values[20:], by_difference, rtol=1e-4)
    for k, given in enumerate(options):
        method = {"method": "bounded"} if "bounds" in given else {}
        theirs: Any = THEIRS.minimize_scalar(wave, args=(1.2, np.cos), **given, **method)
        x, fun, steps, calls, success = values[5 * k : 5 * k + 5]
        assert success
        assert steps < calls < 60
        np.testing.assert_allclose(x, theirs.x, rtol=1e-5)
        np.testing.assert_allclose(fun, theirs.fun, rtol=1e-9)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_a_minimum_at_a_bound_moves_with_the_bound(mode: str) -> None:
    low, high = wt.scalar("low"), wt.scalar("high")
    found = OURS.minimize_scalar(lambda x: (x - a) ** 2, bounds=(low, high))
    f = wt.function(
        [a, low, high], [found.x, found.success, *wt.grad(found.x, [a, low, high])], mode=mode
    )
    for at, expected in ((2.0, [2, 1, 1, 0, 0]), (-1.0, [0, 1, 0, 1, 0]), (9.0, [5, 1, 0, 0, 1])):
        np.testing.assert_allclose(f(at, 0.0, 5.0), expected, atol=1e-7)
    assert not f(2.0, 5.0, 0.0)[1]


def test_scalar_minima_that_are_not_found() -> None:
    search = OURS.minimize_scalar
    assert not search(lambda x: x).success.eval()
    assert not search(lambda x: x**2, bracket=(1.0, 2.0, 3.0)).success.eval()
    assert not search(lambda x: x**2, bracket=(1.0, 1.0)).success.eval()
    assert not search(lambda x: (x - 0.3) ** 2, bounds=(0.0, 1e6), maxiter=3).success.eval()
    assert not search(lambda x: wt.log(x), bounds=(-2.0, -1.0)).success.eval()


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_rosenbrocks_function_and_its_derivatives_are_scipys(mode: str) -> None:
    x, p, rows = wt.vector("x"), wt.vector("p"), wt.matrix("rows")
    ours: Any = wt.optimize
    theirs: Any = scipy.optimize
    at, along = np.random.default_rng(0).normal(size=(2, 5))
    pair = np.stack([at, along], 1)
    outputs = [ours.rosen(x), ours.rosen_der(x), ours.rosen_hess(x), ours.rosen_hess_prod(x, p)]
    outputs += [ours.rosen(rows), ours.rosen_der(rows)]
    found = wt.function([x, p, rows], outputs, mode=mode)(at, along, pair)
    expected = [theirs.rosen(at), theirs.rosen_der(at), theirs.rosen_hess(at)]
    expected += [theirs.rosen_hess_prod(at, along), theirs.rosen(pair), theirs.rosen_der(pair)]
    for value, reference in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, reference, rtol=1e-12)
    end = ours.minimize(ours.rosen, [1.3, 0.7, 0.8, 1.9, 1.2], jac=ours.rosen_der)
    np.testing.assert_allclose(wt.function([], end.x, mode=mode)(), np.ones(5), rtol=1e-6)
    with pytest.raises(ValueError, match="rosen takes one axis"):
        ours.rosen(1.0)


def test_bad_input() -> None:
    o = OURS
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: o.minimize(wt.sum, [1.0], method="TNC"), ValueError, "one of BFGS, L-BFGS"),
        (lambda: o.minimize(wt.sum, [1.0], constraints=[{}]), ValueError, "a constraint is a dict"),
        (lambda: o.minimize(wt.sum, [1.0], bounds=(0, 1)), ValueError, "a pair for each element"),
        (lambda: o.minimize(wt.sum, [1.0], bounds=[(2, 1)]), ValueError, "lower bound is above"),
        (lambda: o.least_squares(wt.sin, [1.0], bounds=(2, 1)), ValueError, "lower bound is above"),
        (lambda: o.minimize(wt.sum, [1.0], options={"eps": 1e-8}), ValueError, "maxiter and gtol"),
        (lambda: o.root(wt.sin, [1.0], (), "bisect"), ValueError, "one of hybr, lm"),
        (lambda: o.root_scalar(wt.cos, method="secant"), ValueError, "needs x0"),
        (lambda: o.root_scalar(wt.cos, method="lm"), ValueError, "one of bisect"),
        (lambda: o.minimize_scalar(wt.cos, method="bounded"), ValueError, "method is 'brent'"),
        (lambda: o.minimize(lambda x: x, [1.0]), ValueError, "fun must return a scalar"),
        (lambda: o.minimize(wt.sum, [1j]), TypeError, "x0 must be real"),
        (lambda: o.minimize(wt.sum, [1.0], maxiter=1.5), TypeError, "maxiter must be an integer"),
        (lambda: o.root(wt.sum, [1.0]), ValueError, "fun must return the shape of x0"),
        (lambda: o.root(lambda x: x, [1j]), TypeError, "x0 must be real"),
        (lambda: o.root_scalar(wt.cos), ValueError, "either a bracket or x0"),
        (lambda: o.root_scalar(wt.cos, bracket=(0, 1, 2)), ValueError, "must be 2 numbers"),
        (lambda: o.root_scalar(wt.cos, x0=[1.0]), ValueError, "must be of scalars"),
        (lambda: o.root_scalar(lambda x: v, x0=1.0), ValueError, "must return a scalar"),
        (lambda: o.minimize_scalar(wt.cos, (0, 1), (0, 1)), ValueError, "not both"),
        (lambda: o.minimize_scalar(wt.cos, method=print), ValueError, "method is 'brent'"),
        (lambda: o.minimize_scalar(wt.cos, bounds=(0, np.inf)), ValueError, "bounds are finite"),
        (lambda: o.minimize_scalar(wt.cos, bracket=(0,)), ValueError, "2 or 3 numbers"),
        (lambda: o.minimize_scalar(wt.cos, bounds=(0,)), ValueError, "must be 2 numbers"),
        (lambda: o.milp, AttributeError, r"scipy\.optimize\.milp is not in Weft"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()
