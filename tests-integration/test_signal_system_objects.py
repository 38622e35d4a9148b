"""Linear systems as objects: against SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt

OURS: Any = wt.signal
THEIRS: Any = scipy.signal
RANDOM = np.random.default_rng(6)
MATRICES = [np.array([[-0.5, 1.0], [-1.0, -0.7]]), RANDOM.normal(size=(2, 1)),
            RANDOM.normal(size=(1, 2)), RANDOM.normal(size=(1, 1))]  # fmt: skip
TIMES = np.linspace(0.0, 3.0, 7)
INPUTS = np.sin(TIMES)


def answers(system: Any) -> list[Any]:
    """All that a system of one input and one output is asked for, with SciPy's axes."""
    if system.dt is not None:
        times, outputs = system.output(INPUTS, None)[:2]
        many = [system.impulse(n=6), system.step(None, None, 5)]
        parts = [part for t, (y,) in many for part in (t, y)]
        return [times, outputs, *parts, *system.freqresp(n=4), *system.bode(TIMES[1:]),
                *system.freqresp(n=3, whole=True)]  # fmt: skip
    parts = [system.impulse(T=TIMES), system.step(None, TIMES), system.output(INPUTS, TIMES)[:2]]
    return [*[v.ravel() for part in parts for v in part], *system.bode(TIMES[1:]),
            *system.freqresp(w=TIMES), *system.step(N=5)[0]]  # fmt: skip


def of_matrices(m: Any, *parts: Any) -> list[Any]:
    if m is OURS:
        parts = tuple(wt.specify_shape(v, x.shape) for v, x in zip(parts, MATRICES, strict=True))
    system = m.StateSpace(*parts)
    steps = system.to_discrete(0.3, "foh")
    return [*answers(system), *answers(steps), *answers(steps.to_tf()), *system.to_tf().den]


def of_polynomials(m: Any, num: Any, den: Any) -> list[Any]:
    if m is OURS:
        num, den = wt.specify_shape(num, 2), wt.specify_shape(den, 4)
    system = m.TransferFunction(num, den)
    parts = [*answers(system), *answers(system.to_discrete(0.2, method="bilinear"))]
    return [*parts, *answers(m.dlti(num, den, dt=0.4)), system.to_ss().C, *answers(system.to_ss())]


def of_roots(m: Any, k: Any) -> list[Any]:
    system = m.lti([-3.0], [-1.0, -2.0], k)
    steps = m.ZerosPolesGain([0.5], [0.3, -0.2], k, dt=0.1)
    forms = [system.to_tf(), system.to_ss(), steps, steps.to_ss(), steps.to_tf()]
    return [system.gain, *answers(system), *[v for form in forms for v in answers(form)]]


ROWS = {
    "matrices": Row(of_matrices, [MATRICES]),
    "polynomials": Row(of_polynomials, [[np.array([2.0, 1.0]), np.array([1.0, 3.0, 4.0, 5.0])]]),
    "zeros and poles": Row(of_roots, [[np.array(2.0)]]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, 1e-8)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    assert_as_on_python(OURS, ROWS["polynomials"], mode)


@pytest.mark.cases(0)
def test_derivatives() -> None:
    assert_slopes(OURS, ROWS["zeros and poles"])


KNOWN: dict[str, Callable[[Any], Any]] = {
    "zeros in front": lambda m: m.TransferFunction([0.0, 0.0, 2.0], [0.0, 2.0, 4.0]),
    "rows of outputs": lambda m: m.TransferFunction([[1.0, 2.0], [0.0, 1.0]], [2.0, 4.0]),
    "numbers": lambda m: m.StateSpace(-1.0, 2.0, 3.0, 0.0),
    "of steps, by zeros": lambda m: m.lti([1.0], [1.0, 3.0, 2.0]).to_discrete(0.5).to_zpk(),
    "of matrices, by zeros": lambda m: m.StateSpace(*MATRICES).to_zpk(),
    "steps of 1": lambda m: m.dlti([1.0], [1.0, -0.5]).to_ss(),
}


@pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")
@pytest.mark.parametrize("name", KNOWN)
def test_known_systems(name: str) -> None:
    mine, theirs = KNOWN[name](OURS), KNOWN[name](THEIRS)
    assert type(theirs).__name__.startswith(type(mine).__name__)
    of_rows = name == "rows of outputs"  # which have no zeros, in SciPy a ValueError
    parts = ("num", "den") if of_rows else ("num", "den", "zeros", "poles", "gain", *"ABCD")
    for part in [part for part in parts if hasattr(theirs, part)]:
        value = getattr(mine, part)
        value = value.eval() if hasattr(value, "eval") else value
        np.testing.assert_allclose(np.sort(value, None), np.sort(getattr(theirs, part), None))
    assert (mine.dt is None) == (theirs.dt is None)
    assert mine.dt == theirs.dt or mine.dt.eval() == theirs.dt


def test_functions_take_and_return_systems() -> None:
    system = OURS.TransferFunction(wt.vector("num"), wt.vector("den"), dt=wt.scalar("dt"))
    f = wt.function([system], OURS.TransferFunction(2 * system.num, system.den, dt=system.dt))
    given = OURS.TransferFunction([1.0], [1.0, 0.5], dt=0.1)
    found = f(given)
    assert type(found) is OURS.TransferFunction
    assert [v.tolist() for v in found] == [[2.0], [1.0, 0.5], 0.1]
    np.testing.assert_allclose(found.step(n=4)[1][0].eval(), 2 * given.step(n=4)[1][0].eval())


ERRORS: dict[str, Callable[[], Any]] = {
    "lsim takes a system in time": lambda: OURS.lsim(OURS.dlti([1.0], [1.0, 0.5]), [1.0], [0.0]),
    "bode|freqresp takes a system in time": lambda: OURS.bode(OURS.dlti([1.0], [1.0, 0.5])),
    "cont2discrete takes a system in": lambda: OURS.dlti([1.0], [1.0, 0.5]).to_discrete(0.1),
    "dlsim takes a system in steps": lambda: OURS.dlsim(OURS.lti([], [-1.0], 1.0), [1.0]),
    "dbode takes|dfreqresp takes": lambda: OURS.dbode(OURS.lti([], [-1.0], 1.0)),
    "dstep takes a system in steps": lambda: OURS.dstep(OURS.lti([], [-1.0], 1.0)),
    "lti takes": lambda: OURS.lti([1.0]),
    "the denominator is 0": lambda: OURS.TransferFunction([1.0], [0.0, 0.0]),
    "as polynomials": lambda: OURS.lti([-1.0], [-2.0, -3.0], 1.0).to_discrete(0.1),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
