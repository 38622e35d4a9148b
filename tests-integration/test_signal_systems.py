"""Linear systems, filters by what they should do, and small waves: against SciPy."""

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
A = np.array([[-0.5, 1.0], [-1.0, -0.7]])
B, C, D = RANDOM.normal(size=(2, 2)), RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(3, 2))
SYSTEM, STEP = [A, B, C, D], np.array(0.3)
INPUTS, START = RANDOM.normal(size=(7, 2)), np.array([0.5, -1.0])
TIMES = np.linspace(0.0, 3.0, 7)
EDGES, GAINS = np.array([0.0, 0.3, 0.4, 1.0]), np.array([1.0, 0.9, 0.1, 0.0])
METHODS = ("zoh", "foh", "bilinear", "euler", "backward_diff", "tustin", "forward_diff")


def converted(method: str, **how: Any) -> Callable[..., Any]:
    return lambda m, *a: [*m.cont2discrete(tuple(a[:4]), a[4], method, **how)[:4]]


def answers(**how: Any) -> Callable[..., Any]:
    return lambda m, *a: [*m.lsim(tuple(a[:4]), a[4], TIMES, a[5], **how)]


def steps(m: Any, *a: Any) -> Any:
    return [*m.dlsim((*a[:4], 0.1), a[4], x0=a[5])]


NUM, DEN = np.array([1.0, 2.0]), np.array([2.0, 3.0, 4.0, 5.0])


def by_polynomials(m: Any, b: Any, a: Any) -> Any:
    if m is OURS:
        b, a = wt.specify_shape(b, 2), wt.specify_shape(a, 4)
    parts = [m.lsim((b, a), np.sin(TIMES), TIMES)[1], m.impulse((b, a), None, TIMES)[1],
             m.step((b, a), START[[0, 0, 1]], TIMES)[1]]  # fmt: skip
    return [*m.tf2ss(b, a), *m.cont2discrete((b, a), 0.3)[:2], *[v.ravel() for v in parts],
            *m.bode((b, a), TIMES[1:])]  # fmt: skip


def polynomials(m: Any, *a: Any) -> Any:
    if m is OURS:
        a = tuple(wt.specify_shape(x, x0.shape) for x, x0 in zip(a, SYSTEM, strict=True))
    one = (a[0], a[1][:, :1], a[2][:1], a[3][:1, :1])
    return [*m.ss2tf(*a, 1), *m.bode(one, TIMES[1:])]


def in_steps(m: Any, *a: Any) -> Any:
    if m is OURS:
        a = *(wt.specify_shape(x, x0.shape) for x, x0 in zip(a[:4], SYSTEM, strict=True)), a[4]
    one = (a[0], a[1][:, :1], a[2][:1], a[3][:1, :1], 0.1)
    times, answers = m.dimpulse((*a[:4], 0.1), n=6)
    rest = m.dstep((*a[:4], 0.1), a[4], TIMES / 4)
    return [times, *answers, rest[0], *rest[1], *m.dfreqresp(one, n=5, whole=True),
            *m.dbode(one, TIMES[1:])]  # fmt: skip


def in_steps_by_polynomials(m: Any, b: Any, a: Any) -> Any:
    if m is OURS:
        b, a = wt.specify_shape(b, 2), wt.specify_shape(a, 4)
    zeros = ([0.3], [0.5, -0.2], 2.0, 0.1)
    return [*m.dfreqresp((b, a, 0.1), n=7), *m.dbode((b, a, 0.1), n=9), *m.dbode(zeros, n=4),
            *m.dstep((b, a, 0.1), n=5)[1], *m.dimpulse(zeros, n=5)[1]]  # fmt: skip


ROWS = {
    "systems in steps": Row(in_steps, [[*SYSTEM, START]]),
    "systems in steps by polynomials": Row(in_steps_by_polynomials, [[NUM, DEN]]),
    "systems by polynomials": Row(by_polynomials, [[NUM, DEN]]),
    "ss2tf": Row(polynomials, [SYSTEM]),
    "zpk2ss": Row(lambda m, k: [*m.zpk2ss([-3.0], [-1.0, -2.0], k)], [[np.array(2.0)]]),
    "sos2zpk": Row(lambda m, k: [*m.zpk2tf(*m.sos2zpk(
        [[k, -0.5 * k, 0.3 * k, 1.0, 0.2, 0.4], [1.0, 0.2, 0.0, 2.0, 0.0, 1.0]]))],
        [[np.array(2.0)]]),
    "dlsim at times": Row(lambda m, *a: [*m.dlsim((*a[:4], 0.1), a[4], TIMES / 4, a[5])],
                          [[*SYSTEM, INPUTS, START]]),
    **{f"cont2discrete, {k}": Row(converted(k), [[*SYSTEM, STEP]]) for k in METHODS},
    "cont2discrete, gbt": Row(converted("gbt", alpha=0.3), [[*SYSTEM, STEP]]),
    "cont2discrete, impulse": Row(converted("impulse"), [[A, B, C, 0 * D, STEP]], False),
    "lsim": Row(answers(), [[*SYSTEM, INPUTS, START]]),
    "lsim of steady inputs": Row(answers(interp=False), [[*SYSTEM, INPUTS, START]]),
    "dlsim": Row(steps, [[*SYSTEM, INPUTS, START]]),
    **{f"firls, {n}": Row(lambda m, f, g, n=n: m.firls(n, f, g), [[EDGES, GAINS]])
       for n in (1, 3, 11)},
    "firls, weighted": Row(
        lambda m, f, g: m.firls(9, f, g, weight=[1.0, 4.0], fs=2.5), [[EDGES, GAINS]]),
    **{f"firwin2, {n}": Row(lambda m, g, n=n: m.firwin2(n, EDGES, g), [[GAINS]]) for n in (8, 15)},
    "firwin2 that jumps": Row(
        lambda m, f, g: m.firwin2(15, f, g, nfreqs=40, window=None),
        [[np.array([0.0, 0.4, 0.4, 1.0]), np.array([1.0, 1.0, 0.0, 0.0])]], False),
    "firwin2 that changes its sign": Row(
        lambda m, g: m.firwin2(15, EDGES, g, antisymmetric=True),
        [[np.array([0.0, 1.0, 0.5, 0.0])]]),
    **{f"kaiser_beta, {a}": Row(lambda m, a: m.kaiser_beta(a), [[np.array(a)]])
       for a in (60.0, 30.0, 10.0)},
    "kaiser_atten": Row(lambda m, w: m.kaiser_atten(31, w), [[np.array(0.1)]]),
    "kaiserord": Row(lambda m, r, w: [*m.kaiserord(r, w)], [[np.array(65.0), np.array(0.1)]]),
    "unit_impulse": Row(lambda m, x: [
        m.unit_impulse(5), m.unit_impulse((3, 4), "mid"), m.unit_impulse((3, 4), 2),
        m.unit_impulse((3, 4), (1, 3)), m.unit_impulse(6, -1, "float32")], [[np.ones(1)]], False),
    "sweep_poly": Row(lambda m, t, p: m.sweep_poly(t, p, 30.0) if m is OURS else
                      m.sweep_poly(t, np.poly1d(p), 30.0), [[TIMES, np.array([0.5, -1.0, 2.0])]]),
    "deconvolve": Row(lambda m, x, y: [*m.deconvolve(x, y)], [
        [TIMES[1:], START], [START, START]]),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.cases(16)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    call = ROWS[name].call
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, lambda m, *a: plain(m, call, a), arrays, 1e-8)


def plain(m: Any, call: Callable[..., Any], arrays: Any) -> Any:
    """SciPy takes Python's numbers."""
    return call(m, *[x.item() if m is THEIRS and x.ndim == 0 else x for x in arrays])


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    def everything(m: Any, a: Any, b: Any, c: Any, d: Any, u: Any, x: Any) -> Any:
        parts = [m.lsim((a, b, c, d), u, TIMES, x), in_steps(m, a, b, c, d, x)[1:],
                 m.dlsim((a, b, c, d, 0.1), u, TIMES / 4, x),
                 [m.firls(7, EDGES, u[:4, 0]), *m.deconvolve(u[:, 0], x)]]  # fmt: skip
        return [result for part in few(parts, 1) for result in part]

    assert_as_on_python(OURS, Row(everything, [[*SYSTEM, INPUTS, START]]), mode)


def test_a_divisor_that_is_longer() -> None:
    quotient, rest = OURS.deconvolve(START, TIMES[1:])
    assert quotient.eval().size == 0
    np.testing.assert_array_equal(rest.eval(), START)


def test_vectors_of_inputs() -> None:
    one = [[[0.5]], [[1.0]], [[1.0]], [[0.0]]]
    _, y, _ = OURS.dlsim((*one, 1.0), [1.0, 2.0])
    np.testing.assert_array_equal(y.eval(), [[0.0], [1.0]])
    _, y, _ = OURS.lsim(one, np.ones(7), TIMES)
    expected = THEIRS.lsim(tuple(map(np.array, one)), np.ones(7), TIMES)[1]
    np.testing.assert_allclose(y.eval()[:, 0], expected)


ERRORS: dict[str, Callable[[], Any]] = {
    "method is": lambda: OURS.cont2discrete(SYSTEM, 0.1, "best"),
    "as polynomials": lambda: OURS.cont2discrete(([-1.0], [-2.0, -3.0], 1.0), 0.1),
    "needs an alpha": lambda: OURS.cont2discrete(SYSTEM, 0.1, "gbt"),
    "lsim takes four matrices": lambda: OURS.lsim(SYSTEM[:3], INPUTS, TIMES),
    "tf2ss takes polynomials": lambda: OURS.tf2ss([1.0, 2.0], [1.0]),
    "the length of A must": lambda: OURS.ss2tf(*wt.matrices("a b c d")),
    "dlsim takes four matrices": lambda: OURS.dlsim(SYSTEM, INPUTS),
    "numtaps is odd": lambda: OURS.firls(4, EDGES, GAINS),
    "nfreqs must not be": lambda: OURS.firwin2(9, EDGES, GAINS, nfreqs=5),
    "at most two of them": lambda: OURS.firwin2(9, [0.0, 0.5, 0.5, 0.5, 1.0], np.ones(5)),
    "must not fall": lambda: OURS.firwin2(9, [0.0, 0.6, 0.5, 1.0], np.ones(4)),
    "go from one 0": lambda: OURS.firwin2(9, [0.0, 0.5], np.ones(2)),
    "to one 1.0": lambda: OURS.firwin2(9, [0.0, 0.5, 1.0, 1.0], [1, 1, 0, 0]),
    "8 coefficients.* no gain at half": lambda: OURS.firwin2(8, [0.0, 0.5, 1.0], [0, 1, 1]),
    "=True, have no gain at 0": lambda: OURS.firwin2(
        8, [0.0, 0.5, 1.0], [1, 1, 0], antisymmetric=True
    ),
    "9 coeff.* no gain at half": lambda: OURS.firwin2(
        9, [0.0, 0.5, 1.0], [0, 1, 1], antisymmetric=True
    ),
    "equal steps": lambda: OURS.lsim(SYSTEM, INPUTS, np.arange(len(INPUTS)) ** 2),
    "firwin2 takes vectors": lambda: OURS.firwin2(9, 0.5, 1.0),
    "deconvolve takes vectors": lambda: OURS.deconvolve(1.0, START),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_an_unknown_number_of_inputs_is_refused() -> None:
    b, one = wt.matrix("B"), [[1.0]]
    with pytest.raises(ValueError, match="dstep: how many columns has B"):
        OURS.dstep((one, b, one, one, 0.1))


def test_factors_are_of_one_input_and_output() -> None:
    with pytest.raises(ValueError, match="dfreqresp takes one input and one output"):
        OURS.dfreqresp((A, B, C, D, 0.1))
    with pytest.raises(ValueError, match="freqresp takes one input and one output"):
        OURS.freqresp((A, B, C, D), TIMES)


SYSTEMS: dict[str, Any] = {
    "polynomials": ([1.0, 2.0], [1.0, 0.5, 4.0]),
    "one pole": ([1.0], [1.0, 1.0]),
    "a pole at 0": ([2.0], [1.0, 0.0]),
    "zeros and poles": (np.array([-1.0, -2.0]), np.array([-0.5 + 2j, -0.5 - 2j, -3.0]), 2.0),
}


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_chosen_times_and_frequencies(name: str, mode: str) -> None:
    system = SYSTEMS[name]
    parts = [OURS.step(system), OURS.impulse(system, N=9), OURS.bode(system)]
    parts.append((OURS.freqs if len(system) == 2 else OURS.freqs_zpk)(*system))
    found = wt.function([], [v for part in parts for v in part], mode=mode)()
    wanted = [THEIRS.step(system), THEIRS.impulse(system, N=9), THEIRS.bode(system)]
    wanted.append((THEIRS.freqs if len(system) == 2 else THEIRS.freqs_zpk)(*system))
    for one, other in zip(found, [v for part in wanted for v in part], strict=True):
        np.testing.assert_allclose(np.ravel(one), other, rtol=1e-10, atol=1e-12)


def test_chosen_frequencies_of_matrices_and_of_no_poles() -> None:
    one = (A, B[:, :1], C[:1], D[:1, :1])
    w, factors = (v.eval() for v in OURS.freqresp(one, n=5))
    np.testing.assert_allclose(w, np.logspace(-1, 1, 5))
    np.testing.assert_allclose(factors, THEIRS.freqresp(one, w)[1])
    gain = OURS.freqs([1.0, 0.0, 3.0], [2.0], 5)
    for mine, theirs in zip(gain, THEIRS.freqs([1.0, 0.0, 3.0], [2.0], 5), strict=True):
        np.testing.assert_allclose(mine.eval(), theirs, rtol=1e-10)
    b, a = wt.vector("b"), wt.vector("a")  # how many poles there are is known at the call
    f = wt.function([b, a], OURS.freqs(b, a, 5)[0], mode="py")
    for values in (([3.0], [2.0]), ([1.0, 2.0], [1.0, 4.0]), ([1.0, 2.0], [3.0])):
        np.testing.assert_allclose(f(*values), THEIRS.freqs(*values, 5)[0], rtol=1e-10)
