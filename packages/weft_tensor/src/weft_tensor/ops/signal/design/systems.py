"""Linear systems: from time to steps, and what they make of an input."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.of_numbers import known_value
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import arange, eye, linspace, zeros
from weft_tensor.ops.elementwise.arithmetic import abs, floor
from weft_tensor.ops.elementwise.exponential import log10
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.older_names import interp1d
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.matrices.exponential import expm
from weft_tensor.ops.matrices.systems import solve
from weft_tensor.ops.numbers.parts import angle
from weft_tensor.ops.numbers.waves import unwrap
from weft_tensor.ops.polynomials.polynomials import polyval
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d, reshape
from weft_tensor.ops.signal.design.chosen_places import frequencies_by_poles, times_by_poles
from weft_tensor.ops.signal.design.forms import in_steps, in_time, matrices_of, ss2tf
from weft_tensor.ops.signal.design.roots import at_roots, tf2zpk

__all__ = ["bode", "cont2discrete", "dlsim", "freqresp", "impulse", "lsim", "step"]

_SHARES: Final = {
    "bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0, "backward_diff": 1.0
}  # fmt: skip
"""Which share of a step's change is that at its end."""


def cont2discrete(
    system: Sequence[TensorLike],
    dt: TensorLike,
    method: str = "zoh",
    alpha: TensorLike | None = None,
) -> tuple[TensorVariable, ...]:
    """A system (A, B, C, D) in time as one in steps of `dt`: (A, B, C, D, dt).

    Of polynomials (num, den) it is (num, den, dt).

    See `scipy.signal.cont2discrete`.

    Parameters
    ----------
    system
        Four matrices: x' = A x + B u, y = C x + D u; or (num, den) of `tf2ss`. They, and `dt`, may
        be variables.
    dt
        How long a step is.
    method
        "zoh" if inputs are steady in each step, "foh" if they go by lines, "impulse" for the same
        answer to an impulse; "gbt" with `alpha`, of which "euler" (or "forward_diff"), "bilinear"
        (or "tustin") and "backward_diff" are 0, 0.5 and 1.
    alpha
        Which share of a step's change is that at its end.

    Raises
    ------
    ValueError
        for another method, a missing alpha, and another system.

    Examples
    --------
    >>> a, b, *_ = cont2discrete(([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), 0.5)
    >>> a.eval().round(4), b.eval().round(4)
    (array([[0.6065]]), array([[0.3935]]))
    """
    one_of("cont2discrete", "method", method, ("zoh", "foh", "impulse", "gbt", *_SHARES))
    if len(in_time(system, "cont2discrete")) == 3:
        raise ValueError(f"cont2discrete takes (z, p, k) as polynomials: write zpk2tf{called()}")
    a, b, c, d = matrices_of(system, "cont2discrete")
    step = as_floating(dt)
    if len(system) == 2:
        a, b, c, d, _ = cont2discrete((a, b, c, d), step, method, alpha)
        return *ss2tf(a, b, c, d), step
    if method == "impulse":
        ahead = expm(a * step)
        return ahead, matmul(ahead, b) * step, c, matmul(c, b) * step, step
    if method in ("zoh", "foh"):
        ahead, added = _over_a_step(a, b, step)
        count = lengths_of(b)[1]
        steady, end = added[:, :count], added[:, count:]
        if method == "zoh":
            return ahead, steady, c, d, step
        return ahead, steady - end + matmul(ahead, end), c, d + matmul(c, end), step
    share = _SHARES.get(method, alpha)
    if share is None:
        raise ValueError(f"cont2discrete: the method 'gbt' needs an alpha{called()}")
    one, share = eye(lengths_of(a)[0], dtype=a.dtype), as_floating(share)
    behind = one - share * step * a
    ahead, inputs = solve(behind, one + (1 - share) * step * a), solve(behind, step * b)
    return ahead, inputs, solve(behind.T, c.T).T, d + share * matmul(c, inputs), step


def _over_a_step(
    a: TensorVariable, b: TensorVariable, dt: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """What a state becomes, and what steady inputs and their growth by lines in a step add.

    By C. F. Van Loan, Computing integrals involving the matrix exponential, 1978.
    """
    (rows, n), m = lengths_of(a), lengths_of(b)[1]
    above = concatenate([a * dt, b * dt, zeros((rows, m), a.dtype)], 1)
    middle = concatenate([zeros((m, n + m), a.dtype), eye(m, dtype=a.dtype)], 1)
    whole = expm(concatenate([above, middle, zeros((m, n + 2 * m), a.dtype)], 0))
    return whole[:rows, :n], whole[:rows, n:]


def _rows(u: TensorLike) -> TensorVariable:
    values = as_floating(u)
    return values.expand_dims(1) if values.ndim == 1 else values


def dlsim(
    system: Sequence[TensorLike],
    u: TensorLike,
    t: TensorLike | None = None,
    x0: TensorLike | None = None,
) -> tuple[TensorVariable, ...]:
    """What a system (A, B, C, D, dt) in steps makes of inputs: times, outputs, states.

    `u` has a row for each step, or for each of the times `t`, between which it goes by lines; or is
    a vector. `x0` is the first state, 0 by default. Of polynomials (num, den, dt) there are times
    and outputs alone. See `scipy.signal.dlsim`. Raises ValueError for another system.

    >>> system = ([[0.5]], [[1.0]], [[1.0]], [[0.0]], 0.1)
    >>> dlsim(system, [1.0, 0.0, 0.0])[1].eval().ravel()
    array([0. , 1. , 0.5])
    """
    parts, dt = in_steps(system, "dlsim")
    a, b, c, d = matrices_of(parts, "dlsim")
    rows = _rows(u)
    if t is None:
        times = arange(lengths_of(rows)[0]) * dt
    else:
        places = as_floating(t)
        end = index(places, -1)
        times = linspace(0, end, floor(end / dt).astype("int64") + 1)
        rows = interp1d(places, rows, axis=0, fill_value="extrapolate", assume_sorted=True)(times)
    start = _start(a, x0)

    def step(x: Any, change: Any) -> Any:
        return matmul(a, x) + change, x

    states = scan(step, start, matmul(rows, b.T))[1]
    results = times, matmul(states, c.T) + matmul(rows, d.T), states
    return results if len(parts) == 4 else results[:2]


def _start(a: TensorVariable, x0: TensorLike | None) -> TensorVariable:
    n = lengths_of(a)[0]
    return zeros((n,), a.dtype) if x0 is None else reshape(as_floating(x0).astype(a.dtype), (-1,))


def lsim(
    system: Sequence[TensorLike],
    U: TensorLike,
    T: TensorLike,
    X0: TensorLike | None = None,
    interp: bool = True,
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """What a system (A, B, C, D) in time makes of inputs at times: times, outputs, states.

    Times are as far from each other as the first two; `U` has a row for each, or is a vector, and
    goes by lines between them, or is steady without `interp`. `X0` is the first state, 0 by
    default. The system may be polynomials (num, den), or (z, p, k). Outputs are a matrix with a row
    for each time, where SciPy leaves axes of length 1 away. See `scipy.signal.lsim`. Raises
    ValueError for another system, and for known times of unequal steps.

    >>> system = ([[-1.0]], [[1.0]], [[1.0]], [[0.0]])
    >>> lsim(system, [1.0, 1.0, 1.0], [0.0, 0.5, 1.0])[1].eval().ravel().round(4)
    array([0.    , 0.3935, 0.6321])
    """
    a, b, c, d = matrices_of(in_time(system, "lsim"), "lsim")
    rows, times = _rows(U), as_floating(T)
    if (known := known_value(times)) is not None:
        steps = np.diff(known)
        if not np.allclose(steps, steps[:1]):
            raise ValueError(f"lsim: times have equal steps, and not {T!r}{called()}")
    ahead, added = _over_a_step(a, b, index(times, 1) - index(times, 0))

    def step(x: Any, change: Any) -> Any:
        changed = matmul(ahead, x) + change
        return changed, changed

    begin = _start(a, X0)
    before, after = index(rows, slice(None, -1)), index(rows, slice(1, None))
    inputs = concatenate([before, after - before], 1) if interp else before
    added = added if interp else added[:, : lengths_of(b)[1]]
    later = scan(step, begin, matmul(inputs, added.T))[1]
    states = concatenate([begin.expand_dims(0), later], 0)
    return times, matmul(states, c.T) + matmul(rows, d.T), states


def impulse(
    system: Sequence[TensorLike],
    X0: TensorLike | None = None,
    T: TensorLike | None = None,
    N: SizeLike = 100,
) -> tuple[TensorVariable, TensorVariable]:
    """The answer of a system to an impulse, from a state `X0`: the times `T`, and outputs.

    The system has one input; it, times and outputs are as for `lsim`. Without times, there are N,
    until the slowest part is a thousandth. See `scipy.signal.impulse`. Raises ValueError for
    another system.

    >>> impulse(([1.0], [1.0, 1.0]), T=[0.0, 0.5, 1.0])[1].eval().ravel().round(4)
    array([1.    , 0.6065, 0.3679])
    """
    a, b, c, d = matrices_of(in_time(system, "impulse"), "impulse")
    times = times_by_poles(a, N) if T is None else as_floating(T)
    return lsim((a, b, c, d), 0 * times, times, _start(a, X0) + index(b, (slice(None), 0)))[:2]


def step(
    system: Sequence[TensorLike],
    X0: TensorLike | None = None,
    T: TensorLike | None = None,
    N: SizeLike = 100,
) -> tuple[TensorVariable, TensorVariable]:
    """The answer of a system to ones, from a state `X0`: as `impulse`. See `scipy.signal.step`.

    >>> step(([1.0], [1.0, 1.0]), T=[0.0, 0.5, 1.0])[1].eval().ravel().round(4)
    array([0.    , 0.3935, 0.6321])
    """
    matrices = matrices_of(in_time(system, "step"), "step")
    times = times_by_poles(matrices[0], N) if T is None else as_floating(T)
    return lsim(matrices, 0 * times + 1, times, X0)[:2]


def freqresp(
    system: Sequence[TensorLike], w: TensorLike | None = None, n: SizeLike = 10000
) -> tuple[TensorVariable, TensorVariable]:
    """The angular frequencies `w`, and the complex factor of a system in time at each.

    It is `freqs` or `freqs_zpk`; of matrices, those of one input and output, by `ss2tf`. Without
    frequencies, there are n between powers of 10 around its poles and zeros. See
    `scipy.signal.freqresp`, which looks at zeros of matrices, too. Raises ValueError for another
    system.

    >>> freqresp(([1.0], [1.0, 1.0]), [0.0, 1.0])[1].eval()
    array([1. +0.j , 0.5-0.5j])
    """
    parts = in_time(system, "freqresp")
    at = as_floating(atleast_1d(w)) if w is not None else _chosen(parts, n)
    return at, factors_at(parts, 1j * at, "freqresp")


def _chosen(system: Sequence[TensorLike], n: SizeLike) -> TensorVariable:
    if len(system) == 4:
        return frequencies_by_poles(None, eigvals(matrices_of(system, "freqresp")[0]), n)
    z, p = tf2zpk(*system)[:2] if len(system) == 2 else map(as_floating, system[:2])
    return frequencies_by_poles(z, p, n)


def factors_at(system: Sequence[TensorLike], at: TensorVariable, name: str) -> TensorVariable:
    """What a system of one input and one output is at complex numbers.

    Raises ValueError for another system.
    """
    if len(system) == 3:
        z, p, k = map(as_floating, system)
        return at_roots(z, p, k, at)
    if len(system) == 2:
        num, den = system
    else:
        a, b, c, d = matrices_of(system, name)
        if {b.type.shape[1], c.type.shape[0]} - {1, None}:
            raise ValueError(f"{name} takes one input and one output, not {b!r}, {c!r}{called()}")
        rows, den = ss2tf(a, b, c, d)
        num = index(rows, 0)
    return polyval(num, at) / polyval(den, at)


def bode(
    system: Sequence[TensorLike], w: TensorLike | None = None, n: SizeLike = 100
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The frequencies `w`, and decibels and degrees of the factor at each: `freqresp`.

    See `scipy.signal.bode`.

    >>> [v.eval().round(2).tolist() for v in bode(([1.0], [1.0, 1.0]), [0.1, 1.0])]
    [[0.1, 1.0], [-0.04, -3.01], [-5.71, -45.0]]
    """
    at, factors = freqresp(system, w, n)
    return at, *decibels_and_degrees(factors)


def decibels_and_degrees(factors: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """How much, and how far on, complex factors along a line turn what they multiply."""
    return 20 * log10(abs(factors)), unwrap(angle(factors)) * (180 / pi)
