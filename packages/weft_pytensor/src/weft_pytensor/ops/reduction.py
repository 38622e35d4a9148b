"""Reductions, sums so far, and softmax."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorOp, TensorVariable
from weft_tensor.extend import applied, as_axes

_BY_SCALAR: Final[dict[str, type[TensorOp]]] = {
    "Add": wt.Sum,
    "Mul": wt.Prod,
    "MulWithoutZeros": wt.Prod,
    "ScalarMaximum": wt.Max,
    "ScalarMinimum": wt.Min,
    "Maximum": wt.Max,
    "Minimum": wt.Min,
    "AND": wt.All,
    "OR": wt.Any_,
}


@register_names("CAReduce")
def reduction(op: Op, x: TensorVariable) -> TensorVariable:
    """A reduction by one of PyTensor's scalar Ops."""
    name = type(op.scalar_op).__name__
    if name not in _BY_SCALAR or (name in ("AND", "OR") and x.dtype != "bool"):
        return NotImplemented
    dtype = getattr(op, "acc_dtype", None) or getattr(op, "dtype", None)
    if dtype is not None and dtype != x.type.dtype:
        x = x.astype(dtype)
    if x.ndim == 0:
        return x
    axes = None if op.axis is None else tuple(op.axis)
    return applied(_reduction(_BY_SCALAR[name], axes, x.ndim), (x,))


@lru_cache(maxsize=256)
def _reduction(kind: type[TensorOp], axes: tuple[int, ...] | None, rank: int) -> TensorOp:
    return kind(as_axes(axes, rank))


@register_names("ProdWithoutZeros")
def product_without_zeros(op: Op, x: TensorVariable) -> TensorVariable:
    """The product of what is not zero, which derivatives of products need."""
    return reduction(op, wt.where(wt.equal(x, 0), wt.ones_like(x), x))


@register_names("Argmax")
def argmax(op: Op, x: TensorVariable) -> TensorVariable:
    """Where the largest element is; along several axes, as if they were one, the last."""
    if op.axis is None or len(op.axis) == x.ndim:
        return wt.argmax(x)
    kept = [k for k in range(x.ndim) if k not in op.axis]
    moved = wt.transpose(x, (*kept, *op.axis))
    lengths = [moved.shape[k] for k in range(len(kept))]
    return wt.argmax(moved.reshape((*lengths, -1)), axis=-1)


@register_names("CumOp")
def cumulative(op: Op, x: TensorVariable) -> TensorVariable:
    """Sums, or products, so far."""
    return (wt.cumsum if op.mode == "add" else wt.cumprod)(x, axis=op.axis)


@register_names("Softmax")
def softmax(op: Op, x: TensorVariable) -> TensorVariable:
    """Probabilities."""
    return wt.softmax(x, op.axis)


@register_names("LogSoftmax")
def log_softmax(op: Op, x: TensorVariable) -> TensorVariable:
    """Logarithms of probabilities."""
    return wt.log_softmax(x, op.axis)


@register_names("SoftmaxGrad")
def softmax_slope(op: Op, slope: TensorVariable, probabilities: TensorVariable) -> TensorVariable:
    """The derivative of softmax, as PyTensor names it."""
    weighted = slope * probabilities
    axis = op.axis if op.axis is None or isinstance(op.axis, int) else tuple(op.axis)
    return weighted - probabilities * wt.sum(weighted, axis=axis, keepdims=True)
