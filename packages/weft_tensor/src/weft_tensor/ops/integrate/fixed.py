"""Integrals of functions from values at places that are known before."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import Any, SupportsIndex

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.types.dtypes import promote

__all__ = ["fixed_quad", "lebedev_rule"]


def fixed_quad(
    func: Callable[..., Any], a: TensorLike, b: TensorLike, args: Any = (), n: int = 5
) -> tuple[TensorVariable, None]:
    """The integral of `func(x, *args)` from `a` to `b`, from values at `n` places.

    Exact for polynomials of degree 2 n - 1 (Gauss-Legendre). See `scipy.integrate.fixed_quad`.

    Parameters
    ----------
    func
        Takes `n` places in a new last axis, and `args`, and returns a tensor whose last axis is of
        the values at each. It is called once.
    a, b
        Real numbers of shapes that can be broadcast; both finite.
    args
        Further arguments: a tuple, or the only one.
    n
        How many places: 1 or more.

    Returns
    -------
    The integral, and None, as in SciPy.

    Raises
    ------
    ValueError
        if `n` is less than 1.
    TypeError
        for complex `a` or `b`.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import exp, scalar
    >>> rate = scalar("rate")
    >>> area, _ = fixed_quad(lambda x: exp(-rate * x), 0.0, 1.0, n=8)
    >>> [v.eval({rate: 2.0}).round(6).item() for v in (area, grad(area, rate))]
    [0.432332, -0.148499]
    """
    count = whole(n)
    if count < 1:
        raise ValueError(f"fixed_quad: n must be 1 or more, not {n}{called()}")
    low, high = as_tensor(a), as_tensor(b)
    dtype = promote([low.dtype, high.dtype])
    if dtype.startswith("complex"):
        raise TypeError(f"fixed_quad: a and b must be real, not {low!r} and {high!r}{called()}")
    if not dtype.startswith("float"):
        dtype = "float64"
    nodes, weights = (v.astype(dtype) for v in np.polynomial.legendre.leggauss(count))
    low, high = low.astype(dtype), high.astype(dtype)
    half = (high - low) / 2
    places = low.expand_dims(-1) + half.expand_dims(-1) * (1 + nodes)
    values = as_tensor(func(places, *(args if isinstance(args, tuple) else (args,))))
    return half * sum(weights * values, -1), None


def lebedev_rule(n: SupportsIndex) -> tuple[TensorVariable, TensorVariable]:
    """Points on the unit sphere, as columns, and weights of values there for the integral over it.

    Exact for polynomials of degree `n`, which is 3 to 31, odd, or every sixth from 35 to 131 (V. I.
    Lebedev and D. N. Laikov, A quadrature formula for the sphere of the 131st algebraic order of
    accuracy, 1999). The numbers are SciPy's: see `scipy.integrate.lebedev_rule`. Raises ValueError
    for another `n`.

    >>> x, w = lebedev_rule(9)
    >>> x.type.shape, (w @ (x[0] ** 2 * x[1] ** 4)).eval().round(6), round(4 * np.pi / 35, 6)
    ((3, 38), np.float64(0.359039), 0.359039)
    """
    order = whole(n)
    if order not in (*range(3, 32, 2), *range(35, 132, 6)):
        raise ValueError(
            "lebedev_rule: n is an odd number from 3 to 31, or 35, 41, ..., 131, not "
            f"{order}{called()}"
        )
    points, weights = lazy_import("scipy.integrate.lebedev_rule")(order)
    return constant(points), constant(weights)
