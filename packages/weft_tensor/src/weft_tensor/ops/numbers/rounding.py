"""Rounding to decimals, and towards zero."""

from __future__ import annotations

from operator import index as whole

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import rint, trunc

__all__ = ["around", "fix", "round"]


def round(x: TensorLike, decimals: int = 0) -> TensorVariable:
    """To so many decimals, halves to the even one; negative ones are places before the point.

    See `numpy.round`. Raises TypeError for bools.

    >>> round([1.25, -0.5, 2.675], 1).eval()
    array([ 1.2, -0.5,  2.7])
    """
    x = as_tensor(x)
    places = whole(decimals)
    if x.dtype == "bool":
        raise TypeError("round takes numbers, not bools: convert with .astype('int64')")
    if not x.type.differentiable and places >= 0:
        return x
    if x.is_complex:
        return (round(x.real, places) + 1j * round(x.imag, places)).astype(x.dtype)
    if not places:
        return rint(x)
    if places > 0:
        return rint(x * 10.0**places) / 10.0**places
    return (rint(x / 10.0**-places) * 10.0**-places).astype(x.dtype)


def fix(x: TensorLike) -> TensorVariable:
    """The next whole number towards zero. See `numpy.fix`.

    >>> fix([1.7, -1.7]).eval()
    array([ 1., -1.])
    """
    return trunc(x)


around = round
