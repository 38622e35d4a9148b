"""Sums, products, quotients and zeros of series of polynomials, the constant first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import index as whole
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.polynomials.families import Family, coefficients_of, linear
from weft_tensor.ops.polynomials.polynomials import poly
from weft_tensor.ops.reduction.standard import prod
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.types.dtypes import promote

__all__ = ["CONVERSIONS", "KINDS", "OF_ONE"]


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
    return linear(reshape(pairs, (n * m,)), table.reshape(n * m, -1).T)


def _mulx(family: Family, c: TensorLike) -> TensorVariable:
    """The series of {family} polynomials, times its variable.

    See `numpy.polynomial.{place}.{name}`.
    """
    return _mul(family, family.numpy("line")(0, 1), c)


def _pow(family: Family, c: TensorLike, pow: int, maxpower: int | None = None) -> TensorVariable:
    """A power of a series of {family} polynomials. See `numpy.polynomial.{place}.{name}`.

    Raises ValueError for a negative power, and for one above `maxpower`.
    """
    power = whole(pow)
    if power < 0 or (maxpower is not None and power > maxpower):
        raise ValueError(
            f"{family.prefix}pow: the power is 0 or more, and at most maxpower{called()}"
        )
    if not power:
        return constant(np.ones(1))
    series, _ = coefficients_of(c, f"{family.prefix}pow")
    return reduce(partial(_mul, family), [series] * power)


def _div(family: Family, c1: TensorLike, c2: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The quotient of two series of {family} polynomials, and what is left over.

    The last coefficient of the second must not be 0; zeros at the end of what is left over stay.
    See `numpy.polynomial.{place}.{name}`.
    """
    (rest, n), (by, m) = (coefficients_of(c, f"{family.prefix}div") for c in (c1, c2))
    if n < m:
        return zeros_like(rest[:1]), rest
    terms: list[TensorVariable] = []
    for k in range(n - m, -1, -1):
        multiple = _mul(family, np.eye(k + 1)[-1], by)
        share = rest[-1] / multiple[-1]
        rest = rest[:-1] - share * multiple[:-1]
        terms.append(share)
    return stack(terms[::-1]), rest if m > 1 else zeros_like(by)


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
    return sort(eigvals(_companion(family, series)))


def _companion(family: Family, c: TensorLike) -> TensorVariable:
    """The matrix whose eigenvalues are the zeros of a series of {family} polynomials.

    The last coefficient must not be 0. See `numpy.polynomial.{place}.{name}`. Raises ValueError for
    less than two coefficients.
    """
    series, n = coefficients_of(c, f"{family.prefix}companion")
    if n < 2:
        raise ValueError(f"{family.prefix}companion: a series has two terms at least{called()}")
    last = np.eye(n)[-1]
    plain = family.numpy("companion")(last)
    column = (family.numpy("companion")(last + (1 - last)) - plain)[:, -1]
    dtype = series.real.dtype
    share = series[:-1] / series[-1] * constant(column.astype(dtype))
    matrix = constant(plain.astype(dtype))
    return updated(index(matrix, (slice(None), -1)), "inc", share)


def _line(family: Family, off: TensorLike, scl: TensorLike) -> TensorVariable:
    """The series of {family} polynomials that off + scl x is.

    It has two terms, also if `scl` is 0. See `numpy.polynomial.{place}.{name}`.
    """
    rows = [family.numpy("line")(0, 1), [1, 0]]
    x, one = (constant(np.asarray(row, "float64")) for row in rows)
    return as_tensor(scl) * x + as_tensor(off) * one


def _fromroots(family: Family, roots: TensorLike) -> TensorVariable:
    """The series of {family} polynomials that is zero at the roots, 1 times the highest power.

    See `numpy.polynomial.{place}.{name}`. Raises TypeError if it is not known how many they are.
    """
    if family.prefix == "poly":
        return poly(roots)[::-1]
    given = as_tensor(roots)
    if given.type.shape == (0,):
        return constant(np.ones(1))
    places, n = coefficients_of(given, f"{family.prefix}fromroots")
    factors = [_line(family, -places[k], 1) for k in range(n)]
    while len(factors) > 1:
        pairs = [_mul(family, a, b) for a, b in zip(factors[::2], factors[1::2], strict=False)]
        factors = pairs + factors[len(factors) & ~1 :]
    return factors[0]


def _polyvalfromroots(x: TensorLike, r: TensorLike, tensor: bool = True) -> TensorVariable:
    """The product of x - r over the roots. See `numpy.polynomial.polynomial.polyvalfromroots`.

    Of an `r` with more axes each column are roots; with `tensor=False`, `x` is broadcast over them.
    """
    at, roots = as_tensor(x), as_tensor(r)
    roots = roots if roots.ndim else expand_dims(roots, 0)
    if tensor and at.ndim:
        roots = expand_dims(roots, tuple(range(roots.ndim, roots.ndim + at.ndim)))
    return prod(at - roots, 0)


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


def _converted(c: TensorLike, by: Callable[[np.ndarray], np.ndarray]) -> TensorVariable:
    series, n = coefficients_of(c, "a conversion of series")
    rows = np.zeros((n, n))
    for k, row in enumerate(np.eye(n)):
        rows[: k + 1, k] = by(row[: k + 1])
    return linear(series, rows)


KINDS: Final[dict[str, Callable[..., Any]]] = {
    f.__name__[1:]: f
    for f in (_add, _companion, _div, _fromroots, _line, _mul, _mulx, _pow, _roots, _sub)
}
"""What is the same of each family, by what follows the prefix."""
CONVERSIONS: Final[dict[str, Callable[..., Any]]] = {"poly2{}": _from_powers, "{}2poly": _to_powers}
"""By names with a place for the prefix, of families other than the powers."""
OF_ONE: Final = {"polyvalfromroots": _polyvalfromroots}
"""Functions of one family alone, by their names."""
