"""The least of many minima by random jumps, after each of which it goes downhill.

D. J. Wales and J. P. K. Doye, Global optimization by basin-hopping, J. Phys. Chem. A 101, 1997.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import maximum, mod
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.optimize.downhill.minimum import OptimizeResult, minimize
from weft_tensor.ops.optimize.problem import begun
from weft_tensor.ops.random.distributions import fold_in, split, uniform
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["HoppingResult", "basinhopping", "drawn_from"]


class HoppingResult(NamedTuple):
    """What `basinhopping` has found, with SciPy's names."""

    x: TensorVariable
    """The best minimum's place."""
    fun: TensorVariable
    """The function there."""
    nit: TensorVariable
    """How many jumps there were."""
    nfev: TensorVariable
    """How many times the function was computed for them."""
    minimization_failures: TensorVariable
    """How many of them did not end at a minimum."""
    success: TensorVariable
    """Whether x is a minimum."""
    lowest_optimization_result: OptimizeResult
    """What `minimize` tells of the best one."""


class _Hops(NamedTuple):
    x: Any
    fun: Any
    best: Any
    least: Any
    nit: Any
    nfev: Any
    failures: Any
    accepted: Any
    stepsize: Any
    since: Any


def drawn_from(rng: TensorLike | None, name: str) -> TensorVariable:
    """A key; ValueError without one."""
    if rng is None:
        raise ValueError(f"{name}: points are drawn: give a key as rng=wt.random.key(0){called()}")
    return as_tensor(rng)


def basinhopping(
    func: Callable[..., Any],
    x0: TensorLike,
    niter: int = 100,
    T: TensorLike = 1.0,
    stepsize: float = 0.5,
    minimizer_kwargs: Mapping[str, Any] | None = None,
    take_step: None = None,
    accept_test: Callable[..., Any] | None = None,
    callback: None = None,
    interval: int = 50,
    disp: bool = False,
    niter_success: int | None = None,
    rng: TensorLike | None = None,
    *,
    target_accept_rate: float = 0.5,
    stepwise_factor: float = 0.9,
) -> HoppingResult:
    """The least minimum of the scalar `func(x)`, by random jumps from one to the next.

    After each jump `minimize` goes downhill, and what it finds is the next place if it is lower, or
    else with a probability of exp(-difference / T). It depends on `rng` alone which jumps are
    drawn. Derivatives of x by what `func` uses are those of `minimize`. See
    `scipy.optimize.basinhopping`.

    Parameters
    ----------
    func
        Takes a tensor like `x0`, and returns a real scalar.
    x0
        Where to begin.
    niter, niter_success
        How many jumps there are, and after how many without a lower minimum it ends before.
    T
        How large differences are that are accepted.
    stepsize
        How far elements are moved at most, to begin with: after each `interval` jumps it is divided
        by `stepwise_factor` if more than `target_accept_rate` were accepted, else multiplied.
    minimizer_kwargs
        Further arguments of `minimize`, as `args`, `method`, `bounds` and `options`.
    accept_test
        Takes `f_new`, `x_new`, `f_old` and `x_old`, by name, and returns whether a jump may be
        accepted.
    take_step
        Is not here: it would need keys.
    callback, disp
        Make no difference.
    rng
        A key, as `wt.random.key(0)`.

    Raises
    ------
    ValueError
        without a key, and for `take_step`.

    Examples
    --------
    >>> from weft_tensor import cos, random
    >>> def waves(x):
    ...     return cos(14.5 * x[0] - 0.3) + (x[0] + 0.2) * x[0]
    >>> basinhopping(waves, [1.0], 40, rng=random.key(0)).x.eval().round(4)
    array([-0.1951])
    """
    key = drawn_from(rng, "basinhopping")
    if take_step is not None:
        raise ValueError(f"basinhopping: steps are drawn by rng: take_step is None{called()}")
    options = dict(minimizer_kwargs or {})
    start = begun(x0, "basinhopping: x0")
    size: Any = lengths_of(start)
    patience = niter + 1 if niter_success is None else niter_success

    def hop(old: _Hops) -> _Hops:
        keys = split(fold_in(key, old.nit))
        is_first = eq(old.nit, 0)
        reach = where(is_first, 0.0, old.stepsize)
        step = (uniform(keys[0], size=size) * 2 - 1) * reach
        end = minimize(func, (old.x + step).astype(start.dtype), **options)
        apart = end.fun - old.fun
        drawn = uniform(keys[1])
        by_chance = drawn <= exp(-maximum(apart, 0) / where(eq(T, 0), 1, T)) * where(eq(T, 0), 0, 1)
        taken = isfinite(end.fun) & ((apart < 0) | by_chance)
        if accept_test is not None:
            test = accept_test(f_new=end.fun, x_new=end.x, f_old=old.fun, x_old=old.x)
            taken = taken & as_tensor(test).astype("bool")
        taken = taken | is_first
        lower = taken & isfinite(end.fun) & (end.fun < old.least)
        accepted = old.accepted + where(taken & ~is_first, 1, 0)
        adapts = ~is_first & eq(mod(old.nit, interval), 0)
        often = accepted > target_accept_rate * old.nit
        factor = where(adapts, where(often, 1 / stepwise_factor, stepwise_factor), 1.0)
        return _Hops(
            where(taken, end.x, old.x),
            where(taken, end.fun, old.fun),
            where(lower, end.x, old.best),
            where(lower, end.fun, old.least),
            old.nit + 1,
            old.nfev + end.nfev,
            old.failures + where(end.success, 0, 1),
            accepted,
            old.stepsize * factor,
            where(lower, 0, old.since + 1),
        )

    none, count = as_tensor(np.inf).astype(start.dtype), as_tensor(0)
    first = _Hops(
        *(start, none, start, none, count, count, count, count, as_tensor(float(stepsize)), count)
    )
    ended = while_loop(lambda s: (s.nit <= niter) & (s.since < patience), hop, first)
    last = _Hops(*map(stop_gradient, ended))
    lowest = minimize(func, last.best, **options)
    return HoppingResult(
        lowest.x,
        lowest.fun,
        last.nit - 1,
        last.nfev,
        last.failures,
        lowest.success,
        lowest,
    )
