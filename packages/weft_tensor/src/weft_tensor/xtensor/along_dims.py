"""Functions along dims: what is left of them, and what goes along one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from weft_tensor.ops.indexing.argmax import argmax, argmin
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.reduction import standard
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.reduction.logsumexp_softmax import log_softmax, logsumexp, softmax
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.ops.statistics.moments import std, var
from weft_tensor.xtensor.variable import XTensor, as_xtensor, labelled

__all__ = ["ALONG", "ARGUMENTS", "REDUCTIONS", "along", "argument", "reduction"]

Function = Callable[..., Any]
Dim = str | Iterable[str] | None


def reduction(function: Function) -> Callable[..., XTensor]:
    """`function`, which reduces axes, for dims: one, several, or all of them by default.

    >>> reduction(standard.sum)(as_xtensor([[1, 2], [3, 4]], ("a", "b")), "a").values.eval()
    array([4, 6])
    """

    def reduced(x: Any, dim: Dim = None, **options: Any) -> XTensor:
        x = as_xtensor(x)
        axes = x.axes(dim)
        left = tuple([d for k, d in enumerate(x.dims) if k not in axes])
        return labelled(function(x.values, axis=axes, **options), left)

    return _called(reduced, function, "over `dim`: one or several, all by default")


def along(function: Function) -> Callable[..., XTensor]:
    """`function`, which goes along an axis, for a dim; only a vector can do without one.

    >>> along(cumsum)(as_xtensor([[1, 2], [3, 4]], ("a", "b")), "b").values.eval()
    array([[1, 3],
           [3, 7]])
    """

    def gone(x: Any, dim: str | None = None, **options: Any) -> XTensor:
        x = as_xtensor(x)
        return labelled(function(x.values, axis=_only(x, dim, function), **options), x.dims)

    return _called(gone, function, "along `dim`, which only a vector can do without")


def argument(function: Function) -> Callable[..., XTensor]:
    """`function`, which finds one position along an axis, for a dim.

    >>> argument(argmax)(as_xtensor([[1, 2], [4, 3]], ("a", "b")), "b").values.eval()
    array([1, 0])
    """

    def found(x: Any, dim: str | None = None) -> XTensor:
        x = as_xtensor(x)
        axis = _only(x, dim, function)
        left = tuple([d for k, d in enumerate(x.dims) if k != axis])
        return labelled(function(x.values, axis=axis), left)

    return _called(found, function, "along `dim`, which only a vector can do without")


def _only(x: XTensor, dim: str | None, function: Function) -> int:
    if dim is None and x.ndim != 1:
        raise ValueError(f"{function.__name__}: say along which of {x.dims}")
    return 0 if dim is None else x.axis(dim)


def _called(new: Callable[..., XTensor], old: Function, text: str) -> Callable[..., XTensor]:
    new.__name__ = new.__qualname__ = old.__name__
    new.__doc__ = f"`weft.tensor.{old.__name__}` {text}. Other keywords are passed on."
    return new


def _named(kind: Callable[[Function], Function], *functions: Function) -> dict[str, Function]:
    return {f.__name__: kind(f) for f in functions}


_LEFT = (standard.all, standard.any, standard.max, standard.mean, standard.min, standard.prod)
REDUCTIONS: Final = _named(reduction, *_LEFT, standard.sum, logsumexp, median, std, var)
"""What is left of one dim, several, or all."""
ALONG: Final = _named(along, argsort, cumprod, cumsum, diff, log_softmax, softmax, sort)
"""What goes along one dim."""
ARGUMENTS: Final = _named(argument, argmax, argmin)
"""Positions along one dim."""
