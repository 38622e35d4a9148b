"""Solutions of ordinary differential equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from operator import index as whole
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.integrate.replay import states_at
from weft_tensor.ops.integrate.rosenbrock import RODAS
from weft_tensor.ops.integrate.runge_kutta import (
    BOGACKI_SHAMPINE,
    DORMAND_PRINCE,
    EIGHTH_ORDER,
    Tolerances,
)
from weft_tensor.ops.integrate.state_vector import StateVector
from weft_tensor.ops.optimize.problem import begun, tuple_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["OdeResult", "odeint", "solve_ivp"]

_METHODS: Final = {
    "RK45": DORMAND_PRINCE,
    "RK23": BOGACKI_SHAMPINE,
    "DOP853": EIGHTH_ORDER,
    "Rodas": RODAS,
}


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
    tfirst: bool = False,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    h0: float = 0.0,
    hmax: float = 0.0,
    method: str = "RK45",
    max_steps: int = 4096,
) -> Any:
    """The states at the times `t` of what changes at the rate `func(y, t, *args)`.

    By steps whose widths follow from their errors, by default of fifth order (Dormand and Prince,
    1980). Derivatives, in both modes, by `y0`, `t` and whatever `func` uses, are those of the steps
    that were made: they agree with the numbers that come out. See `scipy.integrate.odeint` and
    `jax.experimental.ode.odeint`.

    Parameters
    ----------
    func
        Takes the state, a time (a scalar), and `args`, and returns the rate of change: of the
        state's structure, dtypes and shapes.
    y0
        The state at `t[0]`: a tensor, or a nested structure of them. Complex ones, too.
    t
        A vector of one or more times, all before or all after the first, and none beyond the last.
    args
        Further arguments: a tuple, or the only one.
    tfirst
        Whether it is `func(t, y, *args)`.
    rtol, atol
        The error of a step is at most `atol + rtol * abs(y)`, in the mean of squares over the
        state; by default the square root of what the dtype resolves, 1.5e-8 in float64. Numbers, or
        for a state that is a vector one for each element.
    h0, hmax
        How wide the first step is, and how wide any may be; 0 for none but by the errors.
    method
        As for `solve_ivp`.
    max_steps
        How many steps are tried at most.

    Returns
    -------
    The states, along a new first axis. They are NaN at times that were not reached, as when the
    rate is not finite, or `max_steps` too few.

    Raises
    ------
    TypeError
        for rates of another structure or rank, and complex ones of a real state.
    ValueError
        for `t` that is no vector, another method, widths that are not above 0, and at a call for
        times on both sides of the first.

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
    more = tuple_of(args)
    rate = (lambda y, t: func(t, y, *more)) if tfirst else (lambda y, t: func(y, t, *more))
    layout = StateVector(y0, "odeint")
    limits = _limits("odeint", layout, rtol, atol, h0 or None, hmax or inf)
    return _solution("odeint", rate, layout, t, limits, method, max_steps)[0]


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[TensorLike],
    y0: TensorLike,
    method: str = "RK45",
    t_eval: TensorLike | None = None,
    dense_output: bool = False,
    events: None = None,
    vectorized: bool = False,
    args: Any = None,
    *,
    rtol: TensorLike = 1e-3,
    atol: TensorLike = 1e-6,
    first_step: float | None = None,
    max_step: float = inf,
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
        "RK45", Dormand and Prince's; "RK23", Bogacki and Shampine's, for low accuracy; "DOP853",
        of eighth order, for high accuracy; or, for stiff equations, "Rodas", a Rosenbrock method of
        fourth order: each step solves systems with the Jacobian, so that its width follows from
        the solution alone, not from what decays fast (Hairer and Wanner, 1996).
    t_eval
        A vector of times in `t_span`; the end alone by default, as the number of steps is unknown
        until they are made.
    dense_output, events
        Are not here: times may be variables, and `optimize.root_scalar` finds one of an event.
    vectorized
        Makes no difference.
    args
        Further arguments: a tuple, or the only one.
    rtol, atol
        The error of a step is at most `atol + rtol * abs(y)`: numbers, or one for each element.
    first_step, max_step
        How wide the first step is, and how wide any may be.
    max_steps
        How many steps are tried at most.

    Raises
    ------
    TypeError, ValueError
        as `odeint`; and for another `method`, a `y0` that is no vector, a `first_step` that is
        wider than the span, dense output and events.

    Examples
    --------
    >>> result = solve_ivp(lambda t, y: -0.5 * y, (0, 10), [2.0, 4.0], t_eval=[0.0, 1.0])
    >>> result.y.eval().round(3)
    array([[2.   , 1.213],
           [4.   , 2.426]])
    """
    if dense_output:
        raise ValueError(
            "solve_ivp: there is no dense_output: give the times as t_eval, which may be a variable"
            f"{called()}"
        )
    if events is not None:
        raise ValueError(
            "solve_ivp: there are no events: find the time at which a state is 0 by "
            f"optimize.root_scalar of solve_ivp(...).y at that t_eval{called()}"
        )
    start = as_floating(y0)
    if start.ndim != 1:
        raise ValueError(f"solve_ivp: y0 must be a vector, not {start!r}{called()}")
    first, end = (as_tensor(v) for v in t_span)
    layout = StateVector(start, "solve_ivp")
    limits = _limits("solve_ivp", layout, rtol, atol, first_step, max_step)
    numbers = [v.op.value for v in (first, end) if isinstance(v.op, Constant)]
    if first_step is not None and len(numbers) == 2 and first_step > abs(numbers[1] - numbers[0]):
        raise ValueError(
            f"solve_ivp: first_step {first_step} exceeds the bounds {tuple(t_span)}{called()}"
        )
    times = _times("solve_ivp", reshape(end, (1,)) if t_eval is None else t_eval, layout.dtype)
    ends = [reshape(v.astype(times.dtype), (1,)) for v in (first, end)]
    more = () if args is None else tuple_of(args)
    states, reached = _solution(
        "solve_ivp",
        lambda y, t: fun(t, y, *more),
        layout,
        concatenate([ends[0], times, ends[1]]),
        limits,
        method,
        max_steps,
    )
    return OdeResult(times, states[1:-1].T, reached, where(reached, 0, -1))


def _limits(
    name: str,
    layout: StateVector,
    rtol: TensorLike | None,
    atol: TensorLike | None,
    first: float | None,
    widest: float,
) -> Tolerances:
    """Tolerances, for the two parts of complex numbers alike."""
    for text, width in (("the first step", first), ("the widest step", widest)):
        if width is not None and not width > 0:
            raise ValueError(f"{name}: how wide {text} is must be above 0, not {width}{called()}")
    parts = []
    for v in (rtol, atol):
        small = float(np.finfo(layout.dtype).eps) ** 0.5
        limit = as_tensor(small if v is None else v).astype(layout.dtype)
        parts.append(concatenate([limit] * layout.parts) if limit.ndim else limit)
    return Tolerances(parts[0], parts[1], first, widest)


def _solution(
    name: str,
    rate: Callable[[Any, Any], Any],
    layout: StateVector,
    t: TensorLike,
    limits: Tolerances,
    method: str,
    max_steps: int,
) -> tuple[Any, TensorVariable]:
    """The states, and whether the last time was reached."""
    if method not in _METHODS:
        names = ", ".join(repr(m) for m in _METHODS if m != "Rodas")
        raise ValueError(
            f"{name}: method must be {names} or, for stiff equations, 'Rodas', not {method!r}"
            f"{called()}"
        )
    most = whole(max_steps)
    if most < 1:
        raise ValueError(f"{name}: max_steps must be 1 or more, not {most}{called()}")
    start = layout.vector(layout.like)
    times = _times(name, t, layout.dtype)
    begin = index(times, 0)
    backwards = index(times, -1) < begin
    sign = where(backwards, -1.0, 1.0).astype(start.dtype)
    passed = sign * (times - begin)

    def field(y: Any, since: Any) -> TensorVariable:
        return sign * layout.vector(rate(layout.structure(y), begin + sign * since))

    outside = "times must lie between the first and the last"
    good = (passed >= 0) & (passed <= index(passed, -1))
    passed = check_and_raise(passed, good, ValueError, f"{name}: {outside}")
    order = argsort(passed)
    in_order = index(passed, order)
    rows, reached = states_at(_METHODS[method], field, start, in_order, limits, most)
    states = updated(index(zeros_like(rows), order), "set", rows)
    return layout.structure(states, 1), reached >= index(passed, -1)


def _times(name: str, t: TensorLike, dtype: str) -> TensorVariable:
    times = begun(t, f"{name}: t")
    if times.ndim != 1:
        raise ValueError(f"{name}: t must be a vector, not {times!r}{called()}")
    return times.astype(dtype)
