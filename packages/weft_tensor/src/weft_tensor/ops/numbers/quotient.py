"""Quotients where nothing is divided by zero."""

from __future__ import annotations

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, where

__all__ = ["quotient"]


def quotient(above: TensorVariable, below: TensorVariable) -> TensorVariable:
    """`above / below`, and 0 where that would be by zero; so are the derivatives.

    >>> from weft_tensor import as_tensor
    >>> quotient(as_tensor([1.0, 2.0]), as_tensor([0.0, 4.0])).eval()
    array([0. , 0.5])
    """
    none = eq(below, 0)
    return where(none, 0, above / where(none, 1, below))
