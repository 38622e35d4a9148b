"""Functions that PyTensor alone has, so that code which calls them finds them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, rint, sign, trunc
from weft_tensor.ops.elementwise.comparison import ge, isinf, where
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.nn.activations import one_hot
from weft_tensor.ops.products.einsum import einsum
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.stacking import broadcast_shapes
from weft_tensor.ops.special.gamma import gamma, trigamma
from weft_tensor.ops.special.incomplete import gammainc, gammaincc

__all__ = [
    "atleast_Nd",
    "batched_tensordot",
    "broadcast_shape",
    "chi2sf",
    "complex_from_polar",
    "concat_with_broadcast",
    "fill_diagonal_offset",
    "gammal",
    "gammau",
    "get_vector_length",
    "horizontal_stack",
    "identity_like",
    "inverse_permutation",
    "iround",
    "largest",
    "nonzero_values",
    "permute_row_elements",
    "round_half_away_from_zero",
    "round_half_to_even",
    "smallest",
    "to_one_hot",
    "tri_gamma",
    "vertical_stack",
]


def atleast_Nd(x: TensorLike, *, n: int = 1, left: bool = True) -> TensorVariable:
    """`x` with at least `n` axes: those that lack come first, or last if not `left`.

    >>> atleast_Nd([1, 2], n=2, left=False).type.shape
    (2, 1)
    """
    x = as_tensor(x)
    new = max(n - x.ndim, 0)
    return expand_dims(x, tuple(range(new) if left else range(x.ndim, x.ndim + new)))


def broadcast_shape(*arrays: Any, arrays_are_shapes: bool = False) -> tuple[Any, ...]:
    """The shape that tensors, or shapes, are broadcast to; see `broadcast_shapes`.

    >>> [n.eval().item() for n in broadcast_shape([[1], [2]], [3, 4, 5])]
    [2, 3]
    """
    shapes = arrays if arrays_are_shapes else [lengths_of(as_tensor(x)) for x in arrays]
    return broadcast_shapes(*shapes)


def round_half_to_even(x: TensorLike) -> TensorVariable:
    """The nearest whole number; of two, the even one: `round`.

    >>> round_half_to_even([0.5, 1.5]).eval()
    array([0., 2.])
    """
    return rint(x)


def round_half_away_from_zero(x: TensorLike) -> TensorVariable:
    """The nearest whole number; of two, the one that is farther from zero.

    >>> round_half_away_from_zero([0.5, -1.5, 2.4]).eval()
    array([ 1., -2.,  2.])
    """
    v = as_floating(x)
    whole = trunc(v)
    rest = where(isinf(v), 0, v) - where(isinf(v), 0, whole)
    return where(ge(abs(rest), 0.5), whole + sign(v), whole)


def tri_gamma(x: TensorLike) -> TensorVariable:
    """The second derivative of the logarithm of `gamma`: `special.trigamma`.

    >>> tri_gamma([1.0]).eval().round(6)
    array([1.644934])
    """
    return trigamma(x)


def batched_tensordot(x: TensorLike, y: TensorLike, axes: Any = 2) -> TensorVariable:
    """`tensordot` of one part of each after another along the first axis.

    `axes` are so many, the last of `x` and the first behind the first of `y`; or for each a
    sequence of axes. Raises ValueError where the first is among them.

    >>> batched_tensordot([[1, 2], [3, 4]], [[1, 1], [2, 2]], 1).eval()
    array([ 3, 14])
    """
    x, y = as_tensor(x), as_tensor(y)
    if isinstance(axes, int):
        pairs: Any = range(x.ndim - axes, x.ndim), range(1, axes + 1)
    else:
        pairs = [[part] if isinstance(part, int) else part for part in axes]
    left, right = ([a % v.ndim for a in part] for v, part in zip((x, y), pairs, strict=True))
    if 0 in (*left, *right) or len(left) != len(right):
        raise ValueError(f"batched_tensordot: no sum goes over axes {axes}{called()}")
    of_x, of_y = list(range(x.ndim)), [0, *range(x.ndim, x.ndim + y.ndim - 1)]
    for a, b in zip(left, right, strict=True):
        of_y[b] = of_x[a]
    summed = {of_x[a] for a in left}
    return einsum(x, of_x, y, of_y, [k for k in (*of_x, *of_y[1:]) if k not in summed])


def chi2sf(x: TensorLike, k: TensorLike) -> TensorVariable:
    """The probability that chi-square of k degrees of freedom is more than x: `stats.chi2.sf`.

    >>> chi2sf(2.0, 2.0).eval().round(6).item()
    0.367879
    """
    return gammaincc(as_tensor(k) / 2, as_tensor(x) / 2)


def complex_from_polar(abs: TensorLike, angle: TensorLike) -> TensorVariable:
    """Complex numbers by their absolute values and angles.

    >>> complex_from_polar(2.0, 0.0).eval()
    array(2.+0.j)
    """
    size = as_tensor(abs)
    return size * cos(angle) + size * sin(angle) * 1j


def concat_with_broadcast(tensor_list: Sequence[TensorLike], axis: int = 0) -> TensorVariable:
    """One behind another, repeated along the other axes as far as they differ.

    >>> concat_with_broadcast([[[1], [2]], [[3, 4]]], 0).eval()
    array([[1, 1],
           [2, 2],
           [3, 4]])
    """
    tensors = list(map(as_tensor, tensor_list))
    place = axis % tensors[0].ndim
    ends = [v[(slice(None),) * place + (slice(0, 1),)] for v in tensors]
    others = broadcast_arrays(*ends)[0].shape
    wide = [v.broadcast_to(*others[:place], v.shape[place], *others[place + 1 :]) for v in tensors]
    return concatenate(wide, place)


def fill_diagonal_offset(a: TensorLike, val: TensorLike, offset: SizeLike) -> TensorVariable:
    """The matrix `a` with `val` on a diagonal, `offset` above the main one.

    >>> fill_diagonal_offset([[1, 2], [3, 4]], 0, 1).eval()
    array([[1, 0],
           [3, 4]])
    """
    a, shift = as_tensor(a), as_size(offset)
    down, right = maximum(-shift, 0), maximum(shift, 0)
    rows, columns = lengths_of(a)
    places = arange(maximum(minimum(rows - down, columns - right), 0))
    return updated(index(a, (places + down, places + right)), "set", val)


def gammal(k: TensorLike, x: TensorLike) -> TensorVariable:
    """The lower incomplete gamma function, which is not divided by gamma(k).

    >>> gammal(1.0, 2.0).eval().round(6).item()
    0.864665
    """
    return gammainc(k, x) * gamma(k)


def gammau(k: TensorLike, x: TensorLike) -> TensorVariable:
    """The upper incomplete gamma function, which is not divided by gamma(k).

    >>> gammau(1.0, 2.0).eval().round(6).item()
    0.135335
    """
    return gammaincc(k, x) * gamma(k)


def get_vector_length(v: TensorLike) -> int:
    """How many elements a vector has, which must be known.

    Raises ValueError where it is not, and for what is no vector.

    >>> get_vector_length([1, 2])
    2
    """
    shape = as_tensor(v).type.shape
    if len(shape) != 1 or not isinstance(shape[0], int):
        raise ValueError(f"get_vector_length: {v!r} is no vector of known length{called()}")
    return shape[0]


def horizontal_stack(*args: TensorLike) -> TensorVariable:
    """Matrices side by side. Raises ValueError for what is none.

    >>> horizontal_stack([[1]], [[2]]).eval()
    array([[1, 2]])
    """
    return concatenate(_matrices("horizontal_stack", args), 1)


def vertical_stack(*args: TensorLike) -> TensorVariable:
    """Matrices one below another. Raises ValueError for what is none.

    >>> vertical_stack([[1]], [[2]]).eval()
    array([[1],
           [2]])
    """
    return concatenate(_matrices("vertical_stack", args), 0)


def _matrices(name: str, args: Sequence[TensorLike]) -> list[TensorVariable]:
    matrices = list(map(as_tensor, args))
    if any(m.ndim != 2 for m in matrices):
        raise ValueError(f"{name} takes matrices, not {matrices}")
    return matrices


def identity_like(x: TensorLike, dtype: Any = None) -> TensorVariable:
    """Ones on the main diagonal, zeros elsewhere, in the shape of the matrix `x`.

    >>> identity_like([[5.0, 6.0]]).eval()
    array([[1., 0.]])
    """
    (x,) = _matrices("identity_like", [x])
    rows, columns = lengths_of(x)
    return eye(rows, columns, dtype=x.dtype if dtype is None else dtype)


def inverse_permutation(perm: TensorLike) -> TensorVariable:
    """For each row of a permutation where 0, 1, ... stand.

    >>> inverse_permutation([2, 0, 1]).eval()
    array([1, 2, 0])
    """
    return argsort(perm, -1)


def iround(a: TensorLike, mode: str | None = None) -> TensorVariable:
    """The nearest integers, halves to the even one, as int64.

    Raises ValueError for another mode than "half_to_even".

    >>> iround([1.5, 2.5, -0.6]).eval()
    array([ 2,  2, -1])
    """
    if mode not in (None, "half_to_even"):
        raise ValueError(f"iround: mode is 'half_to_even', not {mode!r}{called()}")
    return rint(as_tensor(a)).astype("int64")


def largest(*args: TensorLike) -> TensorVariable:
    """The largest of several, element by element.

    >>> largest([1, 5], 3, [2, 4]).eval()
    array([3, 5])
    """
    return reduce(maximum, map(as_tensor, args))


def smallest(*args: TensorLike) -> TensorVariable:
    """The smallest of several, element by element.

    >>> smallest([1, 5], 3, [2, 4]).eval()
    array([1, 3])
    """
    return reduce(minimum, map(as_tensor, args))


def nonzero_values(a: TensorLike) -> TensorVariable:
    """The elements that are not zero, as a vector.

    >>> nonzero_values([[1, 0], [3, 4]]).eval()
    array([1, 3, 4])
    """
    return as_tensor(a)[nonzero(a)]


def permute_row_elements(x: TensorLike, y: TensorLike, inverse: bool = False) -> TensorVariable:
    """The rows of `x`, their elements at the places that the rows of `y` name.

    Axes before the last broadcast. With `inverse`, elements go to these places.

    >>> permute_row_elements([4, 5, 6], [2, 0, 1]).eval()
    array([6, 4, 5])
    >>> permute_row_elements([4, 5, 6], [2, 0, 1], inverse=True).eval()
    array([5, 6, 4])
    """
    places = inverse_permutation(y) if inverse else as_tensor(y)
    rows, places = broadcast_arrays(x, places)
    return take_along_axis(rows, places, -1)


def to_one_hot(y: TensorLike, nb_class: int, dtype: Any = None) -> TensorVariable:
    """A row for each integer of `y`, 1 at its place and 0 elsewhere: `one_hot`.

    >>> to_one_hot([1, 0], 2).eval()
    array([[0., 1.],
           [1., 0.]])
    """
    return one_hot(y, nb_class, dtype=np.dtype(dtype or "float64").name)
