"""H. Rosenbrock's function, whose valley is bent, and its derivatives: to try searches with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_graph import grad, pushforward, replace
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import sum

__all__ = ["rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"]


def rosen(x: TensorLike) -> TensorVariable:
    """Rosenbrock's function of numbers along the first axis, which is 0 where all are 1.

    See `scipy.optimize.rosen`. Raises ValueError for a scalar.

    >>> rosen([1.5, 2.0]).eval()
    array(6.5)
    """
    v = as_floating(x)
    if not v.ndim:
        raise ValueError(f"rosen takes one axis or more, not {v!r}{called()}")
    low, high = index(v, slice(None, -1)), index(v, slice(1, None))
    return sum(100.0 * (high - low**2) ** 2 + (1.0 - low) ** 2, 0)


def rosen_der(x: TensorLike) -> TensorVariable:
    """The gradient of `rosen`.

    >>> rosen_der([1.5, 2.0]).eval()
    array([151., -50.])
    """
    return _at(x, lambda v: grad(rosen(v).sum(), v))


def rosen_hess(x: TensorLike) -> TensorVariable:
    """The matrix of second derivatives of `rosen`, of a vector.

    >>> rosen_hess([1.5, 2.0]).eval()
    array([[1902., -600.],
           [-600.,  200.]])
    """
    hessian = lazy_import("weft_tensor.batching.derivatives.hessian")
    return _at(x, lambda v: hessian(rosen(v), v))


def rosen_hess_prod(x: TensorLike, p: TensorLike) -> TensorVariable:
    """The product of `rosen_hess` with a vector.

    >>> rosen_hess_prod([1.5, 2.0], [1.0, 1.0]).eval()
    array([1302., -400.])
    """
    return _at(x, lambda v: pushforward(rosen_der(v), v, as_floating(p).astype(v.dtype)))


def _at(x: TensorLike, of: Callable[[Any], Any]) -> TensorVariable:
    """What is derived by a variable, at `x`, which may be a constant."""
    value = as_floating(x)
    free = value.type()
    result: TensorVariable = replace(of(free), {free: value})
    return result
