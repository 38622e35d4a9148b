"""Conditions of rules: what is known of values before they are computed."""

from __future__ import annotations

from typing import Any

from weft_graph import Constant, Fact, ask
from weft_tensor import BroadcastTo, Cast, TensorType, TensorVariable, facts

__all__ = ["has", "is_one_for_many", "is_zero", "keeps_lengths", "nonnegative"]


def has(x: TensorVariable, *wanted: Fact) -> bool:
    """Whether all of `wanted` are known to hold for `x`; False also means "not known".

    >>> from weft_tensor import exp, facts, vector
    >>> has(exp(vector("v")), facts.nonnegative), has(vector("v"), facts.nonnegative)
    (True, False)
    """
    return all(ask(x, fact) is True for fact in wanted)


def is_zero(x: Any) -> bool:
    """Whether all elements are the constant 0.

    >>> from weft_tensor import vector, zeros
    >>> is_zero(zeros((2, 2))), is_zero(vector("x"))
    (True, False)
    """
    while type(x.op) in (BroadcastTo, Cast):
        x = x.inputs[0]
    return isinstance(x.op, Constant) and not x.op.value.any()


def nonnegative(x: TensorVariable) -> bool:
    """Whether no element of `x` can be negative, -0.0 included (NaN may be among them).

    >>> from weft_tensor import exp, square, vector
    >>> v = vector("v")
    >>> nonnegative(exp(v) + square(v)), nonnegative(v)
    (True, False)
    """
    return has(x, facts.nonnegative, facts.no_negative_zero)


def keeps_lengths(old: TensorType, new: TensorType) -> bool:
    """Whether type `new` says all that type `old` says (and perhaps more)."""
    return old is new or (
        old.dtype == new.dtype
        and old.ndim == new.ndim
        and all(a is None or a == b for a, b in zip(old.shape, new.shape, strict=True))
    )


def is_one_for_many(x: TensorVariable, y: TensorVariable) -> bool:
    """Whether a function of `y` is computed once, where a product is for each element of `x`.

    >>> from weft_tensor import scalar, vector
    >>> is_one_for_many(vector("v"), scalar("s")), is_one_for_many(scalar("s"), vector("v"))
    (True, False)
    """
    return _is_one(y) and not _is_one(x)


def _is_one(x: TensorVariable) -> bool:
    return all(n == 1 for n in x.type.shape)
