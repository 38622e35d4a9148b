"""Reductions, sums so far, and softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorVariable

_BY_SCALAR: Final[dict[str, Callable[..., Any]]] = {
    "Add": wt.sum,
    "Mul": wt.prod,
    "MulWithoutZeros": wt.prod,
    "ScalarMaximum": wt.max,
    "ScalarMinimum": wt.min,
    "Maximum": wt.max,
    "Minimum": wt.min,
    "AND": wt.all,
    "OR": wt.any,
}


@register_names("CAReduce")
def reduction(op: Op, x: TensorVariable) -> TensorVariable:
    """A reduction by one of PyTensor's scalar Ops."""
    reduce = _BY_SCALAR.get(type(op.scalar_op).__name__)
    bits = x.dtype != "bool" and type(op.scalar_op).__name__ in ("AND", "OR")
    if reduce is None or bits:
        return NotImplemented
    dtype = getattr(op, "acc_dtype", None) or getattr(op, "dtype", None)
    if dtype is not None and dtype != x.dtype:
        x = x.astype(dtype)
    every = op.axis is None or x.ndim == 0
    return reduce(x, axis=None if every else tuple(op.axis))


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
