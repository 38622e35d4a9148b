"""Series of polynomials of six families, the constant first, as `numpy.polynomial` has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import index as whole
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import ones_like, zeros
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.polynomials.families import FAMILIES, Family, coefficients_of, factor
from weft_tensor.ops.polynomials.least_squares import nearest
from weft_tensor.ops.polynomials.polynomials import poly
from weft_tensor.ops.products.products import tensordot
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.dtypes import promote

__all__ = ["functions"]


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
    one = terms[-1] if count > 1 and family.prefix != "poly" else terms[-1] + 0 * at
    before: Any = None
    for k in range(count - 2, -1, -1):
        below = family.third(k + 1)
        start = terms[k] if before is None or not below else terms[k] - below * before
        one, before = start + one * factor(family, k, at), one
    return one


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


def _linear(c: TensorVariable, rows: np.ndarray, axis: int = 0) -> TensorVariable:
    """A matrix of numbers times the coefficients along an axis."""
    moved = moveaxis(c, axis, 0)
    return moveaxis(tensordot(constant(rows.astype(moved.real.dtype)), moved, 1), 0, axis)


def _der(family: Family, c: TensorLike, m: int = 1, scl: Any = 1, axis: int = 0) -> TensorVariable:
    """The series of the derivative of order `m` of a series of {family} polynomials.

    See `numpy.polynomial.{place}.{name}`. Raises ValueError for a negative order.
    """
    order = whole(m)
    if order < 0:
        raise ValueError(f"{family.prefix}der: m must be 0 or more, not {m}{called()}")
    moved, n = coefficients_of(moveaxis(as_tensor(c), axis, 0), f"{family.prefix}der")
    rows = family.numpy("der")(np.eye(n), order)
    return moveaxis(_linear(moved, rows) * scl**order, 0, axis)


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
        series = _linear(series, family.numpy("int")(np.eye(n + j))) * scl
        value = values[j] if j < len(values) else 0.0
        series = updated(index(series, 0), "inc", value - _val(family, lbnd, series))
    return moveaxis(series, 0, axis)


def _add(family: Family, c1: TensorLike, c2: TensorLike) -> TensorVariable:
    """The sum of two series. See `numpy.polynomial.{place}.{name}`."""
    first, second = _as_long(family, c1, c2)
    return first + second


def _sub(family: Family, c1: TensorLike, c2: TensorLike) -> TensorVariable:
    """The difference of two series. See `numpy.polynomial.{place}.{name}`."""
    first, second = _as_long(family, c1, c2)
    return first - second


def _as_long(family: Family, *series: TensorLike) -> list[TensorVariable]:
    both = [coefficients_of(c, f"{family.prefix}add") for c in series]
    longest = max(n for _, n in both)
    return [pad(c, (0, longest - n)) for c, n in both]


def _mul(family: Family, c1: TensorLike, c2: TensorLike) -> TensorVariable:
    """The product of two series of {family} polynomials. See `numpy.polynomial.{place}.{name}`.

    Zeros at the end stay.
    """
    (first, n), (second, m) = (coefficients_of(c, f"{family.prefix}mul") for c in (c1, c2))
    table = np.zeros((n, m, n + m - 1))
    for i, row in enumerate(np.eye(n)):
        for j, column in enumerate(np.eye(m)):
            product = family.numpy("mul")(row[: i + 1], column[: j + 1])
            table[i, j, : len(product)] = product
    dtype = promote([first.dtype, second.dtype])
    pairs = first.expand_dims(1).astype(dtype) * second.astype(dtype)
    return _linear(reshape(pairs, (n * m,)), table.reshape(n * m, -1).T)


def _mulx(family: Family, c: TensorLike) -> TensorVariable:
    """The series of {family} polynomials, times its variable.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _mul(family, family.numpy("line")(0, 1), c)


def _roots(family: Family, c: TensorLike) -> TensorVariable:
    """The zeros of a series of {family} polynomials: complex, in order.

    The last coefficient must not be 0. See `numpy.polynomial.{place}.{name}`, which gives real
    numbers where all zeros are. Raises ValueError for what is no vector.
    """
    series, n = coefficients_of(c, f"{family.prefix}roots")
    if series.ndim != 1:
        raise ValueError(f"{family.prefix}roots takes a vector, not {series!r}{called()}")
    if n == 1:
        return series[:0].astype(promote([series.dtype, "complex64"]))
    last = np.eye(n)[-1]
    plain = family.numpy("companion")(last)
    column = (family.numpy("companion")(last + (1 - last)) - plain)[:, -1]
    dtype = series.real.dtype
    share = series[:-1] / series[-1] * constant(column.astype(dtype))
    matrix = constant(plain.astype(dtype))
    return sort(eigvals(updated(index(matrix, (slice(None), -1)), "inc", share)))


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


def _from_powers(family: Family, pol: TensorLike) -> TensorVariable:
    """The series of {family} polynomials that a series of powers is.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _converted(pol, lazy_import(f"numpy.polynomial.{family.place}.poly2{family.prefix}"))


def _to_powers(family: Family, c: TensorLike) -> TensorVariable:
    """The series of powers that a series of {family} polynomials is.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _converted(c, lazy_import(f"numpy.polynomial.{family.place}.{family.prefix}2poly"))


def _fromroots(roots: TensorLike) -> TensorVariable:
    """The series of powers, 1 the last, that is zero at the roots.

    See `numpy.polynomial.polynomial.polyfromroots`.
    """
    return poly(roots)[::-1]


def _converted(c: TensorLike, by: Callable[[np.ndarray], np.ndarray]) -> TensorVariable:
    series, n = coefficients_of(c, "a conversion of series")
    rows = np.zeros((n, n))
    for k, row in enumerate(np.eye(n)):
        rows[: k + 1, k] = by(row[: k + 1])
    return _linear(series, rows)


_KINDS: Final[dict[str, Callable[..., Any]]] = {
    f.__name__[1:]: f
    for f in (
        *(_add, _der, _fit, _grid2d, _grid3d, _int, _mul, _mulx, _roots, _sub, _val, _val2d),
        *(_val3d, _vander, _vander2d, _vander3d, _gauss, _weight),
    )
}


def functions() -> dict[str, Callable[..., Any]]:
    """All functions of all families, by NumPy's names.

    >>> functions()["legval"]([0.5, 1.0], [1.0, 0.0, 2.0]).eval()
    array([0.75, 3.  ])
    """
    every: dict[str, Callable[..., Any]] = {}
    for family in FAMILIES:
        kinds = {f"{family.prefix}{kind}": f for kind, f in _KINDS.items()}
        if family.prefix == "poly":
            kinds = {n: f for n, f in kinds.items() if n not in ("polygauss", "polyweight")}
        else:
            kinds |= {f"poly2{family.prefix}": _from_powers, f"{family.prefix}2poly": _to_powers}
        every |= {name: _bound(f, family, name) for name, f in kinds.items()}
    return every | {"polyfromroots": _fromroots}


def _bound(f: Callable[..., Any], family: Family, name: str) -> Callable[..., Any]:
    bound = partial(f, family)
    words = {"family": family.place.replace("_e", "").capitalize(), "place": family.place}
    bound.__doc__ = str(f.__doc__).format(name=name, **words)
    return bound
