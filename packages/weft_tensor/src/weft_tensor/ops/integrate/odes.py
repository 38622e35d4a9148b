"""Solutions of ordinary differential equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index as whole
from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.integrate.replay import states_at
from weft_tensor.ops.integrate.rosenbrock import RODAS
from weft_tensor.ops.integrate.runge_kutta import DORMAND_PRINCE, Method, Tolerances
from weft_tensor.ops.integrate.state_vector import StateVector
from weft_tensor.ops.optimize.problem import begun, resolution, tuple_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["OdeResult", "odeint", "solve_ivp"]

_METHODS: Final = {"RK45": DORMAND_PRINCE, "Rodas": RODAS}


class OdeResult(NamedTuple):
    """What `solve_ivp` gives, with SciPy's names."""

    t: TensorVariable
    """The times."""
    y: TensorVariable
    """The states: a column for each time."""
    success: TensorVariable
    """Whether all times were reached; if not, the states beyond are NaN."""
    status: TensorVariable
    """0 for success, -1 otherwise."""


def odeint(
    func: Callable[..., Any],
    y0: Any,
    t: TensorLike,
    args: Any = (),
    *,
    rtol: float | None = None,
    atol: float | None = None,
    max_steps: int = 4096,
) -> Any:
    """The states at the times `t` of what changes at the rate `func(y, t, *args)`.

    By steps of the fifth order whose widths follow from their errors (Dormand and Prince, 1980).
    Derivatives, in both modes, by `y0`, `t` and whatever `func` uses, are those of the steps that
    were made: they agree with the numbers that come out. See `scipy.integrate.odeint` and
    `jax.experimental.ode.odeint`.

    Parameters
    ----------
    func
        Takes the state, a time (a scalar), and `args`, and returns the rate of change: of the
        state's structure, dtypes and shapes.
    y0
        The state at `t[0]`: a tensor of real numbers, or a nested structure of them.
    t
        A vector of one or more times, all before or all after the first, and none beyond the last.
    args
        Further arguments: a tuple, or the only one.
    rtol, atol
        The error of a step is at most `atol + rtol * abs(y)`, in the mean of squares over the
        state; by default the square root of what the dtype resolves, 1.5e-8 in float64.
    max_steps
        How many steps are tried at most.

    Returns
    -------
    The states, along a new first axis. They are NaN at times that were not reached, as when the
    rate is not finite, or `max_steps` too few.

    Raises
    ------
    TypeError
        for complex numbers, or rates of another structure, dtype or rank.
    ValueError
        for `t` that is no vector, and at a call for times on both sides of the first.

    Examples
    --------
    >>> from weft_graph import function, grad
    >>> from weft_tensor import scalar
    >>> decay = scalar("decay")
    >>> y = odeint(lambda y, t: -decay * y, 2.0, [0.0, 1.0, 3.0])
    >>> f = function([decay], [y, grad(y[2], decay)])
    >>> [v.round(6) for v in f(0.5)]
    [array([2.      , 1.213061, 0.44626 ]), np.float64(-1.338781)]
    """
    states, _ = _solution("odeint", func, y0, t, tuple_of(args), (rtol, atol), max_steps)
    return states


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[TensorLike],
    y0: TensorLike,
    method: str = "RK45",
    t_eval: TensorLike | None = None,
    args: Any = (),
    rtol: float = 1e-3,
    atol: float = 1e-6,
    max_steps: int = 4096,
) -> OdeResult:
    """The states at the times `t_eval` of what changes at the rate `fun(t, y, *args)`.

    As `odeint`, with the order of arguments and the results of `scipy.integrate.solve_ivp`.

    Parameters
    ----------
    fun
        Takes a time (a scalar), the state and `args`, and returns the rate of change.
    t_span
        When it begins, and when it ends.
    y0
        The state when it begins: a vector.
    method
        "RK45", Dormand and Prince's, or, for stiff equations, "Rodas", a Rosenbrock method of
        fourth order: each step solves systems with the Jacobian, so that its width follows from
        the solution alone, not from what decays fast (Hairer and Wanner, 1996).
    t_eval
        A vector of times in `t_span`; the end alone by default, as the number of steps is unknown
        until they are made.
    args
        Further arguments: a tuple, or the only one.
    rtol, atol
        The error of a step is at most `atol + rtol * abs(y)`.
    max_steps
        How many steps are tried at most.

    Raises
    ------
    TypeError, ValueError
        as `odeint`; and for another `method`, or a `y0` that is no vector.

    Examples
    --------
    >>> result = solve_ivp(lambda t, y: -0.5 * y, (0, 10), [2.0, 4.0], t_eval=[0.0, 1.0])
    >>> result.y.eval().round(3)
    array([[2.   , 1.213],
           [4.   , 2.426]])
    """
    if method not in _METHODS:
        raise ValueError(
            f"solve_ivp: method must be 'RK45' or, for stiff equations, 'Rodas', not {method!r}"
            f"{called()}"
        )
    start = begun(y0, "solve_ivp: y0")
    if start.ndim != 1:
        raise ValueError(f"solve_ivp: y0 must be a vector, not {start!r}{called()}")
    first, end = (as_tensor(v) for v in t_span)
    times = _times("solve_ivp", reshape(end, (1,)) if t_eval is None else t_eval, start)
    ends = [reshape(v.astype(times.dtype), (1,)) for v in (first, end)]
    states, reached = _solution(
        "solve_ivp",
        lambda y, t, *rest: fun(t, y, *rest),
        start,
        concatenate([ends[0], times, ends[1]]),
        tuple_of(args),
        (rtol, atol),
        max_steps,
        _METHODS[method],
    )
    return OdeResult(times, states[1:-1].T, reached, where(reached, 0, -1))


def _solution(
    name: str,
    func: Callable[..., Any],
    y0: Any,
    t: TensorLike,
    args: tuple[Any, ...],
    tolerances: tuple[float | None, float | None],
    max_steps: int,
    method: Method = DORMAND_PRINCE,
) -> tuple[Any, TensorVariable]:
    """The states, and whether the last time was reached."""
    most = whole(max_steps)
    if most < 1:
        raise ValueError(f"{name}: max_steps must be 1 or more, not {most}{called()}")
    layout = StateVector(y0, name)
    start = layout.vector(layout.like)
    times = _times(name, t, start)
    begin = index(times, 0)
    backwards = index(times, -1) < begin
    sign = where(backwards, -1.0, 1.0).astype(start.dtype)
    passed = sign * (times - begin)

    def field(y: Any, since: Any) -> TensorVariable:
        rate = func(layout.structure(y), begin + sign * since, *args)
        return sign * layout.vector(rate)

    outside = "times must lie between the first and the last"
    good = (passed >= 0) & (passed <= index(passed, -1))
    passed = check_and_raise(passed, good, ValueError, f"{name}: {outside}")
    order = argsort(passed)
    small = resolution(start) ** 0.5
    allowed = Tolerances(*(small if v is None else v for v in tolerances))
    rows, reached = states_at(method, field, start, index(passed, order), allowed, most)
    states = updated(index(zeros_like(rows), order), "set", rows)
    return layout.structure(states, 1), reached >= index(passed, -1)


def _times(name: str, t: TensorLike, y: TensorVariable) -> TensorVariable:
    times = begun(t, f"{name}: t")
    if times.ndim != 1:
        raise ValueError(f"{name}: t must be a vector, not {times!r}{called()}")
    return times.astype(y.dtype)
