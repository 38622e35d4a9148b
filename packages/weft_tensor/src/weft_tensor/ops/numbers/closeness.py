"""Whether numbers, or all of two tensors, are equal or nearly so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs, minimum
from weft_tensor.ops.elementwise.comparison import eq, isfinite, isnan, le, logical_and, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.shape.length import lengths_of, same_size, static_length
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
    """Whether both have the same shape and equal elements: a bool scalar.

    See `numpy.array_equal`.

    >>> array_equal([1, 2], [1, 2]).eval(), array_equal([1, 2], [[1, 2]]).eval()
    (array(True), array(False))
    """
    x, y = as_tensor(x), as_tensor(y)
    if x.ndim != y.ndim:
        return constant(False, "bool")
    x, y, alike = _of_one_shape(x, y, eq)
    same = eq(x, y)
    if equal_nan and x.type.differentiable and y.type.differentiable:
        same = same | logical_and(isnan(x), isnan(y))
    return all(same) & alike


def array_equiv(x: TensorLike, y: TensorLike) -> TensorVariable:
    """Whether both can be broadcast against each other and have equal elements: a bool scalar.

    See `numpy.array_equiv`.

    >>> array_equiv([1, 1], 1).eval(), array_equiv([1, 2], [1, 2, 3]).eval()
    (array(True), array(False))
    """
    x, y, alike = _of_one_shape(as_tensor(x), as_tensor(y), _broadcast)
    return all(eq(x, y)) & alike


def _broadcast(n: TensorVariable, m: TensorVariable) -> TensorVariable:
    return eq(n, m) | eq(n, 1) | eq(m, 1)


def _of_one_shape(
    x: Any, y: Any, fits: Callable[[Any, Any], Any]
) -> tuple[TensorVariable, TensorVariable, Any]:
    """Both, cut to the shorter of lengths that do not fit, and whether all do."""
    alike: Any = constant(True, "bool")
    keys: tuple[list[Any], list[Any]] = [], []
    lengths = (lengths_of(v)[::-1] for v in (x, y))
    for n, m in zip(*lengths, strict=False):
        if same_size(n, m) or (fits is not eq and 1 in (static_length(n), static_length(m))):
            for key in keys:
                key.insert(0, slice(None))
            continue
        fitting, shorter = fits(n, m), minimum(n, m)
        for key, length in zip(keys, (n, m), strict=True):
            key.insert(0, slice(where(fitting, length, shorter)))
        alike = alike & fitting
    return index(x, (..., *keys[0])), index(y, (..., *keys[1])), alike
