"""Systems of equations with banded matrices, which are given by their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.schur import each_matrix
from weft_tensor.ops.linalg.square import FloatingOp, matrix_type
from weft_tensor.ops.reduction.sum_to import without_stack
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SolveBanded", "shifted", "solve_banded"]


class SolveBanded(FloatingOp):
    """x with a x = b, where row `upper + i - j` of the first input has a[i, j] in column j."""

    lower: int
    upper: int

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of b, stacks broadcast."""
        bands, b = (matrix_type(t, "solve_banded") for t in types)
        if provably_differ(bands.shape[-2], self.lower + self.upper + 1):
            raise ValueError(
                f"solve_banded: {self.lower} diagonals below the main one and {self.upper} above "
                f"need {self.lower + self.upper + 1} rows, got {bands}"
            )
        batch = broadcast_shapes(bands.shape[:-2], b.shape[:-2])
        return TensorType(promote([bands.dtype, b.dtype]), (*batch, *b.shape[-2:]))

    def impl(self, *values: np.ndarray) -> Value:
        """`scipy.linalg.solve_banded`; LinAlgError if a is singular."""
        bands, b = values
        if bands.shape[-2] != self.lower + self.upper + 1 or bands.shape[-1] != b.shape[-2]:
            raise ValueError(f"solve_banded: {bands.shape} and {b.shape} do not fit")
        solve_one: Any = lazy_import("scipy.linalg.solve_banded")
        dtype = np.result_type(bands, b)

        if not (bands.size and b.size):
            batch = np.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
            return np.zeros((*batch, *b.shape[-2:]), dtype)

        def of_one(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            solution = solve_one((self.lower, self.upper), x, y, check_finite=False)
            return np.asarray(solution).astype(dtype)

        result: Value = each_matrix(of_one, 1, bands, b)
        return result

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """gb = a⁻ᴴ g; that of a[i, j] is -gb[i] times the conjugate of x[j]."""
        (bands, b), (x,), (g,) = inputs, outputs, cotangents
        conjugate = bands.conj() if bands.is_complex else bands
        gb = SolveBanded(self.upper, self.lower)(self._transposed(conjugate), g)
        back = x.conj() if x.is_complex else x
        rows = [
            -(shifted(gb, k - self.upper, -2) * back).sum(-1)
            for k in range(self.lower + self.upper + 1)
        ]
        slope = stack(rows, -2)
        return [without_stack(slope, bands), without_stack(gb, b)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """a⁻¹ (tb - ta x)."""
        (bands, _), (x,), (ta, tb) = inputs, outputs, tangents
        right: Any = tb
        if ta is not None:
            for k in range(self.lower + self.upper + 1):
                product = shifted(ta[..., k, :].expand_dims(-1) * x, self.upper - k, -2)
                right = -product if right is None else right - product
        return [self(bands, right)]

    def _transposed(self, bands: TensorVariable) -> TensorVariable:
        """The diagonals of the transpose."""
        last = self.lower + self.upper
        rows = [shifted(bands[..., last - k, :], k - self.lower, -1) for k in range(last + 1)]
        return stack(rows, -2)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of b, stacks broadcast."""
        bands, b = input_shapes
        return [(*broadcast_dims(bands[:-2], b[:-2]), *b[-2:])]

    @classmethod
    def examples(cls) -> Examples:
        """One diagonal and several, on either side, stacks, complex, float32."""
        bands = np.array([[0.5, 1.0, -0.3, 0.2], [4.0, 5.0, -4.0, 3.0], [1.0, 0.5, 0.7, 0.0]])
        b = np.arange(8.0).reshape(4, 2)
        return [
            (cls(1, 1), [bands, b]),
            (cls(0, 0), [bands[1:2], b]),
            (cls(2, 0), [bands[::-1] + 1, b]),
            (cls(0, 2), [np.roll(bands, 1, 0) + 2, b]),
            (cls(1, 1), [np.stack([bands, 2 * bands]), b]),
            (cls(1, 1), [bands * (1 + 0.5j), b]),
            (cls(1, 1), [bands.astype("float32"), b.astype("float32")]),
        ]

    def __str__(self) -> str:
        return f"solve_banded[{self.lower}, {self.upper}]"


def shifted(x: TensorVariable, k: int, axis: int) -> TensorVariable:
    """x[j + k] in the place of x[j], and zeros beyond the ends."""
    if not k:
        return x
    places = [slice(None)] * x.ndim
    places[axis] = slice(k, None) if k > 0 else slice(None, k)
    ends = list(places)
    ends[axis] = slice(None, abs(k))
    rest, zeros = x[tuple(places)], zeros_like(x[tuple(ends)])
    return concatenate([rest, zeros] if k > 0 else [zeros, rest], axis)


def solve_banded(
    l_and_u: tuple[int, int], ab: TensorLike, b: TensorLike, b_ndim: int | None = None
) -> TensorVariable:
    """x with a x = b, where a is given by its diagonals, from the uppermost to the lowest.

    Parameters
    ----------
    l_and_u
        How many diagonals there are below and above the main one.
    ab
        Their elements, in rows: `ab[u + i - j, j]` is a[i, j].
    b
        A vector, or matrices.
    b_ndim
        1 if b holds vectors, 2 if matrices; by default 1 exactly for a single vector. See
        `scipy.linalg.solve_banded`. JAX, which has none, solves the whole matrix.

    Raises
    ------
    ValueError
        if `ab` has not as many rows, or a number of diagonals is negative.

    Examples
    --------
    >>> print(solve_banded((1, 0), [[1.0, 2.0], [1.0, 0.0]], [1.0, 5.0]).eval())
    [1. 2.]
    """
    lower, upper = (int(n) for n in l_and_u)
    if lower < 0 or upper < 0:
        raise ValueError(f"solve_banded: numbers of diagonals are not negative, unlike {l_and_u}")
    bands, right = as_tensors((ab, b))
    vectors = b_ndim == 1 if b_ndim is not None else right.ndim == 1
    x = SolveBanded(lower, upper)(bands, right.expand_dims(-1) if vectors else right)
    return x.squeeze(-1) if vectors else x
