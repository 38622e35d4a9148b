"""One polynomial through all points, and fractions by their series."""

from __future__ import annotations

import builtins
from math import factorial as factorial_of
from operator import index as whole
from typing import Any, SupportsIndex

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import eye, ones_like, zeros
from weft_tensor.ops.creation.ranges import vander
from weft_tensor.ops.elementwise.arithmetic import abs, minimum
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.conditions import of_one_dtype, real_vector, with_values
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.matrices.systems import solve, toeplitz
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.reduction.standard import any, max, min, prod, sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = [
    "BarycentricInterpolator",
    "FloaterHormannInterpolator",
    "KroghInterpolator",
    "barycentric_interpolate",
    "krogh_interpolate",
    "lagrange",
    "pade",
]


class BarycentricInterpolator:
    """The polynomial of least degree through points.

    Its values are products of distances, each with a weight: J.-P. Berrut and L. N. Trefethen,
    Barycentric Lagrange interpolation, 2004, equation 3.3, which has derivatives at the points,
    too. Few points, or such that are dense at the ends, allow it. See
    `scipy.interpolate.BarycentricInterpolator`.

    Parameters
    ----------
    xi
        A vector of different numbers.
    yi
        Values along `axis`.
    axis
        Which axis of `yi` belongs to `xi`.

    Raises
    ------
    ValueError
        for other ranks and lengths.
    TypeError
        for complex `xi`.

    Examples
    --------
    >>> BarycentricInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])([0.5, 3.0]).eval()
    array([0.25, 9.  ])
    """

    def __init__(self, xi: TensorLike, yi: TensorLike, axis: int = 0) -> None:
        name = "BarycentricInterpolator: xi"
        self.xi, self.yi, self.axis = with_values(real_vector(xi, name), yi, axis)
        self._scale = 4 / (max(self.xi) - min(self.xi))
        apart = (self.xi.expand_dims(-1) - self.xi) * self._scale
        itself = eye(lengths_of(self.xi)[0], dtype="bool")
        self.wi = 1 / prod(where(itself, 1.0, apart), -1)

    def __call__(self, x: TensorLike) -> TensorVariable:
        """The values at places, whose axes stand where `axis` was."""
        at, _ = of_one_dtype(x, self.xi)
        values = matmul(_shares(at, self.xi, self._scale) * self.wi, _flat(self.yi))
        return _placed(values, at, self.yi, self.axis)


def _flat(values: TensorVariable) -> TensorVariable:
    return reshape(values, (lengths_of(values)[0], -1))


def _placed(found: TensorVariable, at: TensorVariable, like: TensorVariable, axis: int) -> Any:
    """Rows of values, as places have axes and `like` has further ones, the former at `axis`."""
    rest: Any = lengths_of(like)[1:]
    axes = [*range(at.ndim)]
    values = reshape(found, [*lengths_of(at), *rest])
    return moveaxis(values, axes, [axis + k for k in axes])


def _shares(at: TensorVariable, xi: TensorVariable, scale: TensorVariable) -> TensorVariable:
    """For each place and point, the product of distances from all other points."""
    apart = (ravel(at).expand_dims(-1) - xi) * scale
    back = (..., slice(None, None, -1))
    return _products(apart) * index(_products(index(apart, back)), back)


def _products(x: TensorVariable) -> TensorVariable:
    """The products of what comes before each element along the last axis."""
    first = ones_like(index(x, (..., slice(0, 1))))
    return cumprod(concatenate([first, index(x, (..., slice(None, -1)))], -1), -1)


def barycentric_interpolate(
    xi: TensorLike, yi: TensorLike, x: TensorLike, axis: int = 0
) -> TensorVariable:
    """The values of `BarycentricInterpolator` at places.

    See `scipy.interpolate.barycentric_interpolate`.

    >>> barycentric_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], 1.5).eval()
    array(2.25)
    """
    return BarycentricInterpolator(xi, yi, axis)(x)


class FloaterHormannInterpolator:
    """A fraction through points, without poles between them: good for many that are equally far.

    M. S. Floater and K. Hormann, Barycentric rational interpolation with no poles and high rates of
    approximation, 2007. Products of distances limit it to about a thousand points, beyond which it
    is NaN. See `scipy.interpolate.FloaterHormannInterpolator`.

    Parameters
    ----------
    points
        A vector of different numbers, in order, of known length.
    values
        Values along `axis`.
    d
        The degree of the polynomials that it blends: from 0 to less than there are points.
    axis
        Which axis of `values` belongs to `points`.

    Raises
    ------
    ValueError
        for other ranks, lengths and degrees.
    TypeError
        for complex points.

    Examples
    --------
    >>> FloaterHormannInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], d=2)([0.5, 3.0]).eval()
    array([0.25, 9.  ])
    """

    def __init__(
        self, points: TensorLike, values: TensorLike, *, d: SupportsIndex = 3, axis: int = 0
    ) -> None:
        name = "FloaterHormannInterpolator: points"
        self.xi, self.yi, self.axis = with_values(real_vector(points, name), values, axis)
        n, degree = _known_number(self.xi, name), whole(d)
        if not 0 <= degree < n:
            raise ValueError(f"{name}: d is from 0 to {n - 1}, not {degree}{called()}")
        self._scale = 4 / (max(self.xi) - min(self.xi))
        apart = abs((self.xi.expand_dims(-1) - self.xi) * self._scale)
        rows, columns = np.indices((n, n))
        weights = []
        for begin in range(n - degree):
            inside = (columns >= begin) & (columns <= begin + degree)
            share = 1 / prod(where(inside & (rows != columns), apart, 1.0), -1)
            weights.append(where(inside[0], share, 0.0))
        self.weights = sum(stack(weights), 0) * (-1.0) ** np.arange(n)

    def __call__(self, x: TensorLike) -> TensorVariable:
        """The values at places, whose axes stand where `axis` was."""
        at, _ = of_one_dtype(x, self.xi)
        shares = _shares(at, self.xi, self._scale) * self.weights
        values = matmul(shares, _flat(self.yi)) / sum(shares, -1, keepdims=True)
        return _placed(values, at, self.yi, self.axis)


def _known_number(xi: TensorVariable, name: str) -> int:
    n: Any = xi.type.shape[0]
    if not isinstance(n, int) or not n:
        raise ValueError(f"{name} has a known number of points, at least one, not {xi!r}{called()}")
    return n


class KroghInterpolator:
    """The polynomial of least degree through points with derivatives, by divided differences.

    Few points allow it, at most about thirty. F. T. Krogh, Efficient algorithms for polynomial
    interpolation and numerical differentiation, 1970. See `scipy.interpolate.KroghInterpolator`.

    Parameters
    ----------
    xi
        A vector of known length. Where a number stands several times in a row, the values for the
        further ones are first, second, ... derivatives there.
    yi
        Values along `axis`.
    axis
        Which axis of `yi` belongs to `xi`.

    Raises
    ------
    ValueError
        for other ranks and lengths; when it is computed, where equal numbers are not in a row.
    TypeError
        for complex `xi`.

    Examples
    --------
    >>> curve = KroghInterpolator([0.0, 0.0, 1.0], [0.0, 2.0, 0.0])
    >>> curve([0.0, 0.5]).eval(), curve.derivative([0.0, 0.5]).eval()
    (array([0. , 0.5]), array([2., 0.]))
    """

    def __init__(self, xi: TensorLike, yi: TensorLike, axis: int = 0) -> None:
        name = "KroghInterpolator: xi"
        places, self.yi, self.axis = with_values(real_vector(xi, name), yi, axis)
        n = _known_number(places, name)
        rows = np.arange(n)
        is_new = concatenate([places[:1] < places[:1], neq(places[1:], places[:-1])])
        begins = cumsum(is_new.astype("int64"))
        is_apart = neq(begins.expand_dims(-1), begins) & eq(places.expand_dims(-1), places)
        message = f"{name}: equal numbers must be in a row"
        self.xi = check_and_raise(places, ~any(is_apart), ValueError, message)
        self.n = n
        firsts = sum(begins.expand_dims(-1) > begins, -1)
        values, factorial = _flat(self.yi), 1.0
        row = values[firsts]
        self.c = [row[0]]
        for k in range(1, n):
            factorial *= k
            gaps = (self.xi[k:] - self.xi[:-k]).expand_dims(-1)
            is_same = eq(gaps, 0)
            there = minimum(firsts[: n - k] + k, rows[-1])
            between = (row[1:] - row[:-1]) / where(is_same, 1.0, gaps)
            row = where(is_same, values[there] / factorial, between)
            self.c.append(row[0])

    def _series(self, x: TensorLike, count: int) -> tuple[TensorVariable, list[TensorVariable]]:
        """Places, and terms of the series around each: derivatives over factorials."""
        at, _ = of_one_dtype(x, self.xi)
        flat = ravel(at).expand_dims(-1)
        nothing = 0 * flat * self.c[0]
        terms = [nothing + self.c[-1], *[nothing] * (count - 1)]
        for k in range(self.n - 2, -1, -1):
            ahead = flat - self.xi[k]
            pairs = zip(terms, [self.c[k], *terms[:-1]], strict=True)
            terms = [ahead * term + before for term, before in pairs]
        return at, terms

    def __call__(self, x: TensorLike) -> TensorVariable:
        """The values at places, whose axes stand where `axis` was."""
        return self.derivative(x, 0)

    def derivative(self, x: TensorLike, der: SupportsIndex = 1) -> TensorVariable:
        """A derivative at places."""
        order = whole(der)
        at, terms = self._series(x, order + 1)
        placed: TensorVariable = _placed(terms[order], at, self.yi, self.axis)
        return placed * float(factorial_of(order))

    def derivatives(self, x: TensorLike, der: SupportsIndex | None = None) -> TensorVariable:
        """The values and the first derivatives, `der` in all, along a new first axis.

        By default there are as many as points.
        """
        count = self.n if der is None else whole(der)
        at, terms = self._series(x, count)
        rows = [_placed(term, at, self.yi, self.axis) for term in terms[:count]]
        return stack([row * float(factorial_of(k)) for k, row in enumerate(rows)])


def krogh_interpolate(
    xi: TensorLike, yi: TensorLike, x: TensorLike, der: Any = 0, axis: int = 0
) -> TensorVariable:
    """The values of `KroghInterpolator` at places, or a derivative.

    `der` is which derivative, or a list of such; None for all that may not be zero. See
    `scipy.interpolate.krogh_interpolate`.

    >>> krogh_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], 1.5, der=[0, 1]).eval()
    array([2.25, 3.  ])
    """
    curve = KroghInterpolator(xi, yi, axis)
    if der is None:
        return curve.derivatives(x)
    if isinstance(der, SupportsIndex):
        return curve.derivative(x, der)
    orders = [whole(k) for k in der]
    return curve.derivatives(x, builtins.max(orders) + 1)[orders]


def lagrange(x: TensorLike, w: TensorLike) -> TensorVariable:
    """The coefficients, the highest first, of the polynomial of least degree through points.

    By a system of equations, which loses digits where there are many points: to have values, take
    `BarycentricInterpolator`. See `scipy.interpolate.lagrange`.

    >>> lagrange([0.0, 1.0, 2.0], [0.0, 1.0, 4.0]).eval().round(12)
    array([1., 0., 0.])
    """
    places, values, _ = with_values(real_vector(x, "lagrange: x"), w, 0)
    return solve(vander(places), values)


def pade(
    an: TensorLike, m: SupportsIndex, n: SupportsIndex | None = None
) -> tuple[TensorVariable, TensorVariable]:
    """The fraction of polynomials of degrees `n` and `m` whose series begins as `an`.

    Both by their coefficients, the highest first, of which the denominator ends in 1; `n` is by
    default what makes all of `an` count, whose number is known. See `scipy.interpolate.pade`.
    Raises ValueError for negative degrees, and for more terms than there are.

    >>> p, q = pade([1.0, 1.0, 1 / 2, 1 / 6, 1 / 24], 2)
    >>> p.eval().round(6), q.eval().round(6)
    (array([0.083333, 0.5     , 1.      ]), array([ 0.083333, -0.5     ,  1.      ]))
    """
    terms = as_floating(an)
    size: Any = terms.type.shape[0] if terms.ndim == 1 else None
    if size is None:
        raise ValueError(f"pade takes a vector of a known number of terms, not {terms!r}{called()}")
    below = whole(m)
    above = size - 1 - below if n is None else whole(n)
    if builtins.min(above, below) < 0 or above + below >= size:
        raise ValueError(
            f"pade: degrees are 0 or more, and there is a term for each and one: not {above} and "
            f"{below} of {size} terms{called()}"
        )
    terms = terms[: above + below + 1]
    none = zeros((1,), terms.dtype)
    behind = toeplitz(concatenate([none, -terms[:-1]]), zeros((below,), terms.dtype))
    ahead = eye(above + below + 1, above + 1, dtype=terms.dtype)
    parts = solve(concatenate([ahead, behind], 1), terms)
    return parts[: above + 1][::-1], concatenate([parts[above + 1 :][::-1], none + 1])
