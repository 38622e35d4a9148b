"""Fractions of polynomials near points, through a few of them that are chosen."""

from __future__ import annotations

import warnings
from operator import index as whole
from typing import Any, Final, SupportsIndex

import numpy as np

from weft_graph import stop_gradient, wrap_py
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.creation.diagonals import diag
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.comparison import eq, isinf, where
from weft_tensor.ops.elementwise.complex import conj_of
from weft_tensor.ops.indexing.argmax import argmax, argmin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.conditions import demand
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.svd import svd
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote
from weft_tensor.types.tensor_type import TensorType

__all__ = ["AAA"]


class AAA:
    """The fraction of few terms that is near points, which may be complex: poles may be anywhere.

    Y. Nakatsukasa, O. Sète and L. N. Trefethen, The AAA algorithm for rational approximation, 2018:
    it goes through some of the points, added where it was farthest off, with the weights that are
    best for all others. SciPy chooses which, on the host, on every backend; all else is in the
    graph, in float64 or complex128. In derivatives, the points that are chosen stay the same; they
    need twice as many points as terms. See `scipy.interpolate.AAA`.

    Parameters
    ----------
    x
        A vector of finite numbers. Of equal ones the first counts.
    y
        Values there. What is not finite is left out.
    rtol
        It ends where errors are at most this share of the largest value: by default the precision
        to the power of 3/4.
    max_terms
        How many points are chosen at most.
    clean_up, clean_up_tol
        Whether terms are left out that make poles of tiny residues: less than this share of the
        values' geometric mean, times their distance from the points.

    Attributes
    ----------
    support_points, support_values, weights
        The chosen points, their values, and weights of length 1: vectors.
    errors
        The largest error after each point that was added, without derivatives.

    Raises
    ------
    ValueError
        for other ranks and lengths, `max_terms` below 1, and numbers in `x` that are not finite.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 30)
    >>> curve = AAA(x, 1 / (x - 1.5))
    >>> curve([1.25, 2.0]).eval().round(6), curve.poles().eval().real.round(6)
    (array([-4.,  2.]), array([1.5]))
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        *,
        rtol: float | None = None,
        max_terms: SupportsIndex = 100,
        clean_up: bool = True,
        clean_up_tol: float = 1e-13,
    ) -> None:
        places, values = as_floating(x), as_floating(y)
        if not places.ndim == values.ndim == 1:
            raise ValueError(f"AAA: x and y are vectors, not {places!r} and {values!r}{called()}")
        if whole(max_terms) < 1:
            raise ValueError(f"AAA: max_terms is 1 or more, not {max_terms}{called()}")
        places = specify_shape(places, lengths_of(values))
        places = demand(places, lambda v: abs(v) < np.inf, "AAA: x must be finite")
        self._kind = kind = promote([places.dtype, values.dtype])
        exact = "complex128" if kind.startswith("complex") else "float64"
        z, f = places.astype(exact), values.astype(exact)
        share = float(np.finfo(kind).eps) ** 0.75 if rtol is None else float(rtol)
        tidy = clean_up_tol if clean_up else -1.0
        choose = _CHOOSE[exact]
        chosen, others, errors = choose(
            *map(stop_gradient, (z, f)), *map(as_tensor, (share, tidy, whole(max_terms)))
        )
        self._z, self._f = index(z, chosen), index(f, chosen)
        rest_z, rest_f = index(z, others).expand_dims(1), index(f, others).expand_dims(1)
        _, _, vh = svd((rest_f - self._f) / (rest_z - self._z))
        self._w = conj_of(index(vh, lengths_of(chosen)[0] - 1))
        self.support_points, self.support_values, self.weights = (
            v.astype(kind) for v in (self._z, self._f, self._w)
        )
        self.errors = errors

    def __call__(self, z: TensorLike) -> TensorVariable:
        """The values at places, of their shape; infinite ones are places, too."""
        at = as_floating(z)
        kind = promote([at.dtype, self._kind])
        at = at.astype(promote([at.dtype, self._z.dtype])).expand_dims(-1)
        is_far = isinf(at)
        at = where(is_far, 0.0, at)
        apart = at - self._z
        nearest = argmin(absolute(stop_gradient(apart)), axis=-1, keepdims=True)
        itself = eq(arange(lengths_of(self._z)[0]), nearest)
        own = at - index(self._z, nearest)
        share = where(itself | is_far, 1.0, own / where(itself, 1.0, apart)) * self._w
        return (matmul(share, self._f) / sum(share, -1)).astype(kind)

    def poles(self) -> TensorVariable:
        """Where it is infinite, complex, in no order: one fewer than there are terms.

        Those that are infinite themselves, which SciPy's leaves out, are infinite or very large.
        """
        return self._zeros_of(self._w)

    def roots(self) -> TensorVariable:
        """Where it is 0: as `poles`."""
        return self._zeros_of(self._w * self._f)

    def residues(self) -> TensorVariable:
        """What it is times the distance from each of the `poles`, there."""
        near = 1 / (self.poles().expand_dims(1) - self._z)
        return -matmul(near, self._f * self._w) / matmul(near**2, self._w)

    def _zeros_of(self, w: TensorVariable) -> TensorVariable:
        """Where the sum of `w / (z - points)` is 0.

        With `u = 1 / (z - p)` and p the point of the largest weight q, it is so at eigenvalues u of
        a diagonal matrix, of `v = 1 / (points - p)`, with `w v / q` added to each row.
        """
        first = argmax(absolute(stop_gradient(w)))
        k = arange(lengths_of(w)[0] - 1)
        others = k + (k >= first)
        v = 1 / (index(self._z, others) - index(self._z, first))
        row = index(w, others) * v / index(w, first)
        return index(self._z, first) + 1 / eigvals(diag(v) + row)


def _chosen(
    x: np.ndarray, y: np.ndarray, share: np.ndarray, tidy: np.ndarray, most: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which points it goes through, which others there are, and its largest errors."""
    finite = np.flatnonzero(np.isfinite(y))
    points, first = np.unique(x[finite], return_index=True)
    places = finite[first]
    options = {"clean_up": tidy >= 0, "clean_up_tol": float(tidy)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = lazy_import("scipy.interpolate.AAA")(
            points, y[places], rtol=float(share), max_terms=int(most), **options
        )
    among = np.searchsorted(points, found.support_points)
    return places[among], np.delete(places, among), found.errors


def _choice(kind: str) -> Any:
    vector, number = TensorType(kind, (None,)), TensorType("float64", ())
    places = TensorType("int64", (None,))
    return wrap_py(
        _chosen,
        itypes=[vector, vector, number, number, TensorType("int64", ())],
        otypes=[places, places, TensorType("float64", (None,))],
    )


_CHOOSE: Final = {kind: _choice(kind) for kind in ("float64", "complex128")}
