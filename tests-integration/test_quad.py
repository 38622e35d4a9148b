"""`quad` and rules for samples: as SciPy's, on all backends, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.integrate
THEIRS: Any = scipy.integrate
INF = float("inf")
RANDOM = np.random.default_rng(7)

FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], Any, Any]] = {
    "smooth": (lambda m, x: m.exp(-x) * m.sin(3 * x), 0.0, 2.0),
    "backward": (lambda m, x: m.cos(x), 3.0, -1.0),
    "nowhere": (lambda m, x: m.cos(x), 1.5, 1.5),
    "a peak": (lambda m, x: 1 / (1e-4 + (x - 0.3) ** 2), -1.0, 1.0),
    "a corner": (lambda m, x: abs(x - 1 / 3), 0, 1),
    "waves": (lambda m, x: m.cos(60 * x**2), 0.0, 2.0),
    "a root": (lambda m, x: m.sqrt(x), 0.0, 1.0),
    "to infinity": (lambda m, x: m.exp(-x), 1.0, INF),
    "from infinity": (lambda m, x: 1 / (1 + x**2), -INF, 0.5),
    "everywhere": (lambda m, x: m.exp(-((x - 1) ** 2)), -INF, INF),
    "everywhere, backward": (lambda m, x: m.exp(-((x - 1) ** 2)), INF, -INF),
    "back from infinity": (lambda m, x: m.exp(-x), INF, 1.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integrals(name: str) -> None:
    f, a, b = FUNCTIONS[name]
    area, error = OURS.quad(lambda x: f(wt, x), a, b)
    value, bound = wt.function([], [area, error], mode="py")()
    reference, _ = THEIRS.quad(lambda x: f(np, x), a, b)
    np.testing.assert_allclose(value, reference, 1e-8, 1e-8)
    assert abs(value - reference) <= bound + 1e-8


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_limits_and_arguments_are_variables(mode: str) -> None:
    a, b, rate = wt.scalar("a"), wt.scalar("b"), wt.scalar("rate")
    area, _ = OURS.quad(lambda x, r: wt.exp(-r * x) / (0.01 + x * x), a, b, args=(rate,))
    f = wt.function([a, b, rate], [area, *wt.grad(area, [a, b, rate])], mode=mode)
    values = [-0.5, 1.5, 0.7]
    low, high, r = values

    def density(x: float) -> float:
        return float(np.exp(-r * x) / (0.01 + x * x))

    wanted = [
        THEIRS.quad(density, low, high)[0],
        -density(low),
        density(high),
        THEIRS.quad(lambda x: -x * density(x), low, high)[0],
    ]
    np.testing.assert_allclose(f(*values), wanted, 1e-7)


def test_derivatives() -> None:
    def areas(a: Any, b: Any, rate: Any) -> list[Any]:
        return [
            OURS.quad(lambda x: wt.exp(-rate * x * x), a, b)[0],
            OURS.quad(lambda x: wt.exp(-rate * x * x), a, INF)[0],
        ]

    check_grad(areas, [np.array(-0.5), np.array(0.8), np.array(1.3)])


def test_many_at_once_and_float32() -> None:
    end = wt.vector("end")
    areas = wt.vmap(lambda b: OURS.quad(wt.exp, 0.0, b)[0])(end)
    np.testing.assert_allclose(
        wt.function([end], areas, mode="py")([0.5, 2.0]), np.expm1([0.5, 2.0])
    )
    b = wt.scalar("b", dtype="float32")
    area, error = OURS.quad(wt.exp, wt.constant(0.0, "float32"), b)
    assert area.dtype == error.dtype == "float32"
    np.testing.assert_allclose(area.eval({b: np.float32(1.0)}), np.e - 1, 1e-6)


def test_what_does_not_converge_has_its_error() -> None:
    area, error = OURS.quad(lambda x: 1 / x, 0.0, 1.0, limit=5)
    assert error.eval() > 0.1
    assert area.eval() < 100
    with np.errstate(all="ignore"):
        assert np.isnan(OURS.quad(wt.log, -1.0, 1.0)[0].eval())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8])
def test_cumulative_simpson(n: int) -> None:
    y, x = RANDOM.normal(size=(3, n)), np.cumsum(RANDOM.uniform(0.1, 1, n))
    inputs = wt.matrix("y"), wt.vector("x")
    calls: list[Callable[[Any, Any, Any], Any]] = [
        lambda m, y, x: m.cumulative_simpson(y, dx=0.3),
        lambda m, y, x: m.cumulative_simpson(y, x=x, initial=0.5),
        lambda m, y, x: m.cumulative_simpson(y.T, x=x, axis=0),
    ]
    for mode in ["py", "jax"] if n == 5 else ["py", "numba"] if n == 4 else ["py"]:
        f = wt.function(inputs, [call(OURS, *inputs) for call in calls], mode=mode)
        for value, call in zip(f(y, x), calls, strict=True):
            np.testing.assert_allclose(value, call(THEIRS, y, x), 1e-9, 1e-12)
    if n > 1:
        check_grad(lambda y, x: [call(OURS, y, x) for call in calls], [y, x])


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_romb(n: int) -> None:
    y = RANDOM.normal(size=(n, 2))
    np.testing.assert_allclose(OURS.romb(y, 0.3, 0).eval(), THEIRS.romb(y, 0.3, 0))
    check_grad(lambda v: OURS.romb(wt.specify_shape(v, n, 2), 0.3, 0), [y])


def test_newton_cotes() -> None:
    for rn in (1, 4, np.array([0, 1.2, 2])):
        ours, theirs = OURS.newton_cotes(rn), THEIRS.newton_cotes(rn)
        np.testing.assert_allclose(ours[0].eval(), theirs[0])
        assert ours[1] == theirs[1]


ERRORS: dict[str, Callable[[Any], Any]] = {
    "limit must": lambda x: OURS.quad(wt.exp, 0.0, 1.0, limit=0),
    "must be scalars": lambda x: OURS.quad(wt.exp, 0.0, x),
    r"2\*\*k": lambda x: OURS.romb(x),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
    with pytest.raises(TypeError, match="real"):
        OURS.quad(wt.exp, 0.0, 1j)


VECTORS: dict[str, tuple[Callable[[Any, Any], Any], Any, Any, str]] = {
    "waves": (lambda m, x: m.exp(1j * x * np.arange(3.0)) * m.sqrt(x), 0.0, 2.0, "2"),
    "to infinity": (lambda m, x: m.stack([[m.exp(-x), x * m.exp(-x)]]), 0.0, INF, "max"),
    "a number": (lambda m, x: m.cos(x), 2.0, -1.0, "2"),
    "nothing": (lambda m, x: x * np.ones((0, 2)), 0.0, 1.0, "2"),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", VECTORS)
def test_integrals_of_tensors(name: str, mode: str) -> None:
    f, a, b, norm = VECTORS[name]
    end = wt.scalar("end")
    low, high = (a, b) if b == INF else (a, end)
    area, error = OURS.quad_vec(lambda x, r: f(wt, r * x), low, high, norm=norm, args=(1.0,))
    outputs = [area, error, wt.grad(abs(area).sum(), end, disconnected_inputs="ignore")]
    value, bound, _ = wt.function([end], outputs, mode=mode)(b)
    reference = THEIRS.quad_vec(lambda x: f(np, x), a, b, norm=norm)[0] if value.size else value
    np.testing.assert_allclose(value, reference, 1e-8, 1e-8)
    assert abs(value - reference).max(initial=0.0) <= bound + 1e-8


def over_a_body(m: Any, r: Any, **few: Any) -> Any:
    sides = (0.0, 1.0, 0.0, lambda x: 2 - x, lambda x, y: -x, lambda x, y: x * y)
    return m.tplquad(lambda z, y, x, s: s * x * z * z, *sides, args=(r,), **few)[0]


def over_four(m: Any, r: Any, **few: Any) -> Any:
    ranges = [lambda z, y, x, s: (0.0, x + 2 * z), (0, 1), lambda x, s: (0.0, s * x), (0, 1)]
    return m.nquad(lambda w, z, y, x, s: w + z * y * y, ranges, args=(r,), **few)[0]


@pytest.mark.cases(0)
@pytest.mark.parametrize("call", [over_a_body, over_four], ids=lambda call: call.__name__)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_integrals_over_solids(mode: str, call: Any) -> None:
    rate = wt.scalar("rate")
    wanted, output = call(THEIRS, 1.7), call(OURS, rate, limit=1)
    slopes = [wt.grad(output, rate)] if call is over_a_body else []
    results = wt.function([rate], [output, *slopes], mode=mode)(1.7)
    np.testing.assert_allclose(results, [wanted, wanted / 1.7][: len(results)], rtol=1e-7)


def test_bad_arguments_of_other_integrals() -> None:
    with pytest.raises(ValueError, match="norm is one of"):
        OURS.quad_vec(wt.exp, 0.0, 1.0, norm="1")
    with pytest.raises(ValueError, match="quad_vec: limit must be 1 or more"):
        OURS.quad_vec(wt.exp, 0.0, 1.0, limit=0)
    with pytest.raises(ValueError, match=r"func returns a scalar, .*: see quad_vec"):
        OURS.quad(lambda x: x * np.ones(2), 0.0, 1.0)
    with pytest.raises(ValueError, match="one range or more"):
        OURS.nquad(wt.exp, [])


AT_ONCE: dict[str, tuple[Callable[[Any, Any], Any], Any, Any]] = {
    "infinite at an end": (lambda m, x: m.log(x) / m.sqrt(x), 0.0, np.array([1.0, 4.0])),
    "at both": (lambda m, x: x**-0.9 * (1 - x) ** -0.3, 0.0, 1.0),
    "backward and nowhere": (lambda m, x: m.cos(x), np.r_[0.0, 3.0, 1.0], np.r_[2.0, -1.0, 1.0]),
    "to infinity": (
        lambda m, x: m.exp(-x * x),
        np.r_[-INF, 0, INF, -INF, 1],
        np.r_[INF, INF, -INF, 0.5, 2],
    ),
    "a peak": (lambda m, x: 1 / (1e-3 + (x - 0.3) ** 2), -1.0, 1.0),
    "complex": (lambda m, x: m.exp(5j * x), 0.0, np.ones((2, 1))),
    "too much": (lambda m, x: 1 / x, 0.0, 1.0),
    "not finite": (lambda m, x: x + m.nan, 0.0, 1.0),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.cases(8)
def test_many_integrals_at_once(name: str, mode: str) -> None:
    f, a, b = AT_ONCE[name]
    given = OURS.tanhsinh(lambda x: f(wt, x), a, b)
    ours = dict(zip(given._fields, wt.function([], [*given], mode=mode)(), strict=True))
    theirs = THEIRS.tanhsinh(lambda x: f(np, x), a, b)
    np.testing.assert_allclose(ours["integral"], theirs.integral, 1e-12, 1e-12)
    np.testing.assert_array_equal(ours["status"], theirs.status)
    np.testing.assert_array_equal(ours["success"], theirs.success)
    if (theirs.status == -2).all():
        np.testing.assert_array_equal(ours["maxlevel"], theirs.maxlevel)
    if (theirs.status == 0).all():
        assert (abs(ours["integral"] - theirs.integral) <= ours["error"] + 1e-13).all()


def test_slow_tails_are_summed_to_the_end() -> None:
    found = OURS.tanhsinh(lambda x: x**-1.05, 1.0, INF)
    np.testing.assert_allclose(found.integral.eval(), 20.0, rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize(("low", "high"), [(0.5, 3.0), (2.0, 2.0), (2.0, -1.0), (2.0, INF)])
@pytest.mark.cases(4)
def test_slopes_of_many_integrals(low: float, high: float, mode: str) -> None:
    a, b, rates = wt.scalar("a"), wt.scalar("b"), wt.vector("rates")
    area = OURS.tanhsinh(lambda x, r: wt.exp(-r * x), a, b, args=rates).integral
    ahead = wt.pushforward(area, [a, rates], [wt.as_tensor(1.0), wt.ones_like(rates)])
    f = wt.function([a, b, rates], [area, *wt.grad(area.sum(), [a, b, rates]), ahead], mode=mode)
    r = np.array([0.7, 1.5])
    ends = [np.exp(-r * end) for end in (low, high)]
    last = 0.0 if high == INF else high
    by_rate = (ends[1] * last - ends[0] * low) / r + (ends[1] - ends[0]) / r**2
    expected = [(ends[0] - ends[1]) / r, -ends[0].sum(), ends[1].sum(), by_rate, by_rate - ends[0]]
    for found, value in zip(f(low, high, r), expected, strict=True):
        np.testing.assert_allclose(found, value, 1e-10, 1e-10)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_where_terms_overflow(mode: str) -> None:
    """k**a is infinite where the last places of integrals to infinity are, and 1 / k**a is 0."""
    a = wt.dscalar("a")
    total = OURS.nsum(lambda k: 1 / k**a, 1.0, INF).sum
    area = OURS.tanhsinh(lambda x: 1 / (1 + x**a), 0.0, INF).integral
    ways = [*wt.grad(total + area, [a]), wt.pushforward(total + area, a, wt.ones(()))]
    with np.errstate(over="ignore"):
        slopes = wt.function([a], ways, mode=mode)(4.0)
    zeta_prime, area_prime = -0.0689112658961254, -0.0595906773961829
    np.testing.assert_allclose(slopes, 2 * [zeta_prime + area_prime], rtol=1e-9)


def test_what_many_integrals_refuse() -> None:
    with pytest.raises(ValueError, match="levels go from 2 up, not from 1 to 4"):
        OURS.tanhsinh(wt.exp, 0.0, 1.0, minlevel=1, maxlevel=4)
    with pytest.raises(ValueError, match="f returns a value for each place"):
        OURS.tanhsinh(lambda x: x.sum(keepdims=True)[None], 0.0, 1.0)
    with pytest.raises(TypeError, match="tanhsinh: a and b are real"):
        OURS.tanhsinh(wt.exp, 0.0, 1j)


OVER_BOXES: dict[str, tuple[Callable[[Any, Any], Any], Any, Any, dict[str, Any]]] = {
    "many": (lambda m, x: x[:, None] ** np.arange(6.0).reshape(2, 3), [0], [1], {}),
    "a peak": (
        lambda m, x: 1 / (1e-3 + (x[:, 0] - 0.3) ** 2 + (x[:, 1] + 0.2) ** 2),
        [-1, -1],
        [1, 1],
        {"rtol": 1e-6},
    ),
    "everywhere": (lambda m, x: m.exp(-(x * x).sum(-1)), [-INF, -INF], [INF, INF], {"rtol": 1e-5}),
    "to infinity": (lambda m, x: m.exp(-x.sum(-1)), [0, 1], [INF, 3], {"rule": "gk15"}),
    "degree 7": (
        lambda m, x: m.cos(x.sum(-1)),
        [0, 0, 1],
        [1, 2, 0],
        {"rule": "genz-malik", "rtol": 1e-6},
    ),
    "at a point": (lambda m, x: m.sin(x) / x, [-1], [1], {"points": [[0.0]]}),
    "a corner": (
        lambda m, x: abs(x[:, 0] - 0.3) * abs(x[:, 1] - 0.6),
        [0, 0],
        [1, 1],
        {"points": [[0.3, 0.6]]},
    ),
    "not in the end": (
        lambda m, x: m.sqrt(x.prod(-1)),
        [0, 0],
        [1, 1],
        {"max_subdivisions": 5, "atol": 1e-9},
    ),
}


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", OVER_BOXES)
@pytest.mark.cases(8)
def test_integrals_over_boxes(name: str, mode: str) -> None:
    f, a, b, more = OVER_BOXES[name]
    found = OURS.cubature(lambda x: f(wt, x), a, b, **more)
    outputs = [found.estimate, found.error, found.status, found.subdivisions, *found.regions]
    value, error, status, count, low, high, parts, errors = wt.function([], outputs, mode=mode)()
    theirs = THEIRS.cubature(lambda x: f(np, x), np.array(a, "f8"), np.array(b, "f8"), **more)
    np.testing.assert_allclose(value, theirs.estimate, 1e-13, 1e-14)
    np.testing.assert_allclose(error, theirs.error, 1e-5, 1e-14)
    assert (status, count) == (theirs.status != "converged", theirs.subdivisions)
    used = (high - low).prod(-1) != 0
    assert used.sum() == len(theirs.regions)
    assert (low <= high).all()
    np.testing.assert_allclose(parts[used].sum(0), abs(value), 1e-12)
    np.testing.assert_allclose(errors[used].sum(0), error, 1e-9, 1e-15)


def test_boxes_in_which_scipy_errs() -> None:
    def bell(x: Any) -> Any:
        return wt.exp(x.sum(-1)) * wt.stack([1.0, 1j])[:, None]

    found = OURS.cubature(lambda x: bell(x).T, [0, 1], [-INF, -3], max_subdivisions=20)
    exact = np.e - np.exp(-3)
    np.testing.assert_allclose(found.estimate.eval(), [exact, 1j * exact], 1e-9)
    mixed = OURS.cubature(lambda x: wt.exp(-(x[:, 0] ** 2)) * x[:, 1], [-INF, 1], [INF, 2])
    np.testing.assert_allclose(mixed.estimate.eval(), 1.5 * np.sqrt(np.pi), 1e-8)
    nowhere = OURS.cubature(lambda x: x.sum(-1) + np.nan, [0], [1], max_subdivisions=3)
    assert [nowhere.status.eval(), nowhere.subdivisions.eval()] == [1, 3]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_over_boxes(mode: str) -> None:
    a, b, rate, at = (wt.scalar(name) for name in ("a", "b", "rate", "at"))
    first = OURS.cubature(lambda x: wt.exp(-rate * x.sum(-1)), [a, 0], [INF, b], rtol=1e-7)
    root = OURS.cubature(lambda x: abs(x[:, 0] - at) ** 0.5, [a], [b], points=[[at]], rtol=1e-6)
    areas = [first.estimate, root.estimate]
    slopes = [wt.grad(areas[0], [a, b, rate]), wt.grad(areas[1], [a, b, at])]
    f = wt.function([a, b, rate, at], [*areas, *slopes[0], *slopes[1]], mode=mode)
    low, high, r, c = 0.2, 1.5, 0.8, 0.7
    left, right = np.exp(-r * low) / r, (1 - np.exp(-r * high)) / r
    by_rate = (-low - 1 / r) * left * right + left * (high * np.exp(-r * high) - right) / r
    expected = [
        left * right,
        2 / 3 * ((c - low) ** 1.5 + (high - c) ** 1.5),
        *(-np.exp(-r * low) * right, left * np.exp(-r * high), by_rate),
        *(-((c - low) ** 0.5), (high - c) ** 0.5, (c - low) ** 0.5 - (high - c) ** 0.5),
    ]
    np.testing.assert_allclose(f(low, high, r, c), expected, 1e-5)


def test_what_boxes_refuse() -> None:
    calls: dict[str, Callable[[], Any]] = {
        "rule is one of": lambda: OURS.cubature(wt.sin, [0], [1], rule="gk7"),
        "a and b have one length, not 1 and 2": lambda: OURS.cubature(wt.sin, [0], [1, 2]),
        "vectors of known lengths": lambda: OURS.cubature(wt.sin, wt.vector("a"), [1]),
        "vectors of numbers": lambda: OURS.cubature(wt.sin, [[0]], [[1]]),
        "points are vectors of 1": lambda: OURS.cubature(wt.sin, [0], [1], points=[[1, 2]]),
        "two directions or more, not 1": lambda: OURS.cubature(wt.sin, [0], [1], rule="genz-malik"),
        "a value for each row": lambda: OURS.cubature(wt.sum, [0], [1]),
        "max_subdivisions is 0 or more": lambda: OURS.cubature(
            wt.sin, [0], [1], max_subdivisions=-1
        ),
    }
    for message, call in calls.items():
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="cubature: a and b are real"):
        OURS.cubature(wt.sin, [0], [1j])


SUMS: dict[str, tuple[Callable[..., Any], Any, Any, dict[str, Any]]] = {
    "powers": (lambda m, k, p: k**-p, 1.0, INF, {"args": (np.array([2.0, 3.0, 6.0]),)}),
    "few": (lambda m, k: 1 / k, np.array([1.0, 3.0]), np.array([10.0, 2000.5]), {}),
    "from infinity": (lambda m, k: m.exp(k / 3.0), -INF, np.array([2.0, -1.5]), {}),
    "everywhere": (lambda m, k: m.exp(-(k**2) / 7), -INF, INF, {"step": 0.5}),
    "many": (lambda m, k: 1 / k**1.5, 1.0, 1e7, {"maxterms": 1000}),
    "in pairs": (lambda m, k: 1 / k - 1 / (k + 1), 1, INF, {"step": 2}),
    "none at first": (lambda m, k: m.exp(-k), 1.0, INF, {"maxterms": 0}),
    "roughly": (lambda m, k: 1 / k**2, 1.0, INF, {"tolerances": {"rtol": 1e-4, "atol": 1e-5}}),
    "not finite": (lambda m, k: k * m.nan, 1.0, 5.0, {}),
    "no limits": (
        lambda m, k: k * 1.0,
        np.array([1.0, 3.0, 1.0, np.nan]),
        np.array([3.0, 1.0, 2.0, 2.0]),
        {"step": np.array([1.0, 1.0, -1.0, 1.0])},
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.cases(10)
def test_sums_of_many_terms(name: str, mode: str) -> None:
    f, a, b, more = SUMS[name]
    ours = OURS.nsum(lambda *x: f(wt, *x), a, b, **more)
    found = dict(zip(ours._fields, wt.function([], [*ours], mode=mode)(), strict=True))
    theirs = THEIRS.nsum(lambda *x: f(np, *x), a, b, **more)
    np.testing.assert_allclose(found["sum"], theirs.sum, 1e-13)
    np.testing.assert_allclose(found["error"], theirs.error, 1e-3, 1e-14)
    np.testing.assert_array_equal(found["status"], theirs.status)
    np.testing.assert_array_equal(found["success"], theirs.success)
    assert abs(found["nfev"] - theirs.nfev).max() <= 4


@pytest.mark.cases(0)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("last", [20.0, INF])
def test_slopes_of_sums(last: float, mode: str) -> None:
    a, b, p = wt.scalar("a"), wt.scalar("b"), wt.vector("p")
    total = OURS.nsum(lambda k, p: k**-p, a, b, args=p).sum
    ahead = wt.pushforward(total, [p], [wt.ones_like(p)])
    f = wt.function([a, b, p], [total, *wt.grad(total.sum(), [a, p]), ahead], mode=mode)
    powers = np.array([4.0, 6.0])
    k = np.arange(2.0, min(last, 10000.0) + 1)[:, None]
    by_power = -(np.log(k) * k**-powers).sum(0)
    by_first = -(powers * k ** (-powers - 1)).sum()
    expected = [(k**-powers).sum(0), by_first, by_power, by_power]
    for value, wanted in zip(f(2.0, last, powers), expected, strict=True):
        np.testing.assert_allclose(value, wanted, 1e-9)


def test_what_sums_refuse() -> None:
    few = OURS.nsum(lambda k: 1 / k, np.float32(1), np.float32(9))
    assert few.sum.dtype == few.error.dtype == "float32"
    assert OURS.nsum(lambda k: k - k + 2, 1, 3).sum.eval() == 6.0
    with pytest.raises(ValueError, match="tolerances are atol and rtol, 0 or more"):
        OURS.nsum(wt.exp, 0, 1, tolerances={"tol": 1e-3})
    with pytest.raises(ValueError, match="maxterms is 0 or more"):
        OURS.nsum(wt.exp, 0, 1, maxterms=-1)
    with pytest.raises(ValueError, match="f returns a value for each place"):
        OURS.nsum(lambda k: k[None], 0, 1)
    with pytest.raises(TypeError, match="a, b and step are real"):
        OURS.nsum(wt.exp, 0, 1j)
