"""Draws from what is given: with and without replacement, with weights, and in another order."""

from __future__ import annotations

from typing import Any

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.distributions.constraints import checked
from weft_tensor.ops.distributions.multivariate.chosen import SHARES, chosen, sums_to_one
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take, take_along_axis
from weft_tensor.ops.random.distributions import integers
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, as_sizes, random_words
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["choice", "permutation", "permuted", "shuffle"]


@uses_key
def choice(
    key: TensorLike,
    a: TensorLike,
    size: Size = None,
    replace: bool = True,
    p: TensorLike | None = None,
    axis: int = 0,
) -> TensorVariable:
    """Elements of `a`, or integers below it. See `numpy.random.Generator.choice`.

    Parameters
    ----------
    key
        Made by `key`, `split` or `fold_in`.
    a
        A tensor, or an integer for `arange(a)`.
    size
        Lengths, in the place of `axis`; one element without it.
    replace
        Whether an element may come several times. If not, ValueError where there are fewer
        than asked for.
    p
        Probabilities, which sum to one: ValueError if not. Without replacement, those of what is
        left are proportional to them at each draw.
    axis
        Along which the elements are.

    Examples
    --------
    >>> from weft_tensor.random import key
    >>> choice(key(7), 5, 3, replace=False).eval()
    array([4, 1, 3])
    """
    pool = as_tensor(a)
    place = 0 if not pool.ndim else axis
    count = pool if not pool.ndim else lengths_of(pool)[axis]
    sizes = as_sizes(() if size is None else size)
    if p is not None:
        weights = as_tensor(p)
        weights = checked([weights], sums_to_one(weights), "choice", "p", SHARES)
        kind = weights.dtype if weights.dtype == "float32" else "float64"
        where_to = (
            chosen(Draws(key, sizes, kind).uniform(), weights)
            if replace
            else _first(_heavy(key, weights, count, kind), (weights > 0).sum(), sizes)
        )
    elif replace:
        where_to = integers(key, 0, count, size=sizes)
    else:
        where_to = _first(argsort(random_words(key, (count,))), count, sizes)
    return take(pool, where_to, place) if pool.ndim else where_to


def _heavy(
    key: TensorLike, weights: TensorVariable, count: TensorVariable, kind: str
) -> TensorVariable:
    """An order in which heavy ones come early: by who waits least for a rate of its weight."""
    waits = log(Draws(key, (count,), kind).exponential()) - log_of(weights)
    return argsort(waits)


def _first(
    order: TensorVariable, most: TensorVariable, sizes: tuple[TensorVariable, ...]
) -> TensorVariable:
    needed = as_tensor(1)
    for n in sizes:
        needed = needed * n
    text = "choice: size is more than there is to choose from without replacement"
    if all(isinstance(v.op, Constant) for v in (*sizes, most)):
        wanted, there = needed.eval(), most.eval()
        if wanted > there:
            raise ValueError(f"{text}: {wanted} of {there}")
    else:
        needed = check_and_raise(needed, needed <= most, ValueError, text)
    return order[:needed].reshape(*sizes)


@uses_key
def permutation(key: TensorLike, x: TensorLike, axis: int = 0) -> TensorVariable:
    """`x` with its parts along `axis` in another order, or `arange(x)`, all equally likely.

    See `numpy.random.Generator.permutation`.

    >>> from weft_tensor.random import key
    >>> permutation(key(7), 4).eval()
    array([1, 3, 2, 0])
    """
    tensor = as_tensor(x)
    if not tensor.ndim:
        return argsort(random_words(key, (tensor.astype("int64"),)))
    return take(tensor, argsort(random_words(key, (tensor.shape[axis],))), axis)


@uses_key
def shuffle(key: TensorLike, x: TensorLike, axis: int = 0) -> TensorVariable:
    """`x` with its parts along `axis` in another order; ValueError for a scalar.

    Unlike `numpy.random.Generator.shuffle`, it leaves `x` as it is.

    >>> from weft_tensor.random import key
    >>> shuffle(key(7), [5, 6, 7, 8]).eval()
    array([6, 8, 7, 5])
    """
    tensor = as_tensor(x)
    if not tensor.ndim:
        raise ValueError(f"shuffle takes a tensor with axes, not {tensor!r}")
    return permutation(key, tensor, axis)


@uses_key
def permuted(key: TensorLike, x: TensorLike, axis: int | None = None) -> TensorVariable:
    """`x` with the elements along `axis` in an order of its own for each place on the others.

    Without an axis, all elements change places. See `numpy.random.Generator.permuted`.

    >>> from weft_tensor.random import key
    >>> permuted(key(7), [[5, 6], [7, 8]], axis=1).eval()
    array([[6, 5],
           [8, 7]])
    """
    tensor = as_tensor(x)
    if axis is None:
        return permutation(key, tensor.ravel()).reshape(*lengths_of(tensor))
    order: Any = argsort(random_words(key, lengths_of(tensor)), axis)
    return take_along_axis(tensor, order, axis)
