"""Searches by SciPy's names, linear squares within bounds, orders and assignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.optimize
THEIRS: Any = scipy.optimize
RANDOM = np.random.default_rng(0)
MATRIX, SIDE = RANDOM.normal(size=(6, 4)), RANDOM.normal(size=6)
LEVELS, WEIGHTS = np.array([1.0, 3.0, 2.0, 2.0, 5.0, 4.0]), RANDOM.uniform(0.5, 2.0, 6)
COSTS = RANDOM.normal(size=(4, 6))
BOUNDS = np.array([-0.2, -np.inf, 0.0, -0.5]), np.array([np.inf, 0.1, 0.3, 0.2])


def cubic(x: Any, a: Any = 5.0) -> Any:
    return x**3 - a


def bowl(x: Any, a: Any = 5.0) -> Any:
    return (x - a) ** 2 + 0.1 * (x - a) ** 4


def shrunk(x: Any, a: Any = 5.0) -> Any:
    return a / (1 + x**2)


def pair(m: Any) -> Callable[..., Any]:
    return lambda x, a=5.0: (m.stack)([x[0] * x[1] - a, x[0] - 2 * x[1]])


def squares(m: Any) -> Callable[..., Any]:
    return lambda x, a=5.0: (m.stack)([x[0] - a, x[1] * x[0] - 1, x[0] + x[1] - 2])


def in_a_bracket(name: str) -> Callable[..., Any]:
    return lambda o, m, a: getattr(o, name)(cubic, 0.0, 4.0, (a,))


SEARCHES: dict[str, Callable[[Any, Any, Any], Any]] = {
    **{name: in_a_bracket(name) for name in ("bisect", "brentq", "brenth", "ridder", "toms748")},
    "newton": lambda o, m, a: o.newton(cubic, 1.5, None, (a,)),
    "newton of an array": lambda o, m, a: o.newton(cubic, np.array([1.5, 2.0]), None, (a,)),
    "newton with slopes": lambda o, m, a: o.newton(cubic, 1.5, lambda x, a: 3 * x**2, (a,)),
    "fixed_point": lambda o, m, a: o.fixed_point(shrunk, 1.0, (a,)),
    "fixed_point of an array": lambda o, m, a: o.fixed_point(shrunk, np.array([1.0, 2.0]), (a,)),
    "fixed_point, iteration": lambda o, m, a: o.fixed_point(
        lambda x, a: m.cos(a * x / 9), 1.0, (a,), method="iteration"),
    "fsolve": lambda o, m, a: o.fsolve(pair(m), np.array([1.0, 1.0]), (a,)),
    "brent": lambda o, m, a: o.brent(bowl, (a,)),
    "golden": lambda o, m, a: o.golden(bowl, (a,), (0.0, 1.0)),
    "fminbound": lambda o, m, a: o.fminbound(bowl, 0.0, 9.0, (a,)),
    "leastsq": lambda o, m, a: o.leastsq(squares(m), np.array([1.0, 1.0]), (a,))[0],
    "fsolve with slopes": lambda o, m, a: o.fsolve(
        pair(m), np.array([1.0, 1.0]), (a,), lambda x, a: np.array([[x[1], x[0]], [1.0, -2.0]])),
    "newton by secants": lambda o, m, a: o.newton(cubic, 1.5, None, (a,), x1=2.0, rtol=1e-9),
    "root_scalar by bisection": lambda o, m, a: o.root_scalar(
        cubic, (a,), "bisect", (0.0, 4.0)).root,
    "root_scalar by secants": lambda o, m, a: o.root_scalar(
        cubic, (a,), "secant", x0=1.5, x1=2.0).root,
    "root_scalar of a pair": lambda o, m, a: o.root_scalar(
        lambda x, a: (cubic(x, a), 3 * x**2), (a,), fprime=True, x0=1.5).root,
    "root, by name": lambda o, m, a: o.root(pair(m), np.array([1.0, 1.0]), (a,), "lm").x,
    "minimize, of a pair": lambda o, m, a: o.minimize(
        lambda x, a: (((x - a) ** 2).sum(), 2 * (x - a)), np.ones(2), (a,), "L-BFGS-B", True).x,
    "minimize, within bounds": lambda o, m, a: o.minimize(
        lambda x, a: bowl(x[0] * x[1], a) + x[1] ** 2, np.ones(2), (a,),
        bounds=[(None, 3.0), (0, None)], options={"gtol": 1e-9}).x,
    "minimize_scalar, bounded": lambda o, m, a: o.minimize_scalar(
        bowl, bounds=(0.0, 9.0), args=(a,), method="bounded", tol=1e-9).x,
}  # fmt: skip


@pytest.mark.cases(6)
@pytest.mark.filterwarnings("ignore:Method .bounded. does not:RuntimeWarning")  # of SciPy
@pytest.mark.parametrize("name", SEARCHES)
def test_searches_are_where_scipy_ends_and_move_with_what_they_use(name: str) -> None:
    a = wt.scalar("a")
    x = SEARCHES[name](OURS, wt, a)
    slopes = [wt.pushforward(x, a, wt.as_tensor(1.0)), wt.grad(x.sum(), a)]
    f = wt.function([a], [x, *slopes], mode="py")
    value, forward, down = f(5.0)
    reference = SEARCHES[name](THEIRS, np, 5.0)
    assert value.shape == np.shape(reference)
    np.testing.assert_allclose(value, reference, rtol=3e-5)
    differences = (f(5.0 + 1e-4)[0] - f(5.0 - 1e-4)[0]) / 2e-4
    np.testing.assert_allclose(forward, differences, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(down, forward.sum(), rtol=1e-9)


def parts(result: Any, *names: str) -> list[Any]:
    return [getattr(result, name) for name in names]


LINEAR: dict[str, Callable[..., Any]] = {
    "nnls": lambda o, a, b, *_: [*o.nnls(a, b)],
    "lsq_linear": lambda o, a, b, *_: parts(o.lsq_linear(a, b, BOUNDS), "x", "fun", "cost"),
    "lsq_linear without bounds": lambda o, a, b, *_: [o.lsq_linear(a, b).x],
    "lsq_linear by name": lambda o, a, b, *_: [
        o.lsq_linear(a, b, THEIRS.Bounds(*BOUNDS), "bvls").x],
    "isotonic_regression": lambda o, a, b, y, w, c: parts(
        o.isotonic_regression(y, weights=w), "x", "weights", "blocks"),
    "decreasing": lambda o, a, b, y, w, c: [o.isotonic_regression(y, increasing=False).x],
    "linear_sum_assignment": lambda o, a, b, y, w, c: [*o.linear_sum_assignment(c)],
    "of more rows": lambda o, a, b, y, w, c: [*o.linear_sum_assignment(c.T, maximize=True)],
}  # fmt: skip
ARRAYS = [MATRIX, SIDE, LEVELS, WEIGHTS, COSTS]


def inputs() -> list[Any]:
    return [wt.tensor(shape=(None,) * x.ndim) for x in ARRAYS]


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("name", LINEAR)
def test_linear_searches_are_scipys(name: str) -> None:
    variables = inputs()
    results = wt.function(variables, LINEAR[name](OURS, *variables), mode="py")(*ARRAYS)
    for value, reference in zip(results, LINEAR[name](THEIRS, *ARRAYS), strict=True):
        np.testing.assert_allclose(value, reference, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(
    "name", [name for name in LINEAR if "assign" not in name and "of" not in name]
)
def test_derivatives_where_the_same_elements_are_held(name: str) -> None:
    check_grad(lambda *v: [r for r in LINEAR[name](OURS, *v) if r.type.differentiable], ARRAYS)


@pytest.mark.cases("numba")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends_compute_what_python_does(mode: str, few: Any) -> None:
    a, variables = wt.scalar("a"), inputs()
    searches = few(("newton of an array", "fixed_point"), 1)
    found = [SEARCHES[name](OURS, wt, a) for name in searches]
    linear = few(("lsq_linear", "isotonic_regression", "linear_sum_assignment"), 1)
    found += [r for name in linear for r in LINEAR[name](OURS, *variables)]
    cost = sum(r.sum() for r in found if r.type.differentiable)
    slopes = wt.grad(cost, [a, *variables[:4]], disconnected_inputs="ignore")
    outputs = [*found, *slopes]
    values, references = (
        wt.function([a, *variables], outputs, mode=m)(5.0, *ARRAYS) for m in (mode, "py")
    )
    for value, reference in zip(values, references, strict=True):
        np.testing.assert_allclose(value, reference, rtol=1e-8, atol=1e-10)


def test_many_small_problems() -> None:
    """Each with its own elements at bounds, blocks and ties."""
    a, b, y, c = (wt.tensor(shape=(None,) * k) for k in (2, 1, 1, 2))
    low, high = -0.2, 0.3
    squares, levels = OURS.lsq_linear(a, b, (low, high)), OURS.isotonic_regression(y)
    rows, columns = OURS.linear_sum_assignment(c)
    f = wt.function(
        [a, b, y, c], [*OURS.nnls(a, b), squares.x, squares.success, levels.x, levels.blocks,
                       rows, c[rows, columns].sum()], mode="py")  # fmt: skip
    for k in range(12):
        columns, extra = RANDOM.integers(1, 6), RANDOM.integers(0, 3)
        m, s = RANDOM.normal(size=(columns + extra, columns)), RANDOM.normal(size=columns + extra)
        steps = RANDOM.integers(0, 5, k).astype(float)
        costs = RANDOM.integers(0, 4, (k % 5 + 1, columns)).astype(float)
        x, rest, bounded, success, level, blocks, own, total = f(m, s, steps, costs)
        np.testing.assert_allclose(x, THEIRS.nnls(m, s)[0], atol=1e-9)
        np.testing.assert_allclose(rest, THEIRS.nnls(m, s)[1], atol=1e-9)
        reference = THEIRS.lsq_linear(m, s, (low, high), method="bvls", tol=1e-13).x
        np.testing.assert_allclose(bounded, reference, atol=1e-8)
        assert success
        if k:
            order = THEIRS.isotonic_regression(steps)
            np.testing.assert_allclose(level, order.x)
            np.testing.assert_array_equal(blocks, order.blocks)
        theirs = THEIRS.linear_sum_assignment(costs)
        assert own.size == theirs[0].size == np.unique(own).size
        np.testing.assert_allclose(total, costs[theirs].sum())


def test_differences_are_scipys() -> None:
    x = np.array([1.0, -0.5])
    for f in (lambda v: (v**3).sum(), lambda v: v**2):
        near = OURS.approx_fprime(x, f).eval()
        np.testing.assert_allclose(near, THEIRS.approx_fprime(x, f), atol=1e-6)
    assert OURS.check_grad(lambda v: (v**2).sum(), lambda v: 3 * v, x).eval() > 1


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_a_step_satisfies_wolfes_conditions(mode: str) -> None:
    def f(v: Any) -> Any:
        return 100 * (v[1] - v[0] ** 2) ** 2 + (1 - v[0]) ** 2

    def slopes(v: Any) -> Any:
        over = v[1] - v[0] ** 2
        parts = [-400 * v[0] * over - 2 * (1 - v[0]), 200 * over]
        return wt.stack(parts) if isinstance(v, wt.TensorVariable) else np.array(parts)

    x, p, most = wt.vector("x"), wt.vector("p"), wt.scalar("most")
    far = OURS.line_search(f, slopes, x, p, c2=0.1, maxiter=40)
    near = OURS.line_search(f, slopes, x, p, slopes(x), f(x), amax=most)
    outputs = [*far, near.alpha, near.fc]
    step = wt.function([x, p, most], outputs, mode=mode)
    steps = ([-1.2, 1.0], [1.0, 0.3]), ([0.0, 0.0], [1e-3, 0.0]), ([2.0, 1.0], [-1.0, 3.0])
    for at, along in map(np.array, steps):
        alpha, fc, gc, value, before, gradient, short, calls = step(at, along, 1e-3)
        start, end = at, at + alpha * along
        assert THEIRS.line_search(f, slopes, at, along, c2=0.1, maxiter=40)[0] is not None
        assert before == pytest.approx(f(start), rel=1e-14)
        np.testing.assert_allclose([value, *gradient], [f(end), *slopes(end)], rtol=1e-12)
        assert value <= before + 1e-4 * alpha * slopes(start) @ along
        assert abs(gradient @ along) <= -0.1 * slopes(start) @ along
        assert 1 < fc == gc <= 41
        assert np.isnan(short) == (calls == 10)
        assert np.isnan(short) or short <= 1e-3
    assert np.isnan(step([0.0, 0.0], [-1.0, 0.0], 1.0)[0])


def test_what_is_not_reached_is_nan() -> None:
    ends = [
        OURS.bisect(lambda x: x**2 + 1, 0.0, 1.0),
        OURS.newton(lambda x: x**2 + 1, [0.3, 0.4]),
        OURS.fixed_point(lambda x: x**2 + 1, 2.0),
        OURS.fsolve(lambda x: x**2 + 1, [0.3]),
        OURS.nnls(MATRIX, MATRIX.sum(1), maxiter=1)[0],
    ]
    assert all(np.isnan(v.eval()).all() for v in ends)
    mixed = OURS.newton(lambda x: x**2 - [1.0, -1.0], [1.5, 0.3]).eval()
    np.testing.assert_allclose(mixed, [1.0, np.nan])


def test_forbidden_pairs() -> None:
    costs = [[np.inf, 1.0], [2.0, np.inf]]
    _, columns = OURS.linear_sum_assignment(costs)
    assert columns.eval().tolist() == [1, 0]


ERRORS: dict[str, Callable[[], Any]] = {
    "func must return the shape": lambda: OURS.newton(lambda x: x.sum(), [1.0]),
    "method is": lambda: OURS.fixed_point(cubic, 1.0, method="best"),
    "takes a matrix and a vector": lambda: OURS.nnls([1.0], [1.0]),
    "bounds is a pair": lambda: OURS.lsq_linear([[1.0]], [1.0], 3.0),
    "takes vectors": lambda: OURS.isotonic_regression([[1.0]]),
    "must be positive": lambda: OURS.isotonic_regression([1.0], weights=[0.0]).x.eval(),
    "must give a number": lambda: OURS.line_search(lambda v: v, lambda v: v, [1.0], [1.0]),
    "takes a matrix, not": lambda: OURS.linear_sum_assignment([1.0]),
    "a cost is NaN": lambda: OURS.linear_sum_assignment([[np.nan]])[1].eval(),
    "is forbidden": lambda: OURS.linear_sum_assignment([[np.inf, 1.0], [np.inf, 1.0]])[1].eval(),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_batches_and_single_precision() -> None:
    y = wt.matrix("y")
    level = wt.vmap(lambda v: OURS.isotonic_regression(v).x)(y)
    f = wt.function([y], level, mode="py")
    np.testing.assert_allclose(
        f([[2.0, 1.0, 3.0], [1.0, 2.0, 3.0]]), [[1.5, 1.5, 3.0], [1.0, 2.0, 3.0]]
    )
    small, side = np.float32(1.0), np.array([1, -1], "float32")
    for root, expected in (
        (OURS.newton(lambda x: x**2 - np.float32(2), small), np.array(2**0.5)),
        (OURS.fixed_point(wt.cos, small), np.array(0.7390851)),
        (OURS.nnls(np.eye(2, dtype="float32"), side)[0], np.array([1.0, 0.0])),
    ):
        assert root.dtype == "float32"
        np.testing.assert_allclose(root.eval(), expected, rtol=1e-6)
