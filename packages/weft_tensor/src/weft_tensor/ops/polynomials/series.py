"""Values, slopes and fits of series of six families of polynomials, the constant first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import index as whole
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import ones_like, zeros
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.polynomials.families import (
    FAMILIES,
    Family,
    clenshaw,
    coefficients_of,
    factor,
    linear,
)
from weft_tensor.ops.polynomials.least_squares import nearest
from weft_tensor.ops.products.products import tensordot
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.dtypes import promote

__all__ = ["KINDS", "OF_ONE"]


def _val(family: Family, x: TensorLike, c: TensorLike, tensor: bool = True) -> TensorVariable:
    """The values at `x` of a series of {family} polynomials, by Clenshaw's rule.

    Of a `c` with more axes each column is a series; with `tensor=False`, `x` is broadcast over
    them. The number of coefficients must be known when the graph is built, TypeError else.
    See `numpy.polynomial.{place}.{name}`.
    """
    coefficients, count = coefficients_of(c, f"{family.prefix}val")
    at = as_tensor(x)
    at = at.astype(promote([at.dtype, coefficients.dtype]))
    terms = [index(coefficients, k) for k in range(count)]
    if tensor and at.ndim and terms[0].ndim:
        terms = [expand_dims(t, tuple(range(t.ndim, t.ndim + at.ndim))) for t in terms]
    first = terms[-1] if count > 1 and family.prefix != "poly" else terms[-1] + 0 * at
    return clenshaw(family, terms, at, first)


def _sum_over(family: Family, c: TensorLike, *places: TensorLike) -> TensorVariable:
    """The values at points of a series of products, a factor for each axis of `c`."""
    result: Any = c
    for k, x in enumerate(places):
        result = _val(family, x, result, not k)
    return result


def _val2d(family: Family, x: TensorLike, y: TensorLike, c: TensorLike) -> TensorVariable:
    """The values at points (x, y) of a series of products of {family} polynomials.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _sum_over(family, c, x, y)


def _val3d(
    family: Family, x: TensorLike, y: TensorLike, z: TensorLike, c: TensorLike
) -> TensorVariable:
    """The values at points (x, y, z) of a series of products of {family} polynomials.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _sum_over(family, c, x, y, z)


def _grid2d(family: Family, x: TensorLike, y: TensorLike, c: TensorLike) -> TensorVariable:
    """The values of a series of products of {family} polynomials at each `x` with each `y`.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _val(family, y, _val(family, x, c))


def _grid3d(
    family: Family, x: TensorLike, y: TensorLike, z: TensorLike, c: TensorLike
) -> TensorVariable:
    """The values of a series of products of {family} polynomials at each `x`, `y` and `z`.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _val(family, z, _grid2d(family, x, y, c))


def _vander(family: Family, x: TensorLike, deg: int) -> TensorVariable:
    """The values of the {family} polynomials up to a degree, along a new last axis.

    See `numpy.polynomial.{place}.{name}`. Raises ValueError for a negative degree.
    """
    at, most = as_floating(x), whole(deg)
    if most < 0:
        raise ValueError(f"{family.prefix}vander: deg must be 0 or more, not {deg}{called()}")
    columns = [ones_like(at)]
    for k in range(most):
        column = factor(family, k, at) * columns[-1]
        below = family.third(k)
        columns.append(column - below * columns[-2] if k and below else column)
    return stack(columns, -1)


def _vander2d(family: Family, x: TensorLike, y: TensorLike, deg: Sequence[int]) -> TensorVariable:
    """The products of the {family} polynomials up to two degrees, along a new last axis.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _products(family, (x, y), deg)


def _vander3d(
    family: Family, x: TensorLike, y: TensorLike, z: TensorLike, deg: Sequence[int]
) -> TensorVariable:
    """The products of the {family} polynomials up to three degrees, along a new last axis.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _products(family, (x, y, z), deg)


def _products(
    family: Family, places: Sequence[TensorLike], degrees: Sequence[int]
) -> TensorVariable:
    tables = [_vander(family, x, d) for x, d in zip(places, degrees, strict=True)]

    def both(a: TensorVariable, b: TensorVariable) -> TensorVariable:
        pairs = a.expand_dims(-1) * b.expand_dims(-2)
        return pairs.reshape((*pairs.shape[:-2], pairs.shape[-2] * pairs.shape[-1]))

    return reduce(both, tables)


def _fit(
    family: Family,
    x: TensorLike,
    y: TensorLike,
    deg: int | Sequence[int],
    rcond: TensorLike | None = None,
    full: bool = False,
    w: TensorLike | None = None,
) -> Any:
    """The series of {family} polynomials up to a degree, or of some, that is nearest to points.

    Of a matrix `y`, for each column; `w` says how much each point counts. With `full`, followed by
    a list of residuals, rank, singular values and `rcond`. See `numpy.polynomial.{place}.{name}`.
    Raises ValueError for a negative degree, TypeError for what are no vectors.
    """
    name = f"{family.prefix}fit"
    degrees = np.sort(np.ravel(deg))
    if not degrees.size or degrees.dtype.kind not in "iu":
        raise TypeError(f"{name}: deg is a degree, or some, not {deg!r}{called()}")
    most = int(degrees[-1])
    terms = slice(None) if np.ndim(deg) == 0 else degrees

    def design(at: TensorVariable) -> TensorVariable:
        return index(_vander(family, at, most), (slice(None), terms))

    fit = nearest(design, x, y, int(degrees[0]), rcond, w, name)
    series = fit.coefficients
    if np.ndim(deg):
        none = zeros((most + 1, *lengths_of(series)[1:]), series.dtype)
        series = updated(index(none, degrees), "set", series)
    return (series, [*fit.rest]) if full else series


def _der(family: Family, c: TensorLike, m: int = 1, scl: Any = 1, axis: int = 0) -> TensorVariable:
    """The series of the derivative of order `m` of a series of {family} polynomials.

    See `numpy.polynomial.{place}.{name}`. Raises ValueError for a negative order.
    """
    order = whole(m)
    if order < 0:
        raise ValueError(f"{family.prefix}der: m must be 0 or more, not {m}{called()}")
    moved, n = coefficients_of(moveaxis(as_tensor(c), axis, 0), f"{family.prefix}der")
    rows = family.numpy("der")(np.eye(n), order)
    return moveaxis(linear(moved, rows) * scl**order, 0, axis)


def _int(
    family: Family,
    c: TensorLike,
    m: int = 1,
    k: Any = (),
    lbnd: TensorLike = 0,
    scl: TensorLike = 1,
    axis: int = 0,
) -> TensorVariable:
    """The series whose derivative of order `m` a series of {family} polynomials is.

    It is `k` at `lbnd`, for each order, or 0. See `numpy.polynomial.{place}.{name}`. Raises
    ValueError for a negative order, and for more values than orders.
    """
    order, values = whole(m), [k] if np.ndim(k) == 0 else list(k)
    if order < 0 or len(values) > order:
        raise ValueError(
            f"{family.prefix}int: m must be 0 or more, and no less than values k, not {m} and {k!r}"
            f"{called()}"
        )
    series, n = coefficients_of(moveaxis(as_tensor(c), axis, 0), f"{family.prefix}int")
    for j in range(order):
        series = linear(series, family.numpy("int")(np.eye(n + j))) * scl
        value = values[j] if j < len(values) else 0.0
        series = updated(index(series, 0), "inc", value - _val(family, lbnd, series))
    return moveaxis(series, 0, axis)


def _weight(family: Family, x: TensorLike) -> TensorVariable:
    """The function by which {family} polynomials are orthogonal.

    See `numpy.polynomial.{place}.{name}`.
    """
    result: TensorVariable = family.weight(as_floating(x))
    return result


def _gauss(family: Family, deg: int) -> tuple[TensorVariable, TensorVariable]:
    """Places and weights of a rule of integration that is right for degrees below twice `deg`.

    Numbers of NumPy. See `numpy.polynomial.{place}.{name}`.
    """
    places, weights = family.numpy("gauss")(deg)
    return constant(places), constant(weights)


def _chebpts1(npts: int) -> TensorVariable:
    """Where a Chebyshev polynomial is zero. See `numpy.polynomial.chebyshev.chebpts1`."""
    return constant(lazy_import("numpy.polynomial.chebyshev.chebpts1")(npts))


def _chebpts2(npts: int) -> TensorVariable:
    """Where a Chebyshev polynomial turns, and its ends: `numpy.polynomial.chebyshev.chebpts2`."""
    return constant(lazy_import("numpy.polynomial.chebyshev.chebpts2")(npts))


def _chebinterpolate(
    func: Callable[..., TensorLike], deg: int, args: Sequence[Any] = ()
) -> TensorVariable:
    """The series of Chebyshev polynomials that is a function of tensors at the zeros of the next.

    See `numpy.polynomial.chebyshev.chebinterpolate`.
    """
    chebyshev = FAMILIES[1]
    places = _chebpts1(whole(deg) + 1)
    values = as_floating(as_tensor(func(places, *args)))
    moments = tensordot(_vander(chebyshev, places, deg), values, [[0], [0]])
    count = constant(np.r_[1.0, np.full(deg, 0.5)] * (deg + 1))
    return moments / (expand_dims(count, 1) if moments.ndim > 1 else count)


KINDS: Final[dict[str, Callable[..., Any]]] = {
    f.__name__[1:]: f
    for f in (
        *(_der, _fit, _grid2d, _grid3d, _int, _val, _val2d, _val3d, _vander, _vander2d, _vander3d),
        *(_gauss, _weight),
    )
}
"""What is the same of each family, by what follows the prefix."""
OF_ONE: Final = {f.__name__[1:]: f for f in (_chebpts1, _chebpts2, _chebinterpolate)}
"""Functions of one family alone, by their names."""
