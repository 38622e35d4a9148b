"""Names that Theano, Aesara and PyTensor made usual, and NumPy's other names of functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from weft_graph import Variable, ancestors, custom_pullback, stop_gradient
from weft_graph import replace as replaced
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.creation.diagonals import diagonal
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import (
    deg2rad,
    floor_div,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    rad2deg,
    sign,
    square,
    sub,
    true_div,
)
from weft_tensor.ops.elementwise.comparison import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    eq,
    ge,
    gt,
    le,
    left_shift,
    lt,
    neq,
    right_shift,
    where,
)
from weft_tensor.ops.elementwise.complex import conj, of_parts
from weft_tensor.ops.elementwise.exponential import sigmoid, softplus
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.trigonometric import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
)
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.reduction.standard import max, min
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import squeeze
from weft_tensor.ops.shape.transpose import moveaxis, transpose
from weft_tensor.types.dtypes import promote

__all__ = [
    "absolute",
    "acos",
    "acosh",
    "alloc_diag",
    "amax",
    "amin",
    "and_",
    "as_symbolic",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "batched_dot",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "clone_replace",
    "complex",
    "concat",
    "conjugate",
    "degrees",
    "disconnected_grad",
    "divide",
    "divmod",
    "equal",
    "expit",
    "extract_diag",
    "fill",
    "floor_divide",
    "grad_clip",
    "grad_scale",
    "graph_replace",
    "greater",
    "greater_equal",
    "inc_subtensor",
    "int_div",
    "invert",
    "join",
    "less",
    "less_equal",
    "log1pexp",
    "max_and_argmax",
    "multiply",
    "negative",
    "not_equal",
    "or_",
    "permute_dims",
    "power",
    "radians",
    "remainder",
    "second",
    "set_subtensor",
    "sgn",
    "sqr",
    "subtract",
    "switch",
    "true_divide",
    "xor",
]

acos, asin, atan, atan2 = arccos, arcsin, arctan, arctan2
acosh, asinh, atanh = arccosh, arcsinh, arctanh
bitwise_invert, bitwise_left_shift, bitwise_right_shift = bitwise_not, left_shift, right_shift
subtract, multiply, negative, power = sub, mul, neg, pow
divide = true_divide = true_div
floor_divide, remainder = floor_div, mod
equal, not_equal = eq, neq
less, less_equal, greater, greater_equal = lt, le, gt, ge
invert, conjugate, expit = bitwise_not, conj, sigmoid
degrees, radians = rad2deg, deg2rad
amax, amin = max, min
concat = concatenate
permute_dims = transpose
switch = where
extract_diag = diagonal
sgn, sqr, int_div, log1pexp = sign, square, floor_div, softplus
and_, or_, xor = bitwise_and, bitwise_or, bitwise_xor
disconnected_grad = stop_gradient


def astype(x: TensorLike, dtype: Any, *, copy: bool = True) -> TensorVariable:
    """`x` in another dtype, to `copy` or not. See `numpy.astype`, and `cast`.

    >>> astype([1, 2], "float32").eval()
    array([1., 2.], dtype=float32)
    """
    return as_tensor(x).astype(dtype)


def divmod(x: TensorLike, y: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """The quotient, rounded down, and the remainder. See `numpy.divmod`.

    >>> [part.eval() for part in divmod([7, -7], 3)]
    [array([ 2, -3]), array([1, 2])]
    """
    return floor_div(x, y), mod(x, y)


def complex(real: TensorLike, imag: TensorLike) -> TensorVariable:
    """Complex numbers of their two parts.

    >>> complex([1.0, 2.0], 0.5).eval()
    array([1.+0.5j, 2.+0.5j])
    """
    x, y = as_tensors((real, imag))
    return x + y * 1j if x.is_complex or y.is_complex else of_parts(x, y)


def fill(x: TensorLike, value: TensorLike) -> TensorVariable:
    """`value`, broadcast to the shape of `x`: `full_like`, in the dtype of both.

    >>> fill([1, 2], 0.5).eval()
    array([0.5, 0.5])
    """
    tensor = as_tensor(x)
    filler = as_tensor(value)
    return filler.astype(promote((tensor.dtype, filler.dtype))).broadcast_to(tensor.shape)


second = fill


def max_and_argmax(
    x: TensorLike, axis: int | None = None, keepdims: bool = False
) -> tuple[TensorVariable, TensorVariable]:
    """The largest element over `axis`, and where it stands first.

    >>> [part.eval() for part in max_and_argmax([[1, 7, 3], [4, 5, 6]], axis=1)]
    [array([7, 6]), array([1, 2])]
    """
    return max(x, axis, keepdims), argmax(x, axis, keepdims)


def as_symbolic(x: Any) -> Any:
    """`x`, if it is a variable of any type, else as a tensor.

    >>> as_symbolic(2.5)
    <2.5 : float64>
    """
    return x if isinstance(x, Variable) else as_tensor(x)


def set_subtensor(x: TensorVariable, y: TensorLike) -> TensorVariable:
    """Of `x = z[i]`, the whole of z with `y` in its place: `z[i].set(y)`.

    >>> set_subtensor(as_tensor([1, 2, 3])[1:], 9).eval()
    array([1, 9, 9])
    """
    return updated(x, "set", y)


def inc_subtensor(x: TensorVariable, y: TensorLike) -> TensorVariable:
    """Of `x = z[i]`, the whole of z with `y` added there: `z[i].inc(y)`.

    >>> inc_subtensor(as_tensor([1, 2, 3])[1:], 9).eval()
    array([ 1, 11, 12])
    """
    return updated(x, "inc", y)


def join(axis: int, *tensors: TensorLike) -> TensorVariable:
    """`tensors` one behind another: `concatenate`, with the axis first.

    >>> join(0, [1, 2], [3]).eval()
    array([1, 2, 3])
    """
    return concatenate(tensors, axis)


def alloc_diag(
    x: TensorLike, offset: SizeLike = 0, axis1: int = 0, axis2: int = 1
) -> TensorVariable:
    """Zeros with the last axis of `x` on a diagonal of two axes: what `diagonal` reads.

    Raises ValueError for a scalar.

    >>> alloc_diag([1, 2]).eval()
    array([[1, 0],
           [0, 2]])
    """
    x = as_tensor(x)
    if not x.ndim:
        raise ValueError(f"alloc_diag takes a tensor with an axis, not {x!r}")
    shift = as_size(offset)
    *others, n = lengths_of(x)
    places = arange(n)
    length = n + absolute(shift)
    blank = zeros((*others, length, length), x.dtype)
    there = (..., places + maximum(-shift, 0), places + maximum(shift, 0))
    return moveaxis(updated(index(blank, there), "set", x), (-2, -1), (axis1, axis2))


def batched_dot(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The products of matrices, or vectors, one of `a` and one of `b` after another.

    Raises TypeError for what is no stack of vectors or matrices.

    >>> batched_dot([[1, 2], [3, 4]], [[1, 1], [2, 2]]).eval()
    array([ 3, 14])
    """
    a, b = as_tensor(a), as_tensor(b)
    for x in (a, b):
        if x.ndim not in (2, 3):
            raise TypeError(f"batched_dot takes a stack of vectors or matrices, not {x!r}")
    left = a if a.ndim == 3 else a.expand_dims(1)
    right = b if b.ndim == 3 else b.expand_dims(2)
    extra = [k for k, x in ((1, a), (2, b)) if x.ndim == 2]
    product = matmul(left, right)
    return squeeze(product, extra) if extra else product


def clone_replace(
    output: Any, replace: Mapping[Any, Any] | Iterable[tuple[Any, Any]] | None = None
) -> Any:
    """`output`, a variable or several, with variables replaced by others of the same type.

    The pairs are given in a dict or one after another. The graphs that were there stay as they
    are.

    >>> from weft_tensor import vector
    >>> x, y = vector("x"), vector("y")
    >>> clone_replace(x + 1, {x: y * 2}).eval({y: [1.0]})
    array([3.])
    """
    pairs = {old: as_symbolic(new) for old, new in dict(replace or ()).items()}
    several = isinstance(output, Sequence)
    copies = replaced(output if several else [output], pairs)
    return copies if several else copies[0]


def graph_replace(
    outputs: Any, replace: Mapping[Any, Any] | Iterable[tuple[Any, Any]], strict: bool = True
) -> Any:
    """`outputs` with variables replaced by others: `clone_replace`, which is told all there is.

    Raises ValueError for one to replace that the outputs do not depend on, unless not `strict`.

    >>> from weft_tensor import vector
    >>> x, y = vector("x"), vector("y")
    >>> graph_replace([x + 1], {x: y * 2})[0].eval({y: [1.0]})
    array([3.])
    """
    pairs = dict(replace)
    sources = set(ancestors(outputs if isinstance(outputs, Sequence) else [outputs]))
    missing = [v for v in pairs if v not in sources]
    if strict and missing:
        raise ValueError(f"graph_replace: the outputs do not depend on {missing[0]!r}")
    return clone_replace(outputs, pairs)


@custom_pullback
def _with_clipped_slope(x: Any, low: Any, high: Any) -> Any:
    return x


@_with_clipped_slope.define
def _clipped(inputs: Sequence[Any], outputs: Sequence[Any], slopes: Sequence[Any]) -> Sequence[Any]:
    _, low, high = inputs
    return [minimum(maximum(slopes[0], low), high).astype(slopes[0].dtype), None, None]


@custom_pullback
def _with_scaled_slope(x: Any, factor: Any) -> Any:
    return x


@_with_scaled_slope.define
def _scaled(inputs: Sequence[Any], outputs: Sequence[Any], slopes: Sequence[Any]) -> Sequence[Any]:
    return [(slopes[0] * inputs[1]).astype(slopes[0].dtype), None]


def grad_clip(x: TensorLike, lower_bound: TensorLike, upper_bound: TensorLike) -> TensorVariable:
    """`x`; what comes back to it in a derivative is brought between the bounds.

    >>> from weft_graph import grad
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> grad((grad_clip(x, -1, 1) ** 2).sum(), x).eval({x: [0.25, 3.0]})
    array([0.5, 1. ])
    """
    arguments = map(as_tensor, (x, lower_bound, upper_bound))
    result: TensorVariable = _with_clipped_slope(*arguments)
    return result


def grad_scale(x: TensorLike, multiplier: TensorLike) -> TensorVariable:
    """`x`; what comes back to it in a derivative is multiplied.

    >>> from weft_graph import grad
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> grad((grad_scale(x, -1) ** 2).sum(), x).eval({x: [0.25, 3.0]})
    array([-0.5, -6. ])
    """
    result: TensorVariable = _with_scaled_slope(as_tensor(x), as_tensor(multiplier))
    return result
