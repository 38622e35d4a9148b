"""Differential equations on all backends: solutions, derivatives, batches, failures, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg

import weft.tensor as wt

OURS: Any = wt.integrate
MODES = ["py", "numba", "jax"]


def hare_and_lynx(y: Any, t: Any, rates: Any, stack: Any = wt.stack) -> Any:
    hares, lynxes = y[0], y[1]
    return stack(
        [
            rates[0] * hares - rates[1] * hares * lynxes,
            rates[2] * hares * lynxes - rates[3] * lynxes * (1 + t / 10),
        ]
    )


RATES = np.array([1.0, 0.1, 0.075, 1.5])
START = np.array([10.0, 5.0])


def reference(times: np.ndarray, rates: np.ndarray = RATES, start: np.ndarray = START) -> Any:
    """By SciPy's method of eighth order, far closer than what is tested."""
    return scipy.integrate.solve_ivp(
        lambda t, y: hare_and_lynx(y, t, rates, np.array),
        (times[0], times[-1]),
        start,
        "DOP853",
        times,
        rtol=1e-12,
        atol=1e-12,
    ).y.T


@pytest.mark.cases("py-times0", "py-times1", "py-times2", "py-times3")
@pytest.mark.parametrize("times", [[0.0, 10.0], np.linspace(1, 6, 40), [3.0, 1.0, 0.5], [2.0]])
@pytest.mark.parametrize("mode", MODES)
def test_states_as_in_scipy(mode: str, times: Any) -> None:
    y0, t, rates = wt.vector("y0"), wt.vector("t"), wt.vector("rates")
    f = wt.function([y0, t, rates], OURS.odeint(hare_and_lynx, y0, t, rates), mode=mode)
    states = f(START, times, RATES)
    wanted = reference(np.asarray(times)) if len(times) > 1 else START[None]
    np.testing.assert_allclose(states, wanted, rtol=1e-6)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_derivatives_of_both_modes(mode: str) -> None:
    y0, t, rates = wt.vector("y0"), wt.vector("t"), wt.vector("rates")
    states = OURS.odeint(hare_and_lynx, y0, t, rates)
    weights = np.cos(np.arange(8.0)).reshape(4, 2)
    inputs = [y0, t, rates]
    directions = [v.type() for v in inputs]
    back = wt.grad((weights * states).sum(), inputs)
    ahead = wt.pushforward(states, inputs, directions)
    f = wt.function([*inputs, *directions], [*back, ahead], mode=mode)
    at = [START, np.array([0.5, 1.0, 2.0, 4.0]), RATES]
    random = np.random.default_rng(3)
    ways = [0.1 * v * random.normal(size=v.shape) for v in at]
    *slopes, moved = f(*at, *ways)
    along = sum((s * w).sum() for s, w in zip(slopes, ways, strict=True))
    np.testing.assert_allclose((weights * moved).sum(), along, rtol=1e-9)

    def exact(step: float) -> Any:
        y0, t, rates = (v + step * w for v, w in zip(at, ways, strict=True))
        return reference(t, rates, y0)

    h = 1e-4
    np.testing.assert_allclose(moved, (exact(h) - exact(-h)) / (2 * h), rtol=1e-5, atol=1e-5)
    if mode == "jax":
        f(START, at[1], RATES / 2, *ways)  # in another number of steps
        assert f.compile_stats.compiles <= 1  # none if an earlier run has kept it


@pytest.mark.cases("numba", "py")
@pytest.mark.parametrize("mode", MODES)
def test_what_is_steep_has_right_derivatives(mode: str) -> None:
    """A solution that goes backwards in time loses all digits here: errors grow by exp(50)."""
    pull, start = wt.scalar("pull"), wt.scalar("start")
    end = OURS.odeint(lambda y, t: pull * (wt.cos(t) - y), start, [0.0, 2.0])[1]
    f = wt.function([pull, start], [end, *wt.grad(end, [pull, start])], mode=mode)

    def exact(k: float) -> float:
        return float(k * (k * np.cos(2) + np.sin(2)) / (1 + k * k))

    value, by_pull, by_start = f(50.0, 3.0)
    np.testing.assert_allclose(value, exact(50.0), rtol=1e-6)
    np.testing.assert_allclose(by_pull, (exact(50.01) - exact(49.99)) / 0.02, rtol=1e-4)
    assert abs(by_start) < 1e-9


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_room_is_not_needed_for_each_step_that_may_be_made(mode: str) -> None:
    start = wt.vector("start")
    states = OURS.odeint(lambda y, t: -y, start, [0.0, 1.0], max_steps=10**9)
    f = wt.function([start], states, mode=mode)
    np.testing.assert_allclose(f(np.ones(1000))[1], np.exp(-1), rtol=1e-6)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_derivatives_do_not_depend_on_which_states_are_kept(mode: str) -> None:
    y0, t, rates = wt.vector("y0"), wt.vector("t"), wt.vector("rates")
    slopes = []
    for most in (100, 4096):  # about fifty are made: in blocks of ten, or in one
        states = OURS.odeint(hare_and_lynx, y0, t, rates, max_steps=most)
        weights = np.cos(np.arange(12.0)).reshape(6, 2)
        slopes += wt.grad((weights * states).sum(), [y0, t, rates])
    by_start, by_time, *others = wt.function([y0, t, rates], slopes, mode=mode)(
        START, np.array([0.0, 3.0, 0.0, 2.0, 3.0, 4.0]), RATES
    )
    for slope, other in zip([by_start, by_time, others[0]], others[1:], strict=True):
        np.testing.assert_allclose(slope, other, rtol=1e-12)
    again = np.array(hare_and_lynx(START, 0.0, RATES, np.array))
    np.testing.assert_allclose(by_time[2], np.cos([4.0, 5.0]) @ again)


@pytest.mark.cases(0)
def test_second_derivatives() -> None:
    rate = wt.scalar("rate")
    end = OURS.odeint(lambda y, t: -rate * y, 2.0, [0.0, 1.5])[1]
    f = wt.function([rate], wt.grad(wt.grad(end, rate), rate), mode="py")
    np.testing.assert_allclose(f(0.7), 2 * 1.5**2 * np.exp(-0.7 * 1.5), rtol=1e-6)


@pytest.mark.cases(0)
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_second_derivatives_of_many_blocks_of_steps(direction: Any, few: Any) -> None:
    """The states between blocks, from which the steps are made again, move with the rates, too."""
    rates = wt.vector("rates", shape=(4,))
    end = OURS.odeint(hare_and_lynx, START, [0.0, 4.0], rates, max_steps=100)[1, 0]
    slope = wt.grad(end, rates)
    f = wt.function([rates], [slope, wt.jacobian(slope, rates, direction)], mode="py")
    by_rates = f(RATES)[1]
    np.testing.assert_allclose(by_rates, by_rates.T, rtol=1e-9)
    for way in few([*np.eye(4), np.array([0.3, -0.5, 0.4, 0.2])], 1):
        apart = (f(RATES + 1e-5 * way)[0] - f(RATES - 1e-5 * way)[0]) / 2e-5
        np.testing.assert_allclose(by_rates @ way, apart, rtol=1e-4, atol=1e-4)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_structures_and_ranks(mode: str) -> None:
    k, heat = wt.scalar("k"), wt.matrix("heat")

    def rate(state: Any, t: Any) -> Any:
        sine, cosine = state["pair"]
        return {"age": 1.0, "heat": -k * state["heat"], "pair": (cosine, -sine)}

    times = [0.0, 0.5, 2.0]
    first = {"age": 0.0, "heat": heat, "pair": (0.0, 1.0)}
    states = OURS.odeint(rate, first, times)
    outputs = [states["age"], states["heat"], *states["pair"]]
    age, cold, sine, cosine = wt.function([k, heat], outputs, mode=mode)(0.3, np.ones((2, 3)))
    np.testing.assert_allclose(age, times)
    left = np.exp(-0.3 * np.array(times))
    np.testing.assert_allclose(cold, left[:, None, None] * np.ones((2, 3)))
    np.testing.assert_allclose(sine, np.sin(times), atol=1e-7)
    np.testing.assert_allclose(cosine, np.cos(times), atol=1e-7)


@pytest.mark.cases("py")  # on JAX their derivatives are
@pytest.mark.parametrize("mode", MODES)
def test_batches(mode: str) -> None:
    rates, k = wt.vector("rates"), np.array([0.1, 1.0, 30.0])
    many = wt.vmap(decay)(rates)
    states = wt.function([rates], many, mode=mode)(k)
    np.testing.assert_allclose(states, 2 * np.exp(-k[:, None] * [0, 1, 4]), rtol=1e-6, atol=1e-7)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "jax"])
def test_batches_of_derivatives(mode: str) -> None:
    rates, k = wt.vector("rates"), np.array([0.1, 1.0, 30.0])
    slopes = wt.vmap(lambda rate: wt.grad(decay(rate)[1], rate))(rates)
    f = wt.function([rates], slopes, mode=mode)
    np.testing.assert_allclose(f(k), -2 * np.exp(-k), rtol=1e-6, atol=1e-7)


def decay(rate: Any) -> Any:
    return OURS.odeint(lambda y, t: -rate * y, 2.0, [0.0, 1.0, 4.0])


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_what_cannot_go_on_is_nan_from_there(mode: str) -> None:
    start = wt.scalar("start")
    bursts = OURS.odeint(lambda y, t: y * y, start, [0.0, 0.5, 2.0])
    few = OURS.odeint(lambda y, t: wt.cos(50 * t), start, [0.0, 100.0], max_steps=20)
    f = wt.function([start], [bursts, few, wt.grad(bursts[1], start)], mode=mode)
    values, short, slope = f(1.0)
    np.testing.assert_allclose(values, [1.0, 2.0, np.nan], rtol=1e-6)
    np.testing.assert_allclose(short, [1.0, np.nan])
    np.testing.assert_allclose(slope, 4.0, rtol=1e-6)
    assert np.isnan(f(np.nan)[0][1:]).all()


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_solve_ivp(mode: str) -> None:
    t, rates = wt.vector("t"), wt.vector("rates")
    result = OURS.solve_ivp(
        lambda t, y, rates: hare_and_lynx(y, t, rates),
        (0, 5),
        START,
        t_eval=t,
        args=(rates,),
        rtol=1e-7,
    )
    f = wt.function([t, rates], [result.t, result.y, result.success, result.status], mode=mode)
    times = np.array([0.5, 1.0, 4.0])
    found, states, success, status = f(times, RATES)
    np.testing.assert_allclose(found, times)
    np.testing.assert_allclose(states, reference(np.array([0, *times, 5]))[1:-1].T, rtol=1e-5)
    assert (bool(success), int(status)) == (True, 0)
    assert OURS.solve_ivp(lambda t, y: -y, (0, 1), [1.0]).y.eval().shape == (1, 1)


@pytest.mark.cases(0)
@pytest.mark.parametrize("method", ["RK23", "DOP853"])
@pytest.mark.parametrize("mode", MODES)
def test_methods_of_other_orders(mode: str, method: str) -> None:
    """By no more steps than SciPy makes, and with the derivatives of both modes."""
    t, rates, way = wt.vector("t"), wt.vector("rates"), wt.vector("way")
    states = OURS.solve_ivp(
        lambda t, y, rates: hare_and_lynx(y, t, rates),
        (0, 5),
        START,
        method,
        t,
        args=(rates,),
        rtol=1e-8,
        atol=[1e-8, 1e-9],
        max_steps=120 if method == "DOP853" else 2000,
    ).y
    weights = np.cos(np.arange(6.0)).reshape(2, 3)
    slopes = wt.grad((weights * states).sum(), rates)
    outputs = [states, slopes, wt.pushforward(states, rates, way)]
    times = np.array([0.5, 1.0, 4.0])
    found, back, ahead = wt.function([t, rates, way], outputs, mode=mode)(times, RATES, RATES)
    np.testing.assert_allclose(found, reference(np.array([0, *times, 5]))[1:-1].T, rtol=1e-6)
    np.testing.assert_allclose((weights * ahead).sum(), back @ RATES, rtol=1e-9)
    h = 1e-4
    ends = [reference(np.array([0, *times]), RATES * (1 + s))[1:].T for s in (h, -h)]
    np.testing.assert_allclose(ahead, (ends[0] - ends[1]) / (2 * h), rtol=1e-5)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_complex_states_and_how_wide_steps_are(mode: str) -> None:
    energy = wt.scalar("energy")
    coupling = np.array([[0.0, 1.0], [1.0, 0.0]])
    level = wt.stack([energy, -energy])
    waves = OURS.odeint(
        lambda t, y: -1j * (level * y + wt.matmul(coupling, y)),
        np.array([1.0 + 0j, 0.0]),
        [0.0, 1.0, 3.0],
        tfirst=True,
        rtol=[1e-9, 1e-9],
        method="DOP853",
    )
    share = abs(waves[2, 1]) ** 2
    burst = [
        OURS.odeint(lambda y, t: -100 * (t - 0.505) * y, 1.0, [0.0, 1.0], rtol=1e-3, **more)[1]
        for more in ({"h0": 1e-5, "hmax": 0.01}, {"hmax": 0.01, "max_steps": 50})
    ]
    outputs = [waves, wt.grad(share, energy), *burst]
    found, slope, end, few = wt.function([energy], outputs, mode=mode)(0.5)

    def exact(e: float) -> Any:
        return scipy.linalg.expm(-3j * np.array([[e, 1], [1, -e]]))[:, 0]

    np.testing.assert_allclose(found[2], exact(0.5), atol=1e-8)
    steps = [abs(exact(0.5 + h)[1]) ** 2 for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(slope, (steps[0] - steps[1]) / 2e-5, rtol=1e-6)
    np.testing.assert_allclose(end, np.exp(0.5), rtol=1e-3)
    assert np.isnan(few)  # a hundred steps are needed


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_what_is_stiff(mode: str) -> None:
    """Three substances, one of which reacts a thousand million times as fast as another."""
    k, way = wt.vector("k"), wt.vector("way")
    times = [0.4, 40.0, 4000.0]

    def change(t: Any, y: Any, k: Any, stack: Any = wt.stack) -> Any:
        first, second, third = k[0] * y[0], k[1] * y[1] ** 2, k[2] * y[1] * y[2]
        return stack([third - first, first - second - third, second])

    result = OURS.solve_ivp(
        change,
        (0, 4000),
        [1.0, 0.0, 0.0],
        "Rodas",
        times,
        args=k,
        rtol=1e-7,
        atol=1e-12,
        max_steps=400,
    )
    last = result.y[0, -1]
    outputs = [result.y, result.success, wt.grad(last, k), wt.pushforward(last, k, way)]
    f = wt.function([k, way], outputs, mode=mode)
    rates = np.array([0.04, 3e7, 1e4])
    states, success, slopes, moved = f(rates, 0.3 * rates)
    exact = scipy.integrate.solve_ivp(
        lambda t, y: change(t, y, rates, np.array),
        (0, 4000),
        [1.0, 0.0, 0.0],
        "Radau",
        times,
        rtol=1e-9,
        atol=1e-13,
    )
    assert success
    np.testing.assert_allclose(states, exact.y, rtol=1e-6)
    # SciPy's Radau with rtol=1e-11, at rates 1e-4 of themselves apart
    np.testing.assert_allclose(slopes, [-4.750071, -3.134813e-9, 1.880886e-5], rtol=1e-6)
    np.testing.assert_allclose(moved, slopes @ (0.3 * rates), rtol=1e-9)


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_names_for_what_is_stiff(method: str) -> None:
    """All are Rodas, for which no Jacobian is to be given."""
    k = wt.scalar("k")

    def states(method: str, **given: Any) -> Any:
        return OURS.solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], method, **given).y

    found = [states(method, jac=lambda t, y: [[-k]]), states("Rodas")]
    values = wt.function([k], found, mode="py")(5.0)
    np.testing.assert_array_equal(*values)


@pytest.mark.cases(0)
def test_what_is_stiff_changes_with_the_time_and_may_burst() -> None:
    pull, start = wt.scalar("pull"), wt.scalar("start")

    def states(change: Any, first: Any, times: Any, **more: Any) -> Any:
        return OURS.solve_ivp(change, (0, times[-1]), first, "Rodas", times, **more).y[0]

    near = states(
        lambda t, y: -pull * (y - wt.cos(t)) - wt.sin(t),
        [1.0],
        [0.5, 3.0],
        rtol=1e-6,
        max_steps=60,
    )
    bursts = states(lambda t, y: y * y, [start], [0.5, 2.0], rtol=1e-7)
    many = wt.vmap(lambda r: states(lambda t, y: -r * y, [1.0], [1.0], rtol=1e-6))(
        wt.stack([start, pull])
    )
    outputs = [near, bursts, wt.grad(bursts[0], start), many]
    values, burst, slope, decays = wt.function([pull, start], outputs, mode="py")(1e6, 1.0)
    np.testing.assert_allclose(values, np.cos([0.5, 3.0]), atol=5e-4)
    np.testing.assert_allclose(burst, [2.0, np.nan], rtol=1e-5)
    np.testing.assert_allclose(slope, 4.0, rtol=1e-5)
    np.testing.assert_allclose(decays[:, 0], [np.exp(-1), 0.0], atol=1e-5)


@pytest.mark.cases(0)
def test_single_precision_and_loops_within_loops(few: Any) -> None:
    y = wt.vector("y", dtype="float32")
    states = OURS.odeint(lambda y, t: -y * t, y, [0, 1, 2])
    assert states.dtype == "float32"
    for mode in few(MODES, 1):
        values = wt.function([y], states, mode=mode)(np.ones(2, "float32"))
        np.testing.assert_allclose(values[:, 0], np.exp([0, -0.5, -2]), rtol=5e-3)
    start = wt.scalar("start")
    twice = wt.fori_loop(0, 2, lambda i, y: OURS.odeint(lambda y, t: -y, y, [0.0, 1.0])[1], start)
    for mode in few(("py", "jax"), 1):
        f = wt.function([start], [twice, wt.grad(twice, start)], mode=mode)
        np.testing.assert_allclose(f(3.0), [3 * np.exp(-2), np.exp(-2)], rtol=1e-6)


def test_bad_input(few: Any) -> None:
    v, m = wt.vector("v"), wt.matrix("m")

    def same(y: Any, t: Any) -> Any:
        return y

    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: OURS.odeint(same, v, m), ValueError, "odeint: t must be a vector"),
        (lambda: OURS.odeint(lambda y, t: 1j * y, v, v), TypeError, "must be real as y0 is"),
        (lambda: OURS.odeint(lambda y, t: m, v, v), TypeError, "must be of the rank of"),
        (lambda: OURS.odeint(lambda y, t: [y], {"a": v}, v), TypeError, "what the function"),
        (lambda: OURS.odeint(same, v, v, max_steps=0), ValueError, "max_steps must be 1 or more"),
        (
            lambda: OURS.solve_ivp(same, (0, 1), v, "best"),
            ValueError,
            "method must be 'RK45', 'RK23', 'DOP853' or, for stiff .* 'Rodas', not 'best'",
        ),
        (lambda: OURS.solve_ivp(same, (0, 1), m), ValueError, "y0 must be a vector"),
        (lambda: OURS.solve_ivp(same, (0, 1, 2), v), ValueError, "t_span is .first, last."),
        (lambda: OURS.odeint(same, v, v, hmax=-1), ValueError, "the widest step is .* not -1"),
        (
            lambda: OURS.solve_ivp(same, (0, 1), v, first_step=2.0),
            ValueError,
            r"first_step 2.0 exceeds the bounds \(0, 1\)",
        ),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()
    for mode in few(MODES, 1):
        f = wt.function([v], OURS.odeint(lambda y, t: -y, 1.0, v), mode=mode)
        with pytest.raises(ValueError, match="between the first and the last"):
            f([0.0, 2.0, 1.0])
        g = wt.function([v], OURS.odeint(lambda y, t: v, [1.0, 2.0], [0.0, 1.0]), mode=mode)
        with pytest.raises(ValueError, match=r"shape|length"):
            g([1.0, 2.0, 3.0])
