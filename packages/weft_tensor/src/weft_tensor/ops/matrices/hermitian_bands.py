"""Hermitian matrices with bands, of which one half is given, and tridiagonal ones."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import (
    Cotangents,
    Examples,
    Shapes,
    TensorApply,
    Tensors,
    Value,
    pushforward_of_expansion,
)
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.linalg.eigh import eigh, eigvalsh
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    SlopeOp,
    adjoint_of,
    matrix_type,
    mirrored,
)
from weft_tensor.ops.matrices.banded import SolveBanded, shifted
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "CholeskyBanded",
    "CholeskyBandedSlope",
    "cho_solve_banded",
    "cholesky_banded",
    "eig_banded",
    "eigh_tridiagonal",
    "eigvals_banded",
    "eigvalsh_tridiagonal",
    "solveh_banded",
]


def _width(bands: TensorVariable, name: str) -> int:
    """How many diagonals there are beside the main one."""
    rows = bands.type.shape[-2] if bands.ndim > 1 else None
    if not isinstance(rows, int) or not rows:
        unknown = f"{name}: how many diagonals there are must be known before"
        raise ValueError(f"{unknown}, which it is not of {bands!r}: see `specify_shape`{called()}")
    return rows - 1


def _other_half(bands: TensorVariable, width: int, lower: bool) -> TensorVariable:
    """The diagonals of the adjoint: those above of those below, or those below of those above."""
    conjugate = bands.conj() if bands.is_complex else bands
    ways = range(width, -1, -1) if lower else range(width + 1)
    rows = [
        shifted(conjugate[..., k if lower else width - k, :], -k if lower else k, -1) for k in ways
    ]
    return stack(rows, -2)


def _columns(b: TensorVariable, b_ndim: int | None) -> tuple[TensorVariable, bool]:
    """Right sides as matrices, and whether they are vectors."""
    is_vector = b.ndim == 1 if b_ndim is None else b_ndim == 1
    return (b.expand_dims(-1) if is_vector else b), is_vector


def solveh_banded(
    ab: TensorLike, b: TensorLike, lower: bool = False, b_ndim: int | None = None
) -> TensorVariable:
    """x with a x = b, for a Hermitian a of which the diagonals of one half are given.

    Row `u + i - j` of `ab` has a[i, j] in column j for the u diagonals above the main one, or with
    `lower`, row `i - j` for those below. `b` is a vector, or matrices; `b_ndim` is as for
    `solve_banded`. See `scipy.linalg.solveh_banded`; that a is positive definite is not asked.
    Raises ValueError if the number of diagonals is not known.

    >>> print(solveh_banded([[4.0, 5.0], [2.0, 0.0]], [6.0, 7.0], lower=True).eval())
    [1. 1.]
    """
    bands, right = as_tensors((ab, b))
    bands = as_floating(bands)
    width = _width(bands, "solveh_banded")
    other = _other_half(bands, width, lower)
    above, below = (other, bands) if lower else (bands, other)
    columns, is_vector = _columns(right, b_ndim)
    x = SolveBanded(width, width)(concatenate([above, below[..., 1:, :]], -2), columns)
    return x.squeeze(-1) if is_vector else x


class CholeskyBanded(FloatingOp):
    """The diagonals of the Cholesky factor from those on and below the main one of a matrix.

    An Op of its own as LAPACK needs no loop over columns, and that has little to compile.
    """

    width: int
    pushforward = pushforward_of_expansion

    def expansion(self, bands: TensorVariable) -> TensorVariable:
        """In a loop over columns."""
        width = self.width
        columns = moveaxis(_with_rows(bands, width + 1), -1, 0)
        batch = lengths_of(columns)[1:-1]
        i, k = arange(width + 1), arange(1, width + 1).expand_dims(1)

        def step(before: TensorVariable, column: TensorVariable) -> tuple[TensorVariable, ...]:
            """The factor's column; `before` are the last ones, the latest first."""
            padded = concatenate([before, 0 * before[..., :-1]], -1) if width else before
            reached = index(padded, (..., k - 1, i + k))
            edge = reached[..., :1]
            rest = column - sum(reached * (edge.conj() if edge.is_complex else edge), -2)
            root = sqrt(rest.real[..., :1])
            factor = concatenate([root.astype(rest.dtype), rest[..., 1:] / root], -1)
            return concatenate([factor.expand_dims(-2), before], -2)[..., :width, :], factor

        start = zeros((*batch, width, width + 1), dtype=bands.dtype)
        _, factors = scan(step, start, columns)
        return _within(moveaxis(factors, 0, -1))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """That of `CholeskyBandedSlope`."""
        return [CholeskyBandedSlope(self.width)(*outputs, *cotangents)]

    def infer(self, *types: TensorType) -> TensorType:
        """The type of the diagonals."""
        return matrix_type(types[0], "cholesky_banded")

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of the diagonals."""
        return input_shapes

    def impl(self, *values: np.ndarray) -> Value:
        """`scipy.linalg.cholesky_banded`; NaN where the matrix is not positive definite."""
        (bands,) = values
        factors = np.full(bands.shape, np.nan, bands.dtype)
        factor_of: Any = lazy_import("scipy.linalg.cholesky_banded")
        for place in np.ndindex(bands.shape[:-2]) if bands.size else ():
            with suppress(np.linalg.LinAlgError):
                factors[place] = factor_of(bands[place], lower=True, check_finite=False)
        inside = np.add.outer(np.arange(bands.shape[-2]), np.arange(bands.shape[-1]))
        return np.where(inside < bands.shape[-1], factors, np.zeros((), bands.dtype))

    @classmethod
    def examples(cls) -> Examples:
        """Some diagonals, one, a stack, complex, float32."""
        bands = np.array([[4.0, 5.0, 6.0, 3.0], [1.0, 0.5, 0.7, 9.0], [0.3, -0.2, 9.0, 9.0]])
        return [
            (cls(2), [bands]),
            (cls(0), [bands[:1]]),
            (cls(1), [np.stack([bands[:2], bands[:2] + 1])]),
            (cls(2), [bands + 1j * (np.arange(3) > 0)[:, None] * bands]),
            (cls(2), [bands.astype("float32")]),
        ]

    def __str__(self) -> str:
        return "cholesky_banded"


class CholeskyBandedSlope(SlopeOp):
    """The derivative of `CholeskyBanded`, from its result, times a cotangent.

    An Op of its own as that has little to compile as a loop in place.
    """

    width: int

    def expansion(self, factor: TensorVariable, g: TensorVariable) -> TensorVariable:
        """From the last column on: S. P. Smith, Differentiation of the Cholesky algorithm, 1995."""
        width = self.width
        rows = [_with_rows(v, width + 1) for v in (factor, _within(g))]
        columns = [moveaxis(v, -1, 0)[::-1] for v in rows]
        batch = lengths_of(columns[0])[1:-1]
        k = arange(width)
        i = k.expand_dims(1)

        def step(after: TensorVariable, column: list[TensorVariable]) -> tuple[TensorVariable, ...]:
            """That of the column; `after` are those of the next ones."""
            own, slope = column
            first, below, rest = own[..., :1].real, own[..., 1:], slope[..., 1:]
            if width:
                lower = where(i >= k, index(after, (..., k, maximum(i - k, 0))), 0)
                whole = (lower + adjoint_of(lower)).astype(own.dtype)
                rest = (rest - matmul(whole, below.expand_dims(-1)).squeeze(-1)) / first
            taken = sum((rest.conj() if rest.is_complex else rest) * below, -1, keepdims=True)
            on_it = (slope[..., :1].real - taken.real) / (2 * first)
            slope = concatenate([on_it.astype(own.dtype), rest], -1)
            return concatenate([slope.expand_dims(-2), after], -2)[..., :width, :], slope

        start = zeros((*batch, width, width + 1), dtype=factor.dtype)
        _, slopes = scan(step, start, columns)
        return moveaxis(slopes[::-1], 0, -1)

    def infer(self, *types: TensorType) -> TensorType:
        """The type of the factor."""
        return types[0]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of the factor."""
        return input_shapes[:1]

    @classmethod
    def examples(cls) -> Examples:
        """Those of `CholeskyBanded`, with its results."""
        cases: list[Any] = [*CholeskyBanded.examples()]
        factors = [(op.width, op.impl(*values)) for op, values in cases]
        return [(cls(width), [v, np.cos(np.add(v, 1))]) for width, v in factors]

    def __str__(self) -> str:
        return "cholesky_banded_slope"


def _with_rows(bands: TensorVariable, rows: int) -> TensorVariable:
    """The same, of as many rows as the type says then."""
    return specify_shape(bands, (*[None] * (bands.ndim - 2), rows, None))


def _within(bands: TensorVariable) -> TensorVariable:
    """Zeros for what is beyond the last row."""
    rows, n = lengths_of(bands)[-2:]
    inside = arange(rows).expand_dims(1) + arange(n) < n
    return where(inside, bands, 0).astype(bands.dtype)


def cholesky_banded(ab: TensorLike, lower: bool = False) -> TensorVariable:
    """The diagonals of the Cholesky factor of a positive definite matrix, which has as many.

    `ab` has those of one half, as for `solveh_banded`; the factor is that half. See
    `scipy.linalg.cholesky_banded`. Where a is not positive definite, it is NaN.

    >>> print(cholesky_banded([[4.0, 5.0], [2.0, 0.0]], lower=True).eval())
    [[2. 2.]
     [1. 0.]]
    """
    bands = as_floating(ab)
    width = _width(bands, "cholesky_banded")
    factor = CholeskyBanded(width)(bands if lower else _other_half(bands, width, False))
    return factor if lower else _other_half(factor, width, True)


def cho_solve_banded(
    cb_and_lower: tuple[TensorLike, bool], b: TensorLike, b_ndim: int | None = None
) -> TensorVariable:
    """x with a x = b, from the factor that `cholesky_banded(ab, lower)` gives, and `lower`.

    See `scipy.linalg.cho_solve_banded`, and `solveh_banded`.

    >>> factor = cholesky_banded([[4.0, 5.0], [2.0, 0.0]], lower=True)
    >>> print(cho_solve_banded((factor, True), [6.0, 7.0]).eval())
    [1. 1.]
    """
    bands, right = as_tensors((cb_and_lower[0], b))
    lower = cb_and_lower[1]
    width = _width(bands, "cho_solve_banded")
    other = _other_half(bands, width, lower)
    above, below = (other, bands) if lower else (bands, other)
    columns, is_vector = _columns(right, b_ndim)
    x = SolveBanded(0, width)(above, SolveBanded(width, 0)(below, columns))
    return x.squeeze(-1) if is_vector else x


def _whole(bands: TensorVariable, lower: bool, name: str) -> TensorVariable:
    """The Hermitian matrix with these diagonals."""
    width = _width(bands, name)
    half = bands if lower else _other_half(bands, width, False)
    j = arange(lengths_of(half)[-1])
    k = j.expand_dims(1) - j
    places = maximum(minimum(k, width), 0)
    values = index(half, (..., places, j + 0 * k))
    return mirrored(where((k >= 0) & (k <= width), values, 0).astype(half.dtype))


def _selected(
    whole: TensorVariable, eigvals_only: bool, select: str, select_range: Any, name: str
) -> Any:
    """Eigenvalues, and vectors, of a matrix: all, or by their places or their size."""
    kinds = {"a": "", "v": "subset_by_value", "i": "subset_by_index"}
    if select not in kinds or (select != "a" and select_range is None):
        text = f"{name}: select is 'a', 'v' or 'i', of which the last two need select_range"
        raise ValueError(f"{text}, not {select!r}{called()}")
    options = {kinds[select]: select_range} if select != "a" else {}
    return eigvalsh(whole, **options) if eigvals_only else tuple(eigh(whole, **options))


def eig_banded(
    a_band: TensorLike,
    lower: bool = False,
    eigvals_only: bool = False,
    *,
    select: str = "a",
    select_range: Sequence[Any] | None = None,
) -> Any:
    """The eigenvalues of a Hermitian matrix with bands, from the least on, and eigenvectors.

    `a_band` has the diagonals of one half, as for `solveh_banded`. They are those of `eigh`, of the
    whole matrix: all, for `select="i"` those from the first to the second place of `select_range`,
    for "v" those above the first and not above the second number. See `scipy.linalg.eig_banded`.
    Raises ValueError for another `select`.

    >>> eig_banded([[2.0, 2.0], [1.0, 0.0]], lower=True, eigvals_only=True).eval().round(9)
    array([1., 3.])
    """
    whole = _whole(as_floating(a_band), lower, "eig_banded")
    return _selected(whole, eigvals_only, select, select_range, "eig_banded")


def eigvals_banded(
    a_band: TensorLike,
    lower: bool = False,
    *,
    select: str = "a",
    select_range: Sequence[Any] | None = None,
) -> TensorVariable:
    """The eigenvalues of a Hermitian matrix with bands. See `eig_banded`, `scipy.linalg`.

    >>> eigvals_banded([[2.0, 2.0], [1.0, 0.0]], lower=True).eval().round(9)
    array([1., 3.])
    """
    whole = _whole(as_floating(a_band), lower, "eigvals_banded")
    values: TensorVariable = _selected(whole, True, select, select_range, "eigvals_banded")
    return values


def _tridiagonal(d: TensorLike, e: TensorLike) -> TensorVariable:
    """The lower half of the matrix with this diagonal, and these beside it."""
    main, beside = (as_floating(v) for v in as_tensors((d, e)))
    if main.is_complex or beside.is_complex:
        raise TypeError(f"a tridiagonal matrix has real diagonals, not {d!r} and {e!r}{called()}")
    *batch, size = lengths_of(main)
    n, below = arange(size), arange(size - 1)
    whole = updated(index(zeros((*batch, size, size), main.dtype), (..., n, n)), "set", main)
    beside = reshape(beside, (*batch, size - 1)).astype(main.dtype)
    return updated(index(whole, (..., below + 1, below)), "set", beside)


def eigh_tridiagonal(
    d: TensorLike,
    e: TensorLike,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: Sequence[Any] | None = None,
) -> Any:
    """The eigenvalues, from the least on, and eigenvectors of a symmetric tridiagonal matrix.

    `d` is its diagonal, `e` that beside it, shorter by one; real numbers. They are those of `eigh`,
    of the whole matrix, which of them as for `eig_banded`. See `scipy.linalg.eigh_tridiagonal`.
    Raises ValueError for another `select`, TypeError for complex numbers.

    >>> eigh_tridiagonal([2.0, 2.0], [1.0], eigvals_only=True).eval().round(9)
    array([1., 3.])
    """
    whole = _tridiagonal(d, e)
    return _selected(whole, eigvals_only, select, select_range, "eigh_tridiagonal")


def eigvalsh_tridiagonal(
    d: TensorLike, e: TensorLike, select: str = "a", select_range: Sequence[Any] | None = None
) -> TensorVariable:
    """The eigenvalues of a symmetric tridiagonal matrix. See `eigh_tridiagonal`, `scipy.linalg`.

    >>> eigvalsh_tridiagonal([2.0, 2.0], [1.0]).eval().round(9)
    array([1., 3.])
    """
    whole = _tridiagonal(d, e)
    values: TensorVariable = _selected(whole, True, select, select_range, "eigvalsh_tridiagonal")
    return values
