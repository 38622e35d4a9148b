"""The least of many minima by jumps that get shorter, and ways downhill.

Y. Xiang, D. Y. Sun, W. Fan and X. G. Gong, Generalized simulated annealing algorithm and its
application to the Thomson model, Phys. Lett. A 233, 1997.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp as number_exp
from math import lgamma, pi, sin
from math import log as number_log
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import minimum, mod
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.optimize.bounds import Ends, bounds_of_pairs
from weft_tensor.ops.optimize.downhill.minimum import minimize
from weft_tensor.ops.optimize.methods.hops import drawn_from
from weft_tensor.ops.optimize.problem import tuple_of
from weft_tensor.ops.random.distributions import fold_in, normal, split, uniform

__all__ = ["AnnealingResult", "dual_annealing"]

_FARTHEST: Final = 1e8
"""No jump is longer."""
_PATIENCE: Final = 1000
"""After so many jumps in vain, dual_annealing goes downhill."""


class AnnealingResult(NamedTuple):
    """What `dual_annealing` has found, with SciPy's names."""

    x: TensorVariable
    """The best point."""
    fun: TensorVariable
    """The function there."""
    nit: TensorVariable
    """How many temperatures there were."""
    nfev: TensorVariable
    """How many times the function was computed for them."""
    success: TensorVariable
    """Whether the function is finite there."""


class _Chain(NamedTuple):
    x: Any
    fun: Any
    best: Any
    least: Any
    lately: Any
    """The place where the chain was since it last went downhill, and the function there."""
    lately_fun: Any
    vain: Any
    improved: Any


class _Cooling(NamedTuple):
    chain: _Chain
    nit: Any
    since: Any
    nfev: Any


def _jumps(key: Any, temperature: Any, visit: float, size: Any) -> TensorVariable:
    """Jumps, in rows, of the visiting distribution: normal numbers over powers of others."""
    factor_2 = number_exp((4 - visit) * number_log(visit - 1))
    factor_3 = number_exp((2 - visit) * number_log(2) / (visit - 1))
    factor_4 = pi**0.5 * factor_2 / (factor_3 * (3 - visit))
    rest = 1 / (visit - 1) - 0.5
    factor_6 = pi * (1 - rest) / sin(pi * (1 - rest)) / number_exp(lgamma(2 - rest))
    keys = split(key, 3)
    up, down = (normal(k, size=(2 * size, size)) for k in (keys[0], keys[1]))
    spread = log(factor_6 / factor_4) - log(temperature) / (visit - 1)
    up = up * exp(-(visit - 1) * spread / (3 - visit))
    jump = up / exp((visit - 1) * log(absolute(down)) / (3 - visit))
    far = uniform(keys[2], size=(2 * size, size)) * _FARTHEST
    jump = where(jump > _FARTHEST, far, where(jump < -_FARTHEST, -far, jump))
    row, column = arange(2 * size).expand_dims(1), arange(size)
    return where((row < size) | eq(row - size, column), jump, 0.0)


def dual_annealing(
    func: Callable[..., Any],
    bounds: Any,
    args: Any = (),
    maxiter: int = 1000,
    minimizer_kwargs: Mapping[str, Any] | None = None,
    initial_temp: float = 5230.0,
    restart_temp_ratio: float = 2e-5,
    visit: float = 2.62,
    accept: float = -5.0,
    maxfun: float = 1e7,
    rng: TensorLike | None = None,
    no_local_search: bool = False,
    callback: None = None,
    x0: TensorLike | None = None,
) -> AnnealingResult:
    """The least value of the scalar `func(x, *args)` within bounds, by jumps that get shorter.

    At each temperature all elements of x jump together, as often as there are, then each alone;
    `minimize` goes downhill from what is better than all before, and now and then from elsewhere.
    It depends on `rng` alone what is drawn. Derivatives of x by what `func` and `bounds` use are
    those of `minimize`. See `scipy.optimize.dual_annealing`.

    Parameters
    ----------
    func
        Takes a vector, and `args`, and returns a real scalar.
    bounds
        For each element the least and the largest value, or `scipy.optimize.Bounds`: finite.
    args
        Further arguments: a tuple, or the only one.
    maxiter, maxfun
        How many temperatures there are at most, and after how many values of `func` it ends.
    minimizer_kwargs
        Further arguments of `minimize`.
    initial_temp, restart_temp_ratio
        The first temperature, above 0, and the share of it at which all begins anew.
    visit, accept
        How long the jumps' tails are, above 1 and below 3; and how rarely what is worse is
        accepted, at most -5 in SciPy.
    rng
        A key, as `wt.random.key(0)`.
    no_local_search
        Whether nothing goes downhill; then x has no derivatives.
    callback
        Makes no difference.
    x0
        Where to begin.

    Raises
    ------
    ValueError
        without a key, and for a `visit` out of its range.

    Examples
    --------
    >>> from weft_tensor import cos, random
    >>> waves = lambda x: (x**2 - 10 * cos(6.283185307179586 * x) + 10).sum()
    >>> found = dual_annealing(waves, [(-5.0, 4.0)] * 2, maxiter=100, rng=random.key(0))
    >>> abs(found.x).eval().round(6)
    array([0., 0.])
    """
    name = "dual_annealing"
    key = drawn_from(rng, name)
    if not 1 < visit < 3:
        raise ValueError(f"{name}: visit is above 1 and below 3, not {visit!r}{called()}")
    count = len(bounds.lb) if hasattr(bounds, "lb") else len(bounds)
    limits = bounds_of_pairs(bounds, zeros((count,)), name)
    low, width = limits.low, limits.high - limits.low
    more, options = tuple_of(args), {"bounds": Ends(*limits), **dict(minimizer_kwargs or {})}

    def value(x: TensorVariable) -> TensorVariable:
        result = as_tensor(func(x, *more))
        if result.ndim:
            raise ValueError(f"{name}: func must return a scalar, not {result!r}{called()}")
        return result.astype(low.dtype)

    def energy(x: TensorVariable) -> TensorVariable:
        found = value(x)
        return where(isfinite(found), found, np.inf)

    keys = split(key, 3)
    begin = low + uniform(keys[0], size=(count,)) * width
    begin = begin if x0 is None else clip(as_tensor(x0).astype(low.dtype), low, limits.high)
    scale = number_exp((visit - 1) * number_log(2)) - 1

    def visited(old: _Chain, jump: Any, drawn: Any, cold: Any) -> _Chain:
        x = low + mod(old.x + jump - low, where(width > 0, width, 1.0)) * where(width > 0, 1, 0)
        fun = energy(x)
        better = fun < old.fun
        rest = 1 - (1 - accept) * (fun - old.fun) / cold
        chance = where(rest > 0, exp(log(where(rest > 0, rest, 1.0)) / (1 - accept)), 0.0)
        taken = better | (isfinite(fun) & (drawn <= chance))
        x, now = where(taken, x, old.x), where(taken, fun, old.fun)
        lowest, kept = better & (fun < old.least), now < old.lately_fun
        return _Chain(
            *(x, now, where(lowest, x, old.best), where(lowest, fun, old.least)),
            where(kept, x, old.lately),
            where(kept, now, old.lately_fun),
            where(better, 0, old.vain + 1),
            old.improved | lowest,
        )

    def cooled(old: _Cooling) -> _Cooling:
        temperature = initial_temp * scale / (exp((visit - 1) * log(old.since + 2.0)) - 1)
        again = temperature < initial_temp * restart_temp_ratio
        own = split(fold_in(keys[1], old.nit), 4)
        fresh = low + uniform(own[0], size=(count,)) * width
        at = where(again, fresh, old.chain.x)
        since = where(again, 0, old.since)
        temperature = where(again, initial_temp, temperature)
        chain = old.chain._replace(
            x=at, fun=ifelse(again, energy(at), old.chain.fun), improved=as_tensor(False)
        )
        jumps, chances = _jumps(own[1], temperature, visit, count), uniform(own[2], size=2 * count)
        cold = temperature / (since + 1)
        chain = fori_loop(
            0,
            2 * count,
            lambda k, c: visited(c, index(jumps, k), index(chances, k), cold),
            chain,
        )
        nfev = old.nfev + 2 * count
        if not no_local_search:
            chain, calls = descended(chain, uniform(own[3]), cold)
            nfev = nfev + calls
        return _Cooling(chain, old.nit + 1, since + 1, nfev)

    def descended(chain: _Chain, drawn: Any, cold: Any) -> tuple[_Chain, Any]:
        chance = exp(minimum(100.0 * count * (chain.least - chain.fun) / cold, 0.0))
        goes = chain.improved | (drawn <= chance) | (chain.vain >= _PATIENCE)
        begin = where(chain.improved, chain.best, chain.lately)
        end = minimize(value, begin, **options)
        x, found, calls = ifelse(
            goes,
            [end.x, where(isfinite(end.fun), end.fun, np.inf), end.nfev.astype("int64")],
            [begin, as_tensor(np.inf).astype(low.dtype), as_tensor(0)],
        )
        lower = found < chain.least
        return _Chain(
            *(where(lower, x, chain.x), where(lower, found, chain.fun)),
            *(where(lower, x, chain.best), where(lower, found, chain.least)),
            *(where(goes, x, chain.lately), where(goes, np.inf, chain.lately_fun)),
            where(goes, 0, chain.vain),
            chain.improved,
        ), calls

    at_first, zero = energy(begin), as_tensor(0)
    chain = _Chain(*(begin, at_first) * 3, zero, as_tensor(False))
    ended = while_loop(
        lambda s: (s.nit < maxiter) & (s.nfev < maxfun),
        cooled,
        _Cooling(chain, zero, zero, as_tensor(1)),
    )
    best = stop_gradient(ended.chain.best)
    if not no_local_search:
        end = minimize(value, best, **options)
        best = where(end.fun <= value(best), end.x, best)
    fun = value(best)
    return AnnealingResult(best, fun, ended.nit, ended.nfev, isfinite(fun))
