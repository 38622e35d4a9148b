"""The least of many minima: by a population of points, and by a grid of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, linspace, zeros
from weft_tensor.ops.creation.index_tricks import meshgrid
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum
from weft_tensor.ops.elementwise.comparison import isfinite, isnan, where
from weft_tensor.ops.indexing.argmax import argmin
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.numbers.rounding import round
from weft_tensor.ops.optimize.bounds import Bounds, Ends, bounds_of_pairs
from weft_tensor.ops.optimize.downhill.minimum import minimize
from weft_tensor.ops.optimize.problem import tuple_of
from weft_tensor.ops.random.distributions import fold_in, split, uniform
from weft_tensor.ops.reduction.cumulative import cumprod
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.statistics.moments import std

__all__ = ["PopulationResult", "brute", "differential_evolution"]

Mutant = Callable[[Any, Any, Any, Any], TensorVariable]
_MUTANTS: Final[dict[str, Mutant]] = {
    "best1": lambda best, x, r, f: best + f * (r[0] - r[1]),
    "best2": lambda best, x, r, f: best + f * (r[0] + r[1] - r[2] - r[3]),
    "rand1": lambda best, x, r, f: r[0] + f * (r[1] - r[2]),
    "rand2": lambda best, x, r, f: r[0] + f * (r[1] + r[2] - r[3] - r[4]),
    "randtobest1": lambda best, x, r, f: r[0] + f * (best - r[0] + r[1] - r[2]),
    "currenttobest1": lambda best, x, r, f: x + f * (best - x + r[0] - r[1]),
}
"""Of the best point, all points, five others for each, and a factor."""
_STRATEGIES: Final = tuple(name + kind for name in _MUTANTS for kind in ("bin", "exp"))


class PopulationResult(NamedTuple):
    """What `differential_evolution` has found, with SciPy's names."""

    x: TensorVariable
    """The best point."""
    fun: TensorVariable
    """The function there."""
    nit: TensorVariable
    """How many generations there were."""
    nfev: TensorVariable
    """How many times the function was computed for them."""
    success: TensorVariable
    """Whether all points came to nearly one value."""
    population: TensorVariable
    """The last points, in rows."""
    population_energies: TensorVariable
    """The function there."""


class _State(NamedTuple):
    points: Any
    energies: Any
    nit: Any
    going: Any


def differential_evolution(
    func: Callable[..., Any],
    bounds: Any,
    args: Any = (),
    strategy: str = "best1bin",
    maxiter: int = 1000,
    popsize: int = 15,
    tol: float = 0.01,
    mutation: TensorLike | tuple[float, float] = (0.5, 1),
    recombination: float = 0.7,
    rng: TensorLike | None = None,
    callback: None = None,
    disp: bool = False,
    polish: bool = True,
    init: Any = "latinhypercube",
    atol: float = 0,
    updating: str = "immediate",
    workers: int = 1,
    constraints: tuple[()] = (),
    x0: TensorLike | None = None,
    *,
    integrality: Any = None,
    vectorized: bool = False,
) -> PopulationResult:
    """The least value of `func(x, *args)` within bounds, among many minima.

    Each point of a population is set against one that is mixed of others, and the better one stays
    (R. Storn and K. Price, Differential Evolution, 1997). All points of a generation are computed
    at once, and it depends on `rng` alone which are drawn. Derivatives of x by what `func` and
    `bounds` use are those of `minimize`, which polishes it. See
    `scipy.optimize.differential_evolution`.

    Parameters
    ----------
    func
        Takes a vector, and `args`, and returns a real scalar.
    bounds
        For each element the least and the largest value, or `scipy.optimize.Bounds`: finite.
    args
        Further arguments: a tuple, or the only one.
    strategy
        How points are mixed: "best1bin", or best1, best2, rand1, rand2, randtobest1 and
        currenttobest1 with bin or exp.
    maxiter, popsize
        How many generations there are at most, and how many points for each element of x; six at
        least in all.
    tol, atol
        It ends where the values' standard deviation is at most `atol + tol * abs(mean)`.
    mutation, recombination
        The factor of differences, or between which two it is drawn for each generation; and the
        probability that an element is the mixed one.
    rng
        A key, as `wt.random.key(0)`.
    callback, disp, updating, workers
        Make no difference.
    polish
        Whether `minimize` goes on from the best point; without, x has no derivatives.
    init
        "latinhypercube", "random", or points in rows.
    constraints
        Are not here: add to `func` what is broken of them.
    x0
        A point to begin with.
    integrality
        Which elements are whole numbers.
    vectorized
        Whether `func` takes points in columns, and returns a vector; else `vmap` calls it.

    Raises
    ------
    ValueError
        without a key; for another strategy or `init`, and for constraints.

    Examples
    --------
    >>> from weft_tensor import cos, random
    >>> waves = lambda x: (x**2 - 10 * cos(6.283185307179586 * x) + 10).sum()
    >>> found = differential_evolution(waves, [(-5.0, 4.0)] * 2, rng=random.key(0))
    >>> abs(found.x).eval().round(6), found.success.eval().item()
    (array([0., 0.]), True)
    """
    name = "differential_evolution"
    if rng is None:
        raise ValueError(f"{name}: points are drawn: give a key as rng=wt.random.key(0){called()}")
    if constraints != ():
        raise ValueError(f"{name}: there are no constraints: add what is broken to func{called()}")
    one_of(name, "strategy", strategy, _STRATEGIES)
    limits, whole = _limits(bounds, integrality)
    more = tuple_of(args)
    size = lengths_of(limits.low)[0]

    def place(points: TensorVariable) -> TensorVariable:
        inside = limits.low + points * (limits.high - limits.low)
        return where(whole, round(inside), inside)

    def value(x: TensorVariable) -> TensorVariable:
        if vectorized:
            return reshape(as_tensor(func(x.expand_dims(1), *more)), ())
        result = as_tensor(func(x, *more))
        if result.ndim:
            raise ValueError(f"{name}: func must return a scalar, not {result!r}{called()}")
        return result

    def energies(points: TensorVariable) -> TensorVariable:
        at = place(points)
        if vectorized:
            found = as_tensor(func(at.T, *more))
        else:
            found = lazy_import("weft_tensor.batching.functions.vmap")(value)(at)
        found = found.astype(at.dtype)
        return where(isnan(found), np.inf, found)

    keys = split(rng)
    first = _first(keys[0], init, limits, maximum(int(popsize) * size, 6), name)
    if x0 is not None:
        start = (as_tensor(x0).astype(first.dtype) - limits.low) / (limits.high - limits.low)
        first = updated(index(first, 0), "set", clip(start, 0, 1))

    def state(points: Any, values: Any, nit: Any) -> _State:
        finite = isfinite(values)
        known = where(finite, values, 0)
        near = std(known) <= atol + tol * absolute(mean(known))
        return _State(points, values, nit, ~(near & finite.all()))

    def body(old: _State) -> _State:
        key = fold_in(keys[1], old.nit)
        points = _mixed(key, old.points, old.energies, strategy, mutation, recombination)
        values = energies(points)
        better = values <= old.energies
        points = where(better.expand_dims(1), points, old.points)
        return state(points, where(better, values, old.energies), old.nit + 1)

    end = while_loop(
        lambda s: s.going & (s.nit < maxiter), body, state(first, energies(first), as_tensor(0))
    )
    end = _State(*map(stop_gradient, end))
    points = stop_gradient(place(end.points))
    best = index(points, argmin(end.energies))
    if polish:
        low, high = (where(whole, best, v) for v in limits)
        ended = minimize(value, best, bounds=Ends(low, high))
        best = where(ended.fun <= value(best), ended.x, best)
    count = lengths_of(end.energies)[0]
    return PopulationResult(
        best,
        value(best),
        end.nit,
        count * (end.nit + 1),
        ~end.going,
        points,
        end.energies,
    )


def _limits(bounds: Any, integrality: Any) -> tuple[Bounds, TensorVariable]:
    """Bounds, and which elements are whole numbers: these have the same room as any other."""
    count = len(bounds.lb) if hasattr(bounds, "lb") else len(bounds)
    limits = bounds_of_pairs(bounds, zeros((count,)), "differential_evolution")
    whole = as_tensor(np.zeros(count, bool) if integrality is None else integrality).astype("bool")
    nearly = 0.5 - 1e-9
    low = where(whole, ceil(limits.low) - nearly, limits.low)
    high = where(whole, floor(limits.high) + nearly, limits.high)
    return Bounds(low, high), whole


def _first(key: Any, init: Any, limits: Bounds, count: Any, name: str) -> TensorVariable:
    """The first points, between 0 and 1."""
    size = lengths_of(limits.low)[0]
    if not isinstance(init, str):
        points = as_tensor(init).astype(limits.low.dtype)
        return clip((points - limits.low) / (limits.high - limits.low), 0, 1)
    one_of(name, "init", init, ("latinhypercube", "random"))
    keys = split(key)
    drawn = uniform(keys[0], size=(count, size))
    if init == "random":
        return drawn
    places = argsort(uniform(keys[1], size=(count, size)), 0)
    return (places + drawn) / count


def _mixed(
    key: Any,
    points: TensorVariable,
    energies: TensorVariable,
    strategy: str,
    mutation: Any,
    recombination: float,
) -> TensorVariable:
    """A point against each of the population.

    The five others are those that follow it in a drawn order.
    """
    count, size = lengths_of(points)
    keys = split(key, 6)
    order = argsort(uniform(keys[0], size=count))
    place = argsort(order)
    others = [index(points, index(order, (place + k) % count)) for k in range(1, 6)]
    is_pair = isinstance(mutation, (tuple, list))
    factor = uniform(keys[1], *mutation) if is_pair else as_tensor(mutation)
    best = index(points, argmin(energies))
    mutants = _MUTANTS[strategy[:-3]](best, points, others, factor)
    begin = floor(uniform(keys[2], size=(count, 1)) * size)
    taken = uniform(keys[3], size=(count, size)) < recombination
    since = (arange(size) - begin) % size
    if strategy.endswith("bin"):
        taken = taken | since.eq(0)
    else:
        run = concatenate([taken[:, :1] | True, taken[:, 1:]], 1)
        taken = since < cumprod(run.astype("int64"), 1).sum(1, keepdims=True)
    tried = where(taken, mutants, points)
    outside = (tried < 0) | (tried > 1)
    return where(outside, uniform(keys[4], size=(count, size)), tried)


def brute(
    func: Callable[..., Any],
    ranges: Any,
    args: Any = (),
    Ns: int = 20,
    full_output: bool = False,
    finish: Callable[..., Any] | None = minimize,
    disp: bool = False,
    workers: int = 1,
) -> Any:
    """The least value of `func(x, *args)` on a grid, from which `minimize` goes on.

    `ranges` has for each element of x a pair of its ends, between which are `Ns` places, or a slice
    of numbers, as for `np.mgrid`. With `finish=None`, the place of the grid is returned, of one
    range a number; with `full_output` also the value, the grid and the values there. `disp` and
    `workers` make no difference. Derivatives are those of `minimize`. See `scipy.optimize.brute`.

    >>> from weft_tensor import cos
    >>> brute(lambda x: (x[0] - 1) ** 2 + cos(9 * x[0]), [(0, 2)]).eval().round(3)
    array([1.046])
    """
    axes = []
    for part in ranges:
        if isinstance(part, slice):
            axes.append(as_tensor(np.mgrid[part].astype(float)))
        else:
            axes.append(linspace(part[0], part[1], Ns))
    grid = stack(meshgrid(*axes, indexing="ij"))
    more = tuple_of(args)
    points = reshape(grid, (len(axes), -1)).T

    def value(x: TensorVariable) -> TensorVariable:
        return reshape(as_tensor(func(x, *more)), ())

    values = lazy_import("weft_tensor.batching.functions.vmap")(value)(points)
    x = stop_gradient(index(points, argmin(values)))
    if finish is not None:
        x = finish(value, x).x
    found = index(x, 0) if finish is None and len(axes) == 1 else x
    if not full_output:
        return found
    places = grid if len(axes) > 1 else axes[0]
    return found, value(x), places, reshape(values, tuple([lengths_of(v)[0] for v in axes]))
