"""Whether numbers, or all of two tensors, are equal or nearly so."""

from __future__ import annotations

from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import eq, isfinite, isnan, le, logical_and
from weft_tensor.ops.reduction.standard import all
from weft_tensor.types.dtypes import promote

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]


def isclose(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike = 1e-05,
    atol: TensorLike = 1e-08,
    equal_nan: bool = False,
) -> TensorVariable:
    """Whether abs(x - y) <= atol + rtol * abs(y), or both are one infinity. See `numpy.isclose`.

    >>> isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).eval()
    array([ True, False])
    """
    x, y = as_tensors((x, y))
    if not y.type.differentiable:
        y = y.astype(promote((y.dtype, "float64")))
    near = le(abs(x - y), atol + rtol * abs(y)) & isfinite(y) | eq(x, y)
    return near | (isnan(x) & isnan(y)) if equal_nan else near


def allclose(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike = 1e-05,
    atol: TensorLike = 1e-08,
    equal_nan: bool = False,
) -> TensorVariable:
    """Whether all elements are close: a bool scalar. See `isclose`, `numpy.allclose`.

    >>> allclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).eval()
    array(False)
    """
    return all(isclose(x, y, rtol, atol, equal_nan))


def array_equal(x: TensorLike, y: TensorLike, equal_nan: bool = False) -> TensorVariable:
    """Whether both have the same known rank and equal elements: a bool scalar.

    Lengths that differ at a call are an error there, other than in `numpy.array_equal`.

    >>> array_equal([1, 2], [1, 2]).eval(), array_equal([1, 2], [[1, 2]]).eval()
    (array(True), array(False))
    """
    x, y = as_tensor(x), as_tensor(y)
    if x.ndim != y.ndim:
        return constant(False, "bool")
    same = eq(x, y)
    if equal_nan and x.type.differentiable and y.type.differentiable:
        same = same | logical_and(isnan(x), isnan(y))
    return all(same)


def array_equiv(x: TensorLike, y: TensorLike) -> TensorVariable:
    """Whether both, broadcast against each other, have equal elements: a bool scalar.

    Lengths that can't be broadcast at a call are an error there, other than in
    `numpy.array_equiv`.

    >>> array_equiv([1, 1], 1).eval(), array_equiv([1, 2], [1, 2, 3]).eval()
    (array(True), array(False))
    """
    x, y = as_tensor(x), as_tensor(y)
    for n, m in zip(x.type.shape[::-1], y.type.shape[::-1], strict=False):
        if isinstance(n, int) and isinstance(m, int) and n != m and 1 not in (n, m):
            return constant(False, "bool")
    return all(eq(x, y))
