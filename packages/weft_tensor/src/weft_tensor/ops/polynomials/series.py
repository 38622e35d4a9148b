"""Values of series of powers and of Chebyshev's polynomials, the constant first."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["chebval", "polyval"]


def polyval(x: TensorLike, c: TensorLike, tensor: bool = True) -> TensorVariable:
    """The values at `x` of c[0] + c[1] x + c[2] x² + ..., by Horner's rule.

    The number of coefficients must be known when the graph is built, TypeError else. Of a `c` with
    more axes each column is a polynomial; with `tensor=False`, `x` is broadcast over them.
    See `numpy.polynomial.polynomial.polyval`.

    >>> polyval([1, 2], [1, 0, 3]).eval()
    array([ 4., 13.])
    """
    at, terms = _prepared(x, c, tensor, "polyval")
    result = terms[-1] + at * 0
    for term in terms[-2::-1]:
        result = term + result * at
    return result


def chebval(x: TensorLike, c: TensorLike, tensor: bool = True) -> TensorVariable:
    """The values at `x` of a series of Chebyshev's polynomials, by Clenshaw's rule.

    As `polyval` otherwise. See `numpy.polynomial.chebyshev.chebval`.

    >>> chebval([1, 2], [1, 0, 3]).eval()
    array([ 4., 22.])
    """
    at, terms = _prepared(x, c, tensor, "chebval")
    if len(terms) == 1:
        return terms[0] + 0 * at
    one, two = terms[-2], terms[-1]
    for term in terms[-3::-1]:
        one, two = term - two, one + two * (2 * at)
    return one + two * at


def _prepared(x: TensorLike, c: TensorLike, tensor: bool, name: str) -> tuple[Any, list[Any]]:
    """The places, and the coefficients, floating."""
    at, coefficients = as_tensor(x), as_tensor(c)
    if not coefficients.ndim:
        coefficients = expand_dims(coefficients, 0)
    count = coefficients.type.shape[0]
    if not isinstance(count, int):
        raise TypeError(
            f"{name}: how many coefficients {coefficients!r} has must be known when the graph is "
            "built: write specify_shape(c, n)"
        )
    if not count:
        raise IndexError(f"{name} takes one coefficient at least")
    if not coefficients.type.differentiable:
        coefficients = coefficients.astype("float64")
    terms = [index(coefficients, k) for k in range(count)]
    if tensor and at.ndim and terms[0].ndim:
        terms = [expand_dims(t, tuple(range(t.ndim, t.ndim + at.ndim))) for t in terms]
    return at, terms
