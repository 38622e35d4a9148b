"""Solutions of ordinary differential equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf
from operator import index as whole
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant, stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.integrate.events import Event, Events, chosen, events_of, found
from weft_tensor.ops.integrate.replay import states_at
from weft_tensor.ops.integrate.rosenbrock import RODAS
from weft_tensor.ops.integrate.runge_kutta import (
    BOGACKI_SHAMPINE,
    DORMAND_PRINCE,
    EIGHTH_ORDER,
    Field,
    Method,
    Tolerances,
)
from weft_tensor.ops.integrate.state_vector import StateVector
from weft_tensor.ops.optimize.problem import begun, tuple_of
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["OdeResult", "odeint", "solve_ivp"]

_METHODS: Final = {
    "RK45": DORMAND_PRINCE,
    "RK23": BOGACKI_SHAMPINE,
    "DOP853": EIGHTH_ORDER,
    **dict.fromkeys(("Rodas", "Radau", "BDF", "LSODA"), RODAS),
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
    """0 for success, 1 if an event ended it, -1 otherwise."""
    t_events: Any = ()
    """For each event, when it happened."""
    y_events: Any = ()
    """The states then: a row for each time."""
    sol: Any = ()
    """With `dense_output`, a function of a time, or a vector of them, that gives the states."""


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
    events: Any = None,
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
        the solution alone, not from what decays fast (Hairer and Wanner, 1996). It is what SciPy's
        names of methods for these stand for, too: "Radau", "BDF" and "LSODA".
    t_eval
        A vector of times in `t_span`; the end alone by default, as the number of steps is unknown
        until they are made.
    dense_output
        Whether `sol` of the result is a function of times, from the first to the last that was
        reached, which may be variables. What it gives is solved for them by the same steps.
    events
        A function of the time, the state and `args`, or several, that are zero when something
        happens. With an attribute `terminal`, True or how often, the solution ends there: of
        `t_eval`, times after it are left out. `direction` above 0 leaves what rises, below 0 what
        falls. On JAX, results of a batch must be of one length: the end is, with no `t_eval`.
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
        wider than the span, and events that are no scalars, or whose `terminal` is no such number.

    Examples
    --------
    >>> result = solve_ivp(lambda t, y: -0.5 * y, (0, 10), [2.0, 4.0], t_eval=[0.0, 1.0])
    >>> result.y.eval().round(3)
    array([[2.   , 1.213],
           [4.   , 2.426]])
    """
    start = as_floating(y0)
    if start.ndim != 1:
        raise ValueError(f"solve_ivp: y0 must be a vector, not {start!r}{called()}")
    if len(t_span) != 2:
        raise ValueError(f"solve_ivp: t_span is (first, last), not {t_span!r}{called()}")
    first, end = (as_tensor(v) for v in t_span)
    layout = StateVector(start, "solve_ivp")
    limits = _limits("solve_ivp", layout, rtol, atol, first_step, max_step)
    numbers = [v.op.value for v in (first, end) if isinstance(v.op, Constant)]
    if first_step is not None and len(numbers) == 2 and first_step > abs(numbers[1] - numbers[0]):
        raise ValueError(
            f"solve_ivp: first_step {first_step} exceeds the bounds {tuple(t_span)}{called()}"
        )
    times = _times("solve_ivp", reshape(end, (1,)) if t_eval is None else t_eval, layout.dtype)
    first, end = first.astype(times.dtype), end.astype(times.dtype)
    more = () if args is None else tuple_of(args)

    def rate(y: Any, t: Any) -> Any:
        return fun(t, y, *more)

    def solved(inner: TensorVariable, last: TensorVariable) -> tuple[Any, TensorVariable]:
        ends = [reshape(v, (1,)) for v in (first, last)]
        through = concatenate([ends[0], inner, ends[1]])
        rows, reached = _solution("solve_ivp", rate, layout, through, limits, method, max_steps)
        return rows[1:-1], reached

    def dense(last: TensorVariable) -> Any:
        def sol(t: TensorLike) -> TensorVariable:
            at = as_tensor(t)
            places = _times("solve_ivp", reshape(at, (1,)) if not at.ndim else at, layout.dtype)
            states = solved(places, last)[0].T
            return states if at.ndim else index(states, (slice(None), 0))

        return sol if dense_output else ()

    listed = events_of(events, more)
    if not listed:
        states, reached = solved(times, end)
        status = where(reached, 0, -1)
        return OdeResult(times, states.T, reached, status, sol=dense(end))
    sign, field = _forwards(rate, layout, first, end)
    since = [e.seen(lambda t, y: (first + sign * t, layout.structure(y))) for e in listed]
    how, most = _method("solve_ivp", method), _steps("solve_ivp", max_steps)
    y, span = layout.vector(start), sign * (end - first)
    happened = Events(*map(stop_gradient, found(since, how, field, y, span, limits, most)))
    is_ended = happened.which >= 0
    stop = where(is_ended, first + sign * happened.end, end)
    if t_eval is None:
        times = reshape(stop, (1,))
    else:
        times = index(times, sign * (times - first) <= sign * (stop - first))
    plain, reached = solved(times, stop)  # by itself: of one length in a batch, unlike events
    near = happened.each(len(since))
    states, _ = solved(concatenate([first + sign * t for t in near]), stop)
    ends = [as_tensor(0), *cumsum(stack([lengths_of(t)[0] for t in near]))]
    rows = [index(states, slice(a, b)) for a, b in pairwise(ends)]

    def settled(event: Event, t: TensorVariable, states: Any) -> tuple[Any, Any]:
        vectors = lazy_import("weft_tensor.batching.functions.vmap")(layout.vector)(states)
        t, vectors = event.settled(field, t, vectors)
        return first + sign * t, layout.structure(vectors, 1)

    exact = [settled(e, t, y) for e, t, y in zip(since, near, rows, strict=True)]
    if t_eval is None:
        last, state = settled(chosen(since, happened.which), reshape(happened.end, (1,)), plain)
        times, plain = where(is_ended, last, times), where(is_ended, state, plain)
    status = where(reached, where(is_ended, 1, 0), -1)
    t_events, y_events = zip(*exact, strict=True)
    return OdeResult(times, plain.T, reached, status, t_events, y_events, dense(stop))


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
    how, most = _method(name, method), _steps(name, max_steps)
    start = layout.vector(layout.like)
    times = _times(name, t, layout.dtype)
    begin = index(times, 0)
    sign, field = _forwards(rate, layout, begin, index(times, -1))
    passed = sign * (times - begin)
    outside = "times must lie between the first and the last"
    good = (passed >= 0) & (passed <= index(passed, -1))
    passed = check_and_raise(passed, good, ValueError, f"{name}: {outside}")
    order = argsort(passed)
    rows, reached = states_at(how, field, start, index(passed, order), limits, most)
    states = updated(index(zeros_like(rows), order), "set", rows)
    return layout.structure(states, 1), reached >= index(passed, -1)


def _forwards(
    rate: Callable[[Any, Any], Any], layout: StateVector, begin: Any, end: Any
) -> tuple[TensorVariable, Field]:
    """The sign of time, and the rates by the time that has passed."""
    sign = where(end < begin, -1.0, 1.0).astype(begin.dtype)

    def field(y: Any, since: Any) -> TensorVariable:
        return sign * layout.vector(rate(layout.structure(y), begin + sign * since))

    return sign, field


def _method(name: str, method: str) -> Method:
    if method not in _METHODS:
        names = ", ".join(repr(m) for m, how in _METHODS.items() if how is not RODAS)
        raise ValueError(
            f"{name}: method must be {names} or, for stiff equations, 'Rodas', not {method!r}"
            f"{called()}"
        )
    return _METHODS[method]


def _steps(name: str, max_steps: int) -> int:
    most = whole(max_steps)
    if most < 1:
        raise ValueError(f"{name}: max_steps must be 1 or more, not {most}{called()}")
    return most


def _times(name: str, t: TensorLike, dtype: str) -> TensorVariable:
    times = begun(t, f"{name}: t")
    if times.ndim != 1:
        raise ValueError(f"{name}: t must be a vector, not {times!r}{called()}")
    return times.astype(dtype)
