"""Powers, elementwise: of a number, the same whatever it stands next to."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.op import Value
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.op import binary
from weft_tensor.ops.elementwise.table import POSITIVE, Signature
from weft_tensor.types.dtypes import promote

__all__ = ["pow"]


def _power(x: np.ndarray, y: np.ndarray) -> Value:
    """`numpy.power`, which takes a square root where one exponent 0.5 is for many numbers.

    That gives NaN for -inf and -0.0 for -0.0; as C's and IEEE 754's power, and NumPy's own with
    as many exponents as numbers, this gives inf and 0.0.

    >>> import numpy as np
    >>> _power(np.array([-np.inf, -0.0, 4.0]), np.array(0.5)).tolist()
    [inf, 0.0, 2.0]
    """
    if np.asarray(y).dtype.kind == "f":
        half = np.equal(y, 0.5)
        if half.any():
            x = np.where(half & ((x == 0) | np.isneginf(x)), np.abs(x), x)
    return np.power(x, y)


def _dtypes(dtypes: tuple[str, ...]) -> Signature:
    """The dtypes that powers are computed with, and their own, as `numpy.power` has them.

    >>> _dtypes(("bool", "bool"))
    (('int8', 'int8'), 'int8')
    """
    kind = promote(dtypes)
    kind = "int8" if kind == "bool" else kind
    return (kind, kind), kind


# fmt: off
pow = binary(
    "pow", _power, "x to the power y.", (POSITIVE, POSITIVE), (2.0, 3.0, 8.0),
    lambda x, y, r: (
        where(eq(y, 0), 0, y * x ** where(eq(y, 0), 1, y - 1)), where(eq(x, 0), 0, r * log(x))),
    dtypes=_dtypes,
    facts="no_negative_zero if nonnegative no_negative_zero",
)
