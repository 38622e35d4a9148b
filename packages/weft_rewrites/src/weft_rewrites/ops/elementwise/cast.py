"""Conversions of dtypes that change nothing, or that a single one can do."""

from __future__ import annotations

from functools import cache

import numpy as np

from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import letter
from weft_tensor import Cast, Elemwise, TensorVariable

__all__ = ["keeps_all", "rules"]

x = letter("x")


@cache
def keeps_all(source: str, target: str) -> bool:
    """Whether every value of dtype `source` has its exact like in dtype `target`.

    >>> keeps_all("int32", "float64"), keeps_all("int64", "float64")
    (True, False)
    """
    if source in ("int64", "uint64") and np.dtype(target).kind in "fc":
        return False
    return np.can_cast(source, target, "safe")


def _one_does(inner: Cast, outer: Cast, x: TensorVariable) -> bool:
    source, between, target = x.type.dtype, inner.dtype, outer.dtype
    if not keeps_all(source, between):
        return False
    kinds = [np.dtype(d).kind for d in (source, between, target)]
    # What floating numbers become as integers outside of their range, no one can tell.
    return kinds[1] not in "fc" or kinds[2] not in "iu" or kinds[0] in "fc" or source == target


def _converted(outer: Cast, x: TensorVariable) -> TensorVariable:
    return x.astype(outer.dtype)


def _has_it(op: Cast, x: TensorVariable) -> bool:
    return x.type.dtype == op.dtype


def _is_real(node: TensorVariable) -> bool:
    (x,) = node.inputs
    return not x.is_complex and x.dtype == node.dtype


def _operand(node: TensorVariable) -> TensorVariable:
    return node.inputs[0]


rules: tuple[Rule, ...] = (
    Rule(Each(Cast, "op")(x), x, when=_has_it, name="cast to the same dtype"),
    Rule(
        Each(Cast, "outer")(Each(Cast, "inner")(x)),
        _converted,
        when=_one_does,
        name="cast of a cast that loses nothing",
    ),
    Rule(Elemwise("real"), _operand, when=_is_real, name="real part of real numbers"),
    Rule(Elemwise("conj"), _operand, when=_is_real, name="conjugate of real numbers"),
)
"""All of them."""
