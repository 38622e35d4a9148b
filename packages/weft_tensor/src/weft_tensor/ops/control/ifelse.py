"""Choice between whole results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_graph import Variable
from weft_graph.extend import Choice
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.no_value_yet import doubt_of_flag
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike
from weft_tensor.ops.elementwise.op import Elemwise
from weft_tensor.ops.shape.length import same_size
from weft_tensor.types.symbolic_dims import Length
from weft_tensor.types.tensor_type import TensorType

__all__ = ["IfElse", "Undefined", "ifelse"]


class Undefined(TensorOp):
    """A tensor that nobody reads: as short as it may be, of any values, whatever the input is.

    In a `Branch`, it stands for what only the other case computes.

    >>> Undefined("float64", (None, 3))(0).eval().shape
    (0, 3)
    """

    view_of = ()
    dtype: str
    shape: tuple[Length, ...]

    @property
    def least(self) -> tuple[int, ...]:
        """The shortest shape of the type."""
        return tuple([n if isinstance(n, int) else 0 for n in self.shape])

    def infer(self, *types: TensorType) -> Any:
        """As was asked."""
        return TensorType(self.dtype, self.shape)

    def impl(self, *values: np.ndarray) -> Value:
        """Memory as it is."""
        return np.empty(self.least, self.dtype)


class IfElse(TensorOp, Choice):
    """The `n_outs` inputs after the condition if it is true, else the `n_outs` after those."""

    n_outs: int
    linear = slice(1, None)

    @property
    def view_of(self) -> tuple[int, ...]:
        """Any input but the condition may be among the results."""
        return tuple(range(1, 1 + 2 * self.n_outs))

    def infer(self, *types: TensorType) -> Any:
        """Dtype and rank of each pair must agree; lengths that differ become unknown."""
        condition, *values = types
        if condition.ndim:
            raise TypeError(f"the condition of ifelse must be a scalar, not {condition}")
        if len(values) != 2 * self.n_outs:
            raise TypeError(
                f"ifelse[{self.n_outs}] takes {2 * self.n_outs} values, got {len(values)}"
            )
        pairs = zip(values[: self.n_outs], values[self.n_outs :], strict=True)
        kinds = tuple(_either(a, b) for a, b in pairs)
        return kinds if self.n_outs > 1 else kinds[0]

    def impl(self, *values: np.ndarray) -> Value | tuple[Value, ...]:
        """One half of the values."""
        condition, *rest = values
        branch = rest[: self.n_outs] if condition else rest[self.n_outs :]
        return tuple(branch) if self.n_outs > 1 else branch[0]

    def undefined(self, kind: Any) -> Variable:
        """An `Undefined` tensor."""
        return Undefined(kind.dtype, kind.shape)(0)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Cotangents) -> Cotangents:
        """The cotangents for the chosen half, zeros for the other."""
        condition, *values = inputs
        on_true, on_false = values[: self.n_outs], values[self.n_outs :]
        grads: list[Any] = [None]
        for x, g in zip(on_true, cotangents, strict=True):
            grads.append(None if g is None else ifelse(condition, g, x.zeros_like()))
        for x, g in zip(on_false, cotangents, strict=True):
            grads.append(None if g is None else ifelse(condition, x.zeros_like(), g))
        return grads

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The lengths where both halves agree, else chosen by the condition."""
        condition = node.inputs[0]
        shapes = list(input_shapes[1:])
        where = Elemwise("where")
        return [
            tuple(
                m if same_size(m, n) else where(condition, m, n) for m, n in zip(a, b, strict=True)
            )
            for a, b in zip(shapes[: self.n_outs], shapes[self.n_outs :], strict=True)
        ]

    @classmethod
    def examples(cls) -> Examples:
        """One result and two, either way."""
        x, y = np.arange(3.0), np.ones((2, 2))
        return [
            (cls(1), [np.array(True), x, -x]),
            (cls(1), [np.array(False), x, -x]),
            (cls(2), [np.array(True), x, y, x + 1, y - 1]),
        ]

    def __str__(self) -> str:
        return f"ifelse[{self.n_outs}]"


def _either(a: TensorType, b: TensorType) -> TensorType:
    if a.dtype != b.dtype or a.ndim != b.ndim:
        raise TypeError(f"both values of ifelse must have one dtype and rank, not {a} and {b}")
    shape: list[Length] = [m if m == n else None for m, n in zip(a.shape, b.shape, strict=True)]
    return TensorType(a.dtype, shape)


def ifelse(
    condition: TensorLike,
    then: TensorLike | Sequence[TensorLike],
    otherwise: TensorLike | Sequence[TensorLike],
) -> Any:
    """`then` where the scalar `condition` is true, else `otherwise`: a tensor, or several.

    What only one of them needs is not computed, and no check in it raises, where the other is
    chosen. Both must be of the same dtypes and ranks; lists or tuples of them give a list.
    Elementwise choice is `where`. Raises TypeError if one case has more values than the other.

    >>> from weft_tensor import scalar
    >>> x = scalar("x")
    >>> ifelse(x > 0, x, -x).eval({x: -2.0})
    array(2.)
    """
    doubt_of_flag("ifelse", condition)
    if callable(then):
        raise TypeError(
            "ifelse takes values, of which it computes one: write ifelse(condition, f(x), g(x))"
        )
    if not isinstance(then, (list, tuple)):
        return IfElse(1)(condition, *as_tensors((then, otherwise)))
    if not isinstance(otherwise, (list, tuple)) or len(then) != len(otherwise):
        raise TypeError("ifelse needs as many values for one case as for the other")
    pairs = [as_tensors(pair) for pair in zip(then, otherwise, strict=True)]
    result: Any = IfElse(len(pairs))(condition, *[p[0] for p in pairs], *[p[1] for p in pairs])
    return result if len(pairs) > 1 else [result]
