"""Draws from what is given: with and without replacement, with weights, and in another order."""

from __future__ import annotations

from math import inf
from typing import Any

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.distributions.constraints import checked
from weft_tensor.ops.distributions.multivariate.chosen import SHARES, chosen, sums_to_one
from weft_tensor.ops.distributions.multivariate.share_rows import categorical as _classes
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take, take_along_axis
from weft_tensor.ops.random.distributions import integers
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, as_sizes, random_words
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["categorical", "choice", "permutation", "permuted", "shuffle"]


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
    order: TensorVariable,
    most: TensorVariable,
    sizes: tuple[TensorVariable, ...],
    further: tuple[TensorVariable, ...] = (),
    owner: str = "choice",
) -> TensorVariable:
    """As many of the first axis of `order` as `sizes` say, in that shape; then further axes."""
    needed = as_tensor(1)
    for n in sizes:
        needed = needed * n
    text = f"{owner}: size is more than there is to choose from without replacement"
    if all(isinstance(v.op, Constant) for v in (*sizes, most)):
        wanted, there = needed.eval(), most.eval()
        if wanted > there:
            raise ValueError(f"{text}: {wanted} of {there}")
    else:
        needed = check_and_raise(needed, needed <= most, ValueError, text)
    return order[:needed].reshape(*sizes, *further)


@uses_key
def categorical(
    key: TensorLike,
    p: TensorLike | None = None,
    logits: TensorLike | None = None,
    size: Size = None,
    dtype: Any = None,
    *,
    axis: int = -1,
    replace: bool = True,
) -> TensorVariable:
    """Classes 0, 1, ... of probabilities `p`, or softmax(logits): see `jax.random.categorical`.

    Parameters
    ----------
    key
        Made by `key`, `split` or `fold_in`.
    p, logits
        One of them: TypeError for both, ValueError for what are no probabilities.
    size
        Lengths, which end with those of the parameters without `axis`; by default, these.
    dtype
        float32 or float64, in which it is computed; by default, that of the parameters.
    axis
        Along which the classes are.
    replace
        Whether a class may come several times along the axes that `size` has before those of the
        parameters. If not, ValueError where there are fewer classes than asked for.

    Examples
    --------
    >>> from weft_tensor.random import key
    >>> categorical(key(7), [0.1, 0.2, 0.7], size=4).eval()
    array([2, 2, 2, 2])
    >>> categorical(key(7), logits=[0.0, 1.0, 2.0], size=3, replace=False).eval()
    array([2, 1, 0])
    """
    given = {"p": p, "logits": logits}
    along: dict[str, Any] = {n: moveaxis(v, axis, -1) for n, v in given.items() if v is not None}
    if replace:
        return _classes.rvs(key, size=size, dtype=dtype, **along)
    if len(along) != 1:
        raise TypeError("categorical takes one of p, logits")
    ((name, logs),) = along.items()
    logs = logs.astype("float32" if (dtype or logs.dtype) == "float32" else "float64")
    if name == "p":
        logs = log_of(checked([logs], sums_to_one(logs), "categorical", "p", SHARES))
    *batch, classes = lengths_of(logs)
    sizes = tuple(batch) if size is None else as_sizes(size)
    if len(sizes) < len(batch):
        raise ValueError(f"categorical: size has {len(sizes)} lengths, fewer than {logs!r} needs")
    several, batches = sizes[: len(sizes) - len(batch)], sizes[len(sizes) - len(batch) :]
    waits = log(Draws(key, (*batches, classes), logs.dtype).exponential()) - logs
    possible = (logs > -inf).sum(axis=-1).min()
    return _first(moveaxis(argsort(waits), -1, 0), possible, several, batches, "categorical")


@uses_key
def permutation(
    key: TensorLike, x: TensorLike, axis: int = 0, independent: bool = False
) -> TensorVariable:
    """`x` with its parts along `axis` in another order, or `arange(x)`, all equally likely.

    If `independent`, in an order of its own for each place on the other axes, as `permuted` has
    it. See `numpy.random.Generator.permutation` and `jax.random.permutation`.

    >>> from weft_tensor.random import key
    >>> permutation(key(7), 4).eval()
    array([1, 3, 2, 0])
    """
    tensor = as_tensor(x)
    if not tensor.ndim:
        return argsort(random_words(key, (tensor.astype("int64"),)))
    if independent:
        return permuted(key, tensor, axis)
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
