"""Values, sums, products, derivatives and integrals of polynomials."""

from __future__ import annotations

from operator import index as whole
from typing import Any

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import arange, ones, zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import ge, lt, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.products.convolution import convolve
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims, reshape
from weft_tensor.types.dtypes import promote

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "polyval"]

_BLOCK = 8
"""How many coefficients one step of a loop takes, after zeros that change nothing: a step goes
through all of `x` in memory."""


def polyval(p: TensorLike, x: TensorLike) -> TensorVariable:
    """The values at `x` of the polynomial with coefficients `p`. See `numpy.polyval`.

    By Horner's rule: in a loop where the number of coefficients is not known. Those of several
    polynomials stand below each other, as columns of a matrix, and broadcast with `x`.

    Raises
    ------
    TypeError
        for a number in place of coefficients.

    Examples
    --------
    >>> polyval([3, 0, 1], [1, 2]).eval()
    array([ 4, 13])
    >>> polyval([[3, 1], [0, 2], [1, 0]], 2).eval()
    array([13,  8])
    """
    coefficients, at = as_tensor(p), as_tensor(x)
    if not coefficients.ndim:
        raise TypeError(f"polyval takes coefficients in a vector, not {coefficients!r}")
    count, *_ = coefficients.type.shape
    if isinstance(count, int):
        return _horner(zeros_like(at), coefficients, at, count)
    coefficients = coefficients.astype(promote((coefficients.dtype, at.dtype)))
    length, *others = lengths_of(coefficients)
    rows = concatenate([zeros((-length % _BLOCK, *others), coefficients.dtype), coefficients])
    rows = reshape(rows, (-1, _BLOCK, *others))
    begin = zeros_like(at) + zeros(others, coefficients.dtype)
    return scan(lambda y, row: (_horner(y, row, at, _BLOCK), None), begin, rows)[0]


def _horner(y: TensorVariable, row: TensorVariable, at: TensorVariable, count: int) -> Any:
    for k in range(count):
        y = y * at + index(row, k)
    return y


def polyadd(a1: TensorLike, a2: TensorLike) -> TensorVariable:
    """The coefficients of the sum of two polynomials. See `numpy.polyadd`.

    >>> polyadd([1, 2], [9, 5, 4]).eval()
    array([9, 6, 6])
    """
    first, second = _as_long(a1, a2, "polyadd")
    return first + second


def polysub(a1: TensorLike, a2: TensorLike) -> TensorVariable:
    """The coefficients of the difference of two polynomials. See `numpy.polysub`.

    >>> polysub([2, 10, -2], [3, 10, -4]).eval()
    array([-1,  0,  2])
    """
    first, second = _as_long(a1, a2, "polysub")
    return first - second


def polymul(a1: TensorLike, a2: TensorLike) -> TensorVariable:
    """The coefficients of the product of two polynomials; zeros in front are kept.

    See `numpy.polymul`, which leaves them away: how many there are is not known here.

    >>> polymul([1, 2], [1, 3]).eval()
    array([1, 5, 6])
    """
    return convolve(*[_vector(atleast_1d(a), "polymul") for a in as_tensors((a1, a2))])


def polydiv(u: TensorLike, v: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The quotient and the remainder of two polynomials, floating also for integers.

    The remainder has as many coefficients as the divisor less one, but one at least; zeros in front
    are kept. Where the first coefficient of the divisor is 0, they are not finite. See
    `numpy.polydiv`, which leaves those zeros away.

    >>> [p.eval() for p in polydiv([3.0, 5.0, 2.0], [2.0, 1.0])]
    [array([1.5 , 1.75]), array([0.25])]
    """
    first, second = (_vector(atleast_1d(p), "polydiv") for p in as_tensors((u, v)))
    dtype = promote((first.dtype, second.dtype))
    dtype = dtype if dtype.startswith(("float", "complex")) else "float64"
    first, second = first.astype(dtype), second.astype(dtype)
    (n,), (m,) = lengths_of(first), lengths_of(second)
    first = concatenate([zeros(maximum(m - n, 0), dtype), first])
    count = maximum(n - m, 0) + 1
    apart = expand_dims(arange(count), 1) - arange(count)
    places = where(ge(apart, 0) & lt(apart, m), apart, m)
    steps = index(concatenate([second, zeros(1, dtype)]), places)
    quotient = solve_triangular(steps, index(first, slice(None, count)), lower=True)
    rest = first - convolve(quotient, second)
    return quotient, index(rest, slice(-maximum(m - 1, 1), None))


def poly(seq_of_zeros: TensorLike) -> TensorVariable:
    """The coefficients of the polynomial with these zeros, whose number must be known.

    Of a square matrix, they are its eigenvalues. See `numpy.poly`, which gives real coefficients
    where complex zeros are conjugate to each other. Raises TypeError for a number of zeros that is
    not known, ValueError for what is neither a vector nor a square matrix.

    >>> poly([1.0, -2.0]).eval()
    array([ 1.,  1., -2.])
    """
    roots = atleast_1d(as_tensor(seq_of_zeros))
    if roots.ndim == 2:
        product = poly(lazy_import("weft_tensor.ops.linalg.eig.eigvals")(roots))
        return product if roots.is_complex else product.real
    if roots.ndim != 1:
        raise ValueError(f"poly takes zeros in a vector, or a square matrix, not {roots!r}")
    (count,) = roots.type.shape
    if not isinstance(count, int):
        raise TypeError(
            f"poly: how many zeros {roots!r} has must be known when the graph is built: write "
            "specify_shape(zeros, n)"
        )
    roots = roots if roots.type.differentiable else roots.astype("float64")
    product = ones(1, roots.dtype)
    for k in range(count):
        product = concatenate([product, zeros(1, roots.dtype)]) - concatenate(
            [zeros(1, roots.dtype), product * index(roots, k)]
        )
    return product


def polyder(p: TensorLike, m: int = 1) -> TensorVariable:
    """The coefficients of the `m`-th derivative. See `numpy.polyder`.

    >>> polyder([1, 1, 1, 1]).eval()
    array([3, 2, 1])
    """
    y, order = _vector(p, "polyder"), whole(m)
    if order < 0:
        raise ValueError(f"polyder takes an order m of 0 or more, not {m} (see polyint)")
    for _ in range(order):
        n = lengths_of(y)[0]
        y = index(y, slice(None, -1)) * arange(n - 1, 0, -1)
    return y


def polyint(p: TensorLike, m: int = 1, k: TensorLike | None = None) -> TensorVariable:
    """The coefficients of the `m`-th integral, with the constants `k`. See `numpy.polyint`.

    >>> polyint([3, 2, 1], k=7).eval()
    array([1., 1., 1., 7.])
    """
    y, order = _vector(p, "polyint"), whole(m)
    if order < 0:
        raise ValueError(f"polyint takes an order m of 0 or more, not {m} (see polyder)")
    constants = atleast_1d(as_tensor(0.0 if k is None else k))
    (count,) = constants.type.shape
    if constants.ndim != 1 or (count not in (1, order) and order > 0):
        raise ValueError(f"polyint takes one constant k, or {order}, not {constants!r}")
    for at in range(order):
        n = lengths_of(y)[0]
        constant = index(constants, slice(None, 1) if count == 1 else slice(at, at + 1))
        y = concatenate([y / arange(n, 0, -1), constant])
    return y


def _vector(p: TensorLike, name: str) -> Any:
    x = as_tensor(p)
    if x.ndim != 1:
        error = ValueError if x.ndim else TypeError
        raise error(f"{name} takes coefficients in a vector, not {x!r}")
    return x


def _as_long(a1: TensorLike, a2: TensorLike, name: str) -> list[TensorVariable]:
    """Both vectors, of one length by zeros in front."""
    vectors = [_vector(atleast_1d(a), name) for a in as_tensors((a1, a2))]
    (n,), (m,) = map(lengths_of, vectors)
    longest = maximum(n, m)
    return [
        concatenate([zeros(longest - length, x.dtype), x])
        for x, length in zip(vectors, (n, m), strict=True)
    ]
