"""What is known of values before they are computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Constant
from weft_tensor import Elemwise, ExpandDims, Length, Squeeze, Sum, Transpose

__all__ = ["nonnegative"]

_NEVER_NEGATIVE = {
    Elemwise(name)
    for name in ("abs", "cosh", "erfc", "exp", "exp2", "hypot", "sigmoid", "softplus", "square")
}
_CLOSED = {Elemwise(name) for name in ("add", "maximum", "minimum", "mul", "true_div")}
_MOVING = (ExpandDims, Squeeze, Sum, Transpose)
_STEPS = 16


def nonnegative(x: Any) -> bool:
    """Whether no element of `x` can be negative, -0.0 included (NaN may be among them).

    It looks at no more than a few nodes; False means "not known".

    >>> from weft_tensor import exp, square, vector
    >>> v = vector("v")
    >>> nonnegative(exp(v) + square(v)), nonnegative(v)
    (True, False)
    """
    todo = [x]
    for _ in range(_STEPS):
        if not todo:
            return True
        v = todo.pop()
        op = v.op
        if isinstance(op, Constant):
            if v.is_complex or np.signbit(op.value).any():
                return False
        elif type(op) is Length:
            continue
        elif not v.type.dtype.startswith("float"):
            return False
        elif op in _CLOSED or type(op) in _MOVING:
            todo.extend(v.inputs)
        elif op not in _NEVER_NEGATIVE:
            return False
    return False
