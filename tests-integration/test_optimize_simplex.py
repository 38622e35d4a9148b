"""Nelder and Mead's simplex and Powell's lines: SciPy's steps, ends and counts, on all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import weft.tensor as wt
from weft_graph import UndefinedGradientError, wrap_py

OURS: Any = wt.optimize
THEIRS: Any = scipy.optimize
MODES = ["py", "numba", "jax"]
pytestmark = pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")


def rosenbrock(x: Any, m: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def himmelblau(x: Any, m: Any) -> Any:
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def kinked(x: Any, m: Any) -> Any:
    return abs(x - 0.3).sum() + 0.37 * abs(x[0] - 2 * x[-1])


def stairs(x: Any, m: Any) -> Any:
    return m.floor(x * 7 + 0.31).sum() ** 2 + ((x - 0.2) ** 2).sum()


def undefined(x: Any, m: Any) -> Any:
    return m.where(x[0] > 0.2, m.log(abs(x[0])) ** 2 + (x[1] - 0.3) ** 2 + x[0], np.nan)


def walled(x: Any, m: Any) -> Any:
    return m.where(x[0] + x[1] > 1.2, (x**2).sum(), np.inf)


SIMPLEX = [[0.0, 0.0], [1.0, 0.1], [0.2, 3.0]]
Case = tuple[Callable[[Any, Any], Any], list[float], dict[str, Any]]
CASES: dict[str, Case] = {
    "of 2 numbers": (rosenbrock, [-1.2, 1.0], {}),
    "of 3": (rosenbrock, [1.3, 0.7, 0.8], {}),
    "of 5": (rosenbrock, [1.3, 0.7, 0.8, 1.9, 1.2], {}),
    "of 1": (lambda x, m: (x[0] - 3) ** 4 + x[0], [7.0], {}),
    "himmelblau": (himmelblau, [0.0, 0.0], {}),
    "himmelblau, elsewhere": (himmelblau, [-1.0, 1.5], {}),
    "kinks": (kinked, [2.3, 1.1], {}),
    "kinks of 3": (kinked, [0.5, -1.0, 2.2], {}),
    "stairs": (stairs, [1.0, 2.0], {}),
    "not a number": (undefined, [0.25, 2.0], {}),
    "infinite": (walled, [3.0, -1.0], {}),
    "adaptive": (rosenbrock, [1.3, 0.7, 0.8, 1.9], {"options": {"adaptive": True}}),
    "bounds": (rosenbrock, [-1.2, 1.0], {"bounds": [(-2, 0.7), (0.1, None)]}),
    "beside a bound": (rosenbrock, [0.69, 0.2], {"bounds": [(-2, 0.7), (0.1, None)]}),
    "57 calls": (rosenbrock, [-1.2, 1.0], {"options": {"maxfev": 57}}),
    "2 calls": (rosenbrock, [-1.2, 1.0], {"options": {"maxfev": 2}}),
    "calls in a shrinking simplex": (stairs, [1.0, 2.0], {"options": {"maxfev": 33}}),
    "20 steps": (rosenbrock, [-1.2, 1.0], {"options": {"maxiter": 20, "disp": False}}),
    "1 step": (rosenbrock, [-1.2, 1.0], {"options": {"maxiter": 1, "maxfev": np.inf}}),
    "default steps": (rosenbrock, [-1.2, 1.0], {"options": {"maxfev": np.inf}}),
    "tolerance": (rosenbrock, [-1.2, 1.0], {"tol": 1e-10}),
    "tolerances": (rosenbrock, [-1.2, 1.0], {"tol": 1e-10, "options": {"xatol": 1, "fatol": 1}}),
    "first simplex": (rosenbrock, [-1.2, 1.0], {"options": {"initial_simplex": SIMPLEX}}),
}


def both(method: str, mode: str, case: Case) -> tuple[Any, Any]:
    """Our end of the search, and SciPy's."""
    fun, start, more = case
    x0 = wt.vector("x0")
    found = OURS.minimize(fun, x0, wt, method, **more)
    theirs = THEIRS.minimize(fun, start, (np,), method, **more)
    return wt.function([x0], found, mode=mode)(start), theirs


@pytest.mark.cases("py-of 3", "numba-kinks", "jax-not a number")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", MODES)
def test_it_ends_where_scipy_ends_after_as_many_steps(mode: str, name: str) -> None:
    (x, value, _, nit, nfev, status, success), theirs = both("Nelder-Mead", mode, CASES[name])
    np.testing.assert_allclose(x, theirs.x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(value, theirs.fun, rtol=1e-9, atol=1e-12)
    assert (nit, nfev, success) == (theirs.nit, theirs.nfev, theirs.success)
    assert status == (0 if theirs.success else 1)


LINES: dict[str, Case] = {
    **{name: CASES[name] for name in ("of 2 numbers", "of 3", "kinks", "infinite")},
    "of 1": (lambda x, m: ((x - 3) ** 2).sum(), [7.0], {}),
    "a bowl": (lambda x, m: ((x - 3) ** 2).sum() + x[0] * x[1], [7.0, 1.0], {}),
    "waves": (lambda x, m: m.cos(3 * x).sum() + (x**2).sum() + x[0] * x[1], [0.4, 2.0], {}),
    "steep": (lambda x, m: m.exp(x - 2).sum() - 3 * x.sum(), [0.4, -9.0], {}),
    "far away": (lambda x, m: ((x - 1e5) ** 2).sum() + x[0] * x[1], [0.0, 1.0], {}),
    "undefined": (lambda x, m: m.log(x).sum() ** 2, [-1.0, 2.0], {}),
    "57 calls": (rosenbrock, [-1.2, 1.0], {"options": {"maxfev": 57}}),
    "1 call": (rosenbrock, [-1.2, 1.0], {"options": {"maxfev": 1}}),
    "2 steps": (rosenbrock, [-1.2, 1.0], {"options": {"maxiter": 2}}),
    "tolerance": (rosenbrock, [-1.2, 1.0], {"tol": 1e-9}),
    "tolerances": (rosenbrock, [-1.2, 1.0], {"options": {"xtol": 1e-2, "ftol": 1e-2}}),
}


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("mode", MODES)
def test_lines_end_where_scipys_end(mode: str, name: str) -> None:
    """The number of calls may be another one where a backend rounds otherwise."""
    (x, value, _, nit, nfev, status, success), theirs = both("Powell", mode, LINES[name])
    np.testing.assert_allclose(x, theirs.x, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(value, theirs.fun, rtol=1e-9, atol=1e-12)
    assert (nit, success) == (theirs.nit, theirs.success)
    assert status == (0 if theirs.success else 3 if np.isnan(theirs.fun) else 1)
    assert nfev == pytest.approx(theirs.nfev, rel=0 if mode == "py" else 0.2)


def valley(x: Any, a: Any) -> Any:
    return (a - x[0]) ** 2 + 2 * (x[1] - x[0] ** 2) ** 2


@pytest.mark.cases("py-Nelder-Mead", "py-powell")
@pytest.mark.parametrize("method", ["Nelder-Mead", "powell"])
@pytest.mark.parametrize("mode", MODES)
def test_derivatives_are_those_of_the_minimum(mode: str, method: str) -> None:
    a = wt.scalar("a")
    found = OURS.minimize(valley, [0.0, 1.0], a, method, tol=1e-9)
    slopes = [wt.grad(found.x[1], a), wt.pushforward(found.x, a, wt.as_tensor(1.0))]
    second = wt.grad(slopes[0], a)
    f = wt.function([a], [found.x, *slopes, second, wt.grad(found.fun, a), found.jac], mode=mode)
    x, down, forward, curvature, of_value, jac = f(1.5)
    np.testing.assert_allclose(x, [1.5, 2.25], rtol=1e-7)
    np.testing.assert_allclose([down, *forward, curvature], [3.0, 1.0, 3.0, 2.0], rtol=1e-5)
    np.testing.assert_allclose([of_value, *jac], 0, atol=1e-6)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_derivatives_at_bounds_and_kinks(mode: str) -> None:
    a = wt.scalar("a")
    bound = OURS.minimize(valley, [0.2, 1.0], 1.5, "Nelder-Mead", bounds=[(None, a), (None, 9)])
    kink = OURS.minimize(
        lambda x: ((x - a) ** 2 / 2).sum() + abs(x[0]), [1.0, 2.0], method="Nelder-Mead"
    )
    outputs = [v for s in (bound, kink) for v in (s.x, wt.grad(s.x[1], a), wt.grad(s.fun, a))]
    f = wt.function([a], outputs, mode=mode)
    x, slope, of_value, *_ = f(1.2)
    np.testing.assert_allclose([*x, slope, of_value], [1.2, 1.44, 2.4, -0.6], rtol=1e-3)
    np.testing.assert_allclose(np.hstack(f(2.5)[3:]), [1.5, 2.5, 1.0, 1.0], rtol=1e-4)
    x, *slopes = f(0.5)[3:]
    np.testing.assert_allclose(x, [0.0, 0.5], atol=1e-4)
    assert np.isnan(slopes).all()


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_functions_without_derivatives(mode: str) -> None:
    a, kind = wt.scalar("a"), wt.vector().type
    far = wrap_py(lambda x: np.abs(x).sum() + 0.0, itypes=[kind], otypes=[a.type])
    found = OURS.minimize(lambda x: far(x - a), [1.0, 2.0], method="Nelder-Mead")
    x, _, jac, *_, success = wt.function([a], found, mode=mode)(3.0)
    np.testing.assert_allclose(x, 3.0, rtol=1e-4)
    assert success
    assert np.isnan(jac).all()
    for value in (found.x[0], found.fun):
        with pytest.raises(UndefinedGradientError, match="without a derivative"):
            wt.grad(value, a)
    with pytest.raises(UndefinedGradientError, match="without a derivative"):
        wt.pushforward(found.x, a, wt.as_tensor(1.0))
    whole = OURS.minimize(
        lambda x: wt.round(x * 30).astype("int64") ** 2, 2.0, method="Nelder-Mead"
    )
    assert whole.fun.eval() == 0


@pytest.mark.cases(0)
def test_where_nothing_is_finite() -> None:
    found = OURS.minimize(lambda x: undefined(x, wt), [-1.0, 0.0], method="Nelder-Mead")
    x, value, status, success = (v.eval() for v in (found.x, found.fun, *found[5:]))
    np.testing.assert_array_equal(x, [-1.0, 0.0])
    assert np.isnan(value)
    assert (status, success) == (3, False)


@pytest.mark.cases(0)
@pytest.mark.parametrize("method", ["Nelder-Mead", "powell"])
@pytest.mark.parametrize("mode", MODES)
def test_batches_shapes_and_single_precision(mode: str, method: str) -> None:
    v, small = wt.vector("v"), wt.tensor(dtype="float32", shape=(None, None))

    def of(a: Any) -> Any:
        found = OURS.minimize(valley, [0.0, 1.0], a, method)
        return found.x, found.nit, found.nfev

    square = OURS.minimize(lambda x: ((x - 2) ** 2).sum(), small, method=method)
    f = wt.function([v, small], [*wt.vmap(of)(v), square.x, square.fun, square.success], mode=mode)
    places = [0.5, 1.0, 1.5]
    x, nit, nfev, *_ = f(places, np.ones((2, 1), "float32"))
    for k, a in enumerate(places):
        theirs = THEIRS.minimize(valley, [0.0, 1.0], a, method)
        np.testing.assert_allclose(x[k], theirs.x, rtol=1e-7)
        assert nit[k] == theirs.nit
        assert nfev[k] == pytest.approx(theirs.nfev, rel=0.1 if method == "powell" else 0)
    for shape in ((2, 1), (1, 1), (0, 1)):
        end, value, success = f(places, np.ones(shape, "float32"))[3:]
        assert (end.shape, end.dtype, value.dtype, success) == (shape, "float32", "float32", True)
        np.testing.assert_allclose(end, 2.0, rtol=1e-4)


@pytest.mark.cases(0)
def test_fmin_is_scipys() -> None:
    ends = OURS.fmin(rosenbrock, SIMPLEX[1], (wt,), 1e-6, 1e-7, full_output=True, disp=False)
    reference = THEIRS.fmin(rosenbrock, SIMPLEX[1], (np,), 1e-6, 1e-7, full_output=True, disp=False)
    for ours, theirs in zip(ends, reference, strict=True):
        np.testing.assert_allclose(ours.eval(), theirs, rtol=1e-9)
    short = OURS.fmin(rosenbrock, [0.0, 0.0], (wt,), maxfun=30, initial_simplex=SIMPLEX).eval()
    theirs = THEIRS.fmin(rosenbrock, [0.0, 0.0], (np,), maxfun=30, initial_simplex=SIMPLEX, disp=0)
    np.testing.assert_allclose(short, theirs)


def test_other_searches_take_it() -> None:
    how = {"method": "Nelder-Mead", "options": {"fatol": 1e-3}}
    found = OURS.basinhopping(
        lambda x: kinked(x, wt), [1.0, 2.0], 3, minimizer_kwargs=how, rng=wt.random.key(0)
    )
    assert found.fun.eval() < 0.2


def sought(fun: Any = rosenbrock, **more: Any) -> Any:
    return OURS.minimize(fun, [0.0, 0.0], wt, "Nelder-Mead", **more).x.eval()


ERRORS: dict[str, Callable[[], Any]] = {
    "options are maxiter, maxfev": lambda: sought(options={"gtol": 1.0}),
    "takes no constraints": lambda: sought(constraints={"type": "eq", "fun": rosenbrock}),
    "must return a real scalar": lambda: sought(lambda x, m: x),
    "a row for each corner": lambda: sought(options={"initial_simplex": [1.0, 2.0]}),
    "neither retall nor callback": lambda: OURS.fmin(kinked, [1.0], retall=True),
    "Powell takes no bounds": lambda: OURS.minimize(
        kinked, [1.0], wt, "Powell", bounds=[(0.0, 1.0)]
    ),
    "options are maxiter, maxfev, xtol": lambda: OURS.minimize(
        kinked, [1.0], wt, "Powell", options={"xatol": 1.0}
    ),
    "expected|shape": lambda: sought(options={"initial_simplex": [[1.0, 2.0]]}),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
