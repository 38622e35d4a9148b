"""Elements of one or another tensor, by conditions and by numbers; and where conditions hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce as fold
from operator import or_
from typing import Any, overload

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.no_value_yet import doubt_of_flag
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, full
from weft_tensor.ops.elementwise import comparison
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, ge, lt, neq
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.indexing.take import compress, key_along, moved_places
from weft_tensor.ops.reduction.standard import all as all_of
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays, broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims, ravel, reshape
from weft_tensor.types.axes import as_axis

__all__ = [
    "argwhere",
    "choose",
    "extract",
    "piecewise",
    "place",
    "put_along_axis",
    "select",
    "where",
]


@overload
def where(
    condition: TensorLike, *, size: int | None = None, fill_value: Any = None
) -> tuple[TensorVariable, ...]: ...
@overload
def where(
    condition: TensorLike,
    x: TensorLike,
    y: TensorLike,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> TensorVariable: ...
def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    *,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """Elements of `x` where the condition holds, else of `y`; alone, the places where it does.

    See `numpy.where`, and `nonzero`, which has `size` and `fill_value` of the places. Raises
    ValueError for one of `x` and `y` without the other, and for these with both.

    >>> where([True, False], [1, 2], 0).eval()
    array([1, 0])
    >>> [v.eval() for v in where([True, False, True])]
    [array([0, 2])]
    """
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise ValueError("where takes a condition, or a condition and both x and y")
    if size is not None or fill_value is not None:
        raise ValueError("where: size and fill_value are of places, without x and y")
    doubt_of_flag("where", condition)
    return comparison.where(condition, x, y)


def argwhere(x: TensorLike, *, size: int | None = None, fill_value: Any = None) -> TensorVariable:
    """The places of the elements that are not zero, a row for each. See `numpy.argwhere`.

    `size` and `fill_value` are those of `nonzero`.

    >>> argwhere([[0, 3], [4, 0]]).eval()
    array([[0, 1],
           [1, 0]])
    """
    x = as_tensor(x)
    rows = stack(nonzero(atleast_1d(x), size=size, fill_value=fill_value), 1)
    return rows if x.ndim else index(rows, (slice(None), slice(None, 0)))


def extract(
    condition: TensorLike, x: TensorLike, *, size: int | None = None, fill_value: TensorLike = 0
) -> TensorVariable:
    """The elements for which the condition holds, as a vector. See `numpy.extract`.

    `size` and `fill_value` are those of `compress`.

    >>> extract([[True, False], [False, True]], [[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
    flat = ravel(as_tensor(condition))
    return compress(flat, x, size=size, fill_value=fill_value)


def place(x: TensorLike, mask: TensorLike, vals: TensorLike) -> TensorVariable:
    """`x` with `vals`, one after another, where `mask` is true: as a new tensor.

    From the beginning again if there are too few; ValueError at the call if there is none. See
    `numpy.place`. Raises TypeError if the values would lose something in the dtype of `x`.

    >>> place([1, 2, 3, 4], [True, False, True, True], [8, 9]).eval()
    array([8, 2, 9, 8])
    """
    x, values = as_tensor(x), ravel(as_tensor(vals))
    if isinstance(vals, (Variable, np.ndarray)) and not np.can_cast(values.dtype, x.dtype):
        raise TypeError(f"place can't put {values!r} into {x!r} without loss: use astype")
    there = neq(ravel(as_tensor(mask)), 0)
    flat = ravel(x)
    message = "place: the mask must be as long as what it is for"
    same = eq(lengths_of(there)[0], lengths_of(flat)[0])
    there = check_and_raise(there, same, ValueError, message)
    (n,) = lengths_of(values)
    some = ge(n, 1) | ~any_of(there)
    there = check_and_raise(there, some, ValueError, "place: there are no values to put in")
    (places,) = nonzero(there)
    (count,) = lengths_of(places)
    new = index(values.astype(x.dtype), arange(count) % maximum(n, 1))
    return reshape(updated(index(flat, places), "set", new), lengths_of(x))


def put_along_axis(
    x: TensorLike,
    indices: TensorLike,
    values: TensorLike,
    axis: int | None,
    inplace: bool = False,
    *,
    mode: str = "raise",
) -> TensorVariable:
    """`x` with `values` at `indices` along `axis`, as `take_along_axis` reads: a new tensor.

    Without an axis, of the flattened `x`. `mode` says what is done with those out of bounds:
    "raise" an IndexError at the call, "wrap" around, "clip", or "drop" them. See
    `numpy.put_along_axis`, and `jax.numpy.put_along_axis`, whose mode is "drop", or "fill". Raises
    ValueError if the indices have another rank than `x`, for another mode, and for `inplace`.

    >>> put_along_axis([[3, 1], [5, 6]], [[1], [0]], 9, axis=1).eval()
    array([[3, 9],
           [9, 6]])
    """
    x, places = as_tensor(x), as_tensor(indices)
    if inplace:
        raise ValueError("put_along_axis makes a new tensor: write inplace=False")
    if axis is None:
        flat = put_along_axis(ravel(x), places, values, 0, mode=mode)
        return reshape(flat, lengths_of(x))
    if places.ndim != x.ndim:
        raise ValueError(f"indices of rank {places.ndim} for a tensor of rank {x.ndim}")
    along = as_axis(axis, x.ndim)
    drops = mode in ("drop", "fill")
    kept = "fill" if drops else mode
    moved, inside = moved_places("put_along_axis", x, places, along, kept)
    new = as_tensor(values).astype(x.dtype)
    if not drops:
        return updated(index(x, key_along(x, moved, along)), "set", new)
    n, before = lengths_of(x)[along], (slice(None),) * along  # one place more, to be left out
    whole = concatenate([x, index(x, (*before, slice(None, 1)))], along)
    moved = where(inside, moved, n)
    changed = updated(index(whole, key_along(whole, moved, along)), "set", new)
    return index(changed, (*before, slice(None, n)))


def choose(
    a: TensorLike, choices: TensorLike | Sequence[TensorLike], mode: str = "raise"
) -> TensorVariable:
    """For each number in `a` the element, at the same place, of that one of `choices`.

    `mode` says what is done with other numbers: "raise" a ValueError at the call, "wrap" around
    or "clip". See `numpy.choose`. Raises TypeError if the numbers are no integers.

    >>> choose([1, 0], [[10, 20], [30, 40]]).eval()
    array([30, 20])
    """
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"choose: mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    which = as_tensor(a)
    if which.dtype[0] not in "iub":
        raise TypeError(f"choose takes integers, not {which!r}")
    which = which.astype("int64")
    if isinstance(choices, (list, tuple)):
        which, *options = broadcast_arrays(which, *as_tensors(choices))
        together = stack(options)
    else:
        rows = as_tensor(choices)
        if not rows.ndim:
            raise ValueError(f"choose takes several choices, not {rows!r}")
        missing = tuple(range(1, 1 + max(which.ndim + 1 - rows.ndim, 0)))
        rows = expand_dims(rows, missing)
        which, first = broadcast_arrays(which, index(rows, 0))
        together = broadcast_to(rows, (lengths_of(rows)[0], *lengths_of(first)))
    n = lengths_of(together)[0]
    if mode == "raise":
        fits = all_of(ge(which, 0) & lt(which, n))
        which = check_and_raise(which, fits, ValueError, "choose: a number is no choice")
    else:
        which = which % n if mode == "wrap" else maximum(minimum(which, n - 1), 0)
    others = range(which.ndim)
    key = [
        expand_dims(arange(length), tuple(b for b in others if b != axis))
        for axis, length in enumerate(lengths_of(which))
    ]
    return index(together, (which, *key))


def select(
    condlist: Sequence[TensorLike], choicelist: Sequence[TensorLike], default: TensorLike = 0
) -> TensorVariable:
    """Elements of the first choice whose condition holds, or of `default`. See `numpy.select`.

    Raises ValueError unless there are as many choices as conditions, TypeError for conditions that
    are not bools.

    >>> select([[True, False, False], [True, True, False]], [1, 2]).eval()
    array([1, 2, 0])
    """
    conditions = [as_tensor(c) for c in condlist]
    if len(conditions) != len(choicelist) or not conditions:
        raise ValueError(
            f"select takes as many choices as conditions, one at least, not {len(conditions)} "
            f"conditions and {len(choicelist)} choices"
        )
    for c in conditions:
        if c.dtype != "bool":
            raise TypeError(f"select takes conditions of bools, not {c!r}")
    *choices, result = as_tensors([*choicelist, default])
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        result = comparison.where(condition, choice, result)
    return result


def piecewise(
    x: TensorLike,
    condlist: TensorLike | Sequence[TensorLike],
    funclist: Sequence[Callable[..., TensorLike] | TensorLike],
    *args: Any,
    **kwargs: Any,
) -> TensorVariable:
    """Functions, or numbers, of `x`, each where its condition holds: the last one, if several.

    One function more is for where no condition holds, else that is 0. Results have the dtype
    of `x`. Each function is computed of all elements, and must be elementwise. See
    `numpy.piecewise`. Raises ValueError unless there are as many functions as conditions, or one
    more.

    >>> x = as_tensor([-1.0, 2.0])
    >>> piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: 10 * v]).eval()
    array([ 1., 20.])
    """
    x = as_tensor(x)
    several = isinstance(condlist, (list, tuple)) and any(
        isinstance(c, Variable) or hasattr(c, "__len__") for c in condlist
    )
    masks: Sequence[Any] = [condlist]
    if isinstance(condlist, (list, tuple)) and (several or not x.ndim):
        masks = condlist
    conditions = [neq(as_tensor(c), 0) for c in masks]
    if len(funclist) == len(conditions) + 1:
        conditions.append(~fold(or_, conditions))
    elif len(funclist) != len(conditions):
        raise ValueError(
            f"piecewise takes as many functions as conditions, {len(conditions)}, or one more, "
            f"not {len(funclist)}"
        )
    result: Any = full(lengths_of(x), 0, x.dtype)
    for condition, function in zip(conditions, funclist, strict=True):
        value = as_tensor(function(x, *args, **kwargs) if callable(function) else function)
        result = comparison.where(condition, value.astype(x.dtype), result)
    return result
