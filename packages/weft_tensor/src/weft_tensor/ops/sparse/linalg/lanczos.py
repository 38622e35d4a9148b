"""Lanczos' method with restarts: some eigenvalues of symmetric and Hermitian operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.creation.diagonals import diag
from weft_tensor.ops.elementwise.arithmetic import abs, floor, maximum, minimum, mod, sqrt, square
from weft_tensor.ops.elementwise.comparison import lt, where
from weft_tensor.ops.elementwise.complex import conj_of
from weft_tensor.ops.elementwise.complex import real as real_part
from weft_tensor.ops.elementwise.exponential import exp2, log2
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.eigh import eigh
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.standard import all as every
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.sparse.linalg.operators import LinearOperator

__all__ = ["WHICH", "found", "spread", "unit_of", "with_a_missed_one"]

WHICH: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "LM": lambda x, count: abs(x),
    "LA": lambda x, count: x,
    "SA": lambda x, count: -x,
    "SM": lambda x, count: -abs(x),
    "BE": lambda x, count: _from_the_middle(x, count),
}
"""Which are wanted: those of which this is large, of so many ascending values."""


def _from_the_middle(values: Any, count: Any) -> Any:
    """How far the places are from the middle, those above a bit further."""
    places = arange(lengths_of(values)[0])
    return abs(2 * places - count + 1.5).astype(values.dtype)


class _Spaces(NamedTuple):
    basis: Any
    projected: Any
    values: Any
    found: Any
    calm: Any
    nit: Any


def found(
    operator: LinearOperator, k: int, m: int, wanted: Any, start: Any, most: Any, tol: float
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The eigenvalues, ascending, the vectors as rows, and whether they are all found.

    Spaces that have found k are made twice more, from half of what they hold besides: one vector
    of several to an eigenvalue comes late, as do those that lie between others.
    """
    n, kind = operator.shape[0], operator.dtype
    real = str(np.finfo(kind).dtype)
    kept = k + (m - k) // 2
    eps = float(np.finfo(kind).eps)
    start = start.astype(kind)
    start = start / _size(start)
    unit = unit_of(operator, start)
    scaled = _in_units(operator, unit)

    def lanczos(j: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        basis, h = state
        moved = scaled.matvec(basis[j])
        rest, parts = _orthogonal(moved, basis)
        beta = _size(rest)
        ended = beta <= 10 * eps * _size(moved)  # the space is complete: begin another
        spare = spread(n, j + 2).astype(kind)
        other, _ = _orthogonal(spare, basis)
        size = _size(other)
        other = where(size > 1e-5 * _size(spare), quotient(other, size), 0)
        basis = basis[j + 1].set(where(ended, other, quotient(rest, beta)))
        column = parts[j + 1].set(where(ended, 0, beta))
        return basis, h[:, j].set(column)

    def body(s: _Spaces) -> _Spaces:
        first = where(s.nit > 0, kept, 0)
        basis, h = fori_loop(first, m, lanczos, (s.basis, s.projected))
        inner = (h[:m] + conj_of(h[:m]).T) / 2
        missing = where((abs(basis[:m]) ** 2).sum(1) > 0.25, 0, 1).astype(real)
        size = 1 + 2 * sqrt((abs(inner) ** 2).sum())
        values, turned = eigh(inner + diag(missing * size))
        spurious = values > 0.75 * size
        count = m - missing.sum()
        order = argsort(where(spurious, -np.inf, wanted(values, count)))[m - kept :]
        values = where(spurious, 0, values)
        largest = abs(values).max()
        values, chosen = index(values, order), turned[:, order].T
        coupled = h[m, m - 1] * chosen[:, m - 1]
        basis = zeros((m + 1, n), kind)[:kept].set(chosen @ basis[:m])[kept].set(basis[m])
        projected = zeros((m + 1, m), kind)[:kept, :kept].set(diag(values))
        if kept < m:
            projected = projected[kept, :kept].set(coupled)
        best, misses = values[kept - k :], abs(coupled)[kept - k :]
        ended = every(misses <= maximum(tol * abs(best), 4 * eps * largest))
        calm = where(ended, s.calm + 2, maximum(s.calm - 1, 0))
        return _Spaces(basis, projected, best, ended, calm, s.nit + 1)

    def going(s: _Spaces) -> Any:
        return (s.nit < most) & ~(s.found & (s.calm > 5))

    begin = _Spaces(
        zeros((m + 1, n), kind)[0].set(start),
        zeros((m + 1, m), kind),
        zeros((k,), real),
        as_tensor(False),
        as_tensor(0),
        as_tensor(0),
    )
    end: _Spaces = while_loop(going, body, begin)
    values = end.values * unit
    order = argsort(values)
    vectors = index(end.basis[kept - k : kept], order)
    if kind.startswith("complex"):
        return index(values, order), vectors, end.found
    far = argmax(abs(vectors), 1)
    at = take_along_axis(vectors, reshape(far, (k, 1)), 1)
    return index(values, order), where(lt(at, 0), -vectors, vectors), end.found


def with_a_missed_one(
    operator: LinearOperator, values: Any, vectors: Any, m: int, start: Any, most: Any, tol: float
) -> tuple[TensorVariable, TensorVariable]:
    """The smallest in size of those found and of one more, where these are moved far away.

    Between others, one of two that are equal may have been too late for the first search.
    """
    n, kind = operator.shape[0], operator.dtype
    begin = spread(n, 1.5).astype(kind)
    unit = unit_of(operator, begin)
    scaled = _in_units(operator, unit)
    moved = scaled.matvec(begin)
    far = 4 * _size(moved) / _size(begin)  # of the root of the mean square of all

    def product(v: Any) -> TensorVariable:
        return scaled.matvec(v) + (conj_of(vectors) @ v * far) @ vectors

    away = LinearOperator(operator.shape, product, dtype=kind)
    value, vector, is_found = found(away, 1, m, WHICH["SM"], begin, most, tol)
    is_new = is_found & (abs(conj_of(vectors) @ vector[0]).max() < 0.5)
    together = concatenate([values, where(is_new, value * unit, np.inf)], 0)
    order = argsort(abs(together))[: vectors.type.shape[0]]
    order = index(order, argsort(index(together, order)))
    return index(together, order), index(concatenate([vectors, vector], 0), order)


def _in_units(operator: LinearOperator, unit: TensorVariable) -> LinearOperator:
    """An operator over a number; what it multiplies is the vector where products would be tiny."""
    more, less = 1 / minimum(unit, 1), 1 / maximum(unit, 1)
    return LinearOperator(
        operator.shape, lambda v: operator.matvec(v * more) * less, dtype=operator.dtype
    )


def unit_of(operator: LinearOperator, start: TensorVariable) -> TensorVariable:
    """A power of 2 of the size of a product; 1 if that is zero or not finite."""
    size = stop_gradient(abs(operator.matvec(start)).max(initial=0))
    least = 4 * float(np.finfo(size.dtype).tiny)  # of which there is an inverse
    fits = (size > 0) & (size < np.inf)
    return exp2(floor(log2(where(fits, maximum(size, least), 1))))


def spread(n: Any, number: Any) -> TensorVariable:
    """Numbers of -1/2 to 1/2 that look drawn, by Weyl's equidistribution of polynomials.

    Of squares alone, those of some numbers are sums of those of others.
    """
    k = arange(n).astype("float64") + 1
    turns = square(k) * mod(sqrt(2.0) * number, 1) + k * mod(sqrt(3.0) * (number * number), 1)
    return mod(turns, 1) - 0.5


def _orthogonal(v: TensorVariable, basis: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """What is left of v without its parts along the rows, and these; twice, for rounding."""
    across = conj_of(basis)
    parts = across @ v
    v = v - parts @ basis
    again = across @ v
    return v - again @ basis, parts + again


def _size(v: TensorVariable) -> TensorVariable:
    square: TensorVariable = conj_of(v) @ v
    return sqrt(real_part(square) if v.is_complex else square)
