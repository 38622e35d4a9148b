"""Systems of linear equations, and inverses; all for stacks too."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import (
    Cotangents,
    Examples,
    Shapes,
    TensorApply,
    TensorOp,
    Tensors,
    Value,
    elements,
    length,
)
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.square import FloatingOp, adjoint_of, finite, square_type, tril, triu
from weft_tensor.ops.reduction.sum_to import without_stack
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes, merged_length
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Inverse", "Solve", "SolveTriangular", "inv", "solve", "solve_triangular"]


def _solution_type(name: str, a: TensorType, b: TensorType) -> TensorType:
    """The shape of b, stacks broadcast."""
    square_type(a, name)
    if b.ndim < 2:
        raise ValueError(f"the right side must be a matrix or a stack of them, got {b}")
    if provably_differ(a.shape[-1], b.shape[-2]) and type(a.shape[-1]) is type(b.shape[-2]):
        raise ValueError(f"{name}: {a} and {b} do not fit")
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n = merged_length([b.shape[-2], *a.shape[-2:]]) if b.shape[-2] is None else b.shape[-2]
    return TensorType(promote([a.dtype, b.dtype]), (*batch, n, b.shape[-1]))


def _with_columns(
    op: TensorOp, a: TensorVariable, b: TensorVariable, b_ndim: int | None
) -> TensorVariable:
    """`op` of `a` and `b`, whose vectors become matrices of one column."""
    vectors = b_ndim == 1 if b_ndim is not None else b.ndim == 1
    x = op(a, b.expand_dims(-1) if vectors else b)
    return x.squeeze(-1) if vectors else x


class Solve(FloatingOp):
    """x with a x = b for matrices b."""

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of b, stacks broadcast."""
        return _solution_type("solve", *types)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.linalg.solve`; LinAlgError if a is singular."""
        return np.linalg.solve(*values)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """gb = a⁻ᴴ g; ga = -gb xᴴ."""
        (a, b), (x,), (g,) = inputs, outputs, cotangents
        gb = Solve()(adjoint_of(a), g)
        ga = -matmul(gb, adjoint_of(x))
        return [without_stack(ga, a), without_stack(gb, b)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """a⁻¹ (tb - ta x)."""
        (a, _), (x,), (ta, tb) = inputs, outputs, tangents
        right: Any = tb
        if ta is not None:
            product = matmul(ta, x)
            right = -product if tb is None else tb - product
        return [Solve()(a, right)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of b, stacks broadcast."""
        a, b = input_shapes
        return [(*broadcast_dims(a[:-2], b[:-2]), *b[-2:])]

    @classmethod
    def examples(cls) -> Examples:
        """Matrices and stacks on either side, small and large, no columns, float32, complex."""
        a = np.array([[0.0, 0.5, 2.3], [1.0, 3.0, 0.7], [2.5, -0.5, 1.5]])
        b = np.arange(6.0).reshape(3, 2)
        large = np.eye(20, k=1) + 3.0 * np.eye(20) - 2.0 * np.eye(20, k=-3)
        return [
            (cls(), [a, b]),
            (cls(), [np.stack([a, a.T]), b]),
            (cls(), [a, np.stack([b, b + 1])]),
            (cls(), [a, b[:, :0]]),
            (cls(), [a.astype("float32"), b.astype("float32")]),
            (cls(), [a + 1j * a.T, b]),
            (cls(), [large[::-1], large[:, :3]]),
        ]

    def __str__(self) -> str:
        return "solve"


def solve(a: TensorLike, b: TensorLike, b_ndim: int | None = None) -> TensorVariable:
    """x with a x = b, for square matrices `a`, on the last two axes. See `numpy.linalg.solve`.

    `b_ndim`: 1 if b holds vectors, 2 if matrices; by default 1 exactly for a single vector.

    >>> solve([[2.0, 1.0], [1.0, 1.0]], [4.0, 3.0]).eval()
    array([1., 2.])
    """
    a, b = as_tensors((a, b))
    return _with_columns(Solve(), a, b, b_ndim)


class SolveTriangular(FloatingOp):
    """x with a x = b for matrices b, where only one half of a counts."""

    lower: bool
    unit_diagonal: bool = False

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of b, stacks broadcast."""
        return _solution_type("solve_triangular", *types)

    def impl(self, *values: np.ndarray) -> Value:
        """`scipy.linalg.solve_triangular`; LinAlgError if a is singular."""
        a, b = values
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        if not batch:
            return self._solve(a, b)
        a = np.broadcast_to(a, (*batch, *a.shape[-2:]))
        b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
        result = np.empty(b.shape, np.result_type(a, b))
        for place in np.ndindex(batch):
            result[place] = self._solve(a[place], b[place])
        return result

    def cost(self, node: Any) -> float:
        """That of a product with a triangular matrix."""
        return 1.0 * elements(node) * length(node.inputs[0].type.shape[-1])

    def _solve(self, a: Any, b: Any) -> Any:
        if not b.size:
            return np.zeros(b.shape, np.result_type(a, b))
        return lazy_import("scipy.linalg.solve_triangular")(
            a, b, lower=self.lower, unit_diagonal=self.unit_diagonal, check_finite=False
        )

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """gb = a⁻ᴴ g; ga = -gb xᴴ on the half of a that counts."""
        (a, b), (x,), (g,) = inputs, outputs, cotangents
        gb = SolveTriangular(not self.lower, self.unit_diagonal)(adjoint_of(a), g)
        ga = -matmul(gb, adjoint_of(x))
        offset = int(self.unit_diagonal)
        ga = tril(ga, -offset) if self.lower else triu(ga, offset)
        return [without_stack(ga, a), without_stack(gb, b)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """a⁻¹ (tb - ta x), with the half of ta that counts."""
        (a, _), (x,), (ta, tb) = inputs, outputs, tangents
        right: Any = tb
        if ta is not None:
            offset = int(self.unit_diagonal)
            product = matmul(tril(ta, -offset) if self.lower else triu(ta, offset), x)
            right = -product if tb is None else tb - product
        return [self(a, right)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of b, stacks broadcast."""
        a, b = input_shapes
        return [(*broadcast_dims(a[:-2], b[:-2]), *b[-2:])]

    @classmethod
    def examples(cls) -> Examples:
        """Both halves, a unit diagonal, stacks on either side."""
        a = np.array([[2.0, 0.5, 0.3], [1.0, 3.0, 0.7], [0.5, -0.5, 1.5]])
        b = np.arange(6.0).reshape(3, 2)
        return [
            (cls(True), [a, b]),
            (cls(False), [a, b]),
            (cls(True, True), [a, b]),
            (cls(True), [np.stack([a, 2 * a]), b]),
            (cls(False), [a, np.stack([b, b + 1])]),
            (cls(True), [a, b[:, :0]]),
        ]

    def __str__(self) -> str:
        return f"solve_triangular[{'lower' if self.lower else 'upper'}]"


def solve_triangular(
    a: TensorLike,
    b: TensorLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    b_ndim: int | None = None,
    *,
    check_finite: bool = False,
) -> TensorVariable:
    """x with a x = b, where `a` is triangular and the other half of it is not looked at.

    `trans`: 0 or "N" for a, 1 or "T" for its transpose, 2 or "C" for its adjoint.
    `b_ndim`: 1 if b holds vectors, 2 if matrices; by default 1 exactly for a single vector.
    `check_finite`: NaN and infinite elements are an error when it is computed.
    See `scipy.linalg.solve_triangular`. Raises ValueError for an unknown `trans`.

    >>> solve_triangular([[2.0, 0.0], [1.0, 1.0]], [2.0, 3.0], lower=True).eval()
    array([1., 2.])
    """
    a, b = as_tensors((a, b))
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f"trans must be 0, 1, 2, 'N', 'T' or 'C', not {trans!r}")
    if check_finite:
        a, b = (finite(v, "solve_triangular") for v in (a, b))
    if trans not in (0, "N"):
        a, lower = (matrix_transpose(a) if trans in (1, "T") else adjoint_of(a)), not lower
    return _with_columns(SolveTriangular(lower, unit_diagonal), a, b, b_ndim)


class Inverse(FloatingOp):
    """The inverse of square matrices."""

    def infer(self, *types: TensorType) -> TensorType:
        """The type of x."""
        return square_type(types[0], "inv")

    def cost(self, node: Any) -> float:
        """Three times that of one solution."""
        return 3 * super().cost(node)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.linalg.inv`; LinAlgError if x is singular."""
        return np.linalg.inv(values[0])

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """-x⁻ᴴ g x⁻ᴴ."""
        adjoint = adjoint_of(outputs[0])
        return [-matmul(matmul(adjoint, cotangents[0]), adjoint)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """-x⁻¹ t x⁻¹."""
        return [-matmul(matmul(outputs[0], tangents[0]), outputs[0])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of x."""
        return input_shapes

    @classmethod
    def examples(cls) -> Examples:
        """A matrix and a stack."""
        x = np.array([[2.0, 1.0], [0.5, 3.0]])
        return [(cls(), [x]), (cls(), [np.stack([x, x.T + 1])])]

    def __str__(self) -> str:
        return "inv"


def inv(x: TensorLike) -> TensorVariable:
    """The inverse of square matrices, on the last two axes. See `numpy.linalg.inv`.

    >>> inv([[2.0, 0.0], [0.0, 4.0]]).eval()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return Inverse()(x)
