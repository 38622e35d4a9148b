"""Events of differential equations on all backends: against SciPy's, derivatives, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
OURS: Any = wt.integrate.solve_ivp
THEIRS: Any = scipy.integrate.solve_ivp
g, h, k = wt.scalar("g"), wt.scalar("h"), wt.scalar("k")
PRECISE: Any = {"rtol": 1e-9, "atol": 1e-11}


def event(condition: Any, **attributes: Any) -> Any:
    """An event, as users make it."""

    def own(t: Any, y: Any, *args: Any) -> Any:
        return condition(t, y)

    own.__dict__.update(attributes)
    return own


def pendulum(stack: Any, sin: Any) -> Any:
    return lambda t, y, k: stack([y[1], -k * sin(y[0])])


def ball(t: Any, y: Any) -> Any:
    return wt.stack([y[1], -g + 0.1 * t])


GROUND = event(lambda t, y: y[0], terminal=True, direction=-1)
BELOW, TOP = event(lambda t, y: y[0]), event(lambda t, y: y[1], direction=1)
THIRD = event(lambda t, y: y[0] - 0.5, terminal=3)
NEVER = event(lambda t, y: y[0] - 9, terminal=True)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_states_at_other_times(mode: str) -> None:
    """Of dense output: as far as an event, forwards and backwards, with derivatives by times."""
    at, moment = wt.vector("at"), wt.scalar("moment")
    span, places = (1.0, -12.0), np.array([-0.5, 1.0, 0.25])
    options: Any = {"dense_output": True, "events": THIRD, **PRECISE}
    known = THEIRS(pendulum(np.array, np.sin), span, [1.0, 0.0], args=(1.3,), **options)
    found = OURS(pendulum(wt.stack, wt.sin), span, [1.0, 0.0], args=(k,), **options)
    outputs = [found.sol(at), found.sol(moment), wt.grad(found.sol(moment)[0], [moment, k])]
    many, one, (by_time, by_k) = wt.function([at, moment, k], outputs, mode=mode)(places, -1.0, 1.3)
    np.testing.assert_allclose(many, known.sol(places), atol=1e-8)
    np.testing.assert_allclose(one, known.sol(-1.0), atol=1e-8)
    np.testing.assert_allclose(by_time, one[1], atol=1e-6)
    plain = OURS(pendulum(wt.stack, wt.sin), span, [1.0, 0.0], args=(k,), **PRECISE)
    assert plain.sol == ()
    near = [
        THEIRS(pendulum(np.array, np.sin), (1.0, -1.0), [1.0, 0.0], args=(v,), **PRECISE).y[0, -1]
        for v in (1.3 - 1e-4, 1.3 + 1e-4)
    ]
    np.testing.assert_allclose(by_k, np.diff(near)[0] / 2e-4, rtol=1e-5)


@pytest.mark.cases("jax-2-DOP853", "py-0-RK45")
@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "Rodas"])
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("mode", MODES)
def test_when_and_where_things_happen(mode: str, which: int, method: str) -> None:
    events = ([BELOW, TOP], [BELOW, THIRD], [THIRD, NEVER])[which]
    span = ((0.0, 12.0), (0.0, -12.0), (1.0, 12.0))[which]
    times = np.linspace(*span, 25)
    options = {"t_eval": times, "events": events, "args": (1.3,), **PRECISE}
    known = THEIRS(pendulum(np.array, np.sin), span, [1.0, 0.0], "DOP853", **options)
    options["args"] = (k,)
    found = OURS(pendulum(wt.stack, wt.sin), span, [1.0, 0.0], method, **options)
    f = wt.function([k], [*found[:4], *found.t_events, *found.y_events], mode=mode)
    t, y, success, status, *happened = f(1.3)
    np.testing.assert_array_equal(t, known.t)
    np.testing.assert_allclose(y, known.y, atol=1e-6)
    assert (success, status) == (True, known.status)
    for ours, theirs in zip(happened, [*known.t_events, *known.y_events], strict=True):
        np.testing.assert_allclose(ours, np.reshape(theirs, ours.shape), atol=1e-6)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_a_time_of_an_event_has_derivatives(mode: str) -> None:
    """Of where a ball reaches the ground, of the second order, too."""
    found = OURS(ball, (0, 10), wt.stack([h, 0.0 * h]), events=GROUND, **PRECISE)
    landed, speed = found.t[0], found.y[1, 0]
    slopes = [wt.grad(landed, g), wt.grad(landed, h), wt.grad(speed, h)]
    f = wt.function([g, h], [landed, speed, found.status, *slopes], mode=mode)
    landed, speed, status, by_g, by_h, speed_by_h = f(9.81, 10.0)
    assert status == 1
    (time,) = [t.real for t in np.roots([0.1 / 6, -9.81 / 2, 0, 10]) if 0 < t < 10]
    np.testing.assert_allclose([landed, speed], [time, -9.81 * time + 0.05 * time**2], rtol=1e-9)
    np.testing.assert_allclose(by_g, time**2 / 2 / speed, rtol=1e-8)
    np.testing.assert_allclose(by_h, -1 / speed, rtol=1e-8)
    np.testing.assert_allclose(speed_by_h, (-9.81 + 0.1 * time) * by_h, rtol=1e-8)


@pytest.mark.cases(0)
def test_second_derivatives_of_a_time() -> None:
    found = OURS(ball, (0, 10), wt.stack([h, 0.0 * h]), events=GROUND, **PRECISE)
    by_h = wt.grad(found.t[0], h)
    also = [wt.grad(found.t_events[0].sum(), h), wt.grad(found.y_events[0][:, 1].sum(), h)]
    f = wt.function([g, h], [by_h, wt.grad(by_h, h), wt.grad(by_h, g), *also], mode="py")
    first, by_hh, by_hg, again, speed_by_h = f(9.81, 10.0)
    np.testing.assert_allclose([again, speed_by_h / first], [first, -9.667], rtol=1e-3)
    step = 1e-4
    ends = [f(9.81, 10 + s)[0] for s in (step, -step)]
    np.testing.assert_allclose(by_hh, (ends[0] - ends[1]) / (2 * step), rtol=1e-5)
    ends = [f(9.81 + s, 10.0)[0] for s in (step, -step)]
    np.testing.assert_allclose(by_hg, (ends[0] - ends[1]) / (2 * step), rtol=1e-5)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba"])
def test_what_never_happens(mode: str) -> None:
    found = OURS(ball, (0, 0.5), wt.stack([h, 0.0 * h]), events=[GROUND, NEVER], **PRECISE)
    outputs = [found.t, found.y, found.status, *found.t_events, wt.grad(found.y[0, 0], g)]
    f = wt.function([g, h], outputs, mode=mode)
    t, y, status, ground, never, by_g = f(9.81, 20.0)
    assert (t.tolist(), status, ground.shape, never.shape) == ([0.5], 0, (0,), (0,))
    np.testing.assert_allclose(
        [y[0, 0], by_g], [20 - 9.81 / 8 + 0.1 * 0.5**3 / 6, -1 / 8], rtol=1e-8
    )


def test_a_solution_that_ends_before_is_no_success() -> None:
    found = OURS(ball, (0, 10), wt.stack([h, 0.0 * h]), events=GROUND, max_steps=2, **PRECISE)
    f = wt.function([g, h], [found.success, found.status, found.y], mode="py")
    success, status, y = f(9.81, 10.0)
    assert (success, status) == (False, -1)
    assert np.isnan(y).all()


@pytest.mark.cases(0)
def test_states_of_complex_numbers() -> None:
    real = event(lambda t, y: y[0].real)
    found = OURS(lambda t, y: 1j * y, (0, 7), [1.0 + 0j], events=real, **PRECISE)
    t, y = found.t_events[0].eval(), found.y_events[0].eval()
    np.testing.assert_allclose(t, np.pi * np.array([0.5, 1.5]), rtol=1e-8)
    np.testing.assert_allclose(y, [[1j], [-1j]], atol=1e-7)


def test_bad_events() -> None:
    with pytest.raises(ValueError, match="an event must be a scalar, not"):
        OURS(ball, (0, 1), [1.0, 0.0], events=lambda t, y: y)


@pytest.mark.parametrize("often", ["yes", -1, 1.5, np.nan])
def test_how_often_is_no_such_number(often: Any) -> None:
    with pytest.raises(ValueError, match=f"terminal is True, False or how often, not {often!r}"):
        OURS(ball, (0, 1), [1.0, 0.0], events=event(lambda t, y: y[0], terminal=often))


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_a_batch_ends_each_at_its_own_time(mode: str) -> None:
    heights = wt.vector("heights")
    landed = wt.vmap(
        lambda h: OURS(ball, (0, 10), wt.stack([h, 0.0 * h]), events=GROUND, **PRECISE).t[0]
    )(heights)
    f = wt.function([g, heights], landed, mode=mode)
    roots = [np.roots([0.1 / 6, -9.81 / 2, 0, h]) for h in (1.0, 5.0, 10.0)]
    times = [min(t.real for t in ts if t.real > 0 and abs(t.imag) < 1e-9) for ts in roots]
    np.testing.assert_allclose(f(9.81, [1.0, 5.0, 10.0]), times, rtol=1e-8)
