"""Integrals over boxes from values at points that fill them evenly."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from operator import index as whole
from typing import Any, NamedTuple, SupportsIndex

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.random.distributions import split
from weft_tensor.ops.reduction.standard import max, mean, prod
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.ops.statistics.moments import std
from weft_tensor.types.dtypes import promote

__all__ = ["QMCQuadResult", "qmc_quad"]


class QMCQuadResult(NamedTuple):
    """An integral, and the standard error of the mean that it is."""

    integral: TensorVariable
    standard_error: TensorVariable


def qmc_quad(
    func: Callable[[Any], Any],
    a: TensorLike,
    b: TensorLike,
    *,
    n_estimates: SupportsIndex = 8,
    n_points: SupportsIndex = 1024,
    qrng: Any = None,
    log: bool = False,
) -> QMCQuadResult:
    """The integral of `func` over the box from `a` to `b`: the mean at points that fill it evenly.

    Derivatives, in both modes, by the limits and by all that `func` uses, are those of the same
    points. See `scipy.integrate.qmc_quad`.

    Parameters
    ----------
    func
        Takes points, a row for each variable and a column for each, and returns a vector of values.
        It is called once, with the points of all estimates.
    a, b
        Vectors, or numbers for all variables. Where an upper limit is the lower one, the sign
        changes.
    n_estimates
        How many times the points are made, from keys split off the one of `qrng`.
    n_points
        How many points there are each time.
    qrng
        A sequence of `stats.qmc`, of as many axes as there are variables, with a key:
        `Halton(d, rng=wt.random.key(0))`. Needed, since nothing is drawn without a key.
    log
        Whether `func` returns logarithms of values; results are logarithms, too, and that of a
        negative integral is NaN, where SciPy's is complex.

    Raises
    ------
    ValueError
        without `qrng`, or one with a key; for numbers of estimates or points below 1, complex
        values or limits, and values of another length or rank.

    Examples
    --------
    >>> from weft_tensor import exp, random
    >>> from weft_tensor.stats import qmc
    >>> points = qmc.Sobol(2, rng=random.key(1))
    >>> found = qmc_quad(lambda x: exp(-(x**2).sum(0)), [0.0, 0.0], [1.0, 1.0], qrng=points)
    >>> found.integral.eval().round(4), bool((found.standard_error < 1e-4).eval())
    (np.float64(0.5577), True)
    """
    if getattr(qrng, "rng", None) is None:
        raise ValueError(
            "qmc_quad: give points with a key as qrng=wt.stats.qmc.Halton(d, "
            f"rng=wt.random.key(0)), not {qrng!r}{called()}"
        )
    times, count = whole(n_estimates), whole(n_points)
    if min(times, count) < 1:
        raise ValueError(f"qmc_quad: there are {times} estimates of {count} points{called()}")
    ends = as_floating(a), as_floating(b)
    kind = promote([v.dtype for v in ends])
    if kind.startswith("complex") or any(v.ndim > 1 for v in ends):
        raise ValueError(
            f"qmc_quad: a and b are real vectors, not {ends[0]!r} and {ends[1]!r}{called()}"
        )
    d, like = qrng.d, type(qrng)
    first, last = (broadcast_to(v.astype(kind), (d,)).expand_dims((1, 2)) for v in ends)
    low, high = minimum(first, last), maximum(first, last)
    by_key = lazy_import("weft_tensor.batching.functions.vmap")
    drawn = by_key(lambda key: like(d, rng=key).random(count).T)(split(qrng.rng, times))
    places = low + (high - low) * drawn.transpose((1, 0, 2)).astype(kind)
    values = as_tensor(func(reshape(places, (d, times * count))))
    if values.is_complex or values.ndim > 1:
        raise ValueError(
            f"qmc_quad: func returns a real value for each point, not {values!r}{called()}"
        )
    values = broadcast_to(values, (times * count,)).astype(promote([values.dtype, kind]))
    rows = reshape(values, (times, count))
    peak = stop_gradient(max(rows)) if log else as_tensor(0.0)
    peak = where(isfinite(peak), peak, 0.0).astype(kind)
    volume = prod(ravel(high - low))
    estimates = mean(exp(rows - peak) if log else rows, 1) * volume
    sign = where(prod(ravel(last - first)) < 0, -1, 1).astype(kind)
    found = mean(estimates) * sign
    error = stop_gradient(std(estimates, ddof=1)) / times**0.5
    if log:
        found, error = _logarithm(found) + peak, _logarithm(error) + peak
    return QMCQuadResult(found, error)


def _logarithm(x: TensorVariable) -> TensorVariable:
    """NaN below 0, without NumPy's warnings."""
    known = x > 0
    return where(known, logarithm(where(known, x, 1.0)), where(eq(x, 0), -inf, nan))
