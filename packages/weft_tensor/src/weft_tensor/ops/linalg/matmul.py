"""Products of vectors and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import as_tensor, as_tensors
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
from weft_tensor.ops.elementwise.complex import conj_of
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.reduction.sum_to import without_stack
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import matrix_transpose, moveaxis
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Matmul", "dot", "matmul", "outer"]


class Matmul(TensorOp):
    """The matrix product as `numpy.matmul` has it: vectors, matrices, stacks of matrices."""

    view_of = ()

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """As tensors."""
        return as_tensors(inputs)

    def infer(self, *types: TensorType) -> TensorType:
        """Contracts the last axis with the last but one; the axes before are broadcast."""
        a, b = types
        if not a.ndim or not b.ndim:
            raise TypeError("matmul takes no scalars: use *")
        left, right = a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0]
        if provably_differ(left, right) and type(left) is type(right):
            raise ValueError(
                f"matmul: axis {a.ndim - 1} of the first, of length {left}, must have the length "
                f"of axis {max(b.ndim - 2, 0)} of the second, {right}"
            )
        return TensorType(
            promote([a.dtype, b.dtype]), _product_shape(a.shape, b.shape, broadcast_shapes)
        )

    def cost(self, node: Any) -> float:
        """A product and a sum for each element, and each of the axis that vanishes."""
        return 2.0 * elements(node) * length(node.inputs[0].type.shape[-1])

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.matmul`."""
        return np.matmul(*values)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """g bᴴ and aᴴ g, with vectors as rows on the left and columns on the right."""
        (a, b), (g,) = inputs, cotangents
        ah, bh = _adjoint(a), _adjoint(b)
        if a.ndim == b.ndim == 1:
            ga, gb = g * bh, g * ah
        elif b.ndim == 1:
            ga = g.expand_dims(-1) * bh
            gb = matmul(g, conj_of(a)) if a.ndim == 2 else matmul(ah, g.expand_dims(-1)).squeeze(-1)
        elif a.ndim == 1:
            ga = matmul(conj_of(b), g) if b.ndim == 2 else matmul(g.expand_dims(-2), bh).squeeze(-2)
            gb = ah.expand_dims(-1) * g.expand_dims(-2)
        else:
            ga, gb = matmul(g, bh), matmul(ah, g)
        return [without_stack(ga, a).astype(a.dtype), without_stack(gb, b).astype(b.dtype)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """ta b + a tb."""
        (a, b), (ta, tb) = inputs, tangents
        left = None if ta is None else matmul(ta, b)
        right = None if tb is None else matmul(a, tb)
        return [right if left is None else left if right is None else left + right]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The lengths that are not contracted."""
        a, b = input_shapes
        return [_product_shape(a, b, broadcast_dims)]

    @classmethod
    def examples(cls) -> Examples:
        """All combinations of vector, matrix and stack; mixed dtypes; nothing to add up."""
        rng = np.random.default_rng(1)
        shapes = [
            ((3,), (3,)),
            ((2, 3), (3,)),
            ((3,), (3, 4)),
            ((2, 3), (3, 4)),
            ((5, 2, 3), (3, 4)),
            ((5, 2, 3), (3,)),
            ((3,), (5, 3, 4)),
            ((5, 1, 2, 3), (4, 3, 1)),
            ((2, 0), (0, 3)),
        ]
        return [
            *((cls(), [rng.normal(size=a), rng.normal(size=b)]) for a, b in shapes),
            (cls(), [np.ones((2, 2), "float32"), np.arange(2)]),
        ]

    def __str__(self) -> str:
        return "matmul"


def _product_shape(a: Sequence[Any], b: Sequence[Any], broadcast: Any) -> tuple[Any, ...]:
    batch = broadcast(tuple(a[:-2]), tuple(b[:-2]))
    return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _adjoint(x: TensorVariable) -> TensorVariable:
    x = conj_of(x)
    return matrix_transpose(x) if x.ndim > 1 else x


def matmul(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The matrix product. See `numpy.matmul`.

    Raises ValueError, where it is written, if the contracted lengths differ.

    >>> matmul([[1, 2], [3, 4]], [1, 1]).eval()
    array([3, 7])
    """
    return Matmul()(a, b)


def dot(a: TensorLike, b: TensorLike) -> TensorVariable:
    """Product of the last axis of `a` with the last but one of `b`. See `numpy.dot`.

    With scalars it is the ordinary product, up to rank 2 it is `matmul`.

    >>> dot([1, 2], [3, 4]).eval()
    array(11)
    """
    left, right = as_tensors((a, b))
    if not left.ndim or not right.ndim:
        return left * right
    if right.ndim <= 2:
        return Matmul()(left, right)
    columns = moveaxis(right, -2, 0)
    product = Matmul()(left, reshape(columns, (columns.shape[0], -1)))
    return reshape(product, (*left.shape[:-1], *columns.shape[1:]))


def outer(a: TensorLike, b: TensorLike) -> TensorVariable:
    """All products of an element of `a` and one of `b`. See `numpy.outer`.

    >>> outer([1, 2], [3, 4]).eval()
    array([[3, 4],
           [6, 8]])
    """
    left, right = (reshape(v, (-1,)) for v in [as_tensor(a), as_tensor(b)])
    return left.expand_dims(1) * right.expand_dims(0)
