"""Comparisons, logic, bits and choice, elementwise."""

from __future__ import annotations

from functools import wraps
from math import inf, nan
from typing import Any, cast

import numpy as np

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.op import Binary, Ternary, binary, ternary, unary
from weft_tensor.ops.elementwise.table import ANY, INTEGER, SHIFT, Signature
from weft_tensor.types.dtypes import promote

__all__ = [
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "broadcast_length",
    "eq",
    "ge",
    "gt",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "left_shift",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "neq",
    "right_shift",
]


def _comparison(*row: Any, **fields: Any) -> Binary:
    """A comparison, also with Python integers that the dtype of integers does not reach."""
    compared = binary(*row, cost=1, **fields)

    @wraps(compared)
    def call(x: TensorLike, y: TensorLike, /, **options: Any) -> TensorVariable:
        try:
            return compared(x, y, **options)
        except OverflowError:
            if type(x) is type(y):
                raise
            return compared(_unreached(x), _unreached(y), **options)

    return cast("Binary", call)


def _unreached(value: TensorLike) -> TensorLike:
    """What compares as an integer beyond all others does."""
    return value if type(value) is not int else inf if value > 0 else -inf


# fmt: off

def _truth(dtypes: tuple[str, ...]) -> Signature:
    return dtypes, "bool"


def _choice(dtypes: tuple[str, ...]) -> Signature:
    kind = promote(dtypes[1:])
    return ("bool", kind, kind), kind


def _common(dtypes: tuple[str, ...]) -> Signature:
    kind = promote(dtypes)
    return (kind,) * len(dtypes), kind


eq = _comparison(
    "eq", "numpy.equal", "Whether x equals y.", (ANY, ANY), (2.0, 3.0, False), commutative=True,
)
neq = _comparison(
    "neq", "numpy.not_equal", "Whether x differs from y.", (ANY, ANY), (2.0, 3.0, True),
    commutative=True,
)
lt = _comparison(
    "lt", "numpy.less", "Whether x is less than y.", (ANY, ANY), (2.0, 3.0, True),
)
le = _comparison(
    "le", "numpy.less_equal", "Whether x is at most y.", (ANY, ANY), (2.0, 3.0, True),
)
gt = _comparison(
    "gt", "numpy.greater", "Whether x is greater than y.", (ANY, ANY), (2.0, 3.0, False),
)
ge = _comparison(
    "ge", "numpy.greater_equal", "Whether x is at least y.", (ANY, ANY), (2.0, 3.0, False),
)
isnan = unary(
    "isnan", "numpy.isnan", "Whether x is not a number.", ANY, (nan, True), cost=1,
)
isinf = unary(
    "isinf", "numpy.isinf", "Whether x is infinite.", ANY, (-inf, True), cost=2,
)
isfinite = unary(
    "isfinite", "numpy.isfinite", "Whether x is neither infinite nor NaN.", ANY, (inf, False),
    cost=1,
)
logical_and = binary(
    "logical_and", "numpy.logical_and", "Whether x and y are both true (not 0).",
    (ANY, ANY), (True, False, False), commutative=True, dtypes=_truth, cost=1,
)
logical_or = binary(
    "logical_or", "numpy.logical_or", "Whether x or y is true (not 0).",
    (ANY, ANY), (True, False, True), commutative=True, dtypes=_truth, cost=1,
)
logical_xor = binary(
    "logical_xor", "numpy.logical_xor", "Whether just one of x and y is true (not 0).",
    (ANY, ANY), (True, False, True), commutative=True, dtypes=_truth, cost=2,
)
logical_not = unary(
    "logical_not", "numpy.logical_not", "Whether x is false (0).",
    ANY, (True, False), dtypes=_truth, cost=1,
)
bitwise_and = binary(
    "bitwise_and", "numpy.bitwise_and", "Bits that are set in both.",
    (INTEGER, INTEGER), (6, 3, 2), commutative=True, cost=1,
)
bitwise_or = binary(
    "bitwise_or", "numpy.bitwise_or", "Bits that are set in either.",
    (INTEGER, INTEGER), (6, 3, 7), commutative=True, cost=1,
)
bitwise_xor = binary(
    "bitwise_xor", "numpy.bitwise_xor", "Bits that are set in just one.",
    (INTEGER, INTEGER), (6, 3, 5), commutative=True, cost=1,
)
bitwise_not = unary(
    "bitwise_not", "numpy.bitwise_not", "All bits inverted.", INTEGER, (6, -7), cost=1,
)
left_shift = binary(
    "left_shift", "numpy.left_shift", "x times 2 to the power y.",
    (INTEGER, SHIFT), (3, 2, 12), cost=1,
)
right_shift = binary(
    "right_shift", "numpy.right_shift", "x divided by 2 to the power y, rounded down.",
    (INTEGER, SHIFT), (12, 2, 3), cost=1,
)
where: Ternary = ternary(
    "where", "numpy.where", "x where the condition holds, else y.",
    ((0, 1), ANY, ANY), (True, 2.0, 3.0, 2.0),
    pullback=lambda c, x, y, r, g: [None, where(c, g, 0), where(c, 0, g)],
    pushforward=lambda c, x, y, r, tc, tx, ty: where(c, tx, ty),
    dtypes=_choice, cost=1,
)
broadcast_length = binary(
    "broadcast_length", lambda x, y: np.where(np.equal(x, 1), y, x),
    "The length that axes of lengths x and y are broadcast to.",
    (SHIFT, SHIFT), (1, 5, 5), dtypes=_common,
    facts="signed keeps nonnegative",
)
